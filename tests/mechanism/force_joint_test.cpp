// Forces along the coordinates of joints. The coordinates are inputs: here they are measured by hand.
#include "tests/mechanism/force_check.h"
#include "trammel/mechanism/force_pair.h"
#include "trammel/mechanism/joint_force_kernels.h"

namespace trammel::force_check {
namespace {

// The first input is the coordinate, the second its rate, the others are free.
LawFunction input(int index) {
  std::vector<int> inputs;
  return LawFunction(compiled("u" + std::to_string(index), {}, 3), inputs);
}

template <class Coordinate>
double value(const Coordinate& function, const Situation& at) {
  const BodyState &a = at.bodies[0], &b = at.bodies[1];
  return function(Pose<double>{a.r, a.R}, Pose<double>{b.r, b.R})[0];
}

template <class Coordinate>
void measure(const Coordinate& function, Situation& at) {
  at.inputs[0] = value(function, at);
  at.inputs[1] = function(taylor_pose(at.bodies[0]), taylor_pose(at.bodies[1]))[0].first;
}

JointDirection<Angle> random_angle(std::mt19937& random) {
  return {{random_rotation(random), random_rotation(random)}};
}
JointDirection<Offset> random_offset(std::mt19937& random) {
  return {{random_rotation(random).column[0], random_vector(random), random_vector(random)}};
}

template <class Coordinate>
JointSpring<Coordinate> spring_along(const JointDirection<Coordinate>& direction) {
  JointSpring<Coordinate> spring{direction, 20, 0, 0.4, 3};
  spring.value = input(0);
  spring.rate = input(1);
  return spring;
}

template <class Coordinate>
void check_spring(std::mt19937& random, const JointDirection<Coordinate>& direction) {
  JointSpring<Coordinate> spring = spring_along(direction);
  Situation at = random_situation(random, 3);
  measure(direction.function, at);
  const auto elastic = block_of(spring, 3);
  EXPECT_NEAR(power(elastic, at),
              -potential_rate(elastic, at, [&](Situation& later) { measure(direction.function, later); }),
              1e-6);

  spring.damping = 4;
  std::vector<int> inputs;
  spring.law = LawFunction(compiled("u2*q^2 + rate", {"q", "rate"}, 3), inputs);
  auto block = block_of(spring, 3);
  expect_action_is_reaction(block, at);
  expect_frame_invariance(block, at, random);
  expect_exact_derivatives(block, at, 1e-6);
  const double q = at.inputs[0], rate = at.inputs[1];
  const double force = 20 * (q - 0.4) + 4 * rate + 3 + at.inputs[2] * q * q + rate;
  EXPECT_NEAR(outputs(block, at)[0], force, 1e-12);
  // what acts along a coordinate does the work force · rate
  EXPECT_NEAR(power(block, at), -force * rate, 1e-11);
}

TEST(JointSpring, ActsAlongItsCoordinate) {
  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) {
    check_spring(random, random_angle(random));
    check_spring(random, random_offset(random));
  }
}

TEST(JointSpring, CountsTurns) {
  const JointSpring<Angle> spring =
      spring_along(JointDirection<Angle>{{Mat3<double>::identity(), Mat3<double>::identity()}});
  Situation at{std::vector<BodyState>(2), 0, {13.0, 0, 0}};
  EXPECT_NEAR(wrenches(block_of(spring, 3), at)[1].torque.z, -(20 * (13 - 0.4) + 3), 1e-12);
}

template <class Coordinate>
void check_friction(std::mt19937& random, const JointDirection<Coordinate>& direction) {
  JointFriction<Coordinate> friction{direction, 2, 0.3, 0.7, 0.1};
  friction.rate = input(1);
  friction.reaction = input(2);
  auto block = block_of(friction, 3);
  Situation at = random_situation(random, 3);
  measure(direction.function, at);
  at.inputs[2] = 50;
  expect_action_is_reaction(block, at);
  expect_frame_invariance(block, at, random);
  expect_exact_derivatives(block, at, 1e-5);
  const double rate = at.inputs[1];
  const double force = (2 + 0.3 * 50) * std::tanh(rate / 0.1) + 0.7 * rate;
  EXPECT_NEAR(outputs(block, at)[0], force, 1e-12);
  EXPECT_NEAR(power(block, at), -force * rate, 1e-11);
  EXPECT_LT(power(block, at), 0);
  EXPECT_EQ(block.potential(at.bodies, 0, at.inputs), 0);
}

TEST(JointFriction, TakesEnergyByDryAndViscousFriction) {
  std::mt19937 random(2);
  for (int i = 0; i < 5; ++i) {
    check_friction(random, random_angle(random));
    check_friction(random, random_offset(random));
  }
}

template <class Coordinate>
void check_actuator(std::mt19937& random, const JointDirection<Coordinate>& direction) {
  std::vector<int> inputs;
  const Actuator<Coordinate> actuator{
      direction, input(0), input(1),
      LawFunction(compiled("5*u2 - 2*q + rate*cos(t)", {"q", "rate"}, 3), inputs)};
  auto block = block_of(actuator, 3);
  Situation at = random_situation(random, 3);
  measure(direction.function, at);
  expect_action_is_reaction(block, at);
  expect_frame_invariance(block, at, random);
  expect_exact_derivatives(block, at, 1e-6);
  const double force = 5 * at.inputs[2] - 2 * at.inputs[0] + at.inputs[1] * std::cos(at.t);
  EXPECT_NEAR(outputs(block, at)[0], force, 1e-12);
  EXPECT_NEAR(power(block, at), force * at.inputs[1], 1e-11);
}

TEST(Actuator, DrivesItsCoordinate) {
  std::mt19937 random(3);
  for (int i = 0; i < 5; ++i) {
    check_actuator(random, random_angle(random));
    check_actuator(random, random_offset(random));
  }
}

TEST(JointForces, AreNamedByWhatTheyAre) {
  const std::vector<std::string> turning{"torque", "angle", "rate"}, pushing{"force", "displacement", "rate"};
  EXPECT_EQ(JointSpring<Angle>().output_names(), turning);
  EXPECT_EQ(JointSpring<Offset>().output_names(), pushing);
  EXPECT_EQ(Actuator<Angle>().output_names(), std::vector<std::string>{"torque"});
  EXPECT_EQ(JointFriction<Offset>().output_names(), std::vector<std::string>{"force"});
}

}  // namespace
}  // namespace trammel::force_check
