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
  const MethodChoice choice = choose_method(equations, 0, assembled(equations));
  EXPECT_EQ(choice.method.name(), "psf/radau5");
  EXPECT_EQ(choice.options.radau.newton_matrix_at, 2);
  ASSERT_TRUE(choice.eigenvalues);
  EXPECT_EQ(choice.eigenvalues->oscillating, 1);
  EXPECT_NEAR(choice.eigenvalues->highest_frequency_hz, std::sqrt(1.5 * 9.81) / (2 * std::numbers::pi), 1e-9);
  EXPECT_NE(choice.reason.find("not stiff"), std::string::npos) << choice.reason;
}

TEST(MethodChoice, WhatTheUserSetStays) {
  CartesianEquations equations(rod_pendulum(0));
  Options options;
  ASSERT_FALSE(set_option(options, "newton_matrix_at", "0"));
  ASSERT_FALSE(set_option(options, "max_steps", "77"));
  const MethodChoice choice = choose_method(equations, 0, assembled(equations), options);
  EXPECT_EQ(choice.options.radau.newton_matrix_at, 0);
  EXPECT_EQ(choice.options.radau.max_steps, 77);
  EXPECT_TRUE(choice.options_set.empty());
}

TEST(MethodChoice, SaysWhatItSet) {
  CartesianEquations equations(rod_pendulum(0));
  const std::vector<std::pair<std::string, std::string>> expected{{"newton_matrix_at", "2"}};
  const MethodChoice choice = choose_method(equations, 0, assembled(equations));
  EXPECT_EQ(choice.options_set, expected);
  EXPECT_EQ(choice.options.named, expected);

  // a matrix at a stage needs stages that are extrapolated
  Options zero;
  ASSERT_FALSE(set_option(zero, "starting_values", "zero"));
  EXPECT_TRUE(choose_method(equations, 0, assembled(equations), zero).options_set.empty());
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
  const MethodChoice choice = choose_method(equations, 0, Vector::Ones(2));
  EXPECT_EQ(choice.method.name(), "ode/radau5");
  ASSERT_TRUE(choice.eigenvalues);
  EXPECT_EQ(choice.eigenvalues->decaying, 2);
  EXPECT_NEAR(choice.eigenvalues->fastest_decay, 5e4, 1e-6);
  EXPECT_NEAR(choice.eigenvalues->slowest, 1, 1e-9);
  EXPECT_NE(choice.reason.find("stiff (fastest time constant 2e-05 s in r1 against 1 s): implicit, L-stable"),
            std::string::npos)
      << choice.reason;

  TemplatedEquations<TwoDecays> gentle{TwoDecays{3}};
  EXPECT_NE(choose_method(gentle, 0, Vector::Ones(2)).reason.find("not stiff"), std::string::npos);
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
  const MethodChoice choice = choose_method(equations, 0, assembled(equations));
  ASSERT_TRUE(choice.eigenvalues);
  EXPECT_EQ(choice.eigenvalues->oscillating, 2);
  EXPECT_GT(choice.eigenvalues->spread(), 1000);
  EXPECT_NE(choice.reason.find("fast vibration"), std::string::npos) << choice.reason;
  EXPECT_NE(choice.reason.find("head.z"), std::string::npos) << choice.reason;
}

TEST(MethodChoice, StateThatCannotBeAssembledStillGetsAMethod) {
  CartesianEquations equations(rod_pendulum(0));
  const MethodChoice choice = choose_method(equations, 0, Vector::Zero(3));
  EXPECT_EQ(choice.method.name(), "psf/radau5");
  EXPECT_FALSE(choice.eigenvalues);
}

}  // namespace
}  // namespace trammel
