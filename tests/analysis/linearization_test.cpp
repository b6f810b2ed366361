// Linearisations and modes against what is known in closed form, and against differences of the motion
// itself.
#include "trammel/analysis/linearization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

// All eigenvalues with non-negative imaginary part, as (real, imaginary), slowest first.
void expect_eigenvalues(const std::vector<Mode>& found, const std::vector<std::complex<double>>& wanted,
                        double tolerance = 1e-9) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(found[i].eigenvalue.real(), wanted[i].real(), tolerance) << i;
    EXPECT_NEAR(found[i].eigenvalue.imag(), wanted[i].imag(), tolerance) << i;
  }
}

// By the chain rule, also where one is named twice.
TEST(Linearization, OutputsMayBeMeasuresOfMeasures) {
  Mechanism mechanism = rod_pendulum(0);
  mechanism.measures.push_back({"sum", {}, Law("3*twice + (1 + twice)^2"), ""});
  mechanism.measures.push_back({"twice", {}, Law("A.angle*2"), "rad"});
  CartesianEquations equations(mechanism);
  const Vector x = assembled(equations);
  const Linearization linear = linearize(equations, 0, x);
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_NEAR(linear.C(0, 0), 2 * (3 + 2), 1e-9);
  EXPECT_NEAR(linear.C(1, 0), 2, 1e-9);
  LinearizationOptions only_eigenvalues;
  only_eigenvalues.ports = false;
  EXPECT_EQ(linearize(equations, 0, x, only_eigenvalues).C.size(), 0);
}

TEST(Linearization, PendulumSwingsWithItsFrequency) {
  CartesianEquations equations(rod_pendulum(0));
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_TRUE(linear.at_rest);
  EXPECT_TRUE(linear.notes.empty());
  EXPECT_EQ(linear.states, (std::vector<std::string>{"A.angle", "A.angle_rate"}));
  const double omega = std::sqrt(1.5 * 9.81);
  EXPECT_NEAR(linear.A(1, 0), -omega * omega, 1e-12);
  EXPECT_NEAR(linear.A(0, 1), 1, 1e-15);
  const std::vector<Mode> found = modes(linear);
  expect_eigenvalues(found, {{0, omega}});
  EXPECT_NEAR(found[0].frequency_hz, omega / (2 * std::numbers::pi), 1e-12);
  EXPECT_NEAR(found[0].damping_ratio, 0, 1e-12);
  EXPECT_EQ(found[0].description, "rod.x, rod.rz");
}

TEST(Linearization, UprightPendulumFalls) {
  CartesianEquations equations(rod_pendulum(std::numbers::pi));
  const std::vector<Mode> found = modes(linearize(equations, 0, assembled(equations)));
  const double rate = std::sqrt(1.5 * 9.81);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(std::max(found[0].eigenvalue.real(), found[1].eigenvalue.real()), rate, 1e-9);
  EXPECT_FALSE(found[0].is_stable() && found[1].is_stable());
}

// Two equal uniform rods: (λ = ω² l/g) 7λ² − 42λ + 27·... in the form below, from the mass matrix
// m l² [4/3 1/2; 1/2 1/3] and the stiffness m g l [3/2 0; 0 1/2].
TEST(Linearization, DoublePendulum) {
  Mechanism mechanism = rod_pendulum(0);
  mechanism.add(rod("second", {0, 0, -1}, {0, 0, -2}, 2));
  mechanism.add_joint("B", JointType::revolute, "rod", "second", {0, 0, -1}, {0, 1, 0});
  CartesianEquations equations(mechanism);
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  // (3/2 − 4/3 λ)(1/2 − 1/3 λ) = λ²/4
  const double a = 7.0 / 36, b = -7.0 / 6, c = 0.75;
  const double slow = (-b - std::sqrt(b * b - 4 * a * c)) / (2 * a);
  const double fast = (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a);
  expect_eigenvalues(modes(linear), {{0, std::sqrt(9.81 * slow)}, {0, std::sqrt(9.81 * fast)}}, 1e-8);
}

TEST(Linearization, DampedSpringHasItsDampingRatio) {
  Mechanism mechanism;
  mechanism.add(block("load", {0, 0, -1}, 2));
  mechanism.add_joint("slide", JointType::prismatic, "ground", "load", {0, 0, 0}, {0, 0, 1});
  Force::SpringDamper spring;
  spring.name = "spring";
  spring.body_b = 1;
  spring.stiffness = 200;
  spring.damping = 8;
  spring.free_length = 1 - 2 * 9.81 / 200;
  mechanism.add(spring);
  CartesianEquations equations(mechanism);
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_TRUE(linear.at_rest);
  const std::vector<Mode> found = modes(linear);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].damping_ratio, 8 / (2 * std::sqrt(200.0 * 2)), 1e-10);
  EXPECT_NEAR(found[0].natural_frequency_hz, 10 / (2 * std::numbers::pi), 1e-10);
  EXPECT_EQ(found[0].description, "load.z");
}

// Parallel cranks of equal length: the coupler moves on a circle without turning, so it counts as a point
// mass.
TEST(Linearization, ParallelFourBarWithRedundantConstraints) {
  CartesianEquations equations(four_bar({0, 0, -1}, {2, 0, -1}, {2, 0, 0}));
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_EQ(linear.positions, 1);
  const double inertia = 1.0 / 3 + 1.5 / 3 + 2, weight = 9.81 * (0.5 + 0.75 + 2);
  expect_eigenvalues(modes(linear), {{0, std::sqrt(weight / inertia)}}, 1e-8);
}

// The heavy symmetric top on a ball joint, spinning upright: A λ² − i C Ω λ − m g l = 0 for the tilt as a
// complex number, seen from the world.
TEST(Linearization, SleepingTopPrecessesAndNutates) {
  const double m = 2, l = 0.3, transverse = 0.1, axial = 0.05, spin = 100;
  Mechanism mechanism;
  Body top = block("top", {0, 0, l}, m, {transverse, transverse, axial});
  top.angular_velocity = {0, 0, spin};
  mechanism.add(top);
  mechanism.add_joint("tip", JointType::spherical, "ground", "top", {0, 0, 0});
  CartesianEquations equations(mechanism);
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_FALSE(linear.at_rest);
  ASSERT_FALSE(linear.notes.empty());
  const double about_tip = transverse + m * l * l;
  const double root = std::sqrt(axial * axial * spin * spin - 4 * about_tip * m * 9.81 * l);
  expect_eigenvalues(modes(linear),
                     {{0, 0},
                      {0, 0},
                      {0, (axial * spin - root) / (2 * about_tip)},
                      {0, (axial * spin + root) / (2 * about_tip)}},
                     1e-7);
}

// The same rotor in gimbals, without gravity: nutation with C Ω / A; joint angles are the coordinates, though
// the rotor turns.
TEST(Linearization, RotorInGimbals) {
  Mechanism mechanism;
  mechanism.gravity = {};
  mechanism.add(block("outer", {}, 1, {1e-3, 1e-3, 2e-3}));
  mechanism.add(block("inner", {}, 1, {1e-3, 2e-3, 1e-3}));
  Body rotor = block("rotor", {}, 5, {0.02, 0.02, 0.03});
  rotor.angular_velocity = {0, 0, 200};
  mechanism.add(rotor);
  mechanism.add_joint("outer_axis", JointType::revolute, "ground", "outer", {}, {1, 0, 0});
  mechanism.add_joint("inner_axis", JointType::revolute, "outer", "inner", {}, {0, 1, 0});
  mechanism.add_joint("spin", JointType::revolute, "inner", "rotor", {}, {0, 0, 1}).initial = {
      {"angle_rate", 200}};
  CartesianEquations equations(mechanism);
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_EQ(linear.states[0], "outer_axis.angle");
  const double about_x = 1e-3 + 1e-3 + 0.02, about_y = 2e-3 + 0.02;
  const std::vector<Mode> found = modes(linear);
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(found.back().eigenvalue.imag(), 0.03 * 200 / std::sqrt(about_x * about_y), 1e-6);
  EXPECT_NEAR(found.back().eigenvalue.real(), 0, 1e-6);
}

// A spatial double pendulum with skew axes, a spring, a damper and a controller, in the middle of its motion.
Mechanism moving_mechanism() {
  Mechanism mechanism;
  mechanism.add(rod("upper", {0, 0, 0}, {0.6, 0.2, -0.7}, 1.3));
  mechanism.add(rod("lower", {0.6, 0.2, -0.7}, {1.2, -0.3, -1.1}, 0.8));
  mechanism.add_joint("A", JointType::revolute, "ground", "upper", {0, 0, 0}, {0.2, 1, 0.1}).initial = {
      {"angle", 0.2}, {"angle_rate", 1.5}};
  mechanism.add_joint("B", JointType::revolute, "upper", "lower", {0.6, 0.2, -0.7}, {1, 0.3, 0.4}).initial = {
      {"angle", -0.3}, {"angle_rate", -2.0}};
  Force::SpringDamper spring;
  spring.name = "spring";
  spring.body_b = 2;
  spring.frame_a.origin = {1, 1, 0};
  spring.stiffness = 30;
  spring.damping = 2;
  mechanism.add(spring);
  Force::Actuator motor;
  motor.name = "motor";
  motor.along.joint = "A";
  motor.law = Law("controller");
  mechanism.add(motor);
  mechanism.states.push_back({"controller", {}, 0.4, Law("(-3*A.angle - controller)/0.2")});
  mechanism.measures.push_back({"height", {}, Law("lower.position.z*2"), "m"});
  mechanism.measures.push_back({"load", {}, Law("A.reaction"), "N"});
  return mechanism;
}

// z', with the joint coordinates and the state prescribed, found by assembly.
Vector rate_of(const Mechanism& model, const Vector& z, Vector* outputs = nullptr, double torque = 0) {
  Mechanism mechanism = model;
  mechanism.joints[0].initial = {{"angle", z[0]}, {"angle_rate", z[2]}};
  mechanism.joints[1].initial = {{"angle", z[1]}, {"angle_rate", z[3]}};
  mechanism.states[0].initial = z[4];
  if (torque != 0) {
    auto more = std::get<Force::Actuator>(mechanism.forces[1].kind);
    more.name = "more";
    more.law = Law(torque);
    mechanism.add(more);
  }
  CartesianEquations equations(mechanism);
  AssemblyOptions options;
  options.conditions = equations.conditions();
  Vector x = equations.initial_state();
  const AssemblyReport report = Assembly(equations, options).run(0, x);
  EXPECT_FALSE(report.failure) << report.failure.message;
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  motion->set_state(0, x, report.accelerations);
  const RowValues& measured = motion->measured();
  const std::vector<JointCoordinate>& coordinates = equations.elements().coordinates;
  Vector rate(5);
  for (Index i = 0; i < 2; ++i) {
    const auto row = static_cast<std::size_t>(coordinates[static_cast<std::size_t>(i)].row);
    rate[i] = measured.rate[row];
    rate[2 + i] = measured.acceleration[row];
  }
  rate[4] = (-3 * z[0] - z[4]) / 0.2;
  if (outputs != nullptr) {
    outputs->resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      const MeasuredExpression& measure = equations.elements().measures[i];
      std::vector<double> arguments{0.0};
      for (const int input : measure.inputs)
        arguments.push_back(motion->input_values()[static_cast<std::size_t>(input)]);
      (*outputs)[static_cast<Index>(i)] = measure.value.evaluate<double>(std::span<const double>(arguments));
    }
  }
  return rate;
}

TEST(Linearization, MatchesDifferencesOfTheMotion) {
  const Mechanism mechanism = moving_mechanism();
  CartesianEquations equations(mechanism);
  LinearizationOptions options;
  options.outputs = {"height", "load"};
  const Linearization linear = linearize(equations, 0, assembled(equations), options);
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  ASSERT_EQ(linear.states,
            (std::vector<std::string>{"A.angle", "B.angle", "A.angle_rate", "B.angle_rate", "controller"}));
  ASSERT_EQ(linear.inputs, std::vector<std::string>{"motor"});
  EXPECT_FALSE(linear.at_rest);

  const Vector z = (Vector(5) << 0.2, -0.3, 1.5, -2.0, 0.4).finished();
  EXPECT_LT((linear.rate - rate_of(mechanism, z)).norm(), 1e-8);
  const double h = 1e-5;
  for (Index i = 0; i < 5; ++i) {
    Vector seen_up, seen_down;
    const Vector step = h * Vector::Unit(5, i);
    const Vector up = rate_of(mechanism, z + step, &seen_up);
    const Vector down = rate_of(mechanism, z - step, &seen_down);
    EXPECT_LT((linear.A.col(i) - (up - down) / (2 * h)).norm(), 1e-6 * linear.A.norm()) << linear.states[i];
    EXPECT_LT((linear.C.col(i) - (seen_up - seen_down) / (2 * h)).norm(), 1e-6 * linear.C.norm())
        << linear.states[i];
  }
  Vector seen_up, seen_down;
  const Vector up = rate_of(mechanism, z, &seen_up, h), down = rate_of(mechanism, z, &seen_down, -h);
  EXPECT_LT((linear.B.col(0) - (up - down) / (2 * h)).norm(), 1e-6 * linear.B.norm());
  EXPECT_LT((linear.D.col(0) - (seen_up - seen_down) / (2 * h)).norm(), 1e-6);
  EXPECT_GT(std::abs(linear.D(1, 0)), 1e-3);
  EXPECT_EQ(linear.D(0, 0), 0);
}

// A closed loop with redundant joints at full speed: the curvature of the constraints counts.
TEST(Linearization, MatchesDifferencesOfAMovingLoop) {
  Mechanism mechanism = four_bar({0.3, 0, 0.9}, {2.2, 0, 1.4});
  const auto acceleration = [&](double angle, double rate) {
    mechanism.initial = {{"A.angle", {}, angle}, {"A.angle_rate", {}, rate}};
    CartesianEquations moved(mechanism);
    AssemblyOptions options;
    options.conditions = moved.conditions();
    Vector x = moved.initial_state();
    const AssemblyReport report = Assembly(moved, options).run(0, x);
    EXPECT_FALSE(report.failure) << report.failure.message;
    const std::unique_ptr<MechanismMotion> motion = moved.mechanism_motion();
    motion->set_state(0, x, report.accelerations);
    return motion->measured().acceleration[static_cast<std::size_t>(moved.elements().coordinates[0].row)];
  };
  mechanism.initial = {{"A.angle", {}, 0.1}, {"A.angle_rate", {}, 4.0}};
  CartesianEquations equations(mechanism);
  LinearizationOptions options;
  options.inputs = {"A.angle"};
  const Linearization linear = linearize(equations, 0, assembled(equations), options);
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  ASSERT_EQ(linear.states, (std::vector<std::string>{"A.angle", "A.angle_rate"}));
  const double h = 1e-5;
  const double by_angle = (acceleration(0.1 + h, 4) - acceleration(0.1 - h, 4)) / (2 * h);
  const double by_rate = (acceleration(0.1, 4 + h) - acceleration(0.1, 4 - h)) / (2 * h);
  EXPECT_NEAR(linear.rate[1], acceleration(0.1, 4), 1e-9 * std::abs(linear.rate[1]));
  EXPECT_NEAR(linear.A(1, 0), by_angle, 1e-6 * std::abs(by_angle));
  EXPECT_NEAR(linear.A(1, 1), by_rate, 1e-6 * std::abs(by_rate));
  EXPECT_GT(std::abs(by_rate), 0.1);
  EXPECT_GT(linear.B(1, 0), 0);
}

// Without a mechanism: x, y on a circle, with a spring and an auxiliary unknown for its force.
struct HangingPoint {
  Sizes sizes() const { return {.positions = 2, .auxiliaries = 1, .holonomic = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = x.w[0];
    f[1] = T(-9.81);
  }
  template <class T>
  void d(const Point<T>& x, std::span<T> d) const {
    d[0] = x.w[0] + 5.0 * x.p[0] + 0.5 * x.v[0];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 4.0;
  }
};

TEST(Linearization, OwnEquationsWithAuxiliaryUnknowns) {
  TemplatedEquations<HangingPoint> equations{HangingPoint{}};
  const Vector x = (Vector(6) << 0, -2, 0, 0, 0, 0).finished();
  LinearizationOptions options;
  options.inputs = {"v1"};
  const Linearization linear = linearize(equations, 0, x, options);
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_EQ(linear.states, (std::vector<std::string>{"p1", "v1"}));
  EXPECT_NEAR(linear.A(1, 0), -5 - 9.81 / 2, 1e-10);
  EXPECT_NEAR(linear.A(1, 1), -0.5, 1e-12);
  EXPECT_NEAR(linear.B(1, 0), 1, 1e-12);
  EXPECT_EQ(linear.outputs, (std::vector<std::string>{"p1", "p2"}));
  EXPECT_NEAR(linear.C(0, 0), 1, 1e-12);
  EXPECT_NEAR(linear.C(1, 0), 0, 1e-12);
}

// A block on a belt that drags it with friction μλ: the multiplier feeds back on the force it depends on.
struct PressedBlock {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -3.0 * x.p[0] - 0.4 * x.lambda[0];
    f[1] = -10.0 - 2.0 * x.p[0] - x.p[1];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[1] - 0.5 * x.p[0];
  }
};

// y = x/2; along it: 1.25 x'' = f0 + f1/2 with λ = f1 − y'' = −10 − 2.5 x − x''/2.
TEST(Linearization, FrictionThatDependsOnTheMultiplier) {
  TemplatedEquations<PressedBlock> equations{PressedBlock{}};
  const Linearization linear = linearize(equations, 0, Vector::Zero(5));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  // x'' = −3x − 0.4λ + λ/2, λ as above
  const double inertia = 1 + 0.5 * 0.1, stiffness = 3 + 2.5 * 0.1;
  ASSERT_EQ(linear.states[0], "p1");
  EXPECT_NEAR(linear.A(1, 0), -stiffness / inertia, 1e-10);
}

TEST(Linearization, SkateHasMorePositionsThanVelocities) {
  Mechanism mechanism;
  mechanism.gravity = {};
  mechanism.add(block("skate", {}, 1));
  mechanism.add_joint("floor", JointType::planar, "ground", "skate", {}, {0, 0, 1});
  mechanism.add_joint("blade", JointType::knife_edge, "ground", "skate", {}, {0, 0, 1});
  CartesianEquations equations(mechanism);
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_EQ(linear.positions, 3);
  EXPECT_EQ(linear.velocities, 2);
  for (const Mode& mode : modes(linear)) EXPECT_EQ(mode.eigenvalue, std::complex<double>(0, 0));
}

// Euler parameter rates as velocities: a singular mass matrix, held by the length of the parameters.
TEST(Linearization, ParameterRatesHaveTheSameModes) {
  const Mechanism mechanism = four_bar({0, 0, -1}, {2, 0, -1}, {2, 0, 0});
  CartesianEquations angular(mechanism);
  CartesianEquations rates(mechanism, CartesianEquations::Velocities::parameter_rates);
  const std::vector<Mode> wanted = modes(linearize(angular, 0, assembled(angular)));
  const std::vector<Mode> found = modes(linearize(rates, 0, assembled(rates)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].eigenvalue.imag(), wanted[0].eigenvalue.imag(), 1e-8);
}

TEST(Linearization, WhatIsDrivenHasNoStates) {
  Mechanism mechanism = rod_pendulum(0.4);
  mechanism.drivers.push_back({"motor", {}, "A.angle", Driver::Level::position, Law("sin(t)")});
  CartesianEquations equations(mechanism);
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_EQ(linear.A.rows(), 0);
  EXPECT_TRUE(modes(linear).empty());
}

TEST(Linearization, RefusesWhatItCannotDo) {
  CartesianEquations equations(rod_pendulum(0));
  const Vector x = assembled(equations);
  LinearizationOptions options;
  options.largest = 3;
  EXPECT_EQ(linearize(equations, 0, x, options).failure.reason, Reason::invalid_options);
  options = {};
  options.outputs = {"A.angel"};
  const Linearization linear = linearize(equations, 0, x, options);
  EXPECT_EQ(linear.failure.reason, Reason::invalid_options);
  EXPECT_NE(linear.failure.message.find("A.angle"), std::string::npos);
}

TEST(Linearization, SaysThatAStateIsNoEquilibrium) {
  CartesianEquations equations(rod_pendulum(0.5));
  const Linearization linear = linearize(equations, 0, assembled(equations));
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_FALSE(linear.at_rest);
  ASSERT_EQ(linear.notes.size(), 1u);
  EXPECT_NE(linear.notes[0].find("no equilibrium"), std::string::npos);
  // the derivative of −(3/2) g sin φ
  EXPECT_NEAR(linear.A(1, 0), -1.5 * 9.81 * std::cos(0.5), 1e-10);
}

}  // namespace
}  // namespace trammel
