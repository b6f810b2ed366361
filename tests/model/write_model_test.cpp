// A model that is written reads as the same model.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/mechanism/elements.h"
#include "trammel/model/model.h"

namespace trammel {
namespace {

// One of everything.
const std::string everything = R"yaml(trammel: 1
title: "Everything: \"one\" of each"
parameters: {k: 5 N/mm, n: 2}
gravity: [0, -9.81, 0]
tables: {curve: {x: [0, 1, 2], y: [0, 10, 0], interpolation: cubic, outside: extend}}
bodies:
  crank: {rod: {from: [0, 0, 0], to: [cos(30 deg), sin(30 deg), 0], mass: 1, radius: 1 cm}, color: steelblue}
  coupler: {at: [1, 1, 0], orientation: {rpy: [0.1, 0.2, 0.3]}, mass: 2, com: [0.1, 0, 0], inertia: [3, 4, 5, 0.1, 0.2, 0.3], keep: 7}
  wheel: {at: [3, 0.4, 0], density: 7800, shapes: {cylinder: {radius: 0.4, length: 0.1}}, velocity: [1, 0, 0]}
  front-left: {at: [4, 0, 0], mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 1]}
  ground: {shapes: [{mesh: hall.stl}, {cone: {radius: 1, length: 2}, at: [1, 0, 0], color: red}]}
markers:
  P: {body: crank, at: [1, 0, 0]}
  Q: {body: coupler, local: {at: [0.1, 0, 0], axis: [1, 1, 0]}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], initial: {angle: 30 deg, angle_rate: 1}, friction: {dry: 0.1},
      rotor_inertia: 1e-4, gear_ratio: 30}
  B: {type: spherical, between: [P, coupler]}
  C: {type: screw, between: [ground, front-left], at: [4, 0, 0], axis: [1, 0, 0], pitch: 2 mm}
  R: {type: rolling_disk, between: [ground, wheel], at: [3, 0.4, 0], axis: [0, 0, 1], radius: 0.4, normal: [0, 1, 0]}
  U: {type: universal, between: [coupler, front-left], at: [2, 0, 0], axis: [1, 0, 0], axis_2: [0, 1, 0],
      rotor_inertia: {angle_2: 2e-4}}
  D: {type: distance, between: [coupler, front-left], from: [1, 2, 0], to: [4, 0, 0]}
couplers:
  tie: {type: coupler, terms: {A.angle: 1, C.angle: -2}, offset: 0}
  gear: {type: gear, joints: [A, C.angle], teeth: [20, 40]}
drivers: {motor: {coordinate: A.angle, velocity: "2*pi*t"}}
forces:
  s: {type: spring_damper, between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0], stiffness: k, force: "3*length + sin(t)"}
  s2: {type: spring_damper, between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0], free_length: 2, preload: 1}
  t: {type: torsion_spring, joint: A, stiffness: 3}
  t2: {type: torsion_spring, between: [ground, coupler], axis: [0, 0, 1], damping: 3, torque: angle^3}
  b: {type: bushing, between: [ground, wheel], at: [4, 0, 0], stiffness: [1, 2, 3, 4, 5, 6], preload: [0, 1, 0, 0, 0, 0], laws: {x: "x^3 + rate"}}
  f: {type: force, on: P, components: [0, "k*t", 5 N], axes: body}
  m: {type: torque, on: crank, components: [0, 0, "table(curve, t)"], axes: reaction_body, reaction_on: coupler}
  d: {type: drag, on: wheel, viscous: 0.1, angular_quadratic: 0.2, wind: [1, 0, 0]}
  tyre: {type: tyre, wheel: wheel, radius: 0.4, stiffness: 1e5, road: bump, smoothing: 1 mm}
  c: {type: contact, sphere: wheel, radius: 0.1, stiffness: 1e6, exponent: 1.5, friction: 0.3, plane: coupler}
  a: {type: actuator, coordinate: C.displacement, force: "-3*rate + command"}
roads:
  bump: {type: half_cylinder, at: 5, radius: 0.1}
  step: {type: step, at: 1, height: 2, length: 3}
  flat: {type: flat}
  waves: {type: sine, amplitude: 1, wavelength: 2}
  cast: {type: table, table: curve}
states: {command: {rate: "(1 - command)/0.1", initial: 0.5}}
measures: {tip: P.position.x, far: {value: "distance(P, Q)", unit: m}}
repeat:
- count: n
  bodies: {"link{i}": {at: [i, 10, 0], mass: i + 1}}
  forces: {"g{i}": {type: torque, on: "link{i}", components: ["sin(i*t)", 0, 0]}}
initial: {wheel.velocity.x: 2, "distance(P, Q)": 3}
simulation: {end: 10, output: 0.01, method: auto, coordinates: cartesian, rtol: 1e-6, atol: 1e-9, h0: 1e-3, options: {newton_matrix_at: 2}}
view: {up: y, planar: true, traces: [P, wheel]}
)yaml";

void expect_same(const Frame& a, const Frame& b, const std::string& who) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(a.origin[i], b.origin[i], 1e-14) << who;
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.axes(i, j), b.axes(i, j), 1e-15) << who;
  }
}
void expect_same(const Law& a, const Law& b, const std::string& who) {
  EXPECT_EQ(a.text, b.text) << who;
  EXPECT_EQ(a.value, b.value) << who;
}
void expect_same(const Vec3<double>& a, const Vec3<double>& b, const std::string& who) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(a[i], b[i]) << who;
}

void expect_same(const Body& a, const Body& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.mass, b.mass) << a.name;
  expect_same(a.com, b.com, a.name);
  expect_same(a.velocity, b.velocity, a.name);
  expect_same(a.angular_velocity, b.angular_velocity, a.name);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(a.inertia(i, j), b.inertia(i, j)) << a.name;
  expect_same(a.reference, b.reference, a.name);
  EXPECT_EQ(a.keep, b.keep);
  EXPECT_EQ(a.color, b.color);
  ASSERT_EQ(a.shapes.size(), b.shapes.size()) << a.name;
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    EXPECT_EQ(a.shapes[i].kind, b.shapes[i].kind);
    expect_same(a.shapes[i].size, b.shapes[i].size, a.name);
    expect_same(a.shapes[i].frame, b.shapes[i].frame, a.name);
    EXPECT_EQ(a.shapes[i].color, b.shapes[i].color);
    EXPECT_EQ(a.shapes[i].file, b.shapes[i].file);
  }
}

void expect_same(const Joint& a, const Joint& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type) << a.name;
  EXPECT_EQ(a.body_a, b.body_a) << a.name;
  EXPECT_EQ(a.body_b, b.body_b) << a.name;
  expect_same(a.frame_a, b.frame_a, a.name);
  expect_same(a.frame_b, b.frame_b, a.name);
  EXPECT_EQ(a.pitch, b.pitch) << a.name;
  EXPECT_EQ(a.length, b.length) << a.name;
  EXPECT_EQ(a.radius, b.radius) << a.name;
  EXPECT_EQ(a.initial, b.initial) << a.name;
  ASSERT_EQ(a.rotors.size(), b.rotors.size()) << a.name;
  for (std::size_t i = 0; i < a.rotors.size(); ++i) {
    EXPECT_EQ(a.rotors[i].coordinate, b.rotors[i].coordinate) << a.name;
    EXPECT_EQ(a.rotors[i].inertia, b.rotors[i].inertia) << a.name;
    EXPECT_EQ(a.rotors[i].gear_ratio, b.rotors[i].gear_ratio) << a.name;
  }
}

void expect_same(const std::optional<Law>& a, const std::optional<Law>& b, const std::string& name) {
  ASSERT_EQ(a.has_value(), b.has_value()) << name;
  if (a) expect_same(*a, *b, name);
}

// What makes up a force, kind by kind.
struct SameForce {
  void operator()(const Force::SpringDamper& a, const Force::SpringDamper& b) const {
    EXPECT_EQ(std::tuple(a.stiffness, a.damping, a.free_length, a.preload),
              std::tuple(b.stiffness, b.damping, b.free_length, b.preload))
        << a.name;
    expect_same(a.law, b.law, a.name);
  }
  void operator()(const Force::TorsionSpring& a, const Force::TorsionSpring& b) const {
    expect_along(a, b);
    EXPECT_EQ(std::tuple(a.stiffness, a.damping, a.free_angle, a.preload),
              std::tuple(b.stiffness, b.damping, b.free_angle, b.preload))
        << a.name;
    expect_same(a.law, b.law, a.name);
  }
  void operator()(const Force::Bushing& a, const Force::Bushing& b) const {
    EXPECT_EQ(std::tuple(a.stiffness, a.damping, a.preload), std::tuple(b.stiffness, b.damping, b.preload))
        << a.name;
    for (std::size_t i = 0; i < 6; ++i) expect_same(a.laws[i], b.laws[i], a.name);
  }
  void operator()(const Force::Applied& a, const Force::Applied& b) const {
    for (std::size_t i = 0; i < 3; ++i) expect_same(a.components[i], b.components[i], a.name);
    EXPECT_EQ(std::tuple(a.axes, a.applies_reaction), std::tuple(b.axes, b.applies_reaction)) << a.name;
  }
  void operator()(const Force::Drag& a, const Force::Drag& b) const {
    EXPECT_EQ(std::tuple(a.viscous, a.quadratic, a.angular_viscous, a.angular_quadratic),
              std::tuple(b.viscous, b.quadratic, b.angular_viscous, b.angular_quadratic))
        << a.name;
    expect_same(a.wind, b.wind, a.name);
  }
  void operator()(const Force::Tyre& a, const Force::Tyre& b) const {
    EXPECT_EQ(std::tuple(a.radius, a.stiffness, a.damping, a.smoothing, a.road),
              std::tuple(b.radius, b.stiffness, b.damping, b.smoothing, b.road))
        << a.name;
  }
  void operator()(const Force::SphereOnPlane& a, const Force::SphereOnPlane& b) const {
    const auto numbers = [](const Force::SphereOnPlane& f) {
      return std::tuple(f.radius, f.stiffness, f.exponent, f.damping, f.smoothing, f.friction,
                        f.friction_velocity);
    };
    EXPECT_EQ(numbers(a), numbers(b)) << a.name;
  }
  void operator()(const Force::JointFriction& a, const Force::JointFriction& b) const {
    expect_along(a, b);
    EXPECT_EQ(std::tuple(a.dry, a.coefficient, a.radius, a.viscous, a.friction_velocity),
              std::tuple(b.dry, b.coefficient, b.radius, b.viscous, b.friction_velocity))
        << a.name;
  }
  void operator()(const Force::Actuator& a, const Force::Actuator& b) const {
    expect_along(a, b);
    expect_same(a.law, b.law, a.name);
  }
  template <class Kind, class Other>
  requires(!std::is_same_v<Kind, Other>) void operator()(const Kind& a, const Other&) const {
    ADD_FAILURE() << a.name << " is of another kind";
  }

  template <class Kind>
  static void expect_along(const Kind& a, const Kind& b) {
    EXPECT_EQ(a.along.joint, b.along.joint) << a.name;
    EXPECT_EQ(a.along.coordinate, b.along.coordinate) << a.name;
  }
};

void expect_same(const Force& one, const Force& other) {
  const ForceEnds &a = one.ends(), &b = other.ends();
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.body_a, b.body_a) << a.name;
  EXPECT_EQ(a.body_b, b.body_b) << a.name;
  expect_same(a.frame_a, b.frame_a, a.name);
  expect_same(a.frame_b, b.frame_b, a.name);
  std::visit(SameForce(), one.kind, other.kind);
}

template <class Things>
void expect_all_same(const Things& a, const Things& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

TEST(WriteModel, ReadsBack) {
  const Model model = read_model_text(everything, "models/m.yaml");
  const std::string text = write_model(model);
  const Model again = read_model_text(text, "models/m.yaml");
  const Mechanism &a = model.mechanism, &b = again.mechanism;
  EXPECT_EQ(a.title, b.title);
  expect_same(a.gravity, b.gravity, "gravity");
  EXPECT_EQ(a.parameters, b.parameters);
  expect_all_same(a.bodies, b.bodies);
  expect_all_same(a.joints, b.joints);
  expect_all_same(a.forces, b.forces);

  ASSERT_EQ(a.markers.size(), b.markers.size());
  for (std::size_t i = 0; i < a.markers.size(); ++i) {
    EXPECT_EQ(a.markers[i].body, b.markers[i].body);
    expect_same(a.markers[i].frame, b.markers[i].frame, a.markers[i].name);
  }
  ASSERT_EQ(a.couplers.size(), b.couplers.size());
  for (std::size_t i = 0; i < a.couplers.size(); ++i) {
    EXPECT_EQ(a.couplers[i].offset, b.couplers[i].offset);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(a.couplers[i].terms[j].coordinate, b.couplers[i].terms[j].coordinate);
      EXPECT_EQ(a.couplers[i].terms[j].factor, b.couplers[i].terms[j].factor);
    }
  }
  EXPECT_EQ(a.drivers[0].level, b.drivers[0].level);
  expect_same(a.drivers[0].motion, b.drivers[0].motion, "driver");
  ASSERT_EQ(a.roads.size(), b.roads.size());
  for (std::size_t i = 0; i < a.roads.size(); ++i)
    EXPECT_EQ(
        std::tuple(a.roads[i].kind, a.roads[i].start, a.roads[i].height, a.roads[i].length, a.roads[i].table),
        std::tuple(b.roads[i].kind, b.roads[i].start, b.roads[i].height, b.roads[i].length,
                   b.roads[i].table));
  expect_same(a.states[0].rate, b.states[0].rate, "state");
  EXPECT_EQ(a.states[0].initial, b.states[0].initial);
  expect_same(a.measures[1].value, b.measures[1].value, "measure");
  EXPECT_EQ(a.measures[1].unit, b.measures[1].unit);
  ASSERT_EQ(a.initial.size(), b.initial.size());
  EXPECT_EQ(a.initial[1].quantity, b.initial[1].quantity);
  for (const double x : {-1.0, 0.3, 1.7, 5.0}) EXPECT_EQ(a.tables.at("curve")(x), b.tables.at("curve")(x));
  EXPECT_EQ(model.simulation.end, again.simulation.end);
  EXPECT_EQ(model.simulation.method, again.simulation.method);
  EXPECT_EQ(model.simulation.coordinates, again.simulation.coordinates);
  EXPECT_EQ(model.simulation.h0, again.simulation.h0);
  ASSERT_EQ(again.simulation.options.size(), 1U);
  EXPECT_EQ(again.simulation.options[0].value, "2");
  EXPECT_EQ(model.view.traces, again.view.traces);
  EXPECT_NO_THROW(make_elements(b));
}

TEST(WriteModel, AtOtherFramesTheMechanismStaysTheSame) {
  const Model model = read_model_text(everything, "m.yaml");
  std::vector<Frame> frames;
  for (const Body& body : model.mechanism.bodies) frames.push_back(body.reference);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    frames[i].origin += Vec3<double>{0.1, 0.2, 0.05 * static_cast<double>(i)};
    frames[i].axes = rotation_about({1, 2, 3}, 0.3) * frames[i].axes;
  }
  const Model moved = read_model_text(write_model(model, frames), "m.yaml");
  const Mechanism &a = model.mechanism, &b = moved.mechanism;
  for (std::size_t i = 0; i < frames.size(); ++i)
    expect_same(b.bodies[i].reference, frames[i], b.bodies[i].name);
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    expect_same(a.joints[i].frame_a, b.joints[i].frame_a, a.joints[i].name);
    expect_same(a.joints[i].frame_b, b.joints[i].frame_b, a.joints[i].name);
  }
  // what came from the old reference position is a number now
  const auto force = [](const Mechanism& mechanism, const std::string& name) {
    for (const Force& one : mechanism.forces)
      if (one.ends().name == name) return one;
    throw std::runtime_error(name);
  };
  EXPECT_NEAR(*force(b, "s").as<Force::SpringDamper>()->free_length, std::sqrt(2.0), 1e-14);
  EXPECT_EQ(*force(b, "s2").as<Force::SpringDamper>()->free_length, 2);
  EXPECT_NEAR(*force(b, "t").as<Force::TorsionSpring>()->free_angle, 0, 1e-14);
  EXPECT_TRUE(force(b, "t2").as<Force::TorsionSpring>()->free_angle);
  EXPECT_NEAR(b.joints[5].length, std::sqrt(13.0), 1e-14);
}

// Slashes of an address are not those of a path.
TEST(WriteModel, KeepsAddressesOfMeshes) {
  const Model model = read_model_text(
      "trammel: 1\nbodies: {a: {mass: 1, shapes: [{mesh: package://arm/meshes/a.stl}, {mesh: {file: "
      "package://arm/b.stl}}]}}\n",
      "models/m.yaml");
  const Model again = read_model_text(write_model(model), "models/m.yaml");
  const std::vector<Shape>& shapes = again.mechanism.bodies[1].shapes;
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].file, "package://arm/meshes/a.stl");
  EXPECT_EQ(shapes[1].file, "package://arm/b.stl");
}

TEST(WriteModel, RefusesWhatItCannotWrite) {
  Model model = read_model_text(everything, "m.yaml");
  EXPECT_THROW(write_model(model, std::vector<Frame>(2)), std::invalid_argument);
  model.tables.clear();
  EXPECT_THROW(write_model(model), ModelError);
  model.mechanism.tables.clear();
  model.mechanism.extensions.push_back([](Elements&) {});
  EXPECT_THROW(write_model(model), ModelError);
}

}  // namespace
}  // namespace trammel
