// What a model file means: frames of bodies, markers and joints, forces and laws, settings.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>

#include "trammel/mechanism/elements.h"
#include "trammel/model/model.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

void expect_near(const Vec3<double>& actual, const Vec3<double>& expected, double tolerance = 1e-14) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
}
void expect_near(const Mat3<double>& actual, const Mat3<double>& expected, double tolerance = 1e-14) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(actual(i, j), expected(i, j), tolerance) << i << ", " << j;
}
void expect_near(const Frame& actual, const Frame& expected, double tolerance = 1e-14) {
  expect_near(actual.origin, expected.origin, tolerance);
  expect_near(actual.axes, expected.axes, tolerance);
}

// Two bodies, one of them turned by a quarter about z.
const std::string two_bodies =
    "trammel: 1\n"
    "bodies:\n"
    "  turned: {at: [1, 2, 3], orientation: {axis: [0, 0, 2], angle: 90 deg}, mass: 1, inertia: [1, 1, 1]}\n"
    "  other: {at: [0, 0, 1], mass: 1, inertia: [1, 1, 1]}\n";

Mechanism read(const std::string& more) { return read_model_text(two_bodies + more, "m.yaml").mechanism; }

Frame world(const Mechanism& mechanism, int body, const Frame& frame) {
  return compose(mechanism.bodies[static_cast<std::size_t>(body)].reference, frame);
}

TEST(ReadModel, Orientations) {
  const auto axes = [](const std::string& orientation) {
    const std::string marker = "markers: {M: {body: ground, orientation: {" + orientation + "}}}\n";
    return read(marker).markers[0].frame.axes;
  };
  const Mat3<double> quarter{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
  expect_near(axes("axis: [0, 0, 5], angle: 90 deg"), quarter);
  expect_near(axes("quaternion: [1, 0, 0, 1]"), quarter);
  expect_near(axes("rpy: [0, 0, pi/2]"), quarter);
  expect_near(axes("x: [0, 1, 0], y: [-1, 0, 0]"), quarter);
  expect_near(axes("x: [0, 3, 0]"), quarter);
  expect_near(axes("y: [-1, 0, 0], z: [0, 0, 1]"), quarter);
  // about the fixed axes: x first
  expect_near(axes("rpy: [pi/2, 0, pi/2]").column[2], {1, 0, 0});
  // the first is exact, the second as near as it can be
  expect_near(axes("z: [0, 0, 1], x: [1, 0, 1]"), Mat3<double>::identity());
  expect_near(axes("x: [1, 0, 1], z: [0, 0, 1]").column[0], Vec3<double>{1, 0, 1} * std::sqrt(0.5));
}

TEST(ReadModel, MarkersInTheWorldAndInTheBody) {
  const Mechanism mechanism = read(
      "markers:\n"
      "  W: {body: turned, at: [1, 3, 3], axis: [1, 0, 0]}\n"
      "  L: {body: turned, local: {at: [1, 0, 0], axis: [0, -1, 0]}}\n");
  // one metre along world y is one metre along x of the body
  expect_near(mechanism.markers[0].frame.origin, {1, 0, 0});
  expect_near(mechanism.markers[1].frame.origin, {1, 0, 0});
  expect_near(mechanism.markers[0].frame.axes.column[2], {0, -1, 0});
  expect_near(mechanism.markers[1].frame.axes.column[2], {0, -1, 0});
}

TEST(ReadModel, JointInTheWorldHasTheSameFrameOnBothBodies) {
  const Mechanism mechanism = read(
      "joints: {A: {type: revolute, between: [turned, other], at: [5, 0, 0], axis: [0, 2, 0], x: [0, 1, "
      "1]}}\n");
  const Joint& joint = mechanism.joints[0];
  EXPECT_EQ(joint.body_a, 1);
  EXPECT_EQ(joint.body_b, 2);
  const Frame first = world(mechanism, 1, joint.frame_a), second = world(mechanism, 2, joint.frame_b);
  expect_near(first, second);
  expect_near(first.origin, {5, 0, 0});
  expect_near(first.axes.column[2], {0, 1, 0});
  expect_near(first.axes.column[0], {0, 0, 1});
}

TEST(ReadModel, JointInTheFramesOfTheBodies) {
  const Mechanism mechanism = read(
      "markers: {P: {body: turned, local: {at: [1, 0, 0], axis: [1, 0, 0]}}}\n"
      "joints:\n"
      "  A: {type: prismatic, between: [turned, other], on_first: P, on_second: {at: [0, 1, 0], axis: [0, 1, "
      "0]}}\n"
      "  B: {type: spherical, between: [P, other]}\n"
      "  C: {type: fixed, between: [ground, other]}\n");
  const Joint& a = mechanism.joints[0];
  expect_near(a.frame_a, mechanism.markers[0].frame);
  expect_near(a.frame_b.origin, {0, 1, 0});
  // only the axis was given: nothing is twisted at the reference position
  expect_near(world(mechanism, 1, a.frame_a).axes, world(mechanism, 2, a.frame_b).axes);
  const Joint& b = mechanism.joints[1];
  expect_near(world(mechanism, 1, b.frame_a), world(mechanism, 2, b.frame_b));
  // torques of what joins two bodies wholly are about the second one, not about the world's origin
  expect_near(mechanism.joints[2].frame_b, {});
  expect_near(world(mechanism, 0, mechanism.joints[2].frame_a), mechanism.bodies[2].reference);
}

TEST(ReadModel, JointsWithoutAPlaceAreAtTheirBodies) {
  const Mechanism mechanism = read(
      "joints:\n"
      "  A: {type: fixed, between: [turned, ground]}\n"
      "  B: {type: fixed, between: [ground, turned], at: [0, 0, 0]}\n"
      "  C: {type: fixed, between: [ground, turned], orientation: {rpy: [0, 0, 0]}}\n"
      "  D: {type: translational, between: [ground, turned]}\n"
      "  E: {type: fixed, between: [other, turned], on_first: {at: [1, 0, 0]}}\n");
  const Frame& turned = mechanism.bodies[1].reference;
  expect_near(world(mechanism, 0, mechanism.joints[0].frame_b), turned);
  expect_near(mechanism.joints[0].frame_a, {});
  expect_near(world(mechanism, 1, mechanism.joints[1].frame_b), {});
  for (const std::size_t i : {2U, 3U})
    expect_near(world(mechanism, 1, mechanism.joints[i].frame_b), {turned.origin});
  expect_near(mechanism.joints[4].frame_a.origin, {1, 0, 0});
}

TEST(ReadModel, JointsWithTwoAxes) {
  const Mechanism mechanism = read(
      "joints:\n"
      "  U: {type: universal, between: [turned, other], at: [0, 0, 0], axis: [1, 0, 0], axis_2: [0, 1, 0]}\n"
      "  V: {type: universal, between: [turned, other], on_first: {axis: [0, 0, 1]}, on_second: {axis: [0, "
      "1, 0]}}\n"
      "  H: {type: constant_velocity, between: [turned, other], at: [0, 0, 0], axis: [1, 0, 0], axis_2: [1, "
      "1, 0]}\n");
  const Joint &u = mechanism.joints[0], &v = mechanism.joints[1], &h = mechanism.joints[2];
  expect_near(world(mechanism, 1, u.frame_a), world(mechanism, 2, u.frame_b));
  expect_near(world(mechanism, 1, u.frame_a).axes.column[2], {1, 0, 0});
  expect_near(world(mechanism, 2, u.frame_b).axes.column[0], {0, 1, 0});
  expect_near(v.frame_a.axes.column[2], {0, 0, 1});
  expect_near(v.frame_b.axes.column[0], {0, 1, 0});
  expect_near(world(mechanism, 1, v.frame_a).axes, world(mechanism, 2, v.frame_b).axes);
  expect_near(world(mechanism, 1, h.frame_a).axes.column[2], {1, 0, 0});
  expect_near(world(mechanism, 2, h.frame_b).axes.column[2], Vec3<double>{1, 1, 0} * std::sqrt(0.5));
}

TEST(ReadModel, RollingAndDistance) {
  const Mechanism mechanism = read(
      "joints:\n"
      "  R: {type: rolling_disk, between: [ground, other], at: [0, 0, 1], axis: [0, 1, 1], radius: 0.5, "
      "normal: [0, 0, 2]}\n"
      "  S: {type: rolling_sphere, between: [ground, other], at: [0, 0, 1], radius: 1, normal: [0, 0, 1], "
      "plane_at: [9, 9, 0]}\n"
      "  D: {type: distance, between: [turned, other], from: [1, 2, 3], to: [0, 0, 2], length: 4}\n"
      "  K: {type: knife_edge, between: [ground, other], at: [0, 0, 0], axis: [0, 0, 1], x: [0, 1, 0]}\n");
  const Joint& r = mechanism.joints[0];
  EXPECT_EQ(r.radius, 0.5);
  expect_near(r.frame_a.axes.column[2], {0, 0, 1});
  // the lowest point of the tilted disk
  expect_near(r.frame_a.origin, {0, 0.25 * std::sqrt(2.0), 1 - 0.25 * std::sqrt(2.0)});
  expect_near(mechanism.joints[1].frame_a.origin, {9, 9, 0});
  EXPECT_EQ(mechanism.joints[2].length, 4);
  expect_near(mechanism.joints[2].frame_b.origin, {0, 0, 1});
  expect_near(mechanism.joints[3].frame_b.axes.column[1], {-1, 0, 0});
}

TEST(ReadModel, Rotors) {
  const Mechanism mechanism = read(
      "parameters: {ratio: 100}\n"
      "joints:\n"
      "  A: {type: revolute, between: [ground, turned], at: [0, 0, 0], rotor_inertia: 2e-5, gear_ratio: "
      "ratio}\n"
      "  B: {type: cylindrical, between: [turned, other], at: [0, 0, 1], rotor_inertia: {displacement: "
      "3e-5},\n"
      "      gear_ratio: {displacement: 400}}\n");
  ASSERT_EQ(mechanism.joints[0].rotors.size(), 1U);
  EXPECT_EQ(mechanism.joints[0].rotors[0].coordinate, "angle");
  EXPECT_NEAR(mechanism.joints[0].rotors[0].reflected(), 0.2, 1e-15);
  ASSERT_EQ(mechanism.joints[1].rotors.size(), 1U);
  EXPECT_EQ(mechanism.joints[1].rotors[0].coordinate, "displacement");
  EXPECT_NEAR(mechanism.joints[1].rotors[0].reflected(), 4.8, 1e-14);
}

TEST(ReadModel, InitialConditionsAndFriction) {
  const Mechanism mechanism = read(
      "joints:\n"
      "  A: {type: revolute, between: [ground, turned], at: [0, 0, 0], initial: {angle: 30 deg, angle_rate: "
      "2},\n"
      "      friction: {dry: 0.1, coefficient: 0.2, radius: 1 cm, viscous: 3}}\n"
      "initial: {A.angle_rate: 5, other.velocity.x: 1 km/h}\n");
  ASSERT_EQ(mechanism.joints[0].initial.size(), 2U);
  EXPECT_EQ(mechanism.joints[0].initial[0].first, "angle");
  EXPECT_DOUBLE_EQ(mechanism.joints[0].initial[0].second, pi / 6);
  ASSERT_EQ(mechanism.initial.size(), 2U);
  EXPECT_EQ(mechanism.initial[1].quantity, "other.velocity.x");
  EXPECT_DOUBLE_EQ(mechanism.initial[1].value, 1 / 3.6);
  EXPECT_EQ(mechanism.initial[1].place.text(), "m.yaml:8:28");
  ASSERT_EQ(mechanism.forces.size(), 1U);
  ASSERT_TRUE(mechanism.forces[0].as<Force::JointFriction>());
  const auto& friction = *mechanism.forces[0].as<Force::JointFriction>();
  EXPECT_EQ(friction.name, "A_friction");
  EXPECT_EQ(friction.along.joint, "A");
  EXPECT_EQ(friction.viscous, 3);
  EXPECT_EQ(friction.coefficient, 0.2);
  EXPECT_GT(friction.friction_velocity, 0);
}

TEST(ReadModel, Couplers) {
  const Mechanism mechanism = read(
      "joints:\n"
      "  A: {type: revolute, between: [ground, turned], at: [0, 0, 0]}\n"
      "  B: {type: cylindrical, between: [ground, other], at: [0, 0, 0]}\n"
      "couplers:\n"
      "  outside: {type: gear, joints: [A, B.angle], teeth: [20, 40]}\n"
      "  inside: {type: gear, joints: [A.angle, B.angle], teeth: [20, 40], internal: yes}\n"
      "  rack: {type: rack_and_pinion, pinion: A, rack: B.displacement, radius: 0.1}\n"
      "  tie: {type: coupler, terms: {A.angle: 1, B.angle: -2}, offset: 3}\n");
  const auto factors = [&](std::size_t i) {
    const Coupler& coupler = mechanism.couplers[i];
    return std::pair(coupler.terms[0].factor, coupler.terms[1].factor);
  };
  EXPECT_EQ(mechanism.couplers[0].terms[0].coordinate, "A.angle");
  EXPECT_EQ(factors(0), std::pair(20.0, 40.0)) << "opposite directions";
  EXPECT_EQ(factors(1), std::pair(20.0, -40.0)) << "the same direction";
  EXPECT_EQ(factors(2), std::pair(1.0, -0.1)) << "displacement = radius · angle";
  EXPECT_EQ(mechanism.couplers[2].terms[0].coordinate, "B.displacement");
  EXPECT_EQ(mechanism.couplers[3].offset, 3);
  EXPECT_FALSE(mechanism.couplers[0].offset);
}

TEST(ReadModel, LawsAreNumbersOrTextsWithTheirPlace) {
  const Mechanism mechanism = read(
      "parameters: {k: 2, length: 7}\n"
      "forces:\n"
      "  a: {type: torque, on: other, components: [k*3, \"k * t\", 5 N/mm]}\n"
      "  b: {type: spring_damper, between: [ground, other], from: [0, 0, 0], to: [0, 0, 1], force: "
      "\"k*length\"}\n"
      "measures: {length_now: \"k*length\", speed: other.speed}\n");
  const std::array<Law, 3>& components = std::get<Force::Torque>(mechanism.forces[0].kind).components;
  EXPECT_TRUE(components[0].is_constant());
  EXPECT_EQ(components[0].value, 6);
  EXPECT_EQ(components[1].text, "k * t");
  EXPECT_EQ(components[1].place.text(), "m.yaml:7:51");
  EXPECT_EQ(components[2].value, 5000);
  // inside the spring, length is its length; elsewhere it is the parameter
  const auto& spring = std::get<Force::SpringDamper>(mechanism.forces[1].kind);
  ASSERT_TRUE(spring.law);
  EXPECT_EQ(spring.law->text, "k*length");
  EXPECT_EQ(mechanism.measures[0].value.value, 14);
  EXPECT_EQ(mechanism.measures[1].value.text, "other.speed");
}

TEST(ReadModel, UnitsOfLawsAreNotTakenForQuantities) {
  const Mechanism mechanism = read(
      "states: {m: {rate: \"5 N/m * t\", initial: 0}, s: {rate: \"-m/(3 N/(m/s))\"}}\n"
      "measures: {f: \"2 kN/m * (other.position.x - 1 cm)\"}\n");
  EXPECT_EQ(mechanism.states[0].rate.text, "5 N/m * t");
  EXPECT_EQ(mechanism.measures[0].value.text, "2 kN/m * (other.position.x - 1 cm)");
  EXPECT_NO_THROW(make_elements(mechanism));
}

TEST(ReadModel, Forces) {
  const Mechanism mechanism = read(
      "roads: {bump: {type: half_cylinder, at: 5, radius: 0.1}}\n"
      "joints: {A: {type: revolute, between: [ground, turned], at: [0, 0, 0]}}\n"
      "forces:\n"
      "  push: {type: force, on: turned, at: [1, 3, 3], components: [1, 0, 0], axes: body, reaction_on: "
      "other}\n"
      "  pull: {type: force, on: other, local: {at: [0, 0, 1]}, components: [1, 0, 0]}\n"
      "  bush: {type: bushing, between: [turned, other], at: [0, 0, 0], stiffness: [1, 2, 3, 4, 5, 6], laws: "
      "{rz: x}}\n"
      "  air: {type: drag, on: turned, quadratic: 2, wind: [1, 0, 0]}\n"
      "  tyre: {type: tyre, wheel: other, radius: 1, stiffness: 10, road: bump, forward: [0, 1, 0]}\n"
      "  ball: {type: contact, sphere: other, radius: 1, stiffness: 10, plane: turned, plane_at: [0, 0, 0]}\n"
      "  motor: {type: actuator, joint: A, torque: -rate}\n"
      "  coil: {type: torsion_spring, joint: A, stiffness: 3, free_angle: 10 deg}\n");
  const std::vector<Force>& forces = mechanism.forces;
  const auto& push = std::get<Force::PointForce>(forces[0].kind);
  expect_near(push.frame_b, {{1, 0, 0}, Mat3<double>::identity()});
  EXPECT_EQ(push.axes, Force::Axes::second_body);
  EXPECT_TRUE(push.applies_reaction);
  EXPECT_EQ(push.body_a, 2);
  EXPECT_FALSE(std::get<Force::PointForce>(forces[1].kind).applies_reaction);
  const auto& bush = std::get<Force::Bushing>(forces[2].kind);
  EXPECT_EQ(bush.stiffness[3][3], 4);
  EXPECT_EQ(bush.stiffness[3][2], 0);
  EXPECT_TRUE(bush.laws[5]);
  EXPECT_EQ(std::get<Force::Drag>(forces[3].kind).quadratic, 2);
  expect_near(forces[4].ends().frame_a.axes.column[0], {0, 1, 0});
  expect_near(forces[4].ends().frame_a.axes.column[2], {0, 0, 1});
  expect_near(world(mechanism, 1, forces[5].ends().frame_a).axes.column[2], {0, 0, 1});
  const auto& motor = std::get<Force::Actuator>(forces[6].kind);
  EXPECT_EQ(motor.along.coordinate, "A.angle");
  EXPECT_EQ(motor.law->text, "-rate");
  EXPECT_DOUBLE_EQ(*std::get<Force::TorsionSpring>(forces[7].kind).free_angle, pi / 18);
  EXPECT_EQ(forces[7].along()->joint, "A");
  EXPECT_NO_THROW(make_elements(mechanism));
}

TEST(ReadModel, SettingsAndLooks) {
  const Model model = read_model_text(
      two_bodies +
          "title: A test\n"
          "simulation: {end: 2*pi, output: 10 ms, method: psf/radau5, rtol: 1e-6, options: {a: 2, b: on}}\n"
          "view: {up: y, planar: true, traces: [other]}\n",
      "m.yaml");
  EXPECT_EQ(model.mechanism.title, "A test");
  EXPECT_DOUBLE_EQ(*model.simulation.end, 2 * pi);
  EXPECT_DOUBLE_EQ(*model.simulation.output, 0.01);
  EXPECT_EQ(*model.simulation.method, "psf/radau5");
  EXPECT_FALSE(model.simulation.atol);
  ASSERT_EQ(model.simulation.options.size(), 2U);
  EXPECT_EQ(model.simulation.options[1].name, "b");
  EXPECT_EQ(model.simulation.options[1].value, "on");
  EXPECT_EQ(model.simulation.options[1].place.text(), "m.yaml:6:88");
  EXPECT_EQ(model.view.up, "y");
  EXPECT_TRUE(model.view.planar);
  EXPECT_EQ(model.view.traces, std::vector<std::string>{"other"});
  EXPECT_EQ(model.files, std::vector<std::string>{"m.yaml"});
}

TEST(ReadModel, Colors) {
  const Mechanism mechanism =
      read_model_text(
          "trammel: 1\nbodies:\n"
          "  a: {mass: 1, color: steelblue, shapes: {sphere: {radius: 1}, color: '#abc'}}\n"
          "  ground: {shapes: [{mesh: {file: parts/hall.stl, scale: 0.001}}]}\n",
          "models/m.yaml")
          .mechanism;
  EXPECT_EQ(mechanism.bodies[1].color, "#4682b4");
  EXPECT_EQ(mechanism.bodies[1].shapes[0].color, "#aabbcc");
  EXPECT_EQ(mechanism.bodies[0].shapes[0].file, "models/parts/hall.stl");
  EXPECT_EQ(mechanism.bodies[0].shapes[0].size.y, 0.001);
}

TEST(ReadModel, ExamplesOfTheManual) {
  std::ifstream stream(TRAMMEL_SOURCE_DIR "/docs/model-files.md");
  const std::string manual{std::istreambuf_iterator<char>(stream), {}};
  int examples = 0;
  const std::string fence = "```yaml\n";
  for (std::size_t at = manual.find(fence); at != std::string::npos; at = manual.find(fence, at + 1)) {
    const std::size_t start = at + fence.size();
    const std::string example = manual.substr(start, manual.find("```", start) - start);
    // the others are parts of models
    if (example.find("trammel: 1\n") == std::string::npos) continue;
    EXPECT_NO_THROW(make_elements(read_model_text(example, "example").mechanism)) << example;
    ++examples;
  }
  EXPECT_GE(examples, 1);
}

}  // namespace
}  // namespace trammel
