// Everything that can be wrong with a model file is told with its line and column.
#include <gtest/gtest.h>

#include "trammel/model/model.h"

namespace trammel {
namespace {

// A small model that is right, with room for one more line (line 4) that is not.
std::string with(const std::string& line) {
  return "trammel: 1\n"
         "bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, rod: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {A: {type: revolute, between: [ground, crank], at: [0, 0, 0]}}\n" +
         line + "\n";
}

std::string fault_of(const std::string& text) {
  try {
    read_model_text(text, "m");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

struct Case {
  std::string line, fault;
};

void expect_faults(const std::vector<Case>& cases) {
  for (const Case& one : cases) EXPECT_EQ(fault_of(with(one.line)), one.fault) << one.line;
}

// The same in the section `joints`, whose line 3 is then the first.
std::string with_joint(const std::string& keys) {
  return "trammel: 1\n"
         "bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, rod: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}}\n"
         "joints:\n  A: {" +
         keys + "}\n";
}

void expect_joint_faults(const std::vector<Case>& cases) {
  for (const Case& one : cases) EXPECT_EQ(fault_of(with_joint(one.line)), one.fault) << one.line;
}

TEST(ModelErrors, TheModelItselfIsRight) { EXPECT_EQ(fault_of(with("")), "no error"); }

TEST(ModelErrors, FileAsAWhole) {
  EXPECT_EQ(fault_of("bodies: {}\n"), "m:1:1: the model needs 'trammel'");
  EXPECT_EQ(fault_of("trammel: 2\n"), "m:1:10: this program reads version 1 of the format, not '2'");
  EXPECT_EQ(fault_of("- 1\n"),
            "m:1:1: a model file is a map of sections, beginning with 'trammel: 1', not a list of 1");
  EXPECT_EQ(fault_of("hello\n"),
            "m:1:1: a model file is a map of sections, beginning with 'trammel: 1', not 'hello'");
  EXPECT_EQ(fault_of("trammel: 1\n"), "m: the mechanism has no bodies");
  EXPECT_EQ(fault_of("trammel: 1\nbodys: {}\n"),
            "m:2:1: the model has no key 'bodys'; did you mean 'bodies'?");
}

TEST(ModelErrors, TabsInIndentation) {
  const std::string fault = ": this line is indented with a tab; YAML wants spaces";
  EXPECT_EQ(fault_of("trammel: 1\nbodies:\n\ta: {mass: 1, inertia: [1, 1, 1]}\n"), "m:3:2" + fault);
  EXPECT_EQ(fault_of("trammel: 1\nbodies:\n  a:\n \tmass: 1\n"), "m:4:3" + fault);
  EXPECT_EQ(fault_of("trammel: 1\nrepeat:\n\t- count: 1\n").substr(0, 5), "m:3:1");
  // between brackets blanks mean nothing
  EXPECT_EQ(fault_of("trammel: 1\nbodies: {\n\ta: {mass: 1,\n\t\tinertia: [1, 1, 1]}\n}\n"), "no error");
  EXPECT_EQ(fault_of("trammel: 1\nbodies:\n  a: {mass: 1, inertia: [1,\n\t1, 1]}\n"), "no error");
}

// What is computed from numbers of the file knows no place of its own.
TEST(ModelErrors, WhatGrowsFromNumbersHasAPlaceAndAName) {
  EXPECT_EQ(fault_of("trammel: 1\nbodies: {a: {rod: {from: [0, 0, 0], to: [1e308, 1, 0], mass: 1}}}\n"),
            "m:2:37: the rod of body 'a' is too long to be computed with");
  EXPECT_EQ(fault_of("trammel: 1\nbodies: {a: {mass: 1, shapes: {rod: {from: [0, 0, 0], to: [1e308, 1, 0], "
                     "radius: 1}}}}\n")
                .find("m:2:10: 'a': "),
            0U);
  expect_joint_faults({{"type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 0]",
                        "m:4:70: 'axis' is [0, 0, 0], which gives no direction"}});
}

TEST(ModelErrors, WrongKinds) {
  expect_faults({
      {"markers: [1]", "m:4:10: 'markers' is a map of names, not a list of 1"},
      {"markers: {P: 3}", "m:4:14: marker 'P' is a map of keys and values, not '3'"},
      {"gravity: [0, 0]", "m:4:10: 'gravity' is a list of 3 numbers, not a list of 2"},
      {"gravity: 9.81", "m:4:10: 'gravity' is a list of 3 numbers, not '9.81'"},
      {"gravity: [0, 0, [1]]", "m:4:17: 'gravity' is a number, not a list of 1"},
      {"gravity: [0, 0, .inf]", "m:4:17: 'gravity' is a finite number, not '.inf'"},
      {"gravity: [0, 0, nan]", "m:4:17: 'gravity' is a finite number, not 'nan'"},
      {"gravity: [0, 0, 1e999]", "m:4:17: this number is too large or too small"},
      {"gravity: [0, 0, 1/0]", "m:4:18: division by zero"},
      {"gravity: [0, 0, down]", "m:4:17: there is no 'down'"},
      {"view: {planar: maybe}", "m:4:16: 'planar' is true or false, not 'maybe'"},
      {"view: {up: w}", "m:4:12: 'up' is x, y or z, not 'w'"},
      {"title: [1]", "m:4:8: 'title' is a word, not a list of 1"},
  });
}

// Whose squares are not finite.
TEST(ModelErrors, NumbersTooLargeToComputeWith) {
  EXPECT_EQ(fault_of(with_joint("type: revolute, between: [ground, crank], at: [1e200, 0, 0]")),
            "m:4:3: joint 'A': its first frame is 1e+200, which is too large to be computed with");
  EXPECT_EQ(fault_of("trammel: 1\nbodies: {a: {mass: 1e200, inertia: [1, 1, 1]}}\n"),
            "m:2:10: body 'a': its mass is 1e+200, which is too large to be computed with");
  expect_faults({{"simulation: {rtol: 2}", "m:4:14: 'rtol' must be less than 1, not 2"}});
}

TEST(ModelErrors, UnitsOfSomethingElse) {
  expect_faults({
      {"markers: {P: {body: crank, at: [0, 5 kg, 0]}}", "m:4:36: 'at' is a length, as in '5 mm', not '5 kg'"},
      {"gravity: [0, 0, -9.81 m/s]",
       "m:4:17: 'gravity' is an acceleration, as in '9.81 m/s^2', not '-9.81 m/s'"},
      {"simulation: {end: 2 m}", "m:4:19: 'end' is a time, as in '10 ms', not '2 m'"},
      {"forces: {s: {type: spring_damper, between: [ground, crank], from: [0, 0, 0], to: [1, 0, 0], "
       "stiffness: 5 N}}",
       "m:4:104: 'stiffness' is a stiffness, as in '2 kN/m' or '5 Nm/rad', not '5 N'"},
      {"forces: {s: {type: torsion_spring, joint: A, stiffness: 5 N/mm, damping: 3 Nm}}",
       "m:4:74: 'damping' is a damping, as in '20 N/(m/s)' or '3 Nm/(rad/s)', not '3 Nm'"},
  });
  EXPECT_EQ(fault_of("trammel: 1\nbodies: {a: {mass: 5 mm, inertia: [1, 1, 1]}}\n"),
            "m:2:20: 'mass' is a mass, as in '5 kg', not '5 mm'");
  EXPECT_EQ(fault_of("trammel: 1\nbodies: {a: {mass: 5 lb, inertia: [1, 1, 1 kg*mm]}}\n"),
            "m:2:42: 'inertia' is a moment of inertia, as in '2 kg*m^2', not '1 kg*mm'");
  // what fits in other words, what nothing is known of, and a unit that a name ends: 10 N divided by m
  for (const char* fine :
       {"simulation: {end: 1 min}", "gravity: [0, 0, -9.81 N/kg]", "gravity: [0, 0, -1e4 mm/s^2]",
        "parameters: {mass: 5 mm}", "parameters: {p: 3 kg}\nmarkers: {P: {body: crank, at: [2*p, 0, 0]}}",
        "parameters: {m: 2}\nmarkers: {P: {body: crank, at: [10 N/m, 0, 0]}}",
        "markers: {P: {body: crank, at: [1 in, (3) cm, 2e-3]}}",
        "forces: {s: {type: torsion_spring, joint: A, stiffness: 5 Nmm/deg, damping: 3 Nms, preload: 2 "
        "kNm}}"})
    EXPECT_EQ(fault_of(with(fine)), "no error") << fine;
}

TEST(ModelErrors, UnknownNames) {
  expect_faults({
      {"markers: {P: {body: cramk}}", "m:4:21: there is no body 'cramk'; did you mean 'crank'?"},
      {"markers: {P: {body: crank, lokal: {}}}",
       "m:4:28: marker 'P' has no key 'lokal'; did you mean 'local'?"},
      {"drivers: {d: {coordinate: B.angle, position: t}}", "m:4:27: there is no joint 'B'"},
      {"drivers: {d: {coordinate: A.angel, position: t}}",
       "m:4:27: joint 'A' has no coordinate 'angel'; it is revolute and has angle"},
      {"drivers: {d: {coordinate: A.angle_rate, position: t}}",
       "m:4:27: 'A.angle_rate' is a rate; name the coordinate itself"},
      {"forces: {f: {type: sprin_damper}}",
       "m:4:20: there is no force of type 'sprin_damper'; did you mean 'spring_damper'?"},
      {"forces: {f: {type: torsion_spring, joint: a}}", "m:4:43: there is no joint 'a'"},
      {"forces: {f: {type: torque, on: crank, component: [0, 0, 1]}}",
       "m:4:39: force 'f' has no key 'component'; did you mean 'components'?"},
      {"forces: {f: {type: tyre, wheel: rod, radius: 1, stiffness: 1, up: [0, 0, 1], road: bum}}",
       "m:4:84: there is no road 'bum'"},
      {"couplers: {c: {type: gears}}", "m:4:22: there is no coupler of type 'gears'; did you mean 'gear'?"},
      {"roads: {r: {type: table, table: profile}}", "m:4:33: there is no table 'profile'"},
      {"initial: {A.speed: 1}", "m:4:11: joint 'A' has no coordinate 'speed'; it is revolute and has angle"},
      {"initial: {X.angle: 1}", "m:4:11: there is no joint 'X'"},
      {"view: {traces: [P]}", "m:4:17: there is no marker or body 'P'"},
      {"markers: {P: {body: ground, local: {colour: red}}}",
       "m:4:37: 'local' has no key 'colour' (it has at, axis, x, "
       "orientation)"},
      {"forces: {f: {type: torque, on: crank, components: [0, 0, \"table(curve, t)\"]}}",
       "m:4:65: there is no table 'curve'"},
  });
}

TEST(ModelErrors, MissingKeysPointAtTheOwner) {
  expect_faults({
      {"markers: {P: {at: [0, 0, 0]}}", "m:4:11: marker 'P' needs 'body'"},
      {"markers: {P: }", "m:4:11: marker 'P' needs 'body'"},
      {"drivers: {d: {coordinate: A}}", "m:4:11: driver 'd' needs 'position', 'velocity' or 'acceleration'"},
      {"forces: {f: {on: crank}}", "m:4:10: force 'f' needs 'type'"},
      {"forces: {f: {type: force, on: crank, components: [0, 0, 1]}}",
       "m:4:10: force 'f' needs 'at', 'local', or a marker in 'on'"},
      {"forces: {f: {type: spring_damper, between: [ground, rod], from: [0, 0, 0]}}",
       "m:4:10: force 'f' needs 'to', 'on_second', or markers in 'between'"},
      {"forces: {f: {type: actuator, joint: A}}", "m:4:10: force 'f' needs 'force' or 'torque'"},
      {"tables: {c: {x: [0, 1]}}", "m:4:10: table 'c' needs 'y'"},
      {"states: {s: {initial: 0}}", "m:4:10: state 's' needs 'rate'"},
      {"urdf: {at: [0, 0, 0]}", "m:4:7: 'urdf' needs 'file'"},
      {"markers: {P: {body: rod, orientation: {axis: [0, 0, 1]}}}", "m:4:39: 'orientation' needs 'angle'"},
  });
}

TEST(ModelErrors, KeysThatExcludeEachOther) {
  expect_faults({
      {"markers: {P: {body: rod, local: {}, at: [0, 0, 0]}}",
       "m:4:37: marker 'P' has 'local' already; 'at' does not go with it"},
      {"markers: {P: {body: rod, axis: [0, 0, 1], orientation: {rpy: [0, 0, 0]}}}",
       "m:4:43: marker 'P' has 'axis' already; 'orientation' does not go with it"},
      {"markers: {P: {body: rod, orientation: {rpy: [0, 0, 0], z: [0, 0, 1]}}}",
       "m:4:39: 'orientation' is one of: axis and angle; quaternion; rpy; one or two of x, y, z"},
      {"drivers: {d: {coordinate: A, position: t, velocity: 1}}",
       "m:4:43: driver 'd' has 'position' already; 'velocity' does not go with it"},
      {"forces: {f: {type: torsion_spring, joint: A, at: [0, 0, 0]}}",
       "m:4:46: force 'f' has 'joint' already; 'at' does not go with it"},
      {"tables: {c: {file: a.csv, x: [0, 1]}}",
       "m:4:27: table 'c' has 'file' already; 'x' does not go with it"},
  });
}

TEST(ModelErrors, KeysThatMeanNothingWithoutOthers) {
  expect_faults({
      {"forces: {f: {type: joint_friction, joint: A, viscous: 1, radius: 0.1}}",
       "m:4:58: 'radius' has no effect without 'coefficient'"},
      {"forces: {f: {type: joint_friction, joint: A, viscous: 1, velocity: 0.1}}",
       "m:4:58: 'velocity' has no effect without 'dry' or 'coefficient'"},
      {"forces: {f: {type: contact, sphere: rod, radius: 1, stiffness: 1, friction_velocity: 0.1}}",
       "m:4:67: 'friction_velocity' has no effect without 'friction'"},
  });
}

TEST(ModelErrors, Directions) {
  expect_faults({
      {"markers: {P: {body: rod, axis: [0, 0, 0]}}", "m:4:32: 'axis' is [0, 0, 0], which gives no direction"},
      {"markers: {P: {body: rod, axis: [0, 0, 1], x: [0, 0, 2]}}",
       "m:4:43: [0, 0, 2] gives no direction across the axis [0, 0, 1]"},
      {"markers: {P: {body: rod, orientation: {quaternion: [0, 0, 0, 0]}}}",
       "m:4:52: 'quaternion' must not be zero"},
      {"markers: {P: {body: rod, orientation: {quaternion: [1, 0, 0]}}}",
       "m:4:52: 'quaternion' is a list of 4 numbers w, x, y, z, not a list of 3"},
      {"markers: {P: {body: rod, orientation: {x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1]}}}",
       "m:4:68: two axes give an orientation; this third one is too many"},
      {"markers: {P: {body: rod, orientation: {x: [1, 0, 0], y: [2, 0, 0]}}}",
       "m:4:39: [2, 0, 0] gives no direction across the axis [1, 0, 0]"},
  });
}

TEST(ModelErrors, Joints) {
  expect_joint_faults({
      {"type: revolut, between: [ground, rod]",
       "m:4:13: there is no joint of type 'revolut'; did you mean 'revolute'?"},
      {"between: [ground, rod]", "m:4:3: joint 'A' needs 'type'"},
      {"type: revolute", "m:4:3: joint 'A' needs 'between'"},
      {"type: revolute, between: [ground]",
       "m:4:32: 'between' is a list of 2 bodies or markers, not a list of 1"},
      {"type: revolute, between: [ground, rot]",
       "m:4:41: there is no body or marker 'rot'; did you mean 'rod'?"},
      {"type: revolute, between: [rod, rod], at: [0, 0, 0]", "m:4:38: joint 'A' is between 'rod' and itself"},
      {"type: revolute, between: [ground, rod]",
       "m:4:3: joint 'A' needs 'at', 'on_first' and 'on_second', or markers in 'between'"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], pitch: 1",
       "m:4:62: a revolute joint has no 'pitch'"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], on_first: {}",
       "m:4:47: joint 'A' has its place from markers, 'on_first' or 'on_second'; 'at' does not go with that"},
      {"type: distance, between: [ground, rod], at: [0, 0, 0]", "m:4:47: a distance joint has no 'at'"},
      {"type: distance, between: [ground, rod], from: [0, 0, 0], to: [1, 0, 0], length: 0",
       "m:4:87: 'length' must be larger than zero, not 0"},
      {"type: screw, between: [ground, rod], at: [0, 0, 0]", "m:4:3: joint 'A' needs 'pitch'"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], gear_ratio: 5",
       "m:4:62: 'gear_ratio' of joint 'A' has no effect: it is that of a rotor, and 'angle' has no "
       "'rotor_inertia'"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], rotor_inertia: -1",
       "m:4:77: 'rotor_inertia' must not be negative, as -1 is"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], rotor_inertia: 1, gear_ratio: 0",
       "m:4:80: 'gear_ratio' is zero; a motor would not move the joint"},
      {"type: spherical, between: [ground, rod], at: [0, 0, 0], rotor_inertia: 1",
       "m:4:63: a spherical joint has no coordinate, and so no 'rotor_inertia'"},
      {"type: cylindrical, between: [ground, rod], at: [0, 0, 0], rotor_inertia: 1",
       "m:4:65: joint 'A' has the coordinates angle, displacement; say of which: rotor_inertia: {angle: "
       "...}"},
      {"type: cylindrical, between: [ground, rod], at: [0, 0, 0], rotor_inertia: {angel: 1}",
       "m:4:81: joint 'A' has no coordinate 'angel'; it is cylindrical and has angle, displacement"},
      {"type: universal, between: [ground, rod], at: [0, 0, 0], axis: [1, 0, 0], axis_2: [2, 0, 0]",
       "m:4:80: the axes of a universal joint are parallel; they should be perpendicular"},
      {"type: rolling_disk, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0], normal: [0, 1, 0], "
       "radius: 1",
       "m:4:83: the disk lies flat on the plane; it cannot roll"},
      {"type: knife_edge, between: [ground, rod], at: [0, 0, 0]",
       "m:4:3: joint 'A' needs 'x', the direction in which the edge may move"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], initial: {angl: 1}",
       "m:4:72: joint 'A' has no coordinate 'angl'; it is revolute and has angle"},
      {"type: spherical, between: [ground, rod], at: [0, 0, 0], initial: {angle: 1}",
       "m:4:73: joint 'A' has no coordinates: it is spherical"},
      {"type: revolute, between: [ground, rod], at: [0, 0, 0], friction: {radius: 1}",
       "m:4:62: the friction of joint 'A' needs 'dry', 'coefficient' or 'viscous'"},
  });
}

TEST(ModelErrors, Bodies) {
  const auto fault_of_body = [](const std::string& keys) {
    return fault_of("trammel: 1\nbodies:\n  b: {" + keys + "}\n");
  };
  EXPECT_EQ(fault_of_body(""), "m:3:3: body 'b' has no mass: give 'mass', 'density' with 'shapes', or 'rod'");
  EXPECT_EQ(fault_of_body("mass: -1"), "m:3:13: 'mass' must not be negative, as -1 is");
  EXPECT_EQ(fault_of_body("masss: 1"), "m:3:7: body 'b' has no key 'masss'; did you mean 'mass'?");
  EXPECT_EQ(fault_of_body("density: 1"), "m:3:3: body 'b' has no shapes that weigh anything");
  EXPECT_EQ(fault_of_body("density: 1, mass: 1"),
            "m:3:19: body 'b' has 'density' already; 'mass' does not go with it");
  EXPECT_EQ(fault_of_body("mass: 1, inertia: [1, 2]"),
            "m:3:25: 'inertia' is a list of 3 numbers (xx, yy, zz), 6 numbers (xx, yy, zz, xy, xz, yz) or 3 "
            "rows, not a "
            "list of 2");
  EXPECT_EQ(fault_of_body("mass: 1, inertia: [[1, 0, 0], [1, 1, 0], [0, 0, 1]]"),
            "m:3:25: 'inertia' is not symmetric: 1 and 0");
  EXPECT_EQ(fault_of_body("mass: 1, inertia: [1, 1, 5]").substr(0, 15), "m:3:3: body 'b'");
  EXPECT_EQ(fault_of_body("rod: {from: [0, 0, 0], to: [0, 0, 0], mass: 1}"),
            "m:3:30: the rod of body 'b' has no length: 'from' and 'to' are the same point");
  EXPECT_EQ(fault_of_body("rod: {from: [0, 0, 0], to: [0, 0, 1]}"),
            "m:3:12: the rod of body 'b' needs 'mass'");
  EXPECT_EQ(fault_of_body("rod: {from: [0, 0, 0], to: [0, 0, 1], mass: 1}, at: [0, 0, 0]"),
            "m:3:55: body 'b' has 'rod' already; 'at' does not go with it");
  EXPECT_EQ(fault_of_body("mass: 1, color: blu"),
            "m:3:23: 'blu' is not a color; write '#rrggbb' or a name of CSS; did you mean 'blue'?");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {bx: [1, 1, 1]}"),
            "m:3:25: a shape has no key 'bx'; did you mean 'box'?");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {at: [1, 1, 1]}"),
            "m:3:24: a shape needs one of box, cylinder, sphere, capsule, cone, rod, mesh");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {box: [1, 1, 1], sphere: {radius: 1}}"),
            "m:3:41: a shape has 'box' already; 'sphere' does not go with it");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {box: [1, 0, 1]}"),
            "m:3:30: the edges of a box must be larger than zero");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {cylinder: {radius: 0, length: 1}}"),
            "m:3:44: 'radius' must be larger than zero, not 0");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {mesh: a.stl, density: 3}"),
            "m:3:38: a mesh is only for the looks; it cannot have a density");
  EXPECT_EQ(fault_of_body("mass: 1, shapes: {sphere: {radius: 1}, density: 3}"),
            "m:3:16: shapes of body 'b' have a density, which does not go with 'mass'");
  EXPECT_EQ(fault_of_body("mass: 1, inertia: shapes, shapes: {sphere: {radius: 1}, density: 3}"), "no error");
  EXPECT_EQ(fault_of_body("mass: 1, keep: 0"), "m:3:22: 'keep' must be larger than zero, not 0");
}

TEST(ModelErrors, Names) {
  expect_faults({
      {"markers: {a.b: {body: rod}}", "m:4:11: the name 'a.b' must not contain '.'"},
      {"markers: {\"a,b\": {body: rod}}", "m:4:12: the name 'a,b' must not contain ','"},
      {"markers: {\"a \": {body: rod}}", "m:4:12: the name 'a ' begins or ends with a space"},
      {"markers: {\"a{i}\": {body: rod}}", "m:4:12: the name 'a{i}' must not contain '{'"},
      {"markers: {rod: {body: rod}}", "m:4:11: marker 'rod' has the name of a body"},
  });
  EXPECT_EQ(fault_of(with("markers: {front-left: {body: rod}, rear axle: {body: rod}}")), "no error");
}

TEST(ModelErrors, Laws) {
  expect_faults({
      {"measures: {m: \"sin(t\"}", "m:4:19: this '(' is not closed"},
      {"measures: {m: \"3 + * t\"}", "m:4:20: '*' stands where a value is expected"},
      {"measures: {m: \"3 mmm * t\"}", "m:4:18: there is no unit 'mmm' (did you mean 'mm'?)"},
      {"measures: {m: [1]}", "m:4:15: measure 'm' is a map of keys and values, not a list of 1"},
      {"states: {s: {rate: .nan}}", "m:4:20: 'rate' is finite, not '.nan'"},
      {"forces: {f: {type: torque, on: crank, components: [0, t]}}",
       "m:4:51: 'components' is a list of 3 numbers or expressions, not a list of 2"},
  });
}

TEST(ModelErrors, Forces) {
  expect_faults({
      {"forces: {f: {type: bushing, between: [ground, rod], at: [0, 0, 0], stiffness: [1, 2]}}",
       "m:4:79: 'stiffness' is a list of 6 numbers or of 6 rows of 6, not a list of 2"},
      {"forces: {f: {type: torque, on: rod, components: [0, 0, 1], axes: reaction_body}}",
       "m:4:66: 'axes: reaction_body' needs 'reaction_on'"},
      {"forces: {f: {type: torque, on: rod, components: [0, 0, 1], reaction_on: rod}}",
       "m:4:73: force 'f' would act on its body in both directions"},
      {"forces: {f: {type: contact, sphere: rod, radius: -1, stiffness: 1}}",
       "m:4:50: 'radius' must be larger than zero, not -1"},
      {"gravity: [1, 0, 0]\nforces: {f: {type: tyre, wheel: rod, radius: 1, stiffness: 1}}",
       "m:5:10: force 'f' needs 'forward', the direction of the road: x points upwards"},
      {"couplers: {c: {type: gear, joints: [A, A], teeth: [20]}}",
       "m:4:51: 'teeth' is a list of 2 numbers, not a list of 1"},
  });
}

TEST(ModelErrors, Tables) {
  const std::string fault = fault_of(with("tables: {c: {x: [0, 0], y: [1, 2]}}"));
  EXPECT_TRUE(fault.starts_with("m:4:10: table 'c': ")) << fault;
  expect_faults({
      {"tables: {c: {x: [0, 1], y: [1, 2], interpolation: spline}}",
       "m:4:51: 'interpolation' is linear, cubic or monotone, not 'spline'; did you mean 'linear'?"},
      {"tables: {c: {file: a.csv, columns: [0]}}",
       "m:4:36: 'columns' is a list of 2 numbers, not a list of 1"},
      {"tables: {c: {file: nowhere.csv}}", "m:4:20: 'nowhere.csv' does not exist"},
  });
}

TEST(ModelErrors, Simulation) {
  expect_faults({
      {"simulation: {end: -1}", "m:4:19: 'end' must be larger than zero, not -1"},
      {"simulation: {ende: 1}", "m:4:14: 'simulation' has no key 'ende'; did you mean 'end'?"},
      {"simulation: {options: {a: [1]}}", "m:4:27: 'a' is a word, not a list of 1"},
      {"simulation: 5", "m:4:13: 'simulation' is a map of keys and values, not '5'"},
  });
}

}  // namespace
}  // namespace trammel
