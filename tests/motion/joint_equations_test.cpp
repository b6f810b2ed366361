// Joint coordinates, one joint at a time and all together: against Cartesian coordinates, and their slopes against
// differences.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/motion/densely_derived.h"
#include "tests/motion/joint_against_cartesian.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

Body body(const std::string& name, const Vec3<double>& at) {
  Body result;
  result.name = name;
  result.mass = 1.5;
  result.com = {0.1, -0.05, 0.02};
  result.inertia = {{0.3, 0.01, 0.02}, {0.01, 0.4, -0.03}, {0.02, -0.03, 0.5}};
  result.reference.origin = at;
  result.reference.axes = rotation_about({1, 2, 3}, 0.4 * at.x);
  return result;
}

// A hinge, the joint in question, and another hinge; the joint from the inner body to the outer one or back.
Mechanism arm_with(JointType type, bool backwards) {
  Mechanism mechanism;
  mechanism.gravity = {0.3, -9.81, 0.1};
  for (int i = 1; i <= 3; ++i) mechanism.add(body("b" + std::to_string(i), {1.0 * i, 0.2 * i, -0.1 * i}));
  mechanism.add_joint("A", JointType::revolute, "ground", "b1", {0.5, 0, 0}, {0, 0.2, 1});
  Joint& joint = mechanism.add_joint("J", type, backwards ? "b2" : "b1", backwards ? "b1" : "b2",
                                     {1.5, 0, 0.1}, {0.3, 1, 0});
  joint.pitch = 0.4;
  mechanism.add_joint("B", JointType::revolute, "b2", "b3", {2.5, 0, 0}, {1, 0.1, 0});
  Force::SpringDamper spring;
  spring.name = "spring";
  spring.body_a = 1;
  spring.body_b = 3;
  spring.frame_a.origin = {0.1, 0.2, 0.3};
  spring.stiffness = 20;
  spring.damping = 3;
  spring.free_length = 0.7;
  mechanism.add(spring);
  return mechanism;
}

void expect_nothing(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) ADD_FAILURE() << sentence;
}

class JointType_ : public testing::TestWithParam<std::tuple<JointType, bool>> {};

TEST_P(JointType_, HasTheMotionOfCartesianCoordinates) {
  const auto [type, backwards] = GetParam();
  const Mechanism mechanism = arm_with(type, backwards);
  JointEquations equations(mechanism);
  EXPECT_EQ(equations.layout().lambda.size, 0);
  expect_nothing(compare_joint_slopes(mechanism));
  const JointComparison comparison = compare_joint_with_cartesian(mechanism);
  EXPECT_EQ(comparison.left_out, "");
  expect_nothing(comparison.differences);
}

INSTANTIATE_TEST_SUITE_P(
    All, JointType_,
    testing::Combine(testing::Values(JointType::fixed, JointType::revolute, JointType::prismatic,
                                     JointType::cylindrical, JointType::screw, JointType::spherical,
                                     JointType::universal, JointType::planar, JointType::translational),
                     testing::Bool()),
    [](const auto& test) {
      return name(std::get<0>(test.param)) + (std::get<1>(test.param) ? "_backwards" : "");
    });

// Loops, drivers, couplers, nonholonomic rows, states, friction by a reaction: what is not the tree's.
Mechanism everything() {
  Mechanism mechanism = arm_with(JointType::universal, false);
  mechanism.add(body("b4", {4, 0.8, -0.4}));
  mechanism.add(body("free", {5, 1, -0.5}));
  Joint& screw = mechanism.add_joint("D", JointType::screw, "b3", "b4", {3.5, 0, 0}, {1, 0, 0});
  screw.pitch = 0.2;
  mechanism.add_joint("E", JointType::knife_edge, "ground", "b4", {4, 0, 0}, {0, 0, 1});
  mechanism.add_joint("F", JointType::distance, "b2", "free", {5, 0, 0}, {0, 0, 1});
  mechanism.joints.back().frame_a.origin = {0.2, 0.1, 0};
  mechanism.add_joint("G", JointType::spherical, "b4", "free", {4.5, 0.3, 0}, {0, 0, 1});
  mechanism.drivers.push_back({"motor", {}, "A.angle", Driver::Level::position, Law("0.3*sin(2*t)")});
  mechanism.drivers.push_back({"feed", {}, "J.angle_2", Driver::Level::velocity, Law("0.1*cos(t)")});
  Coupler coupler;
  coupler.name = "tie";
  coupler.terms = {{"B.angle", 1.0, {}}, {"D.angle", -0.5, {}}};
  mechanism.couplers.push_back(coupler);
  Force::Bushing bushing;
  bushing.name = "bushing";
  bushing.body_a = 2;
  bushing.body_b = 4;
  for (std::size_t i = 0; i < 6; ++i) {
    bushing.stiffness[i][i] = 10.0 + static_cast<double>(i);
    bushing.damping[i][i] = 1.0 + static_cast<double>(i);
  }
  mechanism.add(bushing);
  Force::SpringDamper spring;
  spring.name = "law";
  spring.body_a = 0;
  spring.body_b = 5;
  spring.stiffness = 2;
  spring.law = Law("5*tanh(x) + J.angle_1*rate");
  mechanism.add(spring);
  Force::JointFriction friction;
  friction.name = "friction";
  friction.along.joint = "B";
  friction.coefficient = 0.1;
  friction.radius = 0.05;
  friction.friction_velocity = 0.2;
  mechanism.add(friction);
  mechanism.states.push_back({"x", {}, 0.2, Law("(D.angle - x)/0.1 + A.angle_rate + B.reaction")});
  return mechanism;
}

TEST(JointEquations, SlopesOfEverythingAreExact) { expect_nothing(compare_joint_slopes(everything())); }

// Where a law uses a reaction, that is an unknown: the joint closes a loop.
TEST(JointEquations, JointWhoseReactionIsUsedIsNotInTheTree) {
  const JointEquations equations(everything());
  EXPECT_TRUE(equations.tree().contains(0));
  EXPECT_FALSE(equations.tree().contains(2)) << "B, whose reaction the friction uses";
}

// The seam from both sides: sparse slopes, and those squeezed from the dense derivatives.
TEST(JointEquations, DenseDerivativesAreTheSlopes) {
  JointEquations equations(everything());
  DenselyDerived densely(equations);
  const Layout& l = equations.layout();
  Vector x = equations.initial_state(), a = Vector::LinSpaced(l.v.size, -0.6, 0.9);
  for (Index i = 0; i < x.size(); ++i) x[i] += 0.1 * std::sin(1.7 * static_cast<double>(i) + 0.4);
  const std::unique_ptr<TangentMotion> own = equations.tangent(), squeezed = densely.tangent();
  EXPECT_EQ(own->differentiate({0.7, x, a}, TangentMotion::everything), "");
  EXPECT_EQ(squeezed->differentiate({0.7, x, a}, TangentMotion::everything), "");
  const TangentSlopes first = own->slopes(), second = squeezed->slopes();
  const auto same = [](const SparseMatrix& one, const SparseMatrix& other, const char* what) {
    EXPECT_LE((Matrix(one) - Matrix(other)).lpNorm<Eigen::Infinity>(),
              1e-11 * (1 + Matrix(one).lpNorm<Eigen::Infinity>()))
        << what;
  };
  same(first.mass, second.mass, "mass");
  same(first.jacobian, second.jacobian, "jacobian");
  same(first.rate_pose, second.rate_pose, "rate_pose");
  same(first.acceleration_pose, second.acceleration_pose, "acceleration_pose");
  same(first.acceleration_twist, second.acceleration_twist, "acceleration_twist");
  same(first.force_pose, second.force_pose, "force_pose");
  same(first.force_twist, second.force_twist, "force_twist");
  same(first.force_state, second.force_state, "force_state");
  same(first.force_multiplier, second.force_multiplier, "force_multiplier");
  same(first.state_pose, second.state_pose, "state_pose");
  same(first.state_twist, second.state_twist, "state_twist");
  same(first.state_state, second.state_state, "state_state");
  same(first.state_multiplier, second.state_multiplier, "state_multiplier");
  same(first.kinematics, second.kinematics, "kinematics");
}

// Coordinates of the tree are the coordinates that the user knows, backwards or not.
TEST(JointEquations, CoordinatesAreThoseOfTheJoints) {
  for (const bool backwards : {false, true})
    for (const JointType type :
         {JointType::revolute, JointType::prismatic, JointType::cylindrical, JointType::screw,
          JointType::universal, JointType::planar, JointType::translational}) {
      JointEquations equations(arm_with(type, backwards));
      const Layout& l = equations.layout();
      Vector x = equations.initial_state();
      for (Index i = 0; i < l.r.begin; ++i) x[i] += 0.6 * std::sin(2.3 * static_cast<double>(i) + 0.7);
      JointMotion motion(equations);
      motion.set_state(0, x, Vector());
      int seen = 0;
      for (const JointCoordinate& coordinate : equations.elements().coordinates)
        for (Index i = 0; i < l.p.size; ++i)
          if (equations.names().p[at_index(i)] == coordinate.name) {
            ++seen;
            EXPECT_NEAR(motion.measured().value[at_index(coordinate.row)], x[l.p.begin + i], 1e-12)
                << coordinate.name << " of " << name(type) << (backwards ? " backwards" : "");
            EXPECT_NEAR(motion.measured().rate[at_index(coordinate.row)], x[l.v.begin + i], 1e-12)
                << coordinate.name << " of " << name(type) << (backwards ? " backwards" : "");
          }
      EXPECT_EQ(seen, l.p.size);
    }
}

// A mechanism far away moves as it does here.
TEST(JointEquations, PlaceInTheWorldDoesNotMatter) {
  const auto moved = [](double by) {
    Mechanism mechanism;
    for (int i = 1; i <= 3; ++i) mechanism.add(body("b" + std::to_string(i), {by + i, 0.2 * i, 0}));
    for (int i = 1; i <= 3; ++i)
      mechanism.bodies[static_cast<std::size_t>(i)].reference.axes = rotation_about({1, 2, 3}, 0.4 * i);
    mechanism.add_joint("A", JointType::revolute, "b1", "b2", {by + 1.5, 0, 0}, {0, 0.2, 1});
    mechanism.add_joint("B", JointType::spherical, "b2", "b3", {by + 2.5, 0, 0});
    return mechanism;
  };
  JointEquations here(moved(0)), there(moved(1e5));
  Vector a[2];
  for (JointEquations* equations : {&here, &there}) {
    const Layout& l = equations->layout();
    Vector x = equations->initial_state();
    for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] = std::sin(1.0 + static_cast<double>(i));
    MotionValues values(l);
    equations->evaluate({0, x, Vector::Zero(l.v.size)}, part::dynamics | part::mass, values);
    a[equations == &there] = values.M.ldlt().solve(values.dynamics);
  }
  EXPECT_LE((a[0] - a[1]).lpNorm<Eigen::Infinity>(), 1e-8 * a[0].lpNorm<Eigen::Infinity>());
}

}  // namespace
}  // namespace trammel
