// What is refused before anything is computed, and how it is said.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "trammel/mechanism/mechanism.h"

namespace trammel {
namespace {

Mat3<double> diagonal(double xx, double yy, double zz) { return {{xx, 0, 0}, {0, yy, 0}, {0, 0, zz}}; }

// A sound mechanism with one of everything.
Mechanism sound() {
  Mechanism mechanism;
  for (const char* name : {"crank", "rod"}) {
    Body body;
    body.name = name;
    body.place = {"model.yaml", 3, 5};
    body.mass = 2;
    body.inertia = diagonal(1, 2, 3);
    mechanism.add(body);
  }
  mechanism.add_joint("A", JointType::revolute, "ground", "crank", {});
  mechanism.add_joint("B", JointType::revolute, "crank", "rod", {1, 0, 0});
  for (Joint& joint : mechanism.joints) joint.place = {"model.yaml", 8, 5};
  Marker marker;
  marker.name = "tip";
  marker.body = 2;
  mechanism.markers.push_back(marker);
  Coupler coupler;
  coupler.name = "gear";
  coupler.terms = {{"A.angle", 1, {}}, {"B.angle", -2, {}}};
  mechanism.couplers.push_back(coupler);
  Driver driver;
  driver.name = "motor";
  driver.coordinate = "A.angle";
  driver.motion = Law("t");
  mechanism.drivers.push_back(driver);
  Force::SpringDamper force;
  force.name = "spring";
  force.body_b = 2;
  mechanism.add(force);
  State state;
  state.name = "x";
  mechanism.states.push_back(state);
  Measure measure;
  measure.name = "height";
  mechanism.measures.push_back(measure);
  mechanism.parameters["length"] = 2;
  return mechanism;
}

// What the check says of a mechanism that was changed.
std::string said(const std::function<void(Mechanism&)>& change) {
  Mechanism mechanism = sound();
  change(mechanism);
  try {
    mechanism.check();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "nothing";
}

const double infinite = std::numeric_limits<double>::infinity();

TEST(MechanismCheck, PassesWhatIsSound) {
  EXPECT_EQ(said([](Mechanism&) {}), "nothing");
  // a body may have the name of a joint, a parameter or a force: none is mistaken for it
  EXPECT_EQ(said([](Mechanism& m) {
              m.bodies[1].name = "A";
              m.parameters["A"] = 1;
              m.forces[0].ends().name = "A";
            }),
            "nothing");
}

TEST(MechanismCheck, NoBodies) {
  EXPECT_THROW(Mechanism().check(), ModelError);
  try {
    Mechanism().check();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.message(), "the mechanism has no bodies");
  }
}

TEST(MechanismCheck, NamesTwice) {
  EXPECT_EQ(said([](Mechanism& m) { m.bodies[2].name = "crank"; }),
            "model.yaml:3:5: there is another body 'crank'");
  EXPECT_EQ(said([](Mechanism& m) { m.bodies[1].name = "ground"; }),
            "model.yaml:3:5: there is another body 'ground'");
  EXPECT_EQ(said([](Mechanism& m) { m.joints[1].name = "A"; }), "model.yaml:8:5: there is another joint 'A'");
  EXPECT_EQ(said([](Mechanism& m) { m.markers.push_back(m.markers[0]); }), "there is another marker 'tip'");
  EXPECT_EQ(said([](Mechanism& m) { m.forces.push_back(m.forces[0]); }), "there is another force 'spring'");
  EXPECT_EQ(said([](Mechanism& m) { m.drivers.push_back(m.drivers[0]); }), "there is another driver 'motor'");
  EXPECT_EQ(said([](Mechanism& m) { m.couplers.push_back(m.couplers[0]); }),
            "there is another coupler 'gear'");
  EXPECT_EQ(said([](Mechanism& m) { m.states.push_back(m.states[0]); }), "there is another state 'x'");
  EXPECT_EQ(said([](Mechanism& m) { m.joints[0].name = ""; }), "model.yaml:8:5: a joint has no name");
}

TEST(MechanismCheck, NamesThatExpressionsCannotTellApart) {
  const std::string apart = "; expressions could not tell them apart";
  EXPECT_EQ(said([](Mechanism& m) { m.markers[0].name = "rod"; }),
            "there is a body 'rod' and a marker 'rod'" + apart);
  EXPECT_EQ(said([](Mechanism& m) { m.states[0].name = "height"; }),
            "there is a state 'height' and a measure 'height'" + apart);
  EXPECT_EQ(said([](Mechanism& m) { m.states[0].name = "length"; }),
            "there is a parameter 'length' and a state 'length'" + apart);
  EXPECT_EQ(said([](Mechanism& m) { m.measures[0].name = "B"; }),
            "there is a joint 'B' and a measure 'B'" + apart);
  EXPECT_EQ(said([](Mechanism& m) { m.states[0].name = "t"; }),
            "there is a variable 't' and a state 't'" + apart);
}

TEST(MechanismCheck, MassAndInertia) {
  const auto with = [](double mass, const Mat3<double>& inertia) {
    return said([&](Mechanism& m) {
      m.bodies[1].mass = mass;
      m.bodies[1].inertia = inertia;
    });
  };
  // a point mass, a massless body, a flat one and a rod are real
  EXPECT_EQ(with(1, diagonal(0, 0, 0)), "nothing");
  EXPECT_EQ(with(0, diagonal(0, 0, 0)), "nothing");
  EXPECT_EQ(with(1, diagonal(1, 2, 3 + 1e-10)), "nothing");
  EXPECT_EQ(with(1, diagonal(0, 2, 2)), "nothing");

  EXPECT_EQ(with(-1, diagonal(1, 1, 1)), "model.yaml:3:5: body 'crank': its mass -1 is negative");
  EXPECT_EQ(with(0, diagonal(1, 1, 1)),
            "model.yaml:3:5: body 'crank': it has inertia but no mass; give it both, or neither");
  EXPECT_EQ(with(infinite, diagonal(1, 1, 1)),
            "model.yaml:3:5: body 'crank': its mass is inf, not a finite number");
  EXPECT_EQ(with(1, diagonal(1, 3, 1)),
            "model.yaml:3:5: body 'crank': the principal moments of inertia 1, 1, 3 cannot belong to a real "
            "body: the largest may not exceed the sum of the others (a flat body that turns about its normal "
            "with J has J/2, J/2, J)");
  EXPECT_NE(with(1, diagonal(-1, 2, 2)).find("-1, 2, 2 cannot belong to a real body: none may be negative"),
            std::string::npos);
  // with principal moments 0.5, 1.5, 2 and 0.1, 1.9, 2
  EXPECT_EQ(with(1, {{1, 0.5, 0}, {0.5, 1, 0}, {0, 0, 2}}), "nothing");
  EXPECT_EQ(with(1, {{1, 0.9, 0}, {0.9, 1, 0}, {0, 0, 2}}), "nothing");
  EXPECT_NE(with(1, {{1, 1.1, 0}, {1.1, 1, 0}, {0, 0, 2}}).find("none may be negative"), std::string::npos);
  EXPECT_NE(with(1, {{1, 0.1, 0}, {0, 1, 0}, {0, 0, 1}}).find("not symmetric"), std::string::npos);
}

TEST(MechanismCheck, Frames) {
  EXPECT_EQ(said([](Mechanism& m) { m.joints[0].frame_a.axes.column[2] = {}; }),
            "model.yaml:8:5: joint 'A': the axes of its first frame must have length one, not 0");
  EXPECT_EQ(said([](Mechanism& m) {
              m.joints[0].frame_b.axes.column[2] = {0, 0.6, 0.8};
            }),
            "model.yaml:8:5: joint 'A': the axes of its second frame are not perpendicular");
  EXPECT_EQ(said([](Mechanism& m) {
              m.markers[0].frame.axes.column[2] = {0, 0, -1};
            }),
            "marker 'tip': the axes of its frame are left-handed");
  EXPECT_NE(said([](Mechanism& m) { m.bodies[1].reference.origin.y = infinite; }).find("finite"),
            std::string::npos);
  EXPECT_EQ(said([](Mechanism& m) { m.bodies[0].reference.origin.y = 1; }),
            "body 'ground': its frame is the world's and cannot be elsewhere");
}

TEST(MechanismCheck, Bodies) {
  EXPECT_EQ(said([](Mechanism& m) { m.joints[1].body_b = 7; }),
            "model.yaml:8:5: joint 'B': there is no body 7; the last is 2");
  EXPECT_EQ(said([](Mechanism& m) { m.markers[0].body = -1; }),
            "marker 'tip': there is no body -1; the last is 2");
  EXPECT_EQ(said([](Mechanism& m) { m.forces[0].ends().body_a = 3; }),
            "force 'spring': there is no body 3; the last is 2");
  EXPECT_EQ(said([](Mechanism& m) { m.joints[1].body_b = 1; }),
            "model.yaml:8:5: joint 'B': both of its bodies are 'crank'; a joint is between two");
}

TEST(MechanismCheck, NumbersOfJoints) {
  const auto with = [](JointType type, double radius, double length, double pitch) {
    return said([&](Mechanism& m) {
      Joint& joint = m.joints[0];
      joint.type = type;
      joint.radius = radius;
      joint.length = length;
      joint.pitch = pitch;
    });
  };
  EXPECT_EQ(with(JointType::rolling_disk, 0, 0, 0),
            "model.yaml:8:5: joint 'A': its radius must be positive, not 0");
  EXPECT_EQ(with(JointType::rolling_sphere, 1, 0, 0), "nothing");
  EXPECT_NE(with(JointType::screw, 0, 0, 0).find("a screw needs a pitch"), std::string::npos);
  EXPECT_EQ(with(JointType::screw, 0, 0, -0.1), "nothing");
  EXPECT_EQ(with(JointType::distance, 0, -1, 0),
            "model.yaml:8:5: joint 'A': its length must be positive, not -1");
  EXPECT_NE(with(JointType::distance, 0, 0, 0).find("its points coincide at the reference position"),
            std::string::npos);
  EXPECT_EQ(with(JointType::distance, 0, 2, 0), "nothing");
  EXPECT_NE(with(JointType::screw, 0, 0, infinite).find("its pitch is inf"), std::string::npos);
}

TEST(MechanismCheck, NumbersElsewhere) {
  EXPECT_EQ(said([](Mechanism& m) { m.gravity.x = infinite; }), "gravity: it is inf, not a finite number");
  EXPECT_EQ(said([](Mechanism& m) { m.parameters["length"] = -infinite; }),
            "parameter 'length': it is -inf, not a finite number");
  EXPECT_EQ(said([](Mechanism& m) { m.couplers[0].terms.clear(); }),
            "coupler 'gear': it ties nothing; it needs coordinates");
  EXPECT_EQ(said([](Mechanism& m) { m.couplers[0].terms[1].factor = 0; }),
            "coupler 'gear': the factor of 'B.angle' is zero");
  EXPECT_EQ(said([](Mechanism& m) { m.drivers[0].motion = Law(infinite); }),
            "driver 'motor': its law is inf, not a finite number");
  EXPECT_EQ(said([](Mechanism& m) { m.states[0].initial = infinite; }),
            "state 'x': its initial value is inf, not a finite number");
  EXPECT_EQ(said([](Mechanism& m) { m.forces[0].as<Force::SpringDamper>()->stiffness = infinite; }),
            "force 'spring': one of its numbers is inf, not a finite number");
  EXPECT_EQ(said([](Mechanism& m) {
              m.joints[0].initial = {{"angle", infinite}};
            }),
            "model.yaml:8:5: joint 'A': the initial value of 'angle' is inf, not a finite number");
  EXPECT_EQ(said([](Mechanism& m) { m.bodies[1].keep = 0; }),
            "model.yaml:3:5: body 'crank': 'keep' must be positive, not 0");
}

}  // namespace
}  // namespace trammel
