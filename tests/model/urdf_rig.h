// A URDF file and a model that reads it, in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trammel/model/model.h"

namespace trammel {

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

inline void expect_near(const Vec3<double>& actual, const Vec3<double>& expected) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

// A link with a mass, or with something else inside; a joint.
inline const std::string some_inertial =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
inline std::string inertial(const std::string& moments) {
  return "<inertial><mass value='1'/><inertia " + moments + "/></inertial>";
}
inline std::string link(const std::string& name, const std::string& inside = some_inertial) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
inline std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                         const std::string& child, const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
         child + "'/>" + inside + "</joint>\n";
}
inline std::string robot_of(const std::string& parts) { return "<robot name='r'>\n" + parts + "</robot>\n"; }

}  // namespace trammel
