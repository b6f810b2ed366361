// Robots from URDF files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "trammel/mechanism/elements.h"
#include "trammel/model/model.h"

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

class Urdf : public testing::Test {
 protected:
  Urdf() : folder(std::filesystem::path(testing::TempDir()) / ("trammel-urdf-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
    robot = (folder / "robot.urdf").string();
  }
  ~Urdf() override { std::filesystem::remove_all(folder); }

  Model read(const std::string& urdf, const std::string& keys = "", const std::string& more = "") {
    std::ofstream(robot) << urdf;
    const std::string text = "trammel: 1\nurdf: {file: robot.urdf" + keys + "}\n" + more;
    return read_model_text(text, (folder / "m.yaml").string());
  }
  std::string fault_of(const std::string& urdf, const std::string& keys = "", const std::string& more = "") {
    try {
      read(urdf, keys, more);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder;
  std::string robot;
};

void expect_near(const Vec3<double>& actual, const Vec3<double>& expected) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

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
  EXPECT_EQ(mechanism.forces[0].damping, 0.3);
  EXPECT_EQ(mechanism.forces[0].dry, 0.1);
  ASSERT_EQ(mechanism.couplers.size(), 1U);
  EXPECT_EQ(mechanism.couplers[0].terms[0].coordinate, "elbow.angle");
  EXPECT_EQ(mechanism.couplers[0].terms[1].factor, 2);
  EXPECT_EQ(mechanism.couplers[0].offset, 0.1);
  ASSERT_EQ(model.warnings.size(), 2U);
  EXPECT_EQ(model.warnings[0], robot + ": 'upper.arm' is called 'upper_arm' here");
  EXPECT_EQ(model.warnings[1], robot + ": limits of joints are not simulated (shoulder, slide)");
  EXPECT_NO_THROW(make_elements(mechanism));
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
                                               "joint to one that has; give it an <inertial>");
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

TEST_F(Urdf, NamesWhatIsWrong) {
  const auto starts = [&](const std::string& urdf, const std::string& start) {
    const std::string fault = fault_of(urdf);
    EXPECT_TRUE(fault.starts_with(robot + start)) << fault;
  };
  starts("", ": the file is empty");
  starts("hello", ": this is not a URDF file");
  starts("<robot", ": this is not a URDF file");
  starts("<robot name='r'>", ": this is not a URDF file");
  starts("<robot name='r'></robot>", ": this is not a URDF file");
  starts("<robot name='r'><link name='a'/><link name='b'/></robot>", ": this is not a URDF file");
  starts("<robot name='r'><link name='a'/><link name='a'/></robot>", ": this is not a URDF file");
  starts("<robot name='r'><!-- ", ": a comment is not closed");
  starts("<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='r'/>", ":1:14: a URDF file must not define entities");
  std::string deep = "<robot name='r'>";
  for (int i = 0; i < 50000; ++i) deep += "<a>";
  starts(deep, ":1:314: elements are nested more than 100 deep here");
  const std::string two =
      "<robot name='r'><link name='a'/><link name='b'>%</link><joint name='j' type='revolute'>"
      "<parent link='a'/><child link='b'/>#<limit effort='1' velocity='1'/></joint></robot>";
  const auto with = [&](std::string inside, std::string joint) {
    std::string text = two;
    text.replace(text.find('%'), 1, inside);
    return text.replace(text.find('#'), 1, joint);
  };
  starts(with("", ""), ":1:33: link 'b' has no mass");
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  EXPECT_EQ(fault_of(with(inertial, "")), "no error");
  EXPECT_NE(fault_of(with("<inertial><mass value='x'/></inertial>", ""))
                .find("give it an <inertial> (Inertial: mass"),
            std::string::npos);
  starts(with(inertial, "<mimic joint='nowhere'/>"), ":1:");
  starts(with(inertial, "<axis xyz='0 0 0'/>"), ":1:");
  // the parser gives this to printf as a format
  starts(with("<inertial><mass value='%s%s%n%n%s%s'/></inertial>", ""), ":1:33: link 'b' has no mass");
  starts(with("<inertial><mass value='&#37;s&#37;n&#x25;n&#37;s'/></inertial>", ""),
         ":1:33: link 'b' has no mass");
  std::filesystem::remove(robot);
  try {
    read_model_text("trammel: 1\nurdf: {file: gone.urdf}\n", "m.yaml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "m.yaml:2:14: 'gone.urdf' does not exist");
  }
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
  for (int i = 0; i < 100; ++i) {
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
      EXPECT_FALSE(error.place().file.empty()) << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace trammel
