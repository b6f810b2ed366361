// Which joints are in the tree.
#include <gtest/gtest.h>

#include <algorithm>

#include "trammel/motion/joint_equations.h"

namespace trammel {
namespace {

Body body(const std::string& name, double mass = 1) {
  Body result;
  result.name = name;
  result.mass = mass;
  result.inertia = {{0.1, 0, 0}, {0, 0.2, 0}, {0, 0, 0.3}};
  return result;
}

Mechanism four_bar() {
  Mechanism mechanism;
  for (const char* name : {"crank", "coupler", "rocker"}) mechanism.add(body(name));
  mechanism.add_joint("A", JointType::revolute, "ground", "crank", {0, 0, 0});
  mechanism.add_joint("B", JointType::revolute, "crank", "coupler", {0, 1, 0});
  mechanism.add_joint("C", JointType::revolute, "coupler", "rocker", {2, 2, 0});
  mechanism.add_joint("D", JointType::revolute, "rocker", "ground", {2, 0, 0});
  return mechanism;
}

TEST(JointTree, LoopIsCutOppositeOfTheGround) {
  const JointEquations equations(four_bar());
  EXPECT_EQ(equations.layout().v.size, 3);
  EXPECT_TRUE(equations.tree().contains(0));
  EXPECT_TRUE(equations.tree().contains(1));
  EXPECT_FALSE(equations.tree().contains(2));
  EXPECT_TRUE(equations.tree().contains(3));
}

// Hinges are parallel: what leaves the plane cannot be violated.
TEST(JointTree, RowsThatNothingViolatesAreLeftOut) {
  const JointEquations equations(four_bar());
  EXPECT_EQ(equations.names().g, (std::vector<std::string>{"C.x", "C.y"}));
  // a hinge that is turned a little needs all of them
  Mechanism turned = four_bar();
  turned.joints[1].frame_a.axes = rotation_about({1, 0, 0}, 1e-3) * turned.joints[1].frame_a.axes;
  EXPECT_EQ(JointEquations(turned).layout().lambda.size, 5);
}

TEST(JointTree, JointsCanBeTakenOut) {
  Mechanism mechanism = four_bar();
  mechanism.joints[1].in_tree = false;
  const JointEquations equations(mechanism);
  EXPECT_FALSE(equations.tree().contains(1));
  EXPECT_TRUE(equations.tree().contains(2));
}

// Joints that would need many equations are in the tree, those that need few close loops.
TEST(JointTree, LoopsHaveFewEquations) {
  Mechanism mechanism = four_bar();
  mechanism.joints[0].type = JointType::spherical;
  mechanism.joints[2].type = JointType::cylindrical;
  const JointEquations equations(mechanism);
  EXPECT_FALSE(equations.tree().contains(0));
  for (const std::size_t other : {1, 2, 3}) EXPECT_TRUE(equations.tree().contains(other));
}

// Of joints that are alike the one on the heavier body is in the tree, whatever its name.
TEST(JointTree, LightBodiesAreLeaves) {
  Mechanism mechanism;
  for (const char* name : {"b", "c", "d"}) mechanism.add(body(name, name[0] == 'b' ? 0.1 : 10));
  // two ways to d, over a light body and over a heavy one
  mechanism.add_joint("1", JointType::revolute, "ground", "b", {0, 0, 0});
  mechanism.add_joint("2", JointType::revolute, "ground", "c", {1, 0, 0});
  mechanism.add_joint("3", JointType::revolute, "b", "d", {0, 1, 0});
  mechanism.add_joint("4", JointType::revolute, "c", "d", {1, 1, 0});
  const JointEquations equations(mechanism);
  EXPECT_TRUE(equations.tree().contains(3));
  EXPECT_FALSE(equations.tree().contains(2));
}

// A platform on rods hangs by another joint if it has one.
TEST(JointTree, RodsAreLeaves) {
  Mechanism mechanism;
  for (const char* name : {"rod", "post", "plate"}) mechanism.add(body(name));
  mechanism.add_joint("1", JointType::spherical, "ground", "rod", {0, 0, 0});
  mechanism.add_joint("2", JointType::spherical, "rod", "plate", {0, 0, 1});
  mechanism.add_joint("3", JointType::spherical, "ground", "post", {1, 0, 0});
  mechanism.add_joint("4", JointType::spherical, "post", "plate", {1, 0, 1});
  mechanism.joints[2].type = JointType::planar;  // so the post is no rod
  const JointEquations equations(mechanism);
  EXPECT_FALSE(equations.tree().contains(1));
  EXPECT_TRUE(equations.tree().contains(3));
}

TEST(JointTree, OrderDoesNotMatter) {
  const Mechanism mechanism = four_bar();
  Mechanism reordered = mechanism;
  std::reverse(reordered.joints.begin(), reordered.joints.end());
  std::vector<std::string> names = JointEquations(mechanism).names().p,
                           others = JointEquations(reordered).names().p;
  std::sort(names.begin(), names.end());
  std::sort(others.begin(), others.end());
  EXPECT_EQ(names, others);
}

TEST(JointTree, FixedBodiesAreOne) {
  Mechanism mechanism = four_bar();
  mechanism.add(body("plate"));
  mechanism.add(body("frame"));
  mechanism.add_joint("weld", JointType::fixed, "coupler", "plate", {1, 1, 0});
  mechanism.add_joint("bolt", JointType::fixed, "frame", "ground", {5, 1, 0});
  const JointEquations equations(mechanism);
  EXPECT_EQ(equations.layout().v.size, 3);
  EXPECT_EQ(equations.tree().bodies()[4].node, equations.tree().bodies()[2].node);
  EXPECT_EQ(equations.tree().bodies()[5].node, -1);
}

// A vehicle: the body in the middle is free in the world.
TEST(JointTree, FreeMechanismHangsOnItsMiddle) {
  Mechanism mechanism;
  for (const char* name : {"wheel1", "wheel2", "chassis", "wheel3"}) mechanism.add(body(name));
  for (const char* name : {"wheel1", "wheel2", "wheel3"})
    mechanism.add_joint(std::string("axle_") + name, JointType::revolute, name, "chassis", {0, 0, 0});
  const JointEquations equations(mechanism);
  EXPECT_EQ(equations.layout().v.size, 9);
  EXPECT_EQ(equations.layout().p.size, 10);
  EXPECT_EQ(equations.names().p.front(), "chassis.x");
}

}  // namespace
}  // namespace trammel
