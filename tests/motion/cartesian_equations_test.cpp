// The Cartesian equations of a mechanism with a bit of everything: derivatives against differences, in both
// kinds of velocities, and the sparse slopes against the dense derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/motion/densely_derived.h"
#include "trammel/motion/cartesian_motion.h"
#include "trammel/motion/difference_derivatives.h"

namespace trammel {
namespace {

using Velocities = CartesianEquations::Velocities;

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

Mechanism everything() {
  Mechanism mechanism;
  mechanism.gravity = {0.3, -9.81, 0.1};
  for (int i = 1; i <= 4; ++i) mechanism.add(body("b" + std::to_string(i), {1.0 * i, 0.2 * i, -0.1 * i}));
  mechanism.add_joint("A", JointType::revolute, "ground", "b1", {0.5, 0, 0}, {0, 0, 1});
  mechanism.add_joint("B", JointType::universal, "b1", "b2", {1.5, 0, 0}, {0, 1, 0});
  mechanism.add_joint("C", JointType::prismatic, "b2", "b3", {2.5, 0, 0}, {1, 0, 0});
  Joint& screw = mechanism.add_joint("D", JointType::screw, "b3", "b4", {3.5, 0, 0}, {1, 0, 0});
  screw.pitch = 0.2;
  mechanism.add_joint("E", JointType::knife_edge, "ground", "b4", {4, 0, 0}, {0, 0, 1});
  mechanism.drivers.push_back({"motor", {}, "A.angle", Driver::Level::position, Law("0.3*sin(2*t)")});
  mechanism.drivers.push_back({"feed", {}, "C.displacement", Driver::Level::velocity, Law("0.1*cos(t)")});

  Force::SpringDamper spring;
  spring.name = "spring";
  spring.body_a = 1;
  spring.body_b = 3;
  spring.frame_a.origin = {0.1, 0.2, 0.3};
  spring.stiffness = 20;
  spring.damping = 3;
  spring.free_length = 0.7;
  spring.law = Law("5*tanh(x) + B.angle_1*rate");
  mechanism.add(spring);
  Force::Bushing bushing;
  bushing.name = "bushing";
  bushing.body_a = 2;
  bushing.body_b = 4;
  for (std::size_t i = 0; i < 6; ++i) {
    bushing.stiffness[i][i] = 10.0 + static_cast<double>(i);
    bushing.damping[i][i] = 1.0 + static_cast<double>(i);
  }
  mechanism.add(bushing);
  Force::JointFriction friction;
  friction.name = "friction";
  friction.along.joint = "A";
  friction.coefficient = 0.1;
  friction.radius = 0.05;
  friction.friction_velocity = 0.2;
  mechanism.add(friction);
  mechanism.states.push_back({"x", {}, 0.2, Law("(C.displacement - x)/0.1 + A.angle_rate")});
  return mechanism;
}

struct Sample {
  double t = 0.7;
  Vector x, a;
  MotionPoint point() const { return {t, x, a}; }
};

Sample sample(const CartesianEquations& equations) {
  Sample result;
  result.x = equations.initial_state();
  for (Index i = 0; i < result.x.size(); ++i)
    result.x[i] += 0.1 * std::sin(1.7 * static_cast<double>(i) + 0.4);
  result.a = Vector::LinSpaced(equations.layout().v.size, -0.6, 0.9);
  return result;
}

void expect_near(const Matrix& exact, const Matrix& other, double tolerance, const char* what) {
  ASSERT_EQ(exact.rows(), other.rows()) << what;
  if (exact.size() == 0) return;
  Index row = 0, col = 0;
  const double error = (exact - other).cwiseAbs().maxCoeff(&row, &col);
  EXPECT_LE(error, tolerance * (1 + exact.cwiseAbs().maxCoeff()))
      << what << " (" << row << ", " << col << "): " << exact(row, col) << " against " << other(row, col);
}

class Derivatives : public testing::TestWithParam<Velocities> {};

TEST_P(Derivatives, AgreeWithDifferences) {
  CartesianEquations equations(everything(), GetParam());
  const Sample at = sample(equations);
  const Layout& l = equations.layout();
  MotionDerivatives exact(l), differences(l);
  equations.differentiate(at.point(), part::all, exact);
  DifferenceDerivatives(l).compute(equations, at.point(), part::all, differences);
  expect_near(exact.kinematics, differences.kinematics, 1e-7, "kinematics");
  expect_near(exact.dynamics, differences.dynamics, 1e-6, "dynamics");
  expect_near(exact.b, differences.b, 1e-7, "b");
  expect_near(exact.g, differences.g, 1e-7, "g");
  expect_near(exact.gI, differences.gI, 1e-7, "gI");
  expect_near(exact.gII, differences.gII, 1e-6, "gII");
  expect_near(exact.h, differences.h, 1e-7, "h");
  expect_near(exact.hI, differences.hI, 1e-6, "hI");
  expect_near(exact.n, differences.n, 1e-7, "n");
}

// gᴵ and gᴵᴵ are the time derivatives of g along p' = Zv, v' = a.
TEST_P(Derivatives, HiddenConstraintsAreTimeDerivatives) {
  CartesianEquations equations(everything(), GetParam());
  Sample at = sample(equations);
  const Layout& l = equations.layout();
  MotionValues values(l), later(l), earlier(l);
  equations.evaluate(at.point(), part::all, values);
  const double h = 1e-5;
  const auto shifted = [&](double dt) {
    Sample moved = at;
    moved.t += dt;
    moved.x.segment(l.p.begin, l.p.size) += dt * values.kinematics;
    moved.x.segment(l.v.begin, l.v.size) += dt * at.a;
    return moved;
  };
  const Sample plus = shifted(h), minus = shifted(-h);
  equations.evaluate(plus.point(), part::all, later);
  equations.evaluate(minus.point(), part::all, earlier);
  expect_near(values.gI, (later.g - earlier.g) / (2 * h), 1e-8, "gI");
  expect_near(values.gII, (later.gI - earlier.gI) / (2 * h), 1e-8, "gII");
  expect_near(values.hI, (later.h - earlier.h) / (2 * h), 1e-8, "hI");
}

INSTANTIATE_TEST_SUITE_P(Both, Derivatives, testing::Values(Velocities::angular, Velocities::parameter_rates),
                         [](const auto& test) {
                           return test.param == Velocities::angular ? "angular" : "parameter_rates";
                         });

// The seam from both sides: the matrices that a mechanism has by itself, and those that are squeezed from
// dense derivatives, of the same equations.
TEST(TangentMotion, OfDenseDerivativesIsThatOfTheMechanism) {
  CartesianEquations equations(everything());
  DenselyDerived densely(equations);
  const Sample at = sample(equations);
  const std::unique_ptr<TangentMotion> own = equations.tangent(), squeezed = densely.tangent();
  EXPECT_EQ(own->differentiate(at.point(), TangentMotion::everything), "");
  EXPECT_EQ(squeezed->differentiate(at.point(), TangentMotion::everything), "");
  const TangentSlopes a = own->slopes(), b = squeezed->slopes();
  const auto same = [](const SparseMatrix& first, const SparseMatrix& second, const char* name) {
    expect_near(Matrix(first), Matrix(second), 1e-11, name);
  };
  same(a.mass, b.mass, "mass");
  same(a.jacobian, b.jacobian, "jacobian");
  same(a.rate_pose, b.rate_pose, "rate_pose");
  same(a.acceleration_pose, b.acceleration_pose, "acceleration_pose");
  same(a.acceleration_twist, b.acceleration_twist, "acceleration_twist");
  same(a.force_pose, b.force_pose, "force_pose");
  same(a.force_twist, b.force_twist, "force_twist");
  same(a.force_state, b.force_state, "force_state");
  same(a.force_multiplier, b.force_multiplier, "force_multiplier");
  same(a.state_pose, b.state_pose, "state_pose");
  same(a.state_twist, b.state_twist, "state_twist");
  same(a.state_state, b.state_state, "state_state");
  same(a.state_multiplier, b.state_multiplier, "state_multiplier");
  same(a.kinematics, b.kinematics, "kinematics");

  const Layout& l = equations.layout();
  const auto p = at.x.segment(l.p.begin, l.p.size);
  Vector q(l.v.size), residual = Vector::Constant(l.normalizations, 1e-3), first(l.p.size), second(l.p.size);
  for (Index i = 0; i < q.size(); ++i) q[i] = std::sin(1.0 + static_cast<double>(i));
  own->displacement_to_positions(p, q, residual, first);
  squeezed->displacement_to_positions(p, q, residual, second);
  expect_near(first, second, 1e-12, "displacement");
  Vector v(l.v.size), w(l.v.size);
  own->rates_to_velocities(p, first, v);
  squeezed->rates_to_velocities(p, first, w);
  expect_near(v, w, 1e-12, "velocities");
  own->pull_back(p, first, v);
  squeezed->pull_back(p, first, w);
  expect_near(v, w, 1e-12, "gradient");
}

TEST(CartesianEquations, SparseSlopesAreTheDenseDerivatives) {
  CartesianEquations equations(everything());
  const Sample at = sample(equations);
  const Layout& l = equations.layout();
  MotionDerivatives dense(l);
  equations.differentiate(at.point(), part::all, dense);
  CartesianMotion motion(equations);
  motion.differentiate(at.point(), TangentMotion::everything);
  const TangentSlopes slopes = motion.slopes();
  const Index m = l.lambda.size;
  // Z, from displacements one by one
  Matrix Z(l.p.size, l.v.size);
  Vector column(l.p.size);
  for (Index k = 0; k < l.v.size; ++k) {
    motion.displacement_to_positions(at.x.segment(l.p.begin, l.p.size), Vector::Unit(l.v.size, k),
                                     Vector::Zero(l.normalizations), column);
    Z.col(k) = column;
  }
  const auto by_p = [&](const Matrix& matrix) { return Matrix(matrix.middleCols(l.p.begin, l.p.size) * Z); };
  const auto by_v = [&](const Matrix& matrix) { return Matrix(matrix.middleCols(l.v.begin, l.v.size)); };
  expect_near(Matrix(slopes.jacobian).topRows(m), by_p(dense.g), 1e-12, "g");
  expect_near(Matrix(slopes.jacobian).topRows(m), by_v(dense.gI), 1e-12, "gI by v");
  expect_near(Matrix(slopes.jacobian).bottomRows(l.mu.size), by_v(dense.h), 1e-12, "h by v");
  expect_near(Matrix(slopes.rate_pose).topRows(m), by_p(dense.gI), 1e-12, "gI");
  expect_near(Matrix(slopes.acceleration_pose).topRows(m), by_p(dense.gII), 1e-12, "gII");
  expect_near(Matrix(slopes.acceleration_twist).topRows(m), by_v(dense.gII), 1e-12, "gII by v");
  expect_near(Matrix(slopes.force_pose), by_p(dense.dynamics), 1e-12, "dynamics");
  expect_near(Matrix(slopes.force_twist), by_v(dense.dynamics), 1e-12, "dynamics by v");
  expect_near(Matrix(slopes.state_pose), by_p(dense.b), 1e-12, "b");
  MotionValues values(l);
  equations.evaluate(at.point(), part::mass, values);
  expect_near(Matrix(slopes.mass), values.M, 1e-15, "M");
}

// p' = Z v gives back v, and a gradient pulled back is the gradient along displacements.
TEST(CartesianEquations, DisplacementsAndRatesFitTogether) {
  CartesianEquations equations(everything());
  const Sample at = sample(equations);
  const Layout& l = equations.layout();
  const Vector p = at.x.segment(l.p.begin, l.p.size), v = at.x.segment(l.v.begin, l.v.size);
  MotionValues values(l);
  equations.evaluate(at.point(), part::kinematics, values);
  CartesianMotion motion(equations);
  Vector back(l.v.size);
  motion.rates_to_velocities(p, values.kinematics, back);
  EXPECT_LE((back - v).lpNorm<Eigen::Infinity>(), 1e-13);

  const Vector gradient = Vector::LinSpaced(l.p.size, -1, 2), q = Vector::LinSpaced(l.v.size, 0.5, -0.7);
  Vector pulled(l.v.size), change(l.p.size);
  motion.pull_back(p, gradient, pulled);
  motion.displacement_to_positions(p, q, Vector::Zero(l.normalizations), change);
  EXPECT_NEAR(pulled.dot(q), gradient.dot(change), 1e-12);
}

// Moving and turning the whole world changes nothing: the same energies and the same multipliers.
TEST(CartesianEquations, WorldFrameDoesNotMatter) {
  const auto chain = [](const Frame& world) {
    Mechanism mechanism;
    mechanism.gravity = world.axes * Vec3<double>{0, 0, -9.81};
    const auto place = [&](const Vec3<double>& at) { return world.origin + world.axes * at; };
    for (int i = 1; i <= 2; ++i) {
      Body link = body("link" + std::to_string(i), {1.0 * i, 0, 0});
      link.reference = compose(world, link.reference);
      link.angular_velocity = world.axes * Vec3<double>{0, 1.0 * i, 0};
      mechanism.add(link);
    }
    mechanism.add_joint("A", JointType::spherical, "ground", "link1", place({0, 0, 0}));
    mechanism.add_joint("B", JointType::spherical, "link1", "link2", place({1.5, 0, 0}));
    return mechanism;
  };
  CartesianEquations here(chain({})), there(chain({{3, -2, 1}, rotation_about({1, -1, 2}, 2.0)}));
  Vector x = here.initial_state(), y = there.initial_state();
  const AssemblyReport first = Assembly(here).run(0, x), second = Assembly(there).run(0, y);
  ASSERT_FALSE(first.failure) << first.failure.message;
  ASSERT_FALSE(second.failure) << second.failure.message;
  CartesianMotion moving(here), elsewhere(there);
  moving.set_state(0, x, first.accelerations);
  elsewhere.set_state(0, y, second.accelerations);
  EXPECT_NEAR(moving.kinetic_energy(), elsewhere.kinetic_energy(), 1e-12);
  const auto force = [](const CartesianEquations& equations, const Vector& state) {
    return state.segment(equations.layout().lambda.begin, 3).norm();
  };
  EXPECT_NEAR(force(here, x), force(there, y), 1e-11);
  EXPECT_GT(force(here, x), 1);
}

}  // namespace
}  // namespace trammel
