// Tyres and spheres: they push, never pull, and set in smoothly.
#include <cmath>

#include "tests/mechanism/force_check.h"
#include "trammel/mechanism/contact_kernels.h"

namespace trammel::force_check {
namespace {

RoadProfile bump(double start, double radius) {
  Road road;
  road.kind = Road::Kind::half_cylinder;
  road.start = start;
  road.height = radius;
  return RoadProfile(road, {});
}

RoadProfile waves() {
  Road road;
  road.kind = Road::Kind::sine;
  road.start = 0.2;
  road.height = 0.1;
  road.length = 1.3;
  return RoadProfile(road, {});
}

Tyre random_tyre(std::mt19937& random) {
  Tyre tyre{{random_vector(random), random_rotation(random)}, random_vector(random)};
  tyre.radius = 0.4;
  tyre.stiffness = 200;
  tyre.smoothing = 0.05;
  return tyre;
}

SphereOnPlane random_contact(std::mt19937& random) {
  SphereOnPlane contact{{random_vector(random), random_rotation(random)}, random_vector(random)};
  contact.radius = 0.4;
  contact.stiffness = 200;
  contact.exponent = 1.5;
  contact.smoothing = 0.05;
  return contact;
}

// Moves the second body so that its centre is at (x, y, height) in the frame of the first.
void place_centre(Situation& at, const Frame& frame_a, const Vec3<double>& centre_b, double height) {
  BodyState &A = at.bodies[0], &B = at.bodies[1];
  const Vec3<double> wanted = A.r + A.R * (frame_a.origin + frame_a.axes * Vec3<double>{0.3, -0.2, height});
  B.r += wanted - (B.r + B.R * centre_b);
}

template <class Kernel>
Situation pressed(std::mt19937& random, const Kernel& kernel, double depth) {
  Situation at = random_situation(random);
  place_centre(at, kernel.frame_a, kernel.centre_b, kernel.radius - depth);
  return at;
}

TEST(Tyre, ActsEquallyOnWheelAndRoad) {
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) {
    Tyre tyre = random_tyre(random);
    tyre.damping = 10;
    tyre.road = waves();
    Situation at = pressed(random, tyre, 0.3);
    const auto block = block_of(tyre);
    expect_action_is_reaction(block, at);
    expect_frame_invariance(block, at, random);
  }
}

TEST(Tyre, HasExactDerivatives) {
  std::mt19937 random(2);
  for (int i = 0; i < 10; ++i) {
    Tyre tyre = random_tyre(random);
    tyre.damping = 10;
    tyre.road = waves();
    for (const double depth : {0.2, 0.0}) {
      auto block = block_of(tyre);
      expect_exact_derivatives(block, pressed(random, tyre, depth), 1e-6);
    }
  }
}

Tyre slipping_tyre(std::mt19937& random, bool traction) {
  Tyre tyre = random_tyre(random);
  tyre.friction = 0.8;
  tyre.cornering = 5;
  tyre.slip_velocity = 0.7;
  tyre.traction = traction;
  tyre.axle_b = random_rotation(random).column[1];
  return tyre;
}

TEST(Tyre, SlipActsEquallyOnWheelAndRoadWithExactDerivatives) {
  std::mt19937 random(11);
  for (int i = 0; i < 20; ++i) {
    const Tyre tyre = slipping_tyre(random, i % 2 == 0);
    auto block = block_of(tyre);
    const Situation at = pressed(random, tyre, 0.3);
    expect_exact_derivatives(block, at, 1e-6);
    expect_action_is_reaction(block, at);
  }
}

// On a level road: the side force of a small slip angle is cornering · load · angle, that of a large one friction · load, against
// the slip; a wheel that rolls feels none along its way.
TEST(Tyre, SideForceGrowsWithTheSlipAngleUpToFriction) {
  Tyre tyre{{{}, Mat3<double>::identity()}, {}};
  tyre.radius = 0.5;
  tyre.stiffness = 1000;
  tyre.friction = 0.8;
  tyre.cornering = 6;
  tyre.slip_velocity = 1e-3;
  tyre.traction = true;
  const auto force = [&](double v_x, double v_y, double spin) {
    BodyMotion<double> ground{}, wheel{};
    ground.R = wheel.R = Mat3<double>::identity();
    wheel.r = {0, 0, 0.4};
    wheel.v = {v_x, v_y, 0};
    wheel.omega = {0, spin, 0};
    Wrench<double> on_ground, on_wheel;
    tyre(ground, wheel, {}, on_ground, on_wheel);
    EXPECT_NEAR(on_wheel.force.z, 100, 1e-9);
    return on_wheel.force;
  };
  const double rolling = 20 / 0.4;  // about the touching point
  EXPECT_NEAR(force(20, 0.02, rolling).y, -6 * 100 * 0.001, 1e-4);
  EXPECT_NEAR(force(20, 0.02, rolling).x, 0, 1e-9);
  EXPECT_NEAR(force(20, 20, rolling).y, -0.8 * 100, 0.1);
  EXPECT_NEAR(force(20, -20, rolling).y, 0.8 * 100, 0.1);
  // locked, it slides; spun up, it drives
  EXPECT_NEAR(force(20, 0, 0).x, -0.8 * 100, 0.1);
  EXPECT_GT(force(20, 0, 1.01 * rolling).x, 1);
  tyre.traction = false;
  EXPECT_EQ(force(20, 0, 0).x, 0);
}

TEST(Tyre, PushesAlongTheVerticalByDepthAndRate) {
  Tyre tyre;
  tyre.radius = 0.5;
  tyre.stiffness = 1000;
  tyre.damping = 20;
  tyre.smoothing = 0.01;
  tyre.road = bump(2, 0.1);
  Situation at{std::vector<BodyState>(2), 0, {}};
  at.bodies[1].r = {2.06, 3, 0.55};
  at.bodies[1].v = {0.4, 0, 0.1};
  const auto block = block_of(tyre);
  // road 0.08 high, falling with the slope 0.75
  const double force = 1000 * 0.03 - 20 * (0.75 * 0.4 + 0.1);
  const std::vector<Wrench<double>> all = wrenches(block, at);
  expect_near(all[1].force, {0, 0, force}, 1e-11);
  expect_near(all[1].torque, {}, 1e-11);
  EXPECT_EQ(block.output_names(0), (std::vector<std::string>{"force", "deflection"}));
  EXPECT_NEAR(outputs(block, at)[0], force, 1e-11);
  EXPECT_NEAR(outputs(block, at)[1], 0.03, 1e-14);
}

TEST(Tyre, NeverPulls) {
  std::mt19937 random(3);
  for (const double smoothing : {0.0, 0.05}) {
    bool has_pushed = false, has_let_go = false;
    for (int i = 0; i < 200; ++i) {
      Tyre tyre = random_tyre(random);
      tyre.damping = 200;
      tyre.smoothing = smoothing;
      const Situation at = pressed(random, tyre, random_vector(random, 0.5).x);
      const double force = outputs(block_of(tyre), at)[0], depth = outputs(block_of(tyre), at)[1];
      EXPECT_GE(force, 0);
      EXPECT_TRUE(depth > 0 || force == 0);
      has_pushed |= force > 0;
      has_let_go |= depth > 0 && force == 0;
    }
    EXPECT_TRUE(has_pushed);
    EXPECT_TRUE(has_let_go);
  }
}

TEST(Tyre, KeepsEnergyOnALevelRoadAndLosesItByDamping) {
  std::mt19937 random(4);
  for (const double smoothing : {0.0, 0.05})
    for (const double depth : {-0.1, 0.01, 0.03, 0.2}) {
      Tyre tyre = random_tyre(random);
      tyre.smoothing = smoothing;
      const Situation at = pressed(random, tyre, depth);
      const auto block = block_of(tyre);
      EXPECT_NEAR(power(block, at), -potential_rate(block, at), 1e-5);
      tyre.damping = 20;
      EXPECT_LE(power(block_of(tyre), at), power(block, at));
    }
}

TEST(Tyre, SetsInSmoothly) {
  Tyre tyre;
  tyre.radius = 0.5;
  tyre.stiffness = 1000;
  tyre.damping = 20;
  tyre.smoothing = 0.01;
  const auto force = [&](double depth, double rate) {
    Situation at{std::vector<BodyState>(2), 0, {}};
    at.bodies[1].r.z = 0.5 - depth;
    at.bodies[1].v.z = -rate;
    return outputs(block_of(tyre), at)[0];
  };
  const double h = 1e-6;
  // value, slope and curvature start at zero, with the wheel at rest and pressing in
  for (const double rate : {0.0, 0.5}) {
    EXPECT_NEAR(force(h, rate), 0, 1e-9);
    EXPECT_NEAR((force(h, rate) - force(-h, rate)) / (2 * h), 0, 1e-3);
    EXPECT_NEAR((force(h, rate) - 2 * force(0, rate) + force(-h, rate)) / (h * h), 0, 1000);
  }
  EXPECT_NEAR(force(0.01, 0), 10, 1e-12);
  EXPECT_NEAR(force(0.02, 0), 20, 1e-12);
}

TEST(SphereOnPlane, ActsEquallyOnBoth) {
  std::mt19937 random(5);
  for (int i = 0; i < 10; ++i) {
    SphereOnPlane contact = random_contact(random);
    contact.damping = 0.3;
    contact.friction = 0.6;
    contact.friction_velocity = 0.2;
    const Situation at = pressed(random, contact, 0.1);
    const auto block = block_of(contact);
    expect_action_is_reaction(block, at);
    expect_frame_invariance(block, at, random);
  }
}

TEST(SphereOnPlane, HasExactDerivatives) {
  std::mt19937 random(6);
  for (int i = 0; i < 10; ++i)
    for (const double depth : {0.2, 0.03, -0.1}) {
      SphereOnPlane contact = random_contact(random);
      contact.damping = 0.2;
      contact.friction = 0.6;
      contact.friction_velocity = 0.5;
      auto block = block_of(contact);
      expect_exact_derivatives(block, pressed(random, contact, depth), 1e-6);
    }
}

TEST(SphereOnPlane, SticksSmoothlyAtRest) {
  std::mt19937 random(7);
  SphereOnPlane contact = random_contact(random);
  contact.friction = 0.6;
  contact.friction_velocity = 0.1;
  Situation at = pressed(random, contact, 0.1);
  for (BodyState& body : at.bodies) body.v = body.omega = {};
  auto block = block_of(contact);
  EXPECT_EQ(outputs(block, at)[2], 0);
  expect_exact_derivatives(block, at, 1e-6);
  // where the series for slow slip ends
  for (const double speed : {0.1 * std::sqrt(1e-3) * (1 - 1e-12), 0.1 * std::sqrt(1e-3) * (1 + 1e-12)}) {
    at.bodies[1].v = at.bodies[0].R * (contact.frame_a.axes.column[0] * speed);
    const double expected = 0.6 * outputs(block, at)[0] * std::tanh(speed / 0.1);
    EXPECT_NEAR(outputs(block, at)[2], expected, 1e-14 * expected);
  }
}

TEST(SphereOnPlane, PushesByTheLawOfHuntAndCrossleyAndRubs) {
  SphereOnPlane contact;
  contact.radius = 0.5;
  contact.stiffness = 1000;
  contact.exponent = 1.5;
  contact.damping = 0.4;
  contact.friction = 0.3;
  contact.friction_velocity = 1e-3;
  Situation at{std::vector<BodyState>(2), 0, {}};
  at.bodies[1].r.z = 0.46;
  at.bodies[1].v = {2, 0, -0.5};
  const auto block = block_of(contact);
  const double normal = 1000 * std::pow(0.04, 1.5) * (1 + 0.4 * 0.5);
  const std::vector<Wrench<double>> all = wrenches(block, at);
  expect_near(all[1].force, {-0.3 * normal, 0, normal}, 1e-11);
  // about the centre, by the friction under it
  expect_near(all[1].torque, {0, 0.46 * 0.3 * normal, 0}, 1e-11);
  EXPECT_EQ(block.output_names(0), (std::vector<std::string>{"normal_force", "depth", "friction_force"}));
  EXPECT_NEAR(outputs(block, at)[0], normal, 1e-11);
  EXPECT_NEAR(outputs(block, at)[1], 0.04, 1e-14);
  EXPECT_NEAR(outputs(block, at)[2], 0.3 * normal, 1e-11);
  // rolling without slip, it does not rub
  at.bodies[1].omega = {0, 2 / 0.46, 0};
  EXPECT_NEAR(outputs(block, at)[2], 0, 1e-11);
}

TEST(SphereOnPlane, NeverPulls) {
  std::mt19937 random(8);
  bool has_pushed = false, has_let_go = false;
  for (int i = 0; i < 200; ++i) {
    SphereOnPlane contact = random_contact(random);
    contact.damping = 2;
    const Situation at = pressed(random, contact, random_vector(random, 0.5).x);
    const double force = outputs(block_of(contact), at)[0], depth = outputs(block_of(contact), at)[1];
    EXPECT_GE(force, 0);
    EXPECT_TRUE(depth > 0 || force == 0);
    has_pushed |= force > 0;
    has_let_go |= depth > 0 && force == 0;
  }
  EXPECT_TRUE(has_pushed);
  EXPECT_TRUE(has_let_go);
}

TEST(SphereOnPlane, WorksByItsPotentialAndLosesEnergyOtherwise) {
  std::mt19937 random(9);
  for (const double smoothing : {0.0, 0.05})
    for (const double depth : {-0.1, 0.01, 0.03, 0.2}) {
      SphereOnPlane contact = random_contact(random);
      contact.smoothing = smoothing;
      const Situation at = pressed(random, contact, depth);
      const auto block = block_of(contact);
      EXPECT_NEAR(power(block, at), -potential_rate(block, at), 1e-5);
      contact.damping = 0.2;
      const auto damped = block_of(contact);
      EXPECT_LE(power(damped, at), power(block, at));
      contact.friction = 0.5;
      contact.friction_velocity = 0.1;
      EXPECT_LE(power(block_of(contact), at), power(damped, at));
    }
}

}  // namespace
}  // namespace trammel::force_check
