// trammel check: degrees of freedom, redundancy by name, assembly, a method; and mistakes in models.
#include "tests/cli/called_program.h"

namespace trammel {
namespace {

TEST(CheckCommand, APlanarLoopInSpaceIsRedundant) {
  write_file("four-bar.yaml", four_bar_model);
  const nlohmann::json json = call_json("check four-bar.yaml");
  EXPECT_EQ(json["assembled"], true);
  EXPECT_EQ(json["grubler"], -2);
  EXPECT_EQ(json["degrees_of_freedom"], 1);
  ASSERT_EQ(json["redundant"].size(), 3u);
  for (const auto& name : json["redundant"]) {
    const std::string joint = name.get<std::string>().substr(0, 2);
    EXPECT_TRUE(joint == "A." || joint == "B." || joint == "C." || joint == "D.") << name;
  }
  EXPECT_FALSE(json["redundant_joints"].empty());
  EXPECT_TRUE(json["recommended_method"].get<std::string>().find('/') != std::string::npos);
  EXPECT_FALSE(json["why_method"].get<std::string>().empty());
  EXPECT_EQ(json["recommended_options"], (nlohmann::json{{"newton_matrix_at", "2"}}));
  EXPECT_NE(call("check four-bar.yaml").out.find("with the option newton_matrix_at=2"), std::string::npos);
  EXPECT_GT(json["eigenvalues"]["fastest"], 0.0);
  const Called called = call("check four-bar.yaml");
  EXPECT_EQ(called.exit_code, 0);
  EXPECT_NE(called.out.find("degrees of freedom: 1"), std::string::npos);
  EXPECT_NE(called.out.find("recommended method: "), std::string::npos);
}

TEST(CheckCommand, WhatCannotBeAssembledIsSaid) {
  write_file(
      "apart.yaml",
      "trammel: 1\nbodies:\n  rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}\njoints:\n"
      "  A: {type: spherical, between: [ground, rod], on_first: {at: [0, 0, 0]}, on_second: {at: [-.5, 0, "
      "0]}}\n"
      "  B: {type: spherical, between: [ground, rod], on_first: {at: [3, 0.5, 0.2]}, on_second: {at: [.5, 0, "
      "0]}}\n");
  const nlohmann::json json = call_json("check apart.yaml", 1);
  EXPECT_EQ(json["assembled"], false);
  EXPECT_EQ(json["grubler"], 0);
  EXPECT_TRUE(json["redundant"].empty());
  EXPECT_TRUE(json["recommended_method"].is_null());
  EXPECT_FALSE(json["message"].get<std::string>().empty());
  const Called called = call("check apart.yaml");
  EXPECT_EQ(called.exit_code, 1);
  EXPECT_TRUE(called.err.starts_with("error: "));
}

TEST(CheckCommand, MassesThatCannotBe) {
  const auto body = [](const std::string& rest) { return "trammel: 1\nbodies:\n  stone: {" + rest + "}\n"; };
  write_file("heavy.yaml", body("mass: -1, inertia: [1, 1, 1]"));
  EXPECT_EQ(call("check heavy.yaml").exit_code, 2);
  write_file("flat.yaml", body("mass: 1, inertia: [1, 1, 3]"));
  const Called flat = call("check flat.yaml");
  EXPECT_EQ(flat.exit_code, 2);
  EXPECT_NE(flat.err.find("flat.yaml:3:"), std::string::npos) << flat.err;
  EXPECT_NE(flat.err.find("inertia"), std::string::npos) << flat.err;
}

TEST(CheckCommand, UnitsThatLookWrong) {
  // grams and millimetres: 1 kg with 1000 kg m² between joints a metre apart
  write_file("units.yaml",
             "trammel: 1\nbodies:\n  rod: {mass: 1, inertia: [1000, 1000, 1000]}\n"
             "joints:\n  A: {type: revolute, between: [ground, rod], at: [1, 0, 0], axis: [0, 0, 1]}\n");
  const nlohmann::json json = call_json("check units.yaml");
  ASSERT_EQ(json["warnings"].size(), 1u) << json["warnings"];
  EXPECT_NE(json["warnings"][0].get<std::string>().find("radius of gyration"), std::string::npos);
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_TRUE(call_json("check pendulum.yaml")["warnings"].empty());
}

}  // namespace
}  // namespace trammel
