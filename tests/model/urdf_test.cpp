// Robots from URDF files.
#include <random>

#include "tests/model/urdf_rig.h"
#include "trammel/mechanism/elements.h"

namespace trammel {
namespace {

const std::string arm = R"(<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><visual><geometry><box size="0.2 0.2 0.1"/></geometry><material name="grey"/></visual></link>
  <link name="upper.arm">
    <inertial><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
    <visual><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></visual>
  </link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="tool"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="finger"><inertial><mass value="0.1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper.arm"/><origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><dynamics damping="0.3" friction="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper.arm"/><child link="lower"/><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 1 0"/><mimic joint="shoulder" multiplier="-2" offset="0.1"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.8"/></joint>
  <joint name="slide" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="1 0 0"/><limit effort="1" velocity="1"/></joint>
</robot>
)";

TEST_F(Urdf, LinksBecomeBodies) {
  const Model model = read(arm, ", at: [1, 0, 0], prefix: r_");
  const Mechanism& mechanism = model.mechanism;
  ASSERT_EQ(mechanism.bodies.size(), 4U) << "the base is the ground, the tool part of the lower arm";
  const Body& upper = mechanism.bodies[1];
  EXPECT_EQ(upper.name, "r_upper_arm");
  EXPECT_EQ(upper.place.text(), robot + ":5:3");
  EXPECT_EQ(upper.mass, 2);
  expect_near(upper.reference.origin, {1, 0, 0.1});
  expect_near(upper.com, {0, 0, 0.5});
  // the axes of the inertia are turned by a quarter
  EXPECT_NEAR(upper.inertia(0, 0), 0.2, 1e-12);
  EXPECT_NEAR(upper.inertia(1, 1), 0.1, 1e-12);
  EXPECT_EQ(upper.shapes[0].kind, Shape::Kind::cylinder);
  const Body& lower = mechanism.bodies[2];
  expect_near(lower.reference.origin, {1, 0, 1.1});
  expect_near(lower.reference.axes.column[2], {1, 0, 0});
  ASSERT_EQ(lower.shapes.size(), 1U);
  expect_near(lower.shapes[0].frame.origin, {0, 0, 0.8});
  EXPECT_EQ(mechanism.bodies[0].shapes[0].color, "#808080");
  ASSERT_EQ(mechanism.markers.size(), 2U);
  EXPECT_EQ(mechanism.markers[1].name, "r_tool");
  expect_near(mechanism.markers[1].frame.origin, {0, 0, 0.8});
}

TEST_F(Urdf, JointsBecomeJoints) {
  const Model model = read(arm);
  const Mechanism& mechanism = model.mechanism;
  ASSERT_EQ(mechanism.joints.size(), 3U);
  const Joint& shoulder = mechanism.joints[0];
  EXPECT_EQ(shoulder.type, JointType::revolute);
  EXPECT_EQ(shoulder.body_a, 0);
  expect_near(shoulder.frame_a.origin, {0, 0, 0.1});
  expect_near(shoulder.frame_a.axes.column[2], {0, 1, 0});
  for (const Joint& joint : mechanism.joints) {
    const Frame a =
        compose(mechanism.bodies[static_cast<std::size_t>(joint.body_a)].reference, joint.frame_a);
    const Frame b =
        compose(mechanism.bodies[static_cast<std::size_t>(joint.body_b)].reference, joint.frame_b);
    expect_near(a.origin, b.origin);
    for (std::size_t i = 0; i < 3; ++i) expect_near(a.axes.column[i], b.axes.column[i]);
  }
  ASSERT_EQ(mechanism.forces.size(), 1U);
  EXPECT_EQ(mechanism.forces[0].as<Force::JointFriction>()->viscous, 0.3);
  EXPECT_EQ(mechanism.forces[0].as<Force::JointFriction>()->dry, 0.1);
  ASSERT_EQ(mechanism.couplers.size(), 1U);
  EXPECT_EQ(mechanism.couplers[0].terms[0].coordinate, "elbow.angle");
  EXPECT_EQ(mechanism.couplers[0].terms[1].factor, 2);
  EXPECT_EQ(mechanism.couplers[0].offset, 0.1);
  ASSERT_EQ(model.warnings.size(), 2U);
  EXPECT_EQ(model.warnings[0], robot + ":5:3: 'upper.arm' is called 'upper_arm' here");
  EXPECT_EQ(model.warnings[1], robot + ": limits of joints are not simulated (shoulder, slide)");
  EXPECT_NO_THROW(make_elements(mechanism));
}

TEST_F(Urdf, RotorsOfTransmissionsAreThoseOfJoints) {
  std::string text = arm;
  text.insert(text.find("</robot>"), R"(<transmission name="t"><joint name="shoulder"/><actuator name="motor">
    <drake:rotor_inertia value="2e-5"/><drake:gear_ratio value="100"/></actuator></transmission>
    <transmission name="plain"><joint name="slide"/><actuator name="other"/></transmission>)");
  const Mechanism mechanism = read(text).mechanism;
  ASSERT_EQ(mechanism.joints[0].rotors.size(), 1U);
  EXPECT_EQ(mechanism.joints[0].rotors[0].coordinate, "angle");
  EXPECT_EQ(mechanism.joints[0].rotors[0].inertia, 2e-5);
  EXPECT_EQ(mechanism.joints[0].rotors[0].gear_ratio, 100);
  EXPECT_TRUE(mechanism.joints[2].rotors.empty());
}

TEST_F(Urdf, LoopsAreClosedByJointsOfTheModel) {
  const Model model = read(arm, "",
                           "joints: {loop: {type: spherical, between: [ground, tool], on_first: {}, "
                           "on_second: {at: [0, 0, 0.1]}}}\n");
  const Joint& loop = model.mechanism.joints[3];
  EXPECT_EQ(loop.body_b, 2) << "the tool is part of the lower arm";
  expect_near(loop.frame_b.origin, {0, 0, 0.9});
}

TEST_F(Urdf, FreeBaseNeedsMass) {
  EXPECT_EQ(fault_of(arm, ", base: free"), robot +
                                               ":4:3: link 'base' has no mass and is not joined by a fixed "
                                               "joint to one that has; give it an <inertial>, or the entry "
                                               "of 'urdf' a 'missing_inertia'");
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  const std::string footprint =
      "<robot name='r'><link name='footprint'/><link name='base'>" + inertial + "</link><link name='box'>" +
      inertial +
      "</link><joint name='a' type='fixed'><parent link='footprint'/><child link='base'/><origin xyz='0 0 "
      "1'/></joint>"
      "<joint name='b' type='fixed'><parent link='base'/><child link='box'/></joint></robot>";
  const Mechanism mechanism = read(footprint, ", base: free").mechanism;
  ASSERT_EQ(mechanism.bodies.size(), 3U);
  EXPECT_EQ(mechanism.bodies[1].name, "base");
  expect_near(mechanism.bodies[1].reference.origin, {0, 0, 1});
  expect_near(mechanism.markers[0].frame.origin, {0, 0, -1});
  ASSERT_EQ(mechanism.joints.size(), 1U) << "two links with mass stay two bodies";
  EXPECT_EQ(mechanism.joints[0].type, JointType::fixed);
}

TEST_F(Urdf, NamesMustNotCollide) {
  EXPECT_EQ(
      fault_of(arm, "", "bodies: {lower: {mass: 1}}\n"),
      (folder / "m.yaml").string() + ":3:10: there is a 'lower' in 'bodies' already, at " + robot + ":10:3");
}

TEST_F(Urdf, TwoRobotsNeedAPrefix) {
  std::ofstream(robot) << robot_of(link("a", "") + link("b") + joint("j", "continuous", "a", "b"));
  const auto fault = [&](const std::string& second) {
    try {
      read_model_text("trammel: 1\nurdf: [{file: robot.urdf}, {file: robot.urdf" + second + "}]\n",
                      (folder / "m.yaml").string());
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(fault(", prefix: second_"), "no error");
  EXPECT_EQ(fault(""), robot + ":2:1: there is a 'a' in 'bodies' already, at " + robot +
                           ":2:1; the key 'prefix' of 'urdf' tells two robots apart");
}

TEST_F(Urdf, NamesWhatIsWrongWithTheText) {
  const auto starts = [&](const std::string& urdf, const std::string& start) {
    const std::string fault = fault_of(urdf);
    EXPECT_TRUE(fault.starts_with(robot + start)) << fault;
  };
  starts("", ": the file is empty");
  starts("hello", ":1:1: this is not XML");
  starts("<robot", ":1:1: this is not XML");
  starts("<robot name='r'>\n", ":2:1: this is not XML: no element found; <robot> of line 1 is open here");
  starts("<robot name='r'>\n<link name='a'>\n</robot>",
         ":3:3: this is not XML: mismatched tag; <link> of line 2 is open here");
  starts("<robot name='r'>\n<link name='a' name='b'/></robot>",
         ":2:16: this is not XML: duplicate attribute");
  starts("<robot name='r'></robot>", ":1:1: the robot has no <link>");
  starts("<sdf version='1.6'/>", ":1:1: this is not a URDF file: it begins with <sdf>, not with <robot>");
  starts("<robot name='r'>\n<!-- ", ":2:1: this comment is not closed");
  starts("<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='r'/>", ":1:14: the file must not define entities");
  std::string deep = "<robot name='r'>";
  for (int i = 0; i < 50000; ++i) deep += "<a>";
  starts(deep, ":1:314: elements are nested more than 100 deep here");
  starts(robot_of("<xacro:include filename='a'/>"), ":2:1: <xacro:include> is for xacro");
  // real files have '--' in comments, and comments before the first line
  EXPECT_EQ(fault_of("<!-- 100% -- really, 30\xB0 in Latin-1 -->\n<?xml version='1.0'?>" +
                     robot_of(link("a") + link("b") + joint("j", "continuous", "a", "b"))),
            "no error");
  std::filesystem::remove(robot);
  try {
    read_model_text("trammel: 1\nurdf: {file: gone.urdf}\n", "m.yaml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "m.yaml:2:14: 'gone.urdf' does not exist");
  }
}

TEST_F(Urdf, NamesTheLineAndTheLinkOrJoint) {
  const auto expect = [&](const std::string& parts, const std::string& fault) {
    EXPECT_EQ(fault_of(robot_of(parts)), robot + fault) << parts;
  };
  const std::string links = link("a") + link("b"), three = links + link("c");
  expect(link("a") + "<link/>", ":3:1: this <link> has no 'name'");
  expect(link("a") + link("a"), ":3:7: there is a link 'a' already, in line 2");
  expect(links + joint("j", "fixed", "a", "b") + joint("j", "fixed", "a", "b"),
         ":5:8: there is a joint 'j' already, in line 4");
  expect(links, ":3:1: link 'b' is the child of no joint, and neither is 'a' (line 2); a robot has one root");
  expect(links + joint("j", "continuous", "a", "b") + joint("k", "continuous", "b", "a"),
         ":1:1: the joints go in a circle: no link is the root");
  expect(three + joint("j", "continuous", "b", "c") + joint("k", "continuous", "c", "b"),
         ":3:1: link 'b' is not connected to the root: its joints go in a circle");
  expect(three + joint("j", "continuous", "a", "b") + joint("k", "continuous", "c", "b") +
             joint("l", "continuous", "a", "c"),
         ":6:1: joint 'k': link 'b' is the child of joint 'j' (line 5) already; in a URDF file links are a "
         "tree. "
         "Loops are closed by joints of the model file");
  expect(links + joint("j", "fixed", "a", "a"), ":4:1: joint 'j': link 'a' is its parent and its child");
  const auto with = [&](const std::string& fault, const std::string& type, const std::string& inside) {
    expect(links + joint("j", type, "a", "b", inside), fault);
  };
  with(":4:17: joint 'j': there is no type 'revolut'; did you mean 'revolute'?", "revolut", "");
  with(":4:68: joint 'j': its axis gives no direction", "revolute", "<axis xyz='0 0 0'/>");
  with(":4:75: joint 'j': 'lower' of <limit> is 'abc', which is not a number", "revolute",
       "<limit lower='abc' upper='1' effort='1' velocity='1'/>");
  with(":4:76: joint 'j': 'xyz' of <origin> is 3 numbers, not '1 2'", "revolute", "<origin xyz='1 2'/>");
  with(":4:68: joint 'j': its damping or friction is negative", "revolute", "<dynamics damping='-1'/>");
  with(":4:68: joint 'j': it mimics 'nowhere', and there is no such joint", "revolute",
       "<mimic joint='nowhere'/>");
  with(":4:68: joint 'j': it mimics itself", "revolute", "<mimic joint='j'/>");
  expect(links + joint("j", "fixed", "a", "c"),
         ":4:48: joint 'j': its child is 'c', and there is no such link");
  expect(links + "<joint name='j' type='fixed'><child link='b'/></joint>",
         ":4:1: joint 'j': it has no <parent>");
}

// A damaged number is never taken for another one, whatever else is in the file.
TEST_F(Urdf, DamagedNumbersAreRefused) {
  const auto expect = [&](const std::string& inside, const std::string& fault) {
    for (const std::string more : {"", "<!-- 100% -->", "<!-- %s%n -->"})
      EXPECT_EQ(fault_of(robot_of(link("a") + link("b", inside) + joint("j", "continuous", "a", "b") + more)),
                robot + ":3:" + fault);
  };
  expect(inertial("ixx='0.1' iyy='O.1' izz='0.1' ixy='0' ixz='0' iyz='0'"),
         "62: link 'b': 'iyy' of <inertia> is 'O.1', which is not a number");
  expect(inertial("ixx='0.1' iyy='0,1' izz='0.1' ixy='0' ixz='0' iyz='0'"),
         "62: link 'b': 'iyy' of <inertia> is '0,1', which is not a number");
  expect(inertial("ixx='0.1' iyy='' izz='0.1' ixy='0' ixz='0' iyz='0'"),
         "62: link 'b': 'iyy' of <inertia> is a number, not ''");
  expect(inertial("ixx='0.1' iyy='nan' izz='0.1' ixy='0' ixz='0' iyz='0'"),
         "62: link 'b': 'iyy' of <inertia> is 'nan', which is not a number");
  expect(inertial("ixx='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'"), "43: link 'b': <inertia> has no 'iyy'");
  expect("<inertial><mass value='%s%n'/></inertial>",
         "32: link 'b': 'value' of <mass> is '%s%n', which is not a number");
  expect("<inertial><mass value='&#37;s'/></inertial>",
         "32: link 'b': 'value' of <mass> is '%s', which is not a number");
  expect("<inertial><mass value='1.0.0'/></inertial>",
         "32: link 'b': 'value' of <mass> is '1.0.0', which is not a number");
  expect("<inertial><mass value='1 2'/></inertial>",
         "32: link 'b': 'value' of <mass> is a number, not '1 2'");
  expect("<inertial><mass value='-1'/></inertial>", "26: link 'b': its mass -1 is negative");
  expect("<inertial><mass value='1e999'/></inertial>",
         "32: link 'b': 'value' of <mass> is '1e999', which is not a number");
  expect("<inertial><origin xyz='0 0 l'/><mass value='1'/></inertial>",
         "34: link 'b': 'xyz' of <origin> is 'l', which is not a number");
  EXPECT_NE(
      fault_of(robot_of(link("a", "<inertial><mass value='${m}'/></inertial>"))).find("which xacro replaces"),
      std::string::npos);
}

TEST_F(Urdf, WrittenModelReadsBackWithoutIt) {
  const Model model = read(arm, ", at: [1, 0, 0]");
  const Model again = read_model_text(write_model(model), (folder / "n.yaml").string());
  ASSERT_EQ(again.mechanism.bodies.size(), model.mechanism.bodies.size());
  EXPECT_EQ(again.mechanism.joints.size(), model.mechanism.joints.size());
  expect_near(again.mechanism.joints[2].frame_a.origin, model.mechanism.joints[2].frame_a.origin);
  EXPECT_EQ(again.mechanism.couplers.size(), 1U);
  EXPECT_TRUE(again.warnings.empty());
}

TEST_F(Urdf, DamagedFilesReadOrAreRefused) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = arm;
    const std::size_t at = below(text.size());
    if (i % 4 == 0) text = text.substr(0, at);
    if (i % 4 == 1) text.erase(at, 1 + below(40));
    if (i % 4 == 2) text[at] = static_cast<char>(below(256));
    if (i % 4 == 3) {
      // another number, or none
      const std::size_t digit = std::min(text.find_first_of("0123456789", at), text.size() - 1);
      text.replace(digit, 1, std::vector<std::string>{"nan", "-1", "1e999", "x", "inf", ""}[below(6)]);
    }
    try {
      read(text);
    } catch (const ModelError& error) {
      // only an empty file has no line
      EXPECT_TRUE(error.place().line > 0 || error.message() == "the file is empty") << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, 120);
}

}  // namespace
}  // namespace trammel
