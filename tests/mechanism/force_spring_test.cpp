// Springs and dampers along a line and about an axis.
#include "tests/mechanism/force_check.h"
#include "trammel/mechanism/spring_kernels.h"

namespace trammel::force_check {
namespace {

// A law with one input, whose list the block must have.
LawFunction law(const std::string& text, const std::vector<std::string>& own) {
  std::vector<int> element_inputs;
  return LawFunction(compiled(text, own, 1), element_inputs);
}

SpringDamper random_spring(std::mt19937& random) {
  SpringDamper spring{random_vector(random), random_vector(random)};
  spring.stiffness = 30;
  spring.free_length = 0.7;
  spring.preload = 4;
  return spring;
}

TorsionSpring random_torsion_spring(std::mt19937& random) {
  TorsionSpring spring{{random_rotation(random), random_rotation(random)}};
  spring.stiffness = 12;
  spring.free_angle = 0.4;
  spring.preload = -2;
  return spring;
}

TEST(SpringDamper, ActsEquallyOnBothAlongTheLine) {
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) {
    SpringDamper spring = random_spring(random);
    spring.damping = 5;
    spring.law = law("3*length^2 + u0*rate", {"length", "rate"});
    const auto block = block_of(spring, 1);
    const Situation at = random_situation(random, 1);
    expect_action_is_reaction(block, at);
    expect_frame_invariance(block, at, random);
  }
}

TEST(SpringDamper, HasExactDerivatives) {
  std::mt19937 random(2);
  for (int i = 0; i < 10; ++i) {
    SpringDamper spring = random_spring(random);
    spring.damping = 5;
    auto plain_block = block_of(spring);
    expect_exact_derivatives(plain_block, random_situation(random));
    std::vector<int> none;
    spring.law = LawFunction(compiled("3*length^2 + length*rate*sin(t)", {"length", "rate"}), none);
    auto own_law = block_of(spring);
    expect_exact_derivatives(own_law, random_situation(random));
    spring.law = law("3*length^2 + u0*rate*sin(t)", {"length", "rate"});
    auto block = block_of(spring, 1);
    expect_exact_derivatives(block, random_situation(random, 1));
  }
}

TEST(SpringDamper, WorksByItsPotentialAndDampingTakesEnergy) {
  std::mt19937 random(3);
  for (int i = 0; i < 10; ++i) {
    SpringDamper spring = random_spring(random);
    const Situation at = random_situation(random);
    const auto block = block_of(spring);
    EXPECT_NEAR(power(block, at), -potential_rate(block, at), 1e-7);
    spring.damping = 5;
    const auto damped = block_of(spring);
    const double rate = outputs(damped, at)[2];
    EXPECT_NEAR(power(damped, at), power(block, at) - 5 * rate * rate, 1e-12);
  }
}

TEST(SpringDamper, PullsWhenStretched) {
  SpringDamper spring{{0, 0, 0}, {0.5, 0, 0}};
  spring.stiffness = 10;
  spring.damping = 2;
  spring.free_length = 1;
  spring.preload = 3;
  Situation at{std::vector<BodyState>(2), 0, {}};
  at.bodies[1].r = {2, 0, 0};
  at.bodies[1].v = {0.5, 7, 0};
  const auto block = block_of(spring);
  const std::vector<Wrench<double>> all = wrenches(block, at);
  // 10 (2.5 − 1) + 2 · 0.5 + 3
  expect_near(all[0].force, {19, 0, 0}, 1e-14);
  expect_near(all[1].force, {-19, 0, 0}, 1e-14);
  EXPECT_EQ(block.output_names(0), (std::vector<std::string>{"force", "length", "rate"}));
  EXPECT_NEAR(outputs(block, at)[0], 19, 1e-14);
  EXPECT_NEAR(outputs(block, at)[1], 2.5, 1e-14);
  EXPECT_NEAR(outputs(block, at)[2], 0.5, 1e-14);
}

TEST(SpringDamper, OfCoincidentPointsExertsNothingAndStaysFinite) {
  std::mt19937 random(4);
  SpringDamper spring = random_spring(random);
  spring.damping = 3;
  spring.law = law("1/length + rate", {"length", "rate"});
  Situation at = random_situation(random, 1);
  at.bodies[0].R = at.bodies[1].R;
  at.bodies[0].r = at.bodies[1].r;
  spring.point_b = spring.point_a;
  auto block = block_of(spring, 1);
  EXPECT_EQ(size(wrenches(block, at)), 0);
  for (const double value : outputs(block, at)) EXPECT_EQ(value, 0);
  EXPECT_TRUE(std::isfinite(block.potential(at.bodies, 0, at.inputs)));
  block.differentiate(at.bodies, 0, at.inputs);
  for (const double slope : block.pose_and_twist_slopes(0)) EXPECT_TRUE(std::isfinite(slope));
  for (const double slope : block.input_slopes(0)) EXPECT_TRUE(std::isfinite(slope));
}

TEST(SpringDamper, WithoutFreeLengthIsSmoothWherePointsCoincide) {
  SpringDamper spring{{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}};
  spring.stiffness = 8;
  Situation at{std::vector<BodyState>(2), 0, {}};
  auto block = block_of(spring);
  expect_exact_derivatives(block, at);
  EXPECT_EQ(block.pose_and_twist_slopes(0)[0], -8);
}

TEST(TorsionSpring, ActsEquallyOnBoth) {
  std::mt19937 random(5);
  for (int i = 0; i < 10; ++i) {
    TorsionSpring spring = random_torsion_spring(random);
    spring.damping = 2;
    spring.law = law("angle^3 + u0*rate", {"angle", "rate"});
    const auto block = block_of(spring, 1);
    const Situation at = random_situation(random, 1);
    expect_action_is_reaction(block, at);
    expect_frame_invariance(block, at, random);
  }
}

TEST(TorsionSpring, HasExactDerivatives) {
  std::mt19937 random(6);
  for (int i = 0; i < 10; ++i) {
    TorsionSpring spring = random_torsion_spring(random);
    spring.damping = 2;
    auto plain_block = block_of(spring);
    expect_exact_derivatives(plain_block, random_situation(random));
    spring.law = law("angle^3 + u0*rate", {"angle", "rate"});
    auto block = block_of(spring, 1);
    expect_exact_derivatives(block, random_situation(random, 1), 1e-6);
  }
}

TEST(TorsionSpring, WorksByItsPotentialHoweverTheAxesLie) {
  std::mt19937 random(7);
  for (int i = 0; i < 10; ++i) {
    TorsionSpring spring = random_torsion_spring(random);
    const Situation at = random_situation(random);
    const auto block = block_of(spring);
    EXPECT_NEAR(power(block, at), -potential_rate(block, at), 1e-6);
    spring.damping = 5;
    const auto damped = block_of(spring);
    const double rate = outputs(damped, at)[2];
    EXPECT_NEAR(power(damped, at), power(block, at) - 5 * rate * rate, 1e-10);
  }
}

TEST(TorsionSpring, TurnsBackAboutTheCommonAxis) {
  std::mt19937 random(8);
  const Mat3<double> frame_a = random_rotation(random), frame_b = random_rotation(random);
  TorsionSpring spring{{frame_a, frame_b}};
  spring.stiffness = 10;
  spring.damping = 3;
  spring.free_angle = 0.5;
  spring.preload = 1;
  Situation at = random_situation(random);
  // B turned by 0.8 about z_A, with a rate of 0.2
  at.bodies[1].R = at.bodies[0].R * frame_a * rotation_about({0, 0, 1}, 0.8) * transposed(frame_b);
  const Vec3<double> axis = at.bodies[0].R * frame_a.column[2];
  const Vec3<double> spin = at.bodies[0].R * at.bodies[0].omega + axis * 0.2;
  at.bodies[1].omega = transposed_times(at.bodies[1].R, spin);
  const auto block = block_of(spring);
  const std::vector<Wrench<double>> all = wrenches(block, at);
  const double torque = 10 * (0.8 - 0.5) + 3 * 0.2 + 1;
  expect_near(at.bodies[1].R * all[1].torque, axis * -torque, 1e-12);
  expect_near(at.bodies[0].R * all[0].torque, axis * torque, 1e-12);
  EXPECT_EQ(block.output_names(0), (std::vector<std::string>{"torque", "angle", "rate"}));
  EXPECT_NEAR(outputs(block, at)[0], torque, 1e-12);
  EXPECT_NEAR(outputs(block, at)[1], 0.8, 1e-12);
  EXPECT_NEAR(outputs(block, at)[2], 0.2, 1e-12);
}

}  // namespace
}  // namespace trammel::force_check
