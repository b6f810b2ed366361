// The method chosen, the reason given, and the eigenvalues behind it.
#include "trammel/simulation/method_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

TEST(MethodChoice, MechanismsHaveConstraints) {
  CartesianEquations equations(rod_pendulum(0));
  const MethodChoice choice = choose_method(equations);
  EXPECT_EQ(choice.method.name(), "projected/dop853");
  ASSERT_TRUE(choice.when_stiff);
  EXPECT_EQ(choice.when_stiff->name(), "psf/radau5");
  EXPECT_EQ(choice.options.radau.newton_matrix_at, 2);
  const auto eigenvalues = eigenvalue_summary(equations, 0, assembled(equations));
  ASSERT_TRUE(eigenvalues);
  EXPECT_EQ(eigenvalues->oscillating, 1);
  EXPECT_NEAR(eigenvalues->highest_frequency_hz, std::sqrt(1.5 * 9.81) / (2 * std::numbers::pi), 1e-9);
  EXPECT_EQ(describe_speed(*eigenvalues, 10), "not stiff at the start (time scale 0.26 s)");
}

TEST(MethodChoice, WhatTheUserSetStays) {
  CartesianEquations equations(rod_pendulum(0));
  Options options;
  ASSERT_FALSE(set_option(options, "newton_matrix_at", "0"));
  ASSERT_FALSE(set_option(options, "max_steps", "77"));
  const MethodChoice choice = choose_method(equations, options);
  EXPECT_EQ(choice.options.radau.newton_matrix_at, 0);
  EXPECT_EQ(choice.options.radau.max_steps, 77);
  EXPECT_TRUE(choice.options_set.empty());
  // an option of the implicit method alone
  EXPECT_EQ(choice.method.name(), "psf/radau5");
  EXPECT_FALSE(choice.when_stiff);
}

TEST(MethodChoice, SaysWhatItSet) {
  CartesianEquations equations(rod_pendulum(0));
  const std::vector<std::pair<std::string, std::string>> expected{{"newton_matrix_at", "2"}};
  const MethodChoice choice = choose_method(equations);
  EXPECT_EQ(choice.options_set, expected);
  EXPECT_EQ(choice.options.named, expected);

  // a matrix at a stage needs stages that are extrapolated
  Options zero;
  ASSERT_FALSE(set_option(zero, "starting_values", "zero"));
  EXPECT_TRUE(choose_method(equations, zero).options_set.empty());
}

TEST(MethodChoice, FixedStepsAreImplicit) {
  CartesianEquations equations(rod_pendulum(0));
  Options options;
  options.h0 = 0.01;
  ASSERT_FALSE(set_option(options, "fixed_step", "yes"));
  EXPECT_EQ(choose_method(equations, options).method.name(), "psf/radau5");
}

// r' = −k r: no mechanics at all.
struct TwoDecays {
  double fast = 5e4;
  Sizes sizes() const { return {.positions = 0, .force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = -fast * x.r[0];
    b[1] = -x.r[1];
  }
};

TEST(MethodChoice, StiffOrdinaryEquations) {
  TemplatedEquations<TwoDecays> equations{TwoDecays{}};
  const MethodChoice choice = choose_method(equations);
  EXPECT_EQ(choice.method.name(), "ode/dop853");
  ASSERT_TRUE(choice.when_stiff);
  EXPECT_EQ(choice.when_stiff->name(), "ode/radau5");
  const auto eigenvalues = eigenvalue_summary(equations, 0, Vector::Ones(2));
  ASSERT_TRUE(eigenvalues);
  EXPECT_EQ(eigenvalues->decaying, 2);
  EXPECT_NEAR(eigenvalues->fastest_decay, 5e4, 1e-6);
  EXPECT_NEAR(eigenvalues->slowest, 1, 1e-9);
  EXPECT_EQ(describe_speed(*eigenvalues, 10),
            "stiff at the start (fastest time constant 2e-05 s in r1 against 1 s)");

  TemplatedEquations<TwoDecays> gentle{TwoDecays{3}};
  EXPECT_EQ(describe_speed(*eigenvalue_summary(gentle, 0, Vector::Ones(2)), 10),
            "not stiff at the start (time scales from 0.33 to 1 s)");
}

// A decay is no vibration, and what is slow is not fast beside something slower.
TEST(MethodChoice, WordsAreRight) {
  EigenvalueSummary decay;
  decay.decaying = 2;
  decay.fastest = decay.fastest_decay = 400;
  decay.slowest = 1;
  EXPECT_EQ(describe_speed(decay, 10).find("vibrat"), std::string::npos) << describe_speed(decay, 10);
  EigenvalueSummary slow;
  slow.oscillating = 2;
  slow.highest_frequency_hz = 0.01;
  slow.fastest = 0.0628;
  slow.slowest = 1e-5;
  EXPECT_NE(describe_speed(slow, 10).find("not stiff"), std::string::npos) << describe_speed(slow, 10);
}

TEST(MethodChoice, HardSpringsVibrate) {
  Mechanism mechanism;
  mechanism.add(block("frame", {0, 0, 0}, 10));
  mechanism.add(block("head", {0, 0, 1}, 0.1));
  mechanism.add_joint("soft", JointType::prismatic, "ground", "frame", {0, 0, 0}, {0, 0, 1});
  mechanism.add_joint("hard", JointType::prismatic, "frame", "head", {0, 0, 0}, {0, 0, 1});
  for (int i = 0; i < 2; ++i) {
    Force::TorsionSpring spring;
    spring.name = i == 0 ? "soft_spring" : "hard_spring";
    spring.along.joint = i == 0 ? "soft" : "hard";
    spring.stiffness = i == 0 ? 10 : 1e7;
    mechanism.add(spring);
  }
  CartesianEquations equations(mechanism);
  const auto eigenvalues = eigenvalue_summary(equations, 0, assembled(equations));
  ASSERT_TRUE(eigenvalues);
  EXPECT_EQ(eigenvalues->oscillating, 2);
  EXPECT_GT(eigenvalues->spread(), 1000);
  const std::string words = describe_speed(*eigenvalues, 10);
  EXPECT_NE(words.find("vibrates (1.6e+03 Hz in head.z"), std::string::npos) << words;
}

TEST(MethodChoice, StateThatCannotBeAssembledHasNoEigenvalues) {
  CartesianEquations equations(rod_pendulum(0));
  EXPECT_FALSE(eigenvalue_summary(equations, 0, Vector::Zero(3)));
}

}  // namespace
}  // namespace trammel
