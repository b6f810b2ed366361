// Applied forces and torques, and drag.
#include "tests/mechanism/force_check.h"
#include "trammel/mechanism/applied_force_kernels.h"

namespace trammel::force_check {
namespace {

VectorLaw random_law(Force::Axes axes) {
  std::vector<int> inputs;
  VectorLaw vector;
  vector.axes = axes;
  vector.components[0] = LawFunction(compiled("3 + u0^2", {}, 2), inputs);
  vector.components[1] = LawFunction(compiled("2*sin(5*t)", {}, 2), inputs);
  vector.components[2] = LawFunction(compiled("u1", {}, 2), inputs);
  return vector;
}

Vec3<double> components(const Situation& at) {
  return {3 + at.inputs[0] * at.inputs[0], 2 * std::sin(5 * at.t), at.inputs[1]};
}

TEST(PointForce, ActsAtThePointInTheAxesAskedFor) {
  std::mt19937 random(1);
  for (const Force::Axes axes : {Force::Axes::world, Force::Axes::first_body, Force::Axes::second_body}) {
    const PointForce kernel{random_vector(random), random_law(axes), true};
    auto block = block_of(kernel, 2);
    const Situation at = random_situation(random, 2);
    Vec3<double> expected = components(at);
    if (axes == Force::Axes::first_body) expected = at.bodies[0].R * expected;
    if (axes == Force::Axes::second_body) expected = at.bodies[1].R * expected;
    const std::vector<Wrench<double>> all = wrenches(block, at);
    expect_near(all[1].force, expected, 1e-13);
    expect_near(at.bodies[1].R * all[1].torque, cross(at.bodies[1].R * kernel.point_b, expected), 1e-13);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(outputs(block, at)[static_cast<std::size_t>(i)], expected[i], 1e-13);
    expect_action_is_reaction(block, at);
    expect_exact_derivatives(block, at);
    if (axes != Force::Axes::world) expect_frame_invariance(block, at, random);
  }
}

TEST(PointForce, MayHaveNoReaction) {
  std::mt19937 random(2);
  const PointForce kernel{random_vector(random), random_law(Force::Axes::world), false};
  auto block = block_of(kernel, 2);
  const Situation at = random_situation(random, 2);
  EXPECT_EQ(length(wrenches(block, at)[0].force), 0);
  EXPECT_EQ(length(wrenches(block, at)[0].torque), 0);
  EXPECT_GT(length(wrenches(block, at)[1].force), 0);
  expect_exact_derivatives(block, at);
}

TEST(AppliedTorque, ActsInTheAxesAskedFor) {
  std::mt19937 random(3);
  for (const Force::Axes axes : {Force::Axes::world, Force::Axes::first_body, Force::Axes::second_body}) {
    const AppliedTorque kernel{random_law(axes), true};
    auto block = block_of(kernel, 2);
    const Situation at = random_situation(random, 2);
    Vec3<double> expected = components(at);
    if (axes == Force::Axes::first_body) expected = at.bodies[0].R * expected;
    if (axes == Force::Axes::second_body) expected = at.bodies[1].R * expected;
    expect_near(at.bodies[1].R * wrenches(block, at)[1].torque, expected, 1e-13);
    EXPECT_EQ(length(wrenches(block, at)[1].force), 0);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(outputs(block, at)[static_cast<std::size_t>(i)], expected[i], 1e-13);
    expect_action_is_reaction(block, at);
    expect_exact_derivatives(block, at);
    if (axes != Force::Axes::world) expect_frame_invariance(block, at, random);
  }
  const AppliedTorque alone{random_law(Force::Axes::world), false};
  EXPECT_EQ(length(wrenches(block_of(alone, 2), random_situation(random, 2))[0].torque), 0);
}

Drag random_drag(std::mt19937& random) {
  return {random_vector(random), 0.7, 1.3, 0.2, 0.5, random_vector(random)};
}

TEST(Drag, HasExactDerivatives) {
  std::mt19937 random(4);
  for (int i = 0; i < 10; ++i) {
    auto block = block_of(random_drag(random));
    expect_exact_derivatives(block, random_situation(random));
  }
}

TEST(Drag, ResistsTheMotionThroughTheMedium) {
  std::mt19937 random(5);
  const Drag drag = random_drag(random);
  const auto block = block_of(drag);
  const Situation at = random_situation(random);
  const BodyState& body = at.bodies[1];
  const Vec3<double> u = body.v + body.R * cross(body.omega, drag.point_b) - drag.wind;
  const Vec3<double> force = u * -(0.7 + 1.3 * length(u));
  const Wrench<double> on_b = wrenches(block, at)[1];
  expect_near(on_b.force, force, 1e-13);
  const Vec3<double> torque = body.omega * -(0.2 + 0.5 * length(body.omega));
  expect_near(on_b.torque, cross(drag.point_b, transposed_times(body.R, force)) + torque, 1e-13);
  EXPECT_EQ(size({wrenches(block, at)[0]}), 0);
  EXPECT_NEAR(outputs(block, at)[0], length(force), 1e-13);
  EXPECT_NEAR(outputs(block, at)[1], length(torque), 1e-13);
}

TEST(Drag, IsSmoothAtRest) {
  std::mt19937 random(6);
  Drag drag = random_drag(random);
  Situation at = random_situation(random);
  at.bodies[1].v = drag.wind;
  at.bodies[1].omega = {};
  auto block = block_of(drag);
  EXPECT_EQ(size(wrenches(block, at)), 0);
  // |u| u has a corner in its second derivative there, which differences see
  expect_exact_derivatives(block, at, 1e-4);
}

}  // namespace
}  // namespace trammel::force_check
