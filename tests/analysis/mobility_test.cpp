// Degrees of freedom, redundant equations and singular positions of small mechanisms.
#include "trammel/analysis/mobility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

Mobility mobility_of(const Mechanism& mechanism) {
  CartesianEquations equations(mechanism);
  const Mobility mobility = find_mobility(equations, 0, assembled(equations));
  EXPECT_FALSE(mobility.failure) << mobility.failure.message;
  return mobility;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Mobility, Pendulum) {
  const Mobility mobility = mobility_of(rod_pendulum(0.3));
  EXPECT_EQ(mobility.bodies, 1);
  EXPECT_EQ(mobility.velocities, 6);
  EXPECT_EQ(mobility.equations, 5);
  EXPECT_EQ(mobility.grubler, 1);
  EXPECT_EQ(mobility.degrees_of_freedom, 1);
  EXPECT_EQ(mobility.free_coordinates, std::vector<std::string>{"A.angle"});
  EXPECT_TRUE(mobility.redundant.empty());
  EXPECT_TRUE(mobility.locked.empty());
  EXPECT_TRUE(mobility.warnings.empty());
  EXPECT_FALSE(mobility.singular);
  ASSERT_EQ(mobility.owners.size(), 1u);
  EXPECT_EQ(mobility.owners[0].kind, "revolute");
  EXPECT_EQ(mobility.owners[0].equations.size(), 5u);
}

// 18 − 20 = −2 after Grübler; three equations are redundant wherever it moves.
TEST(Mobility, FourBarInSpace) {
  const Mobility mobility = mobility_of(four_bar());
  EXPECT_EQ(mobility.grubler, -2);
  EXPECT_EQ(mobility.degrees_of_freedom, 1);
  EXPECT_EQ(mobility.redundant.size(), 3u);
  EXPECT_FALSE(mobility.singular);
  EXPECT_EQ(mobility.degrees_of_freedom_near_by, 1);
  EXPECT_TRUE(mobility.warnings.empty()) << mobility.report();
  EXPECT_EQ(mobility.free_coordinates.size(), 1u);
  ASSERT_EQ(mobility.dependencies.size(), 3u);
  for (const RedundantEquation& redundant : mobility.dependencies) EXPECT_GE(redundant.implied_by.size(), 3u);
  std::size_t listed = 0;
  for (const ConstraintOwner& owner : mobility.owners) {
    listed += owner.redundant.size();
    EXPECT_EQ(owner.redundant.empty(), !has(mobility.redundant_joints, owner.name));
  }
  EXPECT_EQ(listed, 3u);
}

// Crank and coupler, rocker and base of equal length, all on one line: it may leave that line in two ways.
TEST(Mobility, FlatFourBarIsSingular) {
  const Mobility mobility = mobility_of(four_bar({1, 0, 0}, {3, 0, 0}, {2, 0, 0}));
  EXPECT_EQ(mobility.degrees_of_freedom, 2);
  EXPECT_TRUE(mobility.singular);
  EXPECT_EQ(mobility.degrees_of_freedom_near_by, 1);
  ASSERT_EQ(mobility.warnings.size(), 1u) << mobility.report();
  EXPECT_NE(mobility.warnings[0].find("singular position"), std::string::npos);
}

TEST(Mobility, NearlyFlatFourBarIsWarnedOf) {
  const double bend = 1e-7;
  CartesianEquations equations(
      four_bar({std::cos(bend), 0, std::sin(bend)}, {2 + std::cos(bend), 0, std::sin(bend)}, {2, 0, 0}));
  const Mobility mobility = find_mobility(equations, 0, equations.initial_state());
  EXPECT_EQ(mobility.degrees_of_freedom, 1);
  EXPECT_LT(mobility.regularity, 1e-6);
  ASSERT_EQ(mobility.warnings.size(), 1u) << mobility.report();
  EXPECT_NE(mobility.warnings[0].find("nearly dependent"), std::string::npos);
}

// A four-bar with one hinge out of line is a frame.
TEST(Mobility, SkewHingeLocksTheLinkage) {
  Mechanism mechanism = four_bar();
  mechanism.joints.pop_back();
  mechanism.add_joint("D", JointType::revolute, "ground", "rocker", {2, 0, 0}, {0.3, 1, 0});
  const Mobility mobility = mobility_of(mechanism);
  EXPECT_EQ(mobility.degrees_of_freedom, 0);
  EXPECT_EQ(mobility.locked, (std::vector<std::string>{"A.angle", "B.angle", "C.angle", "D.angle"}));
}

TEST(Mobility, DriverTakesAFreedomAndASecondOneIsRedundant) {
  Mechanism mechanism = four_bar();
  mechanism.drivers.push_back({"motor", {}, "A.angle", Driver::Level::position, Law("A0")});
  mechanism.parameters["A0"] = 0;
  EXPECT_EQ(mobility_of(mechanism).degrees_of_freedom, 0);
  // driven, be it by way of other joints, is not locked
  EXPECT_TRUE(mobility_of(mechanism).locked.empty());

  mechanism.couplers.push_back({"tie", {}, {{"A.angle", 1, {}}, {"D.angle", -1, {}}}, {}});
  const Mobility mobility = mobility_of(mechanism);
  EXPECT_EQ(mobility.grubler, -4);
  EXPECT_EQ(mobility.redundant.size(), 4u);
  const auto tie = std::find_if(mobility.owners.begin(), mobility.owners.end(),
                                [](const ConstraintOwner& owner) { return owner.name == "tie"; });
  ASSERT_NE(tie, mobility.owners.end());
  EXPECT_EQ(tie->kind, "coupler");
}

// At its dead centre a slider does not move with the crank, but it is not locked.
TEST(Mobility, DeadCentreIsNotLocked) {
  Mechanism mechanism;
  mechanism.add(rod("crank", {0, 0, 0}, {1, 0, 0}, 1));
  mechanism.add(rod("connecting", {1, 0, 0}, {3, 0, 0}, 1));
  mechanism.add(block("piston", {3, 0, 0}, 1));
  mechanism.add_joint("main", JointType::revolute, "ground", "crank", {0, 0, 0}, {0, 1, 0});
  mechanism.add_joint("pin", JointType::revolute, "crank", "connecting", {1, 0, 0}, {0, 1, 0});
  mechanism.add_joint("wrist", JointType::revolute, "connecting", "piston", {3, 0, 0}, {0, 1, 0});
  mechanism.add_joint("bore", JointType::prismatic, "ground", "piston", {3, 0, 0}, {1, 0, 0});
  const Mobility mobility = mobility_of(mechanism);
  EXPECT_EQ(mobility.degrees_of_freedom, 1);
  EXPECT_TRUE(mobility.locked.empty()) << mobility.report();
  EXPECT_FALSE(mobility.singular);
}

TEST(Mobility, RollingLeavesMorePositionsThanVelocities) {
  Mechanism mechanism;
  mechanism.add(block("ball", {0, 0, 0.5}, 1));
  Joint& contact = mechanism.add_joint("contact", JointType::rolling_sphere, "ground", "ball", {0, 0, 0});
  contact.frame_b = {};
  contact.radius = 0.5;
  const Mobility mobility = mobility_of(mechanism);
  EXPECT_EQ(mobility.equations, 3);
  EXPECT_EQ(mobility.degrees_of_freedom, 3);
  EXPECT_EQ(mobility.position_freedom, 5);
}

TEST(Mobility, BodiesWithoutConnectionAreNamed) {
  Mechanism mechanism = rod_pendulum(0.2);
  mechanism.add(block("stone", {1, 0, 0}, 1));
  mechanism.add(block("left", {2, 0, 0}, 1));
  mechanism.add(block("right", {3, 0, 0}, 1));
  mechanism.add_joint("pair", JointType::spherical, "left", "right", {2.5, 0, 0});
  const Mobility mobility = mobility_of(mechanism);
  ASSERT_EQ(mobility.warnings.size(), 2u) << mobility.report();
  EXPECT_EQ(mobility.warnings[0],
            "body 'stone' is not connected to anything: no joint and no force acts on it");
  EXPECT_EQ(mobility.warnings[1], "nothing connects to the ground: left, right");
  EXPECT_EQ(mobility.degrees_of_freedom, 1 + 6 + 9);
}

struct TwiceTheSame {
  Sizes sizes() const { return {.positions = 2, .holonomic = 2}; }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] - x.p[1];
    g[1] = 2.0 * x.p[1] - 2.0 * x.p[0];
  }
};

TEST(Mobility, OwnEquations) {
  TemplatedEquations<TwiceTheSame> equations{TwiceTheSame{}};
  const Mobility mobility = find_mobility(equations, 0, Vector::Zero(6));
  ASSERT_FALSE(mobility.failure) << mobility.failure.message;
  EXPECT_EQ(mobility.grubler, 0);
  EXPECT_EQ(mobility.degrees_of_freedom, 1);
  EXPECT_EQ(mobility.redundant, std::vector<std::string>{"g2"});
  ASSERT_EQ(mobility.dependencies.size(), 1u);
  EXPECT_EQ(mobility.dependencies[0].implied_by, std::vector<std::string>{"g1"});
  EXPECT_FALSE(mobility.singular);
}

// A chain of rods; every third joint is spherical, and the last rod hangs in the air by itself.
Mechanism chain(int rods) {
  Mechanism mechanism;
  std::string before = "ground";
  for (int i = 0; i < rods; ++i) {
    const std::string name = "rod" + std::to_string(i);
    const double x = 0.5 * i;
    mechanism.add(rod(name, {x, 0, 0}, {x + 0.5, 0, 0}, 1));
    if (i + 1 < rods)
      mechanism.add_joint("joint" + std::to_string(i),
                          i % 3 == 2 ? JointType::spherical : JointType::revolute, before, name, {x, 0, 0},
                          {0, 1, 0});
    before = name;
  }
  return mechanism;
}

// The choice by a sparse elimination: as many coordinates as there are freedoms, joints first, none twice.
TEST(Mobility, CoordinatesOfLargeMechanismsAreNamed) {
  CartesianEquations equations(chain(7));
  const Vector x = assembled(equations);
  const Mobility small = find_mobility(equations, 0, x);
  const Mobility large = find_mobility(equations, 0, x, {.many_velocities = 0});
  EXPECT_EQ(small.degrees_of_freedom, 4 + 2 * 3 + 6);
  for (const Mobility& mobility : {small, large}) {
    ASSERT_EQ(mobility.free_coordinates.size(), 16u);
    for (const int i : {0, 1, 3, 4})
      EXPECT_TRUE(has(mobility.free_coordinates, "joint" + std::to_string(i) + ".angle")) << i;
    for (const char* suffix : {".x", ".y", ".z", ".rx", ".ry", ".rz"})
      EXPECT_TRUE(has(mobility.free_coordinates, std::string("rod6") + suffix)) << suffix;
  }
  EXPECT_EQ(large.locked, small.locked);
  EXPECT_EQ(large.singular, small.singular);
}

// A joint that its loop holds still, in a mechanism with others that move.
TEST(Mobility, LockedAndRedundantAreTheSameForLargeMechanisms) {
  CartesianEquations equations(four_bar());
  const Vector x = assembled(equations);
  const Mobility small = find_mobility(equations, 0, x);
  const Mobility large = find_mobility(equations, 0, x, {.most_dependencies = 2, .many_velocities = 0});
  EXPECT_EQ(large.redundant, small.redundant);
  EXPECT_EQ(large.free_coordinates.size(), 1u);
  EXPECT_EQ(large.dependencies.size(), 2u);
  EXPECT_EQ(large.dependencies_left_out, 1);
  EXPECT_NE(large.report().find("1 more equation"), std::string::npos) << large.report();
  EXPECT_EQ(small.dependencies_left_out, 0);
}

}  // namespace
}  // namespace trammel
