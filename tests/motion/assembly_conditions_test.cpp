// Assembly with conditions of the user and with invariants.
#include <gtest/gtest.h>

#include "tests/motion/assembly_rig.h"
#include "trammel/motion/assembly.h"

namespace trammel {
namespace {

using namespace assembly_rig;

// --- conditions of the user

TEST(Assembly, ConditionsOnPositionsAndVelocities) {
  const Pendulum pendulum;
  Vector x(5);
  x << 0.6, -0.9, 0.2, 0.1, 0;
  AssemblyOptions options;
  options.conditions = {angular_speed(3), diagonal()};
  const AssemblyReport report = assemble(pendulum, x, options);
  EXPECT_ASSEMBLED(report);
  const double root = std::sqrt(0.5);
  EXPECT_NEAR(x[0], root, accuracy);
  EXPECT_NEAR(x[1], -root, accuracy);
  // of the two directions, the one of the guess
  EXPECT_NEAR(x[2], 3 * root, 4 * accuracy);
  EXPECT_NEAR(x[3], 3 * root, 4 * accuracy);
  EXPECT_NEAR(x[4], pendulum.multiplier(x), 1e-10);
  EXPECT_TRUE(report.redundant_conditions.empty());
  // conditions are not constraints
  EXPECT_EQ(report.position_rank, 1);
  EXPECT_EQ(report.degrees_of_freedom, 1);
}

TEST(Assembly, ConditionsMayBeFewerThanFreedoms) {
  // two degrees of freedom, one condition: the rest follows the guess
  Vector x = Vector::Zero(10);
  x.head(4) << 0.6, -0.8, 1.5, -1.3;
  AssemblyOptions options;
  options.conditions = {
      Condition::on_positions("first rod hangs", [](const auto& at) { return at.p[0] - 0.0; })};
  EXPECT_ASSEMBLED(assemble(DoublePendulum{}, x, options));
  EXPECT_NEAR(x[0], 0, accuracy);
  EXPECT_NEAR(x[1], -1, accuracy);
  // the second joint: nearest to the guess on the circle around (0, −1)
  const Vector direction = Vector{{1.5, -0.3}}.normalized();
  EXPECT_NEAR(x[2], direction[0], nearest_accuracy);
  EXPECT_NEAR(x[3], -1 + direction[1], nearest_accuracy);
}

TEST(Assembly, ConditionOnManyVariables) {
  // more than are differentiated at once
  struct Free {
    Sizes sizes() const { return {.positions = 11}; }
  };
  Vector x = Vector::Zero(22);
  AssemblyOptions options;
  options.conditions = {Condition::on_positions("sum", [](const auto& at) {
    auto sum = at.p[0] - 1.0;
    for (std::size_t i = 1; i < at.p.size(); ++i) sum += static_cast<double>(i + 1) * at.p[i];
    return sum;
  })};
  EXPECT_ASSEMBLED(assemble(Free{}, x, options));
  // the foot of the perpendicular: n / nᵀn, with nᵀn = 1² + ... + 11² = 506
  for (Index i = 0; i < 11; ++i) EXPECT_NEAR(x[i], static_cast<double>(i + 1) / 506, accuracy);
}

TEST(Assembly, ConditionsMayUseTimeAndContacts) {
  Vector x(17);
  x << 0.8, 0.1, 0.3, 0.6, 0.8, -0.6, 0.5, 0.1, 0.7, 0.2, 0.3, 0.4, 42, 1.0, 0.2, 0, 0;
  AssemblyOptions options;
  options.conditions = {
      Condition::on_positions("contact at t", [](const auto& at) { return at.s[0] - at.t; })};
  EXPECT_ASSEMBLED(assemble(ALittleOfEverything{}, x, options, 1.5));
  EXPECT_NEAR(x[14], 1.5, accuracy);
  EXPECT_NEAR(x[0], 1.5, accuracy);
  EXPECT_NEAR(x[1], 1.125, accuracy);
}

TEST(Assembly, RedundantConditionsAreReportedAndDoNoHarm) {
  Vector x(5);
  x << 0.6, -0.9, 0.2, 0.1, 0;
  AssemblyOptions options;
  options.conditions = {
      diagonal(),
      Condition::on_positions("again", [](const auto& at) { return 3.0 * at.p[0] + 3.0 * at.p[1]; }),
      Condition::on_velocities("across",
                               [](const auto& at) { return at.p[0] * at.v[0] + at.p[1] * at.v[1]; }),
      angular_speed(2)};
  const AssemblyReport report = assemble(Pendulum{}, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_EQ(report.redundant_conditions, (std::vector<std::string>{"again", "across"}));
  EXPECT_TRUE(report.redundant.empty());
  EXPECT_NEAR(x[0], std::sqrt(0.5), accuracy);
  EXPECT_NEAR(x[2], std::sqrt(2.0), 4 * accuracy);
}

struct Line {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  void g(const auto& x, auto g) const { g[0] = x.p[0] + x.p[1] - 1.0; }
};

TEST(Assembly, ConditionIsJudgedWhereItHoldsNotAtTheGuess) {
  // p₁² has no slope at the guess p₁ = 0, but it has one at the answer
  Vector x = Vector::Zero(5);
  AssemblyOptions options;
  options.conditions = {
      Condition::on_positions("quarter", [](const auto& at) { return at.p[1] * at.p[1] - 0.09; })};
  const AssemblyReport report = assemble(Line{}, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_NEAR(x[1], 0.3, accuracy);
  EXPECT_TRUE(report.redundant_conditions.empty());
}

TEST(Assembly, ContradictoryConditionsAreNamed) {
  Vector x(5);
  x << 0.6, -0.8, 0.8, 0.6, 0;
  AssemblyOptions options;
  options.conditions = {Condition::on_positions("x is two", [](const auto& at) { return at.p[0] - 2.0; })};
  expect_failure(assemble(Pendulum{}, x, options), Reason::contradictory_conditions,
                 {"positions", "'x is two'", "'rod'"});

  x << 0.6, -0.8, 0.8, 0.6, 0;
  options.conditions = {diagonal(),
                        Condition::on_velocities("slow", [](const auto& at) { return at.v[0] - 1.0; }),
                        Condition::on_velocities("fast", [](const auto& at) { return at.v[0] - 2.0; })};
  const AssemblyReport report = assemble(Pendulum{}, x, options);
  expect_failure(report, Reason::contradictory_conditions, {"velocities", "'slow'", "'fast'"});
  // what has no part in the contradiction is not accused
  EXPECT_EQ(report.failure.message.find("'45 degrees'"), std::string::npos);
  EXPECT_EQ(report.failure.message.find("'rod'"), std::string::npos);
}

TEST(Assembly, ConditionWithoutADerivativeIsNotTakenForMet) {
  // the length of a velocity of zero has no derivative
  Vector x(5);
  x << 0.0, -1.0, 0, 0, 0;
  AssemblyOptions options;
  options.conditions = {angular_speed(3)};
  expect_failure(assemble(Pendulum{}, x, options), Reason::not_finite, {"'angular speed'"});
  options.conditions = {Condition::on_positions("nonsense", [](const auto& at) {
    using std::log;
    return log(-1.0 - at.p[0] * at.p[0]);
  })};
  expect_failure(assemble(Pendulum{}, x, options), Reason::not_finite, {"'nonsense'"});
}

TEST(Assembly, ConditionThatThrows) {
  Vector x = Pendulum{}.swinging(0.3, 1);
  AssemblyOptions options;
  options.conditions = {Condition::on_velocities("broken", [](const auto& at) {
    if (at.v[0] > -1e300) throw std::runtime_error("table exhausted");
    return at.v[0];
  })};
  expect_failure(assemble(Pendulum{}, x, options), Reason::user_function_failed, {"table exhausted"});
}

// --- invariants

struct WithEnergy : Pendulum {
  double energy = 0;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1, .invariants = 1}; }
  Names names() const { return {.p = {"x", "y"}, .g = {"rod"}, .e = {"energy"}}; }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * mass * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + mass * gravity * x.p[1] - energy;
  }
  // of a state
  static double of(const Vector& x) {
    const Pendulum p;
    return 0.5 * p.mass * x.segment(2, 2).squaredNorm() + p.mass * p.gravity * x[1];
  }
};

TEST(Assembly, EnergyIsMetByTheSpeed) {
  const Vector guess = Pendulum{}.swinging(0.5, 1.0), faster = Pendulum{}.swinging(0.5, 2.5);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(faster);
  Vector x = guess;
  AssemblyReport report = assemble(pendulum, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_TRUE(same_bits(x.head(2), guess.head(2)));
  EXPECT_LE((x - faster).norm(), 1e-10) << (x - faster).transpose();
  EXPECT_EQ(report.degrees_of_freedom, 1);

  // not asked for: not touched
  AssemblyOptions options;
  options.meet_invariants = false;
  x = guess;
  report = assemble(pendulum, x, options);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(same_bits(x, guess));
}

TEST(Assembly, AtRestWithTheRightEnergy) {
  // the energy has no slope in v there, which is nobody's redundancy
  const Vector rest = Pendulum{}.swinging(0.5, 0);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(rest);
  Vector x = rest;
  AssemblyOptions options;
  options.conditions = {Condition::on_velocities("along x", [](const auto& at) { return at.v[0]; }),
                        Condition::on_velocities("along y", [](const auto& at) { return at.v[1]; })};
  const AssemblyReport report = assemble(pendulum, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(same_bits(x, rest));
  EXPECT_TRUE(report.redundant.empty());
  // the rod and the first condition leave nothing for the second; the energy is not among them
  EXPECT_EQ(report.redundant_conditions, std::vector<std::string>{"along y"});
}

TEST(Assembly, InvariantsAreNotListedAsConditions) {
  // moving: with the speed given by the energy, a condition on the speed is one too many
  const Vector moving = Pendulum{}.swinging(0.5, 1.5);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(moving);
  Vector x = moving;
  AssemblyOptions options;
  options.conditions = {angular_speed(1.5)};
  const AssemblyReport report = assemble(pendulum, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_EQ(report.redundant_conditions, std::vector<std::string>{"angular speed"});
}

TEST(Assembly, EnergyThatNoSpeedCanHave) {
  const Vector rest = Pendulum{}.swinging(0.5, 0.1);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(rest) - 5;
  Vector x = rest;
  const AssemblyReport report = assemble(pendulum, x);
  EXPECT_TRUE(report.failure);
  expect_failure(report, report.failure.reason, {"velocities", "'energy'"});
}

}  // namespace
}  // namespace trammel
