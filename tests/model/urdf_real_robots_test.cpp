// What real URDF files have though it makes no sense: read with a warning a link, or refused if strict.
#include "tests/model/urdf_rig.h"
#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/measured_function.h"

namespace trammel {
namespace {

class RealRobots : public Urdf {
 protected:
  // An arm on the ground whose hand is this.
  static std::string with_hand(const std::string& inside, const std::string& in_joint = "",
                               const std::string& type = "continuous") {
    return robot_of(link("base", "") + link("arm") + link("hand", inside) +
                    joint("shoulder", "continuous", "base", "arm") +
                    joint("wrist", type, "arm", "hand", "<axis xyz='0 1 0'/>" + in_joint));
  }
  // Read with this one warning; refused with the other if strict.
  Model expect_warning(const std::string& urdf, const std::string& warning, const std::string& refused,
                       const std::string& keys = "") {
    EXPECT_EQ(fault_of(urdf, keys + ", strict: true"), robot + refused);
    Model model = read(urdf, keys);
    EXPECT_EQ(model.warnings.size(), 1U);
    for (const std::string& actual : model.warnings) EXPECT_EQ(actual, robot + warning);
    EXPECT_NO_THROW(make_elements(model.mechanism));
    // it stays so when it is written
    const Model again = read_model_text(write_model(model), (folder / "again.yaml").string());
    EXPECT_EQ(again.mechanism.bodies.size(), model.mechanism.bodies.size());
    return model;
  }
};

TEST_F(RealRobots, RoundOffInInertiasIsRepaired) {
  const std::string said =
      "link 'hand': its moments of inertia miss those of a real body by round-off, which is repaired";
  for (const std::string moments : {"ixx='-5e-20' iyy='0' izz='0'", "ixx='-5e-20' iyy='1e-12' izz='1e-12'",
                                    "ixx='1' iyy='1' izz='2.000001'"}) {
    const std::string urdf = with_hand(inertial(moments + " ixy='0' ixz='0' iyz='0'"));
    EXPECT_EQ(fault_of(urdf, ", strict: true").find(robot + ":4:19: " + said), 0U) << moments;
    const Model model = read(urdf);
    ASSERT_EQ(model.warnings.size(), 1U) << moments;
    EXPECT_EQ(model.warnings[0], robot + ":4:1: " + said);
    EXPECT_FALSE(model.mechanism.bodies[2].inertia_as_given);
    EXPECT_GE(model.mechanism.bodies[2].inertia(0, 0), 0);
  }
}

TEST_F(RealRobots, UnphysicalInertiasAreTakenAsGivenOrReplaced) {
  const std::string urdf = with_hand(inertial("ixx='1' iyy='1' izz='5' ixy='0' ixz='0' iyz='0'"));
  const std::string fault =
      "link 'hand': no real body can have its moments of inertia (none is negative, the largest is at most "
      "the "
      "sum of the others); ";
  const Model given = expect_warning(
      urdf, ":4:1: " + fault + "they are taken as given ('unphysical_inertia: nearest' replaces them)",
      ":4:19: " + fault + "they are taken as given ('unphysical_inertia: nearest' replaces them)");
  EXPECT_TRUE(given.mechanism.bodies[2].inertia_as_given);
  EXPECT_EQ(given.mechanism.bodies[2].inertia(2, 2), 5);
  const Model nearest = read(urdf, ", unphysical_inertia: nearest");
  EXPECT_EQ(nearest.warnings[0], robot + ":4:1: " + fault + "the nearest possible ones are used");
  EXPECT_FALSE(nearest.mechanism.bodies[2].inertia_as_given);
  EXPECT_NEAR(nearest.mechanism.bodies[2].inertia(0, 0), 2, 1e-12);
  EXPECT_NEAR(nearest.mechanism.bodies[2].inertia(2, 2), 4, 1e-12);
  const Model again = read_model_text(write_model(given), (folder / "again.yaml").string());
  EXPECT_TRUE(again.mechanism.bodies[2].inertia_as_given);
  // one warning a link
  EXPECT_EQ(read(with_hand(inertial("ixx='1' iyy='1' izz='5'"))).warnings.size(), 1U);
}

TEST_F(RealRobots, NegativeInertiasThatTurnAgainstTorquesAreRefused) {
  const auto hand = [](const std::string& at) {
    return with_hand(
        "<inertial><origin xyz='" + at +
        "'/><mass value='1'/><inertia ixx='1' iyy='-0.5' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>");
  };
  // far from the axis it has enough
  EXPECT_EQ(fault_of(hand("1 0 0")), "no error");
  const std::string fault =
      robot +
      ":6:1: joint 'wrist': what it carries has the moment of inertia -0.49 about its axis, so that it would "
      "turn against every torque; 'unphysical_inertia: nearest' of 'urdf' replaces such";
  EXPECT_EQ(fault_of(hand("0.1 0 0")), fault);
  EXPECT_EQ(fault_of(hand("0.1 0 0"), ", unphysical_inertia: nearest"), "no error");
  EXPECT_EQ(fault_of(hand("0.1 0 0"), "", "drivers: {m: {coordinate: wrist.angle, position: t}}\n"),
            "no error");
  EXPECT_EQ(fault_of(robot_of(link("a", inertial("ixx='1' iyy='-0.5' izz='1' ixy='0' ixz='0' iyz='0'"))),
                     ", base: free"),
            robot +
                ":2:1: link 'a' and what it carries have a negative moment of inertia; 'unphysical_inertia: "
                "nearest' of 'urdf' replaces such");
}

TEST_F(RealRobots, MasslessLinksWithInertiaAreTakenAsGiven) {
  const std::string urdf = with_hand(
      "<inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>");
  const std::string fault = "link 'hand': it has inertia but no mass, which is taken as given";
  const Model model = expect_warning(urdf, ":4:1: " + fault, ":4:19: " + fault);
  EXPECT_EQ(model.mechanism.bodies[2].mass, 0);
}

TEST_F(RealRobots, MasslessEndsAreHeldUnlessTheModelMovesThem) {
  const std::string urdf = with_hand("");
  const std::string warning =
      ": nothing that these joints carry has a mass, so they are held where they are: wrist; drive them, or "
      "give "
      "the entry of 'urdf' a 'missing_inertia'";
  const Model held =
      expect_warning(urdf, warning,
                     ":4:1: link 'hand' has no mass and is not joined by a fixed joint to one that "
                     "has; give it an <inertial>, or the entry of 'urdf' a 'missing_inertia'");
  ASSERT_EQ(held.mechanism.drivers.size(), 1U);
  EXPECT_EQ(held.mechanism.drivers[0].coordinate, "wrist.angle");
  const auto drivers = [&](const std::string& more) { return read(urdf, "", more).mechanism.drivers.size(); };
  EXPECT_EQ(drivers("drivers: {m: {coordinate: wrist.angle, position: t}}\n"), 1U);
  EXPECT_EQ(drivers("joints: {loop: {type: spherical, between: [ground, hand], at: [0, 0, 0]}}\n"), 0U);
  EXPECT_EQ(drivers("forces: {f: {type: force, on: hand, at: [0, 0, 0], components: [1, 0, 0]}}\n"), 0U);
  EXPECT_EQ(drivers("couplers: {c: {type: coupler, terms: {wrist.angle: 1, shoulder.angle: 1}}}\n"), 0U);
  const Model placed = read(urdf, "", "initial: {wrist.angle: 0.5}\n");
  EXPECT_EQ(placed.mechanism.drivers[0].motion.value, 0.5);
  // what a massive link hangs on is no end
  const Model between = read(robot_of(link("base", "") + link("cross", "") + link("arm") +
                                      joint("a", "continuous", "base", "cross") +
                                      joint("b", "continuous", "cross", "arm", "<axis xyz='0 1 0'/>")));
  EXPECT_TRUE(between.mechanism.drivers.empty());
  EXPECT_TRUE(between.warnings.empty());
}

TEST_F(RealRobots, DrawingModelsStandStillOrGetAMass) {
  const std::string urdf =
      robot_of(link("base", "") + link("arm", "<visual><geometry><box size='1 1 1'/></geometry></visual>") +
               link("hand", "<visual><geometry><mesh filename='h.stl'/></geometry></visual>") +
               joint("a", "continuous", "base", "arm") + joint("b", "planar", "arm", "hand"));
  const Model still = read(urdf);
  EXPECT_EQ(still.mechanism.drivers.size(), 4U) << "one of the hinge, three in the plane";
  EXPECT_EQ(still.warnings.size(), 1U);
  EXPECT_NO_THROW(make_elements(still.mechanism));

  const Mechanism heavy = read(urdf, ", missing_inertia: {density: 1000, mass: 2, radius: 10 cm}").mechanism;
  EXPECT_TRUE(heavy.drivers.empty());
  EXPECT_NEAR(heavy.bodies[1].mass, 1000, 1e-9);
  EXPECT_NEAR(heavy.bodies[1].inertia(0, 0), 1000.0 / 6, 1e-9);
  EXPECT_EQ(heavy.bodies[2].mass, 2);
  EXPECT_NEAR(heavy.bodies[2].inertia(1, 1), 0.4 * 2 * 0.01, 1e-15);
  EXPECT_EQ(fault_of(urdf, ", missing_inertia: {mass: 2}"),
            (folder / "m.yaml").string() +
                ":2:43: 'missing_inertia' is a 'density' for the shapes, or 'mass' and 'radius' of a ball, "
                "or both");
}

TEST_F(RealRobots, LooksNeverBlockARun) {
  const auto expect = [&](const std::string& visual, const std::string& fault) {
    const std::string urdf = with_hand(visual + some_inertial);
    for (const std::string keys : {"", ", strict: true"}) {
      const Model model = read(urdf, keys);
      ASSERT_EQ(model.warnings.size(), 1U) << visual;
      EXPECT_EQ(model.warnings[0], robot + ":4:1: link 'hand': the visual of line 4 is left out: " + fault);
      EXPECT_TRUE(model.mechanism.bodies[2].shapes.empty());
    }
  };
  expect("<visual><geometry><box size='0 0 0'/></geometry></visual>", "it has no size");
  expect("<visual><geometry><sphere radius='-1'/></geometry></visual>", "it has no size");
  expect("<visual><geometry><sphere/></geometry></visual>", "<sphere> has no 'radius'");
  expect("<visual><geometry><box size='1 x 1'/></geometry></visual>",
         "'size' of <box> is 'x', which is not a number");
  expect("<visual><geometry/></visual>", "it is no box, cylinder, sphere, capsule or mesh");
  expect("<visual/>", "there is no <geometry>");
  // nothing collides
  EXPECT_TRUE(read(with_hand("<collision/>" + some_inertial)).warnings.empty());
}

TEST_F(RealRobots, MimicOfAJointThatDoesNotMove) {
  const std::string ignored =
      "joint 'wrist': its <mimic> is ignored: a joint of this type has no coordinate to mimic with";
  const Model fixed = expect_warning(with_hand(some_inertial, "<mimic joint='shoulder'/>", "fixed"),
                                     ":6:1: " + ignored, ":6:93: " + ignored);
  EXPECT_TRUE(fixed.mechanism.couplers.empty());
  // a leader that does not move stands at zero
  const Mechanism mechanism =
      read(robot_of(link("a", "") + link("b") + link("c") + joint("j", "fixed", "a", "b") +
                    joint("k", "continuous", "b", "c", "<mimic joint='j' offset='0.5'/>")))
          .mechanism;
  ASSERT_EQ(mechanism.couplers.size(), 1U);
  EXPECT_EQ(mechanism.couplers[0].terms.size(), 1U);
  EXPECT_EQ(mechanism.couplers[0].offset, 0.5);
}

TEST_F(RealRobots, LinksNamedGround) {
  // the root that stands where the world does is the ground
  const std::string as_root =
      robot_of(link("ground", "") + link("arm") + joint("j", "continuous", "ground", "arm"));
  EXPECT_TRUE(read(as_root).warnings.empty());
  EXPECT_TRUE(read(as_root, ", strict: true").warnings.empty());
  EXPECT_EQ(read(as_root).mechanism.joints[0].body_a, 0);
  const Model moved = read(as_root, ", at: [0, 0, 1]");
  ASSERT_EQ(moved.warnings.size(), 1U);
  EXPECT_EQ(moved.mechanism.markers[0].name, "ground_link");

  const std::string as_arm =
      robot_of(link("base", "") + link("ground") + joint("j", "continuous", "base", "ground"));
  expect_warning(
      as_arm, ":3:1: 'ground' is called 'ground_link' here; 'prefix' gives it another name",
      ":3:1: link 'ground': the model has a body of this name already, the world; give the entry of "
      "'urdf' a 'prefix'");
  EXPECT_EQ(read(as_arm, ", prefix: r_").mechanism.bodies[1].name, "r_ground");
}

TEST_F(RealRobots, LimitsAreToldOnce) {
  const Model model = read(with_hand(some_inertial,
                                     "<limit lower='-inf' upper='1' effort='1' velocity='1'/>"
                                     "<safety_controller k_velocity='1'/>",
                                     "revolute"));
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_EQ(model.warnings[0], robot + ": limits of joints are not simulated (wrist)");
  const std::string without = with_hand(some_inertial, "", "revolute");
  EXPECT_TRUE(read(without).warnings.empty());
  EXPECT_EQ(fault_of(without, ", strict: true"), robot + ":6:1: joint 'wrist': it has no <limit>");
}

TEST_F(RealRobots, MisspeltElementsAreTold) {
  const Model model = read(with_hand("<inertail/>" + some_inertial, "<orgin xyz='1 0 0'/>"));
  ASSERT_EQ(model.warnings.size(), 2U);
  EXPECT_EQ(model.warnings[0], robot + ":4:1: link 'hand': <inertail> is not read; did you mean 'inertial'?");
  EXPECT_EQ(model.warnings[1], robot + ":6:1: joint 'wrist': <orgin> is not read; did you mean 'origin'?");
  EXPECT_TRUE(read(robot_of(link("a", "") + "<link name='b' concave='yes'><contact/>" + some_inertial +
                            "</link>" + joint("j", "continuous", "a", "b")))
                  .warnings.empty())
      << "extensions";
  const Model attribute = read(with_hand(some_inertial, "<origin xzy='1 0 0'/>"));
  ASSERT_EQ(attribute.warnings.size(), 1U);
  EXPECT_EQ(attribute.warnings[0],
            robot + ":6:1: joint 'wrist': 'xzy' of <origin> is not read; did you mean 'xyz'?");
}

TEST_F(RealRobots, ARobotAloneIsAModel) {
  std::ofstream(robot) << with_hand(some_inertial);
  const Model model = read_model(robot);
  EXPECT_EQ(model.mechanism.bodies.size(), 3U);
  EXPECT_EQ(model.file, robot);
  std::ofstream(robot) << "<html></html>";
  try {
    read_model(robot);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.what(), robot + ":1:1: this is not a URDF file: it begins with <html>, not with <robot>");
  }
}

}  // namespace
}  // namespace trammel
