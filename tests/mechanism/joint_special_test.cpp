// What is particular to some joints: rolling and cutting, shafts that are bent at the start, screws of many
// turns, lengths from the reference position.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/mechanism/joint_rig.h"

namespace trammel {
namespace {

constexpr double accuracy = 1e-13;
constexpr double pi = std::numbers::pi;
const Vec3<double> x{1, 0, 0}, z{0, 0, 1};

// The first body's and the joint's frames, in the world, of a rig.
Mat3<double> plane_of(const JointRig& rig) {
  return compose(rig.mechanism.bodies[1].reference, rig.joint.frame_a).axes;
}

// Sets the motion of the second body: the velocity of the joint's second origin and the angular velocity,
// both in the axes of the first frame.
void set_motion(const JointRig& rig, const Vec3<double>& velocity, const Vec3<double>& turning,
                std::vector<BodyState>& bodies) {
  const Mat3<double> axes = plane_of(rig);
  BodyState& second = bodies[2];
  const Vec3<double> omega = axes * turning;
  const Vec3<double> arm = second.R * (rig.joint.frame_b.origin - rig.mechanism.bodies[2].com);
  second.v = axes * velocity - cross(omega, arm);
  second.omega = transposed_times(second.R, omega);
}

Vector slip(const JointRig& rig, const std::vector<BodyState>& bodies) {
  return evaluate_rows(rig.elements->nonholonomic, bodies).rate;
}

TEST(RollingDisk, RollsSpinsAndSlips) {
  // upright, its axis along y of the plane
  const double radius = 0.5;
  const Frame upright = compose(shifted(0, 0, radius), turned(x, -pi / 2));
  JointRig rig(JointType::rolling_disk, upright);
  rig.make();
  std::vector<BodyState> bodies = rig.bodies(upright);

  set_motion(rig, {3 * radius, 0, 0}, {0, 3, 0}, bodies);  // rolling along x
  EXPECT_LE(slip(rig, bodies).norm(), accuracy);
  EXPECT_LE(evaluate_rows(rig.elements->holonomic, bodies).rate.norm(), accuracy);
  set_motion(rig, {}, {0, 0, 2}, bodies);  // turning on the spot
  EXPECT_LE(slip(rig, bodies).norm(), accuracy);
  set_motion(rig, {0, -2 * radius, 0}, {2, 0, 0}, bodies);  // falling over about the touching point
  EXPECT_LE(slip(rig, bodies).norm(), accuracy);

  set_motion(rig, {1, 0, 0}, {}, bodies);
  EXPECT_NEAR(slip(rig, bodies)[0], 1, accuracy);
  EXPECT_NEAR(slip(rig, bodies)[1], 0, accuracy);
  set_motion(rig, {0, 1, 0}, {}, bodies);
  EXPECT_NEAR(slip(rig, bodies)[1], 1, accuracy);
  set_motion(rig, {}, {0, 3, 0}, bodies);
  EXPECT_NEAR(slip(rig, bodies)[0], -3 * radius, accuracy);
}

TEST(RollingSphere, RollsInAllDirections) {
  const double radius = 0.5;
  const Frame on_plane = compose(shifted(0, 0, radius), turned({1, 2, 3}, 1));
  JointRig rig(JointType::rolling_sphere, on_plane);
  rig.make();
  std::vector<BodyState> bodies = rig.bodies(on_plane);
  set_motion(rig, {3 * radius, 2 * radius, 0}, {-2, 3, 5}, bodies);
  EXPECT_LE(slip(rig, bodies).norm(), accuracy);
  set_motion(rig, {3 * radius, 2 * radius, 0}, {2, 3, 5}, bodies);
  EXPECT_NEAR(slip(rig, bodies)[1], 4 * radius, accuracy);
}

TEST(KnifeEdge, MovesForwardsOnly) {
  const Frame turned_by = turned(z, 0.6);
  JointRig rig(JointType::knife_edge);
  rig.make();
  std::vector<BodyState> bodies = rig.bodies(turned_by);
  set_motion(rig, {2 * std::cos(0.6), 2 * std::sin(0.6), 0}, {0, 0, 3}, bodies);
  EXPECT_NEAR(slip(rig, bodies)[0], 0, accuracy);
  set_motion(rig, {-2 * std::sin(0.6), 2 * std::cos(0.6), 0}, {}, bodies);
  EXPECT_NEAR(slip(rig, bodies)[0], 2, accuracy);
}

// Shafts that are bent at the reference position, and whose frames know nothing of each other but that.
TEST(ConstantVelocity, TakesTheReferencePositionAsUntwisted) {
  const Frame bent = turned({1, -0.3, 0}, 0.9);
  JointRig rig(JointType::constant_velocity, compose(bent, turned(z, 1.234)));
  rig.make();
  const auto rotation = [&](const Frame& relative) {
    return rig.holonomic(compose(relative, turned(z, 1.234)))[3];
  };
  EXPECT_NEAR(rotation(bent), 0, accuracy);
  // straight, bent elsewhere, and turning by 0.7 on both sides; but not on one
  EXPECT_NEAR(rotation({}), 0, accuracy);
  EXPECT_NEAR(rotation(turned({0.2, 1, 0}, -1.1)), 0, accuracy);
  EXPECT_NEAR(rotation(compose(turned(z, 0.7), compose(bent, turned(z, -0.7)))), 0, accuracy);
  EXPECT_GT(std::abs(rotation(compose(bent, turned(z, 0.7)))), 0.1);
}

TEST(ConstantVelocity, RefusesShaftsThatPointBackwards) {
  JointRig rig(JointType::constant_velocity, turned(x, pi));
  try {
    rig.make();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("joint 'J': the shafts"), std::string::npos) << error.message();
  }
}

TEST(Screw, FollowsManyTurns) {
  JointRig rig(JointType::screw);
  rig.make();
  for (int i = 1; i <= 20; ++i) {
    const double angle = 2.0 * i;
    const Frame at = compose(shifted(0, 0, 0.01 * angle / (2 * pi)), turned(z, angle));
    EXPECT_NEAR(rig.holonomic(at).cwiseAbs().maxCoeff(), 0, accuracy);
    EXPECT_NEAR(rig.coordinate("J.angle", at), angle, 1e-12);
    for (RowSystem* system : {&rig.elements->holonomic, &rig.elements->measured})
      for (const auto& block : system->blocks) block->track(rig.bodies(at), 0);
  }
}

TEST(Screw, StartsOnTheTurnThatItsDisplacementSays) {
  JointRig rig(JointType::screw);
  rig.joint.initial = {{"displacement", 0.1}};  // ten turns
  rig.make();
  EXPECT_NEAR(rig.coordinate("J.angle", turned(z, 0.2)), 20 * pi + 0.2, 1e-12);
  EXPECT_NEAR(rig.holonomic(shifted(0, 0, 0.1)).cwiseAbs().maxCoeff(), 0, accuracy);
}

TEST(Angle, StartsOnTheTurnThatInitialValuesSay) {
  JointRig rig(JointType::revolute);
  rig.joint.initial = {{"angle", 30.0}, {"angle_rate", 2.0}};
  rig.make();
  EXPECT_NEAR(rig.coordinate("J.angle", turned(z, 30.1)), 30.1, 1e-12);
  const std::vector<InitialCondition>& initial = rig.elements->initial;
  ASSERT_EQ(initial.size(), 2u);
  EXPECT_EQ(initial[0].name, "J.angle");
  EXPECT_FALSE(initial[0].on_rate);
  EXPECT_EQ(initial[0].value, 30.0);
  EXPECT_EQ(initial[1].name, "J.angle_rate");
  EXPECT_TRUE(initial[1].on_rate);
  EXPECT_EQ(initial[0].row, initial[1].row);
  EXPECT_EQ(initial[0].row, rig.elements->coordinates[0].row);
}

TEST(DistanceJoint, TakesItsLengthFromTheReferenceUnlessGiven) {
  const Frame apart = shifted(0.3, 0.4, 1.2);
  JointRig from_reference(JointType::distance, apart), given(JointType::distance, apart);
  from_reference.make();
  given.joint.length = 1.2;
  given.make();
  EXPECT_NEAR(from_reference.holonomic(shifted(1.3, 0, 0))[0], 0, accuracy);
  EXPECT_NEAR(given.holonomic(shifted(1.2, 0, 0))[0], 0, accuracy);
  EXPECT_GT(given.holonomic(apart)[0], 0.1);
}

// A joint given in the world at the reference position.
TEST(AddJoint, IsThereInTheWorld) {
  Mechanism mechanism;
  RandomBodies random(3);
  for (const char* name : {"first", "second"}) {
    Body body;
    body.name = name;
    body.mass = 1;
    body.reference = {random.vector(), random.rotation()};
    mechanism.add(body);
  }
  const Joint joint = mechanism.add_joint("J", JointType::revolute, "first", "second", {1, 2, 3}, {0, 3, 4});
  for (const auto& [body, frame] : {std::pair{1, joint.frame_a}, std::pair{2, joint.frame_b}}) {
    const Frame world = compose(mechanism.bodies[static_cast<std::size_t>(body)].reference, frame);
    EXPECT_LE(length(world.origin - Vec3<double>{1, 2, 3}), accuracy);
    EXPECT_LE(length(world.axes.column[2] - Vec3<double>{0, 0.6, 0.8}), accuracy);
  }
  EXPECT_EQ(mechanism.joint("J"), &mechanism.joints[0]);
  EXPECT_EQ(mechanism.joint("K"), nullptr);
  EXPECT_EQ(mechanism.body("ground"), 0);
  EXPECT_EQ(mechanism.body("second"), 2);
  EXPECT_EQ(mechanism.body("third"), -1);
  try {
    mechanism.add_joint("K", JointType::fixed, "first", "secand", {});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.message(), "joint 'K': there is no body 'secand' (did you mean 'second'?)");
  }
}

TEST(FrameWithAxis, PointsAsAsked) {
  const Frame frame = frame_with_axis({1, 2, 3}, {0, 0, -2}, Vec3<double>{1, 1, 5});
  EXPECT_LE(length(frame.axes.column[2] - Vec3<double>{0, 0, -1}), accuracy);
  EXPECT_LE(length(frame.axes.column[0] - Vec3<double>{std::sqrt(0.5), std::sqrt(0.5), 0}), accuracy);
  EXPECT_LE(length(cross(frame.axes.column[0], frame.axes.column[1]) - frame.axes.column[2]), accuracy);
  EXPECT_THROW(frame_with_axis({}, {}), ModelError);
  EXPECT_THROW(frame_with_axis({}, {0, 0, 1}, Vec3<double>{0, 0, 3}), ModelError);
  EXPECT_THROW(frame_with_axis({}, {0, 0, 1}, Vec3<double>{}), ModelError);
}

TEST(Frames, ComposeAndInverse) {
  RandomBodies random(4);
  const Frame frame{random.vector(), random.rotation()};
  const Frame none = compose(frame, inverse(frame));
  EXPECT_LE(length(none.origin), accuracy);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(none.axes(i, j), i == j, accuracy);
}

TEST(JointTypes, NamesThereAndBack) {
  for (const auto& [word, type] : joint_types()) EXPECT_EQ(name(type), word);
}

}  // namespace
}  // namespace trammel
