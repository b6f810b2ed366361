// The recursions behind accelerations in joint coordinates, with loops and without, against sparse matrices; the
// clusters that loops make; and how little it matters where a mechanism is.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/motion/acceleration_system.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

Body rod(const std::string& name, const Vec3<double>& at) {
  Body body;
  body.name = name;
  body.mass = 1.5;
  body.inertia = {{0.3, 0.01, 0.02}, {0.01, 0.4, -0.03}, {0.02, -0.03, 0.5}};
  body.reference.origin = at;
  return body;
}

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

// Parallelograms on top of each other, hinges parallel, or with a universal joint each, so that all is spatial and no
// row depends on others.
Mechanism stacked_four_bars(int n, JointType third = JointType::revolute, const Vec3<double>& from = {}) {
  Mechanism mechanism;
  mechanism.gravity = {1, -9.81, 0.5};
  const Vec3<double> axis{0.1, 0.2, 1};
  std::string base = "ground";
  for (int i = 0; i < n; ++i) {
    const Vec3<double> left = from + Vec3<double>{0.2 * i, 1.0 * i, 0}, top = left + Vec3<double>{0.3, 1, 0};
    const Vec3<double> side{1, 0, 0};
    const std::string a = numbered("left", i), b = numbered("right", i), c = numbered("top", i);
    mechanism.add(rod(a, (left + top) * 0.5));
    mechanism.add(rod(b, (left + top) * 0.5 + side));
    mechanism.add(rod(c, top + side * 0.5));
    mechanism.add_joint(numbered("A", i), JointType::revolute, base, a, left, axis);
    mechanism.add_joint(numbered("B", i), JointType::revolute, base, b, left + side, axis);
    mechanism.add_joint(numbered("C", i), third, a, c, top, axis);
    mechanism.add_joint(numbered("D", i), JointType::spherical, c, b, top + side);
    base = c;
  }
  return mechanism;
}

// A ball, hinges and a slider in an open tree with a branch.
Mechanism open_tree() {
  Mechanism mechanism;
  mechanism.gravity = {0, 0, -9.81};
  for (int i = 0; i < 5; ++i) mechanism.add(rod(numbered("b", i), {0.5 + i, 0.1 * i, 0.2}));
  mechanism.add_joint("A", JointType::spherical, "ground", "b0", {0, 0, 0});
  mechanism.add_joint("B", JointType::revolute, "b0", "b1", {1, 0, 0}, {0, 1, 0.2});
  mechanism.add_joint("C", JointType::cylindrical, "b1", "b2", {2, 0, 0}, {1, 0.3, 0});
  mechanism.add_joint("D", JointType::spherical, "b1", "b3", {3, 0, 0});
  mechanism.add_joint("E", JointType::universal, "b3", "b4", {4, 0, 0}, {1, 1, 0});
  return mechanism;
}

double some(Index i, int kind) { return std::sin(1.7 * static_cast<double>(i) + 0.9 * kind + 0.4); }

// A state of no special kind; constraints need not be met.
Vector some_state(const JointEquations& equations) {
  const Layout& l = equations.layout();
  Vector x = equations.initial_state();
  for (Index i = 0; i < l.p.size; ++i) x[l.p.begin + i] += 0.1 * some(i, 1);
  for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] = some(i, 2);
  return x;
}

void expect_same_solutions(const Mechanism& mechanism) {
  JointEquations equations(mechanism);
  JointMotion motion(equations), other(equations);
  const Layout& l = equations.layout();
  const std::unique_ptr<AccelerationSystem> recursion = motion.acceleration_system(1e-9);
  const std::unique_ptr<AccelerationSystem> sparse = make_sparse_acceleration_system(other, 1e-9);
  const Vector x = some_state(equations), rest = Vector::Zero(l.v.size);
  Vector upper(l.v.size), lower(l.lambda.size);
  for (Index i = 0; i < upper.size(); ++i) upper[i] = 10 * some(i, 3);
  for (Index i = 0; i < lower.size(); ++i) lower[i] = some(i, 4);
  const Vector first_upper = upper, first_lower = lower;
  Vector sparse_upper = upper, sparse_lower = lower;
  recursion->take({0, x, rest});
  sparse->take({0, x, rest});
  ASSERT_TRUE(recursion->factor());
  ASSERT_TRUE(sparse->factor());
  recursion->solve(upper, lower, 1e-13);
  sparse->solve(sparse_upper, sparse_lower, 1e-13);
  const auto largest = [](const Vector& a) { return a.lpNorm<Eigen::Infinity>(); };
  const double size = 1 + largest(sparse_upper) + largest(sparse_lower);
  EXPECT_LT(largest(upper - sparse_upper), 1e-10 * size);
  EXPECT_LT(largest(lower - sparse_lower), 1e-10 * size);
  // and what is left of the right-hand side is nothing
  Vector left_upper = first_upper, left_lower = first_lower;
  recursion->subtract_product(upper, lower, left_upper, left_lower);
  EXPECT_LT(largest(left_upper), 1e-10 * size);
  EXPECT_LT(largest(left_lower), 1e-10 * size);
}

TEST(JointAccelerations, OfAnOpenTreeAreThoseOfSparseMatrices) { expect_same_solutions(open_tree()); }

TEST(JointAccelerations, OfLoopsAreThoseOfSparseMatrices) {
  for (const int n : {1, 2, 7}) expect_same_solutions(stacked_four_bars(n, JointType::universal));
}

// A gear between the first hinge and one of the third loop: everything between is one cluster.
TEST(JointAccelerations, OfCoupledLoopsAreThoseOfSparseMatrices) {
  Mechanism mechanism = stacked_four_bars(3, JointType::universal);
  Coupler gear;
  gear.name = "gear";
  gear.terms = {{"A0.angle", 1.0, {}}, {"A2.angle", -0.5, {}}};
  mechanism.couplers.push_back(gear);
  expect_same_solutions(mechanism);
}

TEST(JointClusters, LoopsOnTopOfEachOtherAreOneEach) {
  JointEquations equations(stacked_four_bars(4));
  JointMotion motion(equations);
  const JointClusters clusters = motion.clusters();
  ASSERT_EQ(clusters.clusters().size(), 4u);
  for (const JointClusters::Cluster& cluster : clusters.clusters()) {
    EXPECT_EQ(cluster.nodes.size(), 3u);
    EXPECT_EQ(cluster.columns.size(), 3u);
  }
  EXPECT_EQ(clusters.clusters()[0].parent, -1);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(clusters.clusters()[i].parent, 0);
  EXPECT_EQ(clusters.largest(), 3);
}

TEST(JointClusters, NodesWithoutLoopsAreAlone) {
  JointEquations equations(open_tree());
  JointMotion motion(equations);
  EXPECT_EQ(motion.clusters().clusters().size(), equations.tree().nodes().size());
  EXPECT_EQ(motion.clusters().largest(), 0);
}

// A body without mass inside of a loop: the recursion cannot begin with it, sparse matrices can.
TEST(JointAccelerations, OfABodyWithoutMassAreFound) {
  Mechanism mechanism = stacked_four_bars(2, JointType::universal);
  for (Body& body : mechanism.bodies)
    if (body.name == "right1") {
      body.mass = 0;
      body.inertia = {};
    }
  expect_same_solutions(mechanism);
}

// The middle of a straight chain of rods of one metre is kilometres from its ends, where what a joint feels is a small rest of
// large numbers. Accelerations are found all the same, and need no other forces than those there are.
TEST(JointAccelerations, OfALongChainAreFound) {
  Mechanism mechanism;
  mechanism.gravity = {0, 0, -9.81};
  constexpr int rods = 10000;
  std::string base = "ground";
  for (int i = 0; i < rods; ++i) {
    mechanism.add(rod(numbered("b", i), {i + 0.5, 0, 0}));
    mechanism.add_joint(numbered("h", i), JointType::revolute, base, mechanism.bodies.back().name,
                        {1.0 * i, 0, 0}, i % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1});
    base = mechanism.bodies.back().name;
  }
  JointEquations equations(mechanism);
  JointMotion motion(equations);
  const Vector x = equations.initial_state(), rest = Vector::Zero(equations.layout().v.size);
  ConsistentState state(motion, {});
  const Failure failure = state.accelerate(0, x);
  ASSERT_FALSE(failure) << failure.message;
  Vector weights(rest.size()), left(rest.size());
  motion.required_forces({0, x, rest}, JointMotion::Acting::everything, weights);
  motion.required_forces({0, x, state.accelerations()}, JointMotion::Acting::everything, left);
  EXPECT_GT(weights.cwiseAbs().maxCoeff(), 1e8);  // half a chain's length times its weight
  EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-9 * weights.cwiseAbs().maxCoeff());
}

// Positions of joints after half a second, of a mechanism here and of the same one far away.
TEST(JointAccelerations, DoNotDependOnThePlace) {
  const auto run = [](const Vec3<double>& from) {
    JointEquations equations(stacked_four_bars(2, JointType::revolute, from));
    Options options;
    options.tolerances.relative = options.tolerances.absolute = 1e-10;
    options.record = false;
    Simulation simulation(equations, {"projected", "dop853"}, options);
    const Summary summary = simulation.run(equations.initial_state(), 0, 0.5);
    EXPECT_EQ(summary.status, Status::finished) << summary.failure.message;
    return Vector(summary.final_state.segment(equations.layout().p.begin, equations.layout().p.size));
  };
  const Vector here = run({}), far = run({1e5, -1e5, 1e5});
  EXPECT_GT((here - JointEquations(stacked_four_bars(2)).initial_state().head(here.size())).norm(), 0.1);
  EXPECT_LT((here - far).cwiseAbs().maxCoeff(), 1e-8);
}

}  // namespace
}  // namespace trammel
