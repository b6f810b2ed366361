// Equilibria of mechanisms whose rest positions are known.
#include "trammel/analysis/equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/analysis/linearization.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

// What an equilibrium must satisfy: v = 0, g = 0, n = 0, forces in balance, force states at rest.
void expect_equilibrium(EquationsOfMotion& equations, double t, const EquilibriumResult& result,
                        double force_tolerance = 1e-8) {
  ASSERT_FALSE(result.failure) << result.failure.message;
  const Layout& layout = equations.layout();
  MotionValues values(layout);
  const Vector rest = Vector::Zero(layout.v.size);
  equations.evaluate({t, result.x, rest}, part::dynamics | part::b | part::g | part::n, values);
  EXPECT_EQ(result.x.segment(layout.v.begin, layout.v.size).norm(), 0);
  EXPECT_LT(values.dynamics.norm(), force_tolerance);
  EXPECT_LT(values.g.norm(), 1e-11);
  EXPECT_LT(values.n.norm(), 1e-11);
  EXPECT_LT(values.b.norm(), 1e-8);
}

Force spring_between(const std::string& name, int a, const Vec3<double>& at_a, int b,
                     const Vec3<double>& at_b, double stiffness, double free_length) {
  Force::SpringDamper spring;
  spring.name = name;
  spring.body_a = a;
  spring.body_b = b;
  spring.frame_a.origin = at_a;
  spring.frame_b.origin = at_b;
  spring.stiffness = stiffness;
  spring.free_length = free_length;
  return spring;
}

TEST(Equilibrium, PendulumFromNearlyUprightHangsDown) {
  for (const double start : {170.0, -100.0, 30.0, 180.0, 179.9999}) {
    CartesianEquations equations(rod_pendulum(start * pi / 180));
    const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
    expect_equilibrium(equations, 0, result);
    EXPECT_NEAR(result.x[2], -0.5, 1e-10) << start;
    EXPECT_EQ(result.stability, Stability::stable);
    EXPECT_NEAR(result.softest, 1.5 * 9.81, 1e-6);
    EXPECT_LT(result.iterations, 60) << start;
    // about y in the world, which is one of the rod's axes across
    EXPECT_TRUE(result.largest_displacement_of == "rod.ry" || result.largest_displacement_of == "rod.rz")
        << result.largest_displacement_of;
    EXPECT_NEAR(result.largest_displacement, std::abs(start) * pi / 180, 1e-6) << start;
    EXPECT_TRUE(result.notes.empty());
  }
}

TEST(Equilibrium, NewtonAloneFindsThePendulumUpright) {
  CartesianEquations equations(rod_pendulum(170 * pi / 180));
  EquilibriumOptions options;
  options.seek_stable = false;
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations), options);
  expect_equilibrium(equations, 0, result);
  EXPECT_NEAR(result.x[2], 0.5, 1e-10);
  EXPECT_EQ(result.stability, Stability::unstable);
}

TEST(Equilibrium, LoadSagsIntoItsSpring) {
  Mechanism mechanism;
  mechanism.add(block("load", {0, 0, -1}, 2));
  mechanism.add_joint("slide", JointType::prismatic, "ground", "load", {0, 0, 0}, {0, 0, 1});
  mechanism.add(spring_between("spring", 0, {0, 0, 0}, 1, {0, 0, 0}, 50, 1));
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  expect_equilibrium(equations, 0, result);
  EXPECT_NEAR(result.x[2], -1 - 2 * 9.81 / 50, 1e-11);
  EXPECT_NEAR(result.largest_displacement, 2 * 9.81 / 50, 1e-10);
  EXPECT_EQ(result.largest_displacement_of, "load.z");
}

// Redundant joints; the weight does no work at rest, and the small oscillation about it is that of the
// energy.
TEST(Equilibrium, FourBarHangsAndOscillates) {
  Mechanism mechanism = four_bar({0.3, 0, 0.9}, {2.2, 0, 1.4});
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  expect_equilibrium(equations, 0, result);
  ASSERT_EQ(result.stability, Stability::stable);

  // V and T as functions of the crank's angle, by assembly near by
  const double at_rest = coordinate(equations, "A.angle", result.x);
  const auto energies = [&](double angle, double& potential, double& kinetic) {
    mechanism.initial = {{"A.angle", {}, angle}, {"A.angle_rate", {}, 1.0}};
    CartesianEquations moved(mechanism);
    AssemblyOptions options;
    options.conditions = moved.conditions();
    Vector x = result.x;
    EXPECT_FALSE(Assembly(moved, options).run(0, x).failure);
    const std::unique_ptr<MechanismMotion> motion = moved.mechanism_motion();
    motion->set_state(0, x, Vector::Zero(moved.layout().v.size));
    potential = motion->potential_energy();
    kinetic = motion->kinetic_energy();
  };
  const double h = 1e-3;
  double below, here, above, unused, kinetic;
  energies(at_rest - h, below, unused);
  energies(at_rest, here, kinetic);
  energies(at_rest + h, above, unused);
  EXPECT_NEAR((above - below) / (2 * h), 0, 1e-4);
  const double omega = std::sqrt((above - 2 * here + below) / (h * h) / (2 * kinetic));
  EXPECT_NEAR(std::sqrt(result.softest), omega, 1e-5 * omega);
  const std::vector<Mode> found = modes(linearize(equations, 0, result.x));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].eigenvalue.imag(), omega, 1e-5 * omega);
  EXPECT_NEAR(found[0].eigenvalue.real(), 0, 1e-9);
}

TEST(Equilibrium, DriversHoldWhatTheyDrive) {
  Mechanism mechanism;
  mechanism.add(rod("arm", {0, 0, 0}, {1, 0, 0}, 1));
  mechanism.add(rod("hanging", {1, 0, 0}, {1.8, 0, 0.6}, 1));
  mechanism.add_joint("A", JointType::revolute, "ground", "arm", {0, 0, 0}, {0, -1, 0});
  mechanism.add_joint("B", JointType::revolute, "arm", "hanging", {1, 0, 0}, {0, -1, 0});
  mechanism.drivers.push_back({"motor", {}, "A.angle", Driver::Level::position, Law("0.4*t")});
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 2, assembled(equations));
  expect_equilibrium(equations, 2, result);
  EXPECT_NEAR(coordinate(equations, "A.angle", result.x), 0.8, 1e-11);
  EXPECT_NEAR(result.x[7 + 2], std::sin(0.8) - 0.5, 1e-10);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("motor.driver"), std::string::npos);
}

TEST(Equilibrium, ABodyInSpaceIsFreeToMove) {
  Mechanism mechanism;
  mechanism.gravity = {};
  mechanism.add(block("stone", {1, 2, 3}, 2));
  CartesianEquations equations(mechanism);
  const Vector x = assembled(equations);
  const EquilibriumResult result = find_equilibrium(equations, 0, x);
  expect_equilibrium(equations, 0, result);
  EXPECT_EQ(result.stability, Stability::neutral);
  EXPECT_EQ(result.free_to_move, std::vector<std::string>{"stone"});
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("'stone' is free to move: no equilibrium is determined"), std::string::npos);
  EXPECT_EQ(result.x, x);
}

TEST(Equilibrium, FreeFallHasNone) {
  Mechanism mechanism = rod_pendulum(0.3);
  mechanism.add(block("stone", {1, 2, 3}, 2));
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  ASSERT_TRUE(result.failure);
  EXPECT_NE(result.failure.message.find("nothing holds 'stone'"), std::string::npos)
      << result.failure.message;
  EXPECT_NE(result.failure.message.find("-9.81"), std::string::npos) << result.failure.message;
}

// Rods of length 1 in a row, both ends held, first bent upwards: each end carries half of the weight.
TEST(Equilibrium, ChainBetweenTwoSupports) {
  const int n = 20;
  Mechanism mechanism;
  Vec3<double> at{0, 0, 0};
  for (int i = 0; i < n; ++i) {
    const double angle = pi / 3 * (1 - 2.0 * (i + 0.5) / n);
    const Vec3<double> next = at + Vec3<double>{std::cos(angle), 0, std::sin(angle)};
    const std::string name = "link" + std::to_string(i);
    mechanism.add(rod(name, at, next, 1));
    mechanism.add_joint("J" + std::to_string(i), JointType::revolute,
                        i == 0 ? "ground" : "link" + std::to_string(i - 1), name, at, {0, 1, 0});
    at = next;
  }
  mechanism.add_joint("end", JointType::revolute, "ground", "link" + std::to_string(n - 1), at, {0, 1, 0});
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 0, equations.initial_state());
  expect_equilibrium(equations, 0, result, 1e-6);
  EXPECT_EQ(result.stability, Stability::stable);
  // symmetric, and below the supports
  const Index first = 2, last = 7 * (n - 1) + 2, middle = 7 * (n / 2) + 2;
  EXPECT_NEAR(result.x[first], result.x[last], 1e-7);
  EXPECT_LT(result.x[middle], -0.2 * n);
  const Layout& layout = equations.layout();
  const auto& names = equations.names().g;
  const auto row = std::find(names.begin(), names.end(), "J0.z") - names.begin();
  EXPECT_NEAR(std::abs(result.x[layout.lambda.begin + row]), 0.5 * 9.81 * n, 1e-6);
}

TEST(Equilibrium, BallComesToRestOnThePlane) {
  Mechanism mechanism;
  mechanism.add(block("ball", {0.3, 0, 1.5}, 2));
  Force::SphereOnPlane contact;
  contact.name = "contact";
  contact.body_b = 1;
  contact.radius = 0.1;
  contact.stiffness = 1e6;
  mechanism.add(contact);
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  expect_equilibrium(equations, 0, result, 1e-6);
  EXPECT_NEAR(result.x[2], 0.1 - 2 * 9.81 / 1e6, 1e-9);
  EXPECT_NEAR(result.x[0], 0.3, 1e-9);
  EXPECT_EQ(result.stability, Stability::neutral);
  EXPECT_EQ(result.free_to_move, std::vector<std::string>{"ball"});
}

Mechanism controlled_arm(const Law& rate) {
  Mechanism mechanism;
  mechanism.add(rod("arm", {0, 0, 0}, {1, 0, 0}, 1));
  mechanism.add_joint("A", JointType::revolute, "ground", "arm", {0, 0, 0}, {0, -1, 0});
  Force::Actuator motor;
  motor.name = "motor";
  motor.along.joint = "A";
  motor.law = Law("command - 30*A.angle");
  mechanism.add(motor);
  mechanism.states.push_back({"command", {}, 0.7, rate});
  return mechanism;
}

// A force state with a rest of its own: 100 (0.5 − angle) is added at rest.
TEST(Equilibrium, ForceStatesComeToRest) {
  CartesianEquations equations(controlled_arm(Law("(100*(0.5 - A.angle) - command)/0.1")));
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  expect_equilibrium(equations, 0, result);
  const double angle = coordinate(equations, "A.angle", result.x);
  EXPECT_NEAR(130 * angle + 0.5 * 9.81 * std::cos(angle), 50, 1e-9);
  EXPECT_NEAR(result.x[equations.layout().r.begin], 100 * (0.5 - angle), 1e-9);
  EXPECT_EQ(result.stability, Stability::stable);
}

// An integrator rests only where the angle is the one wanted.
TEST(Equilibrium, IntegratorsFindTheirValue) {
  CartesianEquations equations(controlled_arm(Law("20*(0.5 - A.angle)")));
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  expect_equilibrium(equations, 0, result);
  EXPECT_NEAR(coordinate(equations, "A.angle", result.x), 0.5, 1e-9);
  EXPECT_NEAR(result.x[equations.layout().r.begin], 15 + 0.5 * 9.81 * std::cos(0.5), 1e-6);
}

TEST(Equilibrium, AStateThatNeverRestsIsNamed) {
  CartesianEquations equations(controlled_arm(Law("1 + command^2")));
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  ASSERT_TRUE(result.failure);
  EXPECT_NE(result.failure.message.find("'command'"), std::string::npos) << result.failure.message;
}

// An eccentric wheel rolls until its weight is lowest; where on the plane, rolling alone decides.
TEST(Equilibrium, EccentricDiskRollsToRest) {
  Mechanism mechanism;
  Body disk = block("disk", {0, 0, 0.5}, 3, {0.2, 0.2, 0.4});
  disk.reference.axes = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};  // its axis, z, along the world's y
  disk.com = {0.1, 0, 0};
  mechanism.add(disk);
  Joint& contact = mechanism.add_joint("contact", JointType::rolling_disk, "ground", "disk", {0, 0, 0});
  contact.frame_b = {};
  contact.radius = 0.5;
  // upright
  Joint upright;
  upright.name = "upright";
  upright.type = JointType::planar;
  upright.body_b = 1;
  upright.frame_a = frame_with_axis({0, 0, 0}, {0, 1, 0});
  upright.frame_b = frame_with_axis({0, 0, 0}, {0, 0, 1});
  mechanism.add(upright);
  CartesianEquations equations(mechanism);
  const EquilibriumResult result = find_equilibrium(equations, 0, assembled(equations));
  expect_equilibrium(equations, 0, result);
  EXPECT_NEAR(result.x[2], 0.4, 1e-9);
  EXPECT_EQ(result.stability, Stability::stable);
  // a quarter of a turn, without slipping: the centre has moved by r π/2
  EXPECT_NEAR(std::abs(result.x[0]), 0.5 * pi / 2, 0.1);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("contact.roll-1"), std::string::npos);
}

// Without a mechanism: a bead on the curve y = x⁴ − x², whose middle is a top.
struct Bead {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = T(-9.81);
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    const T square = x.p[0] * x.p[0];
    g[0] = x.p[1] - square * square + square;
  }
};

TEST(Equilibrium, BeadLeavesTheTop) {
  TemplatedEquations<Bead> equations{Bead{}};
  const EquilibriumResult result = find_equilibrium(equations, 0, Vector::Zero(5));
  expect_equilibrium(equations, 0, result);
  EXPECT_NEAR(std::abs(result.x[0]), std::sqrt(0.5), 1e-9);
  EXPECT_EQ(result.stability, Stability::stable);

  EquilibriumOptions options;
  options.seek_stable = false;
  const EquilibriumResult top = find_equilibrium(equations, 0, Vector::Zero(5), options);
  EXPECT_FALSE(top.failure);
  EXPECT_EQ(top.x[0], 0);
  EXPECT_EQ(top.stability, Stability::unstable);
}

TEST(Equilibrium, ParameterRatesComeToTheSameRest) {
  const Mechanism mechanism = four_bar({0.3, 0, 0.9}, {2.2, 0, 1.4});
  CartesianEquations angular(mechanism);
  CartesianEquations rates(mechanism, CartesianEquations::Velocities::parameter_rates);
  const EquilibriumResult wanted = find_equilibrium(angular, 0, assembled(angular));
  const EquilibriumResult found = find_equilibrium(rates, 0, assembled(rates));
  expect_equilibrium(rates, 0, found);
  EXPECT_NEAR(found.x[2], wanted.x[2], 1e-9);
  EXPECT_NEAR(found.softest, wanted.softest, 1e-6);
}

TEST(Equilibrium, RefusesAGuessOfTheWrongSize) {
  TemplatedEquations<Bead> equations{Bead{}};
  EXPECT_EQ(find_equilibrium(equations, 0, Vector::Zero(3)).failure.reason, Reason::invalid_model);
}

}  // namespace
}  // namespace trammel
