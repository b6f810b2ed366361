// From the description of a force to what acts on the bodies.
#include "trammel/mechanism/force_elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/mechanism/force_rig.h"
#include "trammel/mechanism/force_kernels.h"

namespace trammel {
namespace {

TEST(ForceElements, SpringStartsRelaxedUnlessToldItsLength) {
  for (const bool is_told : {false, true}) {
    ForceRig rig;
    auto& force = rig.add<Force::SpringDamper>(1, 2);
    force.stiffness = 10;
    force.frame_a.origin = {1, 0, 0};
    force.frame_b.origin = {0, 1, 0};
    if (is_told) force.free_length = 0.2;
    rig.make();
    const double length = std::hypot(2 - std::cos(0.3), 1 - std::sin(0.3));
    EXPECT_NEAR(rig.outputs(ForceRig::bodies(0.3, 0))[0], is_told ? 10 * (length - 0.2) : 0, 1e-12);
    EXPECT_NEAR(rig.outputs(ForceRig::bodies(0.3, 0))[1], length, 1e-14);
    // from the tip of the arm at (1, 0) to the point of the slider at (2.5, 1)
    EXPECT_NEAR(rig.outputs(ForceRig::bodies(0, 0.5))[1], std::hypot(1.5, 1), 1e-14);
  }
}

TEST(ForceElements, LawsUseQuantitiesOfTheMechanism) {
  ForceRig rig;
  auto& force = rig.add<Force::SpringDamper>(0, 2);
  force.law = Law("100*hinge.angle + k*length + hinge.angle_rate*t");
  rig.mechanism.parameters["k"] = 3;
  rig.make();
  rig.t = 2;
  ASSERT_EQ(rig.elements->forces.at(0)->elements()[0].inputs.size(), 2u);
  EXPECT_NEAR(rig.outputs(ForceRig::bodies(0.4, 0.5, 0.7))[0], 100 * 0.4 + 3 * 2.5 + 0.7 * 2, 1e-12);
}

TEST(ForceElements, TorsionSpringOnAJointIsRelaxedAtTheReferenceAngle) {
  ForceRig rig;
  auto& force = rig.add<Force::TorsionSpring>();
  force.along.joint = "hinge";
  force.stiffness = 10;
  force.damping = 2;
  force.law = Law("angle^2");
  rig.make();
  ASSERT_NE(dynamic_cast<Forces<JointSpring<Angle>>*>(rig.elements->forces.at(0).get()), nullptr);
  const double torque = 10 * (0.5 - 0.3) + 2 * 0.7 + 0.5 * 0.5;
  const std::vector<Wrench<double>> all = rig.wrenches(ForceRig::bodies(0.5, 0, 0.7));
  EXPECT_NEAR(all[1].torque.z, -torque, 1e-12);
  EXPECT_NEAR(all[0].torque.z, torque, 1e-12);
}

TEST(ForceElements, TorsionSpringNeedsNoJoint) {
  ForceRig rig;
  auto& force = rig.add<Force::TorsionSpring>();
  force.stiffness = 10;
  force.free_angle = 0.1;
  rig.make();
  ASSERT_NE(dynamic_cast<Forces<TorsionSpring>*>(rig.elements->forces.at(0).get()), nullptr);
  EXPECT_NEAR(rig.wrenches(ForceRig::bodies(0.5, 0))[1].torque.z, -4, 1e-12);
}

TEST(ForceElements, Bushing) {
  ForceRig rig;
  auto& force = rig.add<Force::Bushing>(0, 2);
  force.frame_a.origin = {2, 0, 0};
  force.stiffness[0][0] = 7;
  force.damping[0][0] = 3;
  force.preload[1] = 11;
  force.laws[2] = Law("5 + x + hinge.angle");
  rig.make();
  std::vector<BodyState> bodies = ForceRig::bodies(0.2, 0.5);
  bodies[2].v.x = 0.1;
  const Wrench<double> on_slider = rig.wrenches(bodies)[2];
  EXPECT_NEAR(on_slider.force.x, -(7 * 0.5 + 3 * 0.1), 1e-13);
  EXPECT_NEAR(on_slider.force.y, -11, 1e-13);
  EXPECT_NEAR(on_slider.force.z, -5.2, 1e-13);
}

TEST(ForceElements, AppliedForcesAndDrag) {
  ForceRig rig;
  auto& force = rig.add<Force::PointForce>();
  force.frame_b.origin = {1.5, 0.1, 0};
  force.components = {Law(0.0), Law("2*t"), Law(0.0)};
  force.axes = Force::Axes::second_body;
  force.applies_reaction = false;
  auto& torque = rig.add<Force::Torque>(1, 2);
  torque.name = "torque";
  torque.components = {Law(0.0), Law(0.0), Law(5.0)};
  auto& drag = rig.add<Force::Drag>(0, 2);
  drag.name = "drag";
  drag.viscous = 3;
  drag.wind = {1, 0, 0};
  rig.make();
  rig.t = 4;
  const std::vector<Wrench<double>> all = rig.wrenches(ForceRig::bodies(std::numbers::pi / 2, 0));
  EXPECT_NEAR(all[1].force.x, -8, 1e-13);
  EXPECT_NEAR(all[1].torque.z, 1.0 * 8 - 5, 1e-13);
  EXPECT_NEAR(all[2].force.x, 3, 1e-13);
  // the torque, and the drag at the origin of the body
  EXPECT_NEAR(all[2].torque.z, 5 + 0.1 * 3, 1e-13);
  EXPECT_EQ(length(all[0].force), 0);
}

TEST(ForceElements, TyreOnARoad) {
  ForceRig rig;
  Road road;
  road.name = "hill";
  road.kind = Road::Kind::step;
  road.height = 0.5;
  road.length = 1;
  rig.mechanism.roads.push_back(road);
  auto& force = rig.add<Force::Tyre>(0, 2);
  force.road = "hill";
  force.radius = 0.3;
  force.stiffness = 100;
  rig.make();
  EXPECT_NEAR(rig.wrenches(ForceRig::bodies(0, 0))[2].force.z, 80, 1e-12);
  rig.mechanism.forces[0].as<Force::Tyre>()->road = "hil";
  EXPECT_EQ(rig.error(), "force 'force': there is no road 'hil' (did you mean 'hill'?)");
}

TEST(ForceElements, SphereOnAPlane) {
  ForceRig rig;
  auto& force = rig.add<Force::SphereOnPlane>(0, 2);
  force.radius = 0.5;
  force.stiffness = 1000;
  force.exponent = 2;
  force.frame_a.origin.z = -0.4;
  rig.make();
  EXPECT_NEAR(rig.wrenches(ForceRig::bodies(0, 0))[2].force.z, 1000 * 0.01, 1e-12);
}

TEST(ForceElements, JointFrictionByTheReaction) {
  ForceRig rig("left-hinge");
  auto& force = rig.add<Force::JointFriction>();
  force.along.joint = "left-hinge";
  force.dry = 0.2;
  force.coefficient = 0.1;
  force.radius = 0.05;
  force.viscous = 0.7;
  force.friction_velocity = 0.01;
  rig.make();
  rig.multipliers.assign(static_cast<std::size_t>(rig.elements->holonomic.size()), 0.0);
  rig.multipliers[0] = 30;
  rig.multipliers[1] = -40;
  const double torque = (0.2 + 0.1 * 0.05 * 50) * std::tanh(100 * -0.02) + 0.7 * -0.02;
  EXPECT_NEAR(rig.wrenches(ForceRig::bodies(1, 0, -0.02))[1].torque.z, -torque, 1e-13);
  EXPECT_NEAR(rig.wrenches(ForceRig::bodies(1, 0, -0.02))[0].torque.z, torque, 1e-13);
}

TEST(ForceElements, JointFrictionWithoutCoefficientNeedsNoReaction) {
  ForceRig rig;
  auto& force = rig.add<Force::JointFriction>();
  force.along.joint = "guide";
  force.viscous = 2;
  rig.make();
  EXPECT_EQ(rig.elements->inputs.size(), 1u);
  std::vector<BodyState> bodies = ForceRig::bodies(0, 0);
  bodies[2].v.x = 3;
  EXPECT_NEAR(rig.wrenches(bodies)[2].force.x, -6, 1e-13);
}

TEST(ForceElements, ActuatorOnACoordinate) {
  for (const bool by_joint : {true, false}) {
    ForceRig rig("left-hinge");
    auto& force = rig.add<Force::Actuator>();
    (by_joint ? force.along.joint : force.along.coordinate) = by_joint ? "left-hinge" : "left-hinge.angle";
    force.law = Law("10 - 2*rate");
    rig.make();
    EXPECT_EQ(rig.elements->inputs.size(), 1u);
    const std::vector<Wrench<double>> all = rig.wrenches(ForceRig::bodies(1, 0, 3));
    EXPECT_NEAR(all[1].torque.z, 4, 1e-13);
    EXPECT_NEAR(all[0].torque.z, -4, 1e-13);
  }
  ForceRig rig;
  auto& force = rig.add<Force::Actuator>();
  force.along.coordinate = "guide.displacement";
  force.law = Law("2*displacement");
  rig.make();
  const std::vector<Wrench<double>> all = rig.wrenches(ForceRig::bodies(0, 0.5));
  EXPECT_NEAR(all[2].force.x, 1, 1e-13);
  EXPECT_NEAR(all[0].force.x, -1, 1e-13);
}

TEST(ForceElements, ActuatorOnTheSecondAngleOfAUniversalJoint) {
  ForceRig rig("hinge", JointType::universal);
  auto& force = rig.add<Force::Actuator>();
  force.along.joint = "hinge";
  force.along.coordinate = "angle_2";
  force.law = Law(3.0);
  rig.make();
  // about x of the arm, which is the second axis
  std::vector<BodyState> bodies = ForceRig::bodies(0.3, 0);
  bodies[1].omega = {0.6, 0, 0};
  const std::vector<Wrench<double>> all = rig.wrenches(bodies);
  EXPECT_NEAR(all[1].torque.x, 3, 1e-13);
  // which is how the coordinate changes
  const JointCoordinate& coordinate = rig.elements->coordinates.at(1);
  ASSERT_EQ(coordinate.name, "hinge.angle_2");
  EXPECT_NEAR(rig.measured_rates(bodies)[static_cast<std::size_t>(coordinate.row)], 0.6, 1e-13);
}

TEST(ForceElements, SayWhatIsWrong) {
  const auto error = [](Force force, JointType type = JointType::revolute) {
    ForceRig rig("hinge", type);
    force.ends().name = "force";
    force.ends().body_b = 1;
    rig.mechanism.add(force);
    return rig.error();
  };
  const auto on = [](const char* joint, const char* coordinate, std::optional<Law> law = Law(1.0)) {
    Force::Actuator actuator;
    actuator.along = {joint, coordinate};
    actuator.law = law;
    return actuator;
  };
  EXPECT_EQ(error(on("", "")), "force 'force': it needs a joint, or a coordinate of one");
  EXPECT_EQ(error(on("hinge", "", std::nullopt)),
            "force 'force': an actuator needs a law, its force or torque");
  EXPECT_EQ(error(on("hing", "")), "force 'force': there is no joint 'hing' (did you mean 'hinge'?)");
  EXPECT_EQ(error(on("hinge", "angel")),
            "force 'force': joint 'hinge' has no coordinate 'angel' (did you mean 'angle'?)");
  EXPECT_EQ(error(on("", "hinge.angle_rate")),
            "force 'force': it is on a rate; name the coordinate itself, 'hinge.angle'");
  EXPECT_EQ(error(on("", "distance(arm, slider)")),
            "force 'force': it cannot act along 'distance(arm, slider)'; for a force along a line take a "
            "spring_damper");
  EXPECT_EQ(error(on("hinge", ""), JointType::cylindrical),
            "force 'force': joint 'hinge' has the coordinates angle, displacement; say which");
  EXPECT_EQ(error(on("hinge", ""), JointType::spherical),
            "force 'force': joint 'hinge' has no coordinate: it is spherical");
  const auto friction = [](double coefficient, double velocity) {
    Force::JointFriction force;
    force.along.joint = "hinge";
    force.coefficient = coefficient;
    force.friction_velocity = velocity;
    return force;
  };
  EXPECT_EQ(
      error(friction(0.1, 0)),
      "force 'force': dry friction needs the velocity at which it is developed, and that must be positive");
  EXPECT_EQ(error(friction(0.1, 1)),
            "force 'force': friction by a coefficient needs the radius at which it acts");
  EXPECT_EQ(error(friction(-0.1, 1)), "force 'force': friction must not be negative");
  EXPECT_EQ(error(Force::Tyre()), "force 'force': the radius of a wheel must be positive");
  Force::SphereOnPlane contact;
  contact.radius = contact.stiffness = 1;
  contact.exponent = 0.5;
  EXPECT_EQ(error(contact), "force 'force': the exponent of a contact must be 1 or more");
}

}  // namespace
}  // namespace trammel
