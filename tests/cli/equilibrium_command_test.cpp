// trammel equilibrium and trammel modes against what is known of a pendulum and a mass on a spring.
#include <cmath>
#include <numbers>

#include "tests/cli/called_program.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

const std::string mass_on_spring = R"(trammel: 1
parameters: {stiffness: 100, damping: 2}
bodies:
  mass: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  guide: {type: prismatic, between: [ground, mass], at: [0, 0, 0], axis: [0, 0, 1]}
forces:
  spring: {type: spring_damper, between: [ground, mass], from: [0, 0, 1], to: [0, 0, 0],
           stiffness: stiffness, damping: damping, free_length: 1}
  push: {type: actuator, joint: guide, force: 0}
)";

TEST(EquilibriumCommand, AMassHangsOnItsSpring) {
  write_file("mass.yaml", mass_on_spring);
  const nlohmann::json json = call_json("equilibrium mass.yaml --out rest.yaml");
  EXPECT_EQ(json["status"], "found");
  EXPECT_EQ(json["stability"], "stable");
  EXPECT_NEAR(json["joints"]["guide.displacement"].get<double>(), -0.0981, 1e-8);
  EXPECT_NEAR(json["bodies"]["mass"]["position"][2].get<double>(), -0.0981, 1e-8);
  EXPECT_NEAR(std::abs(json["forces"]["spring.force"].get<double>()), 9.81, 1e-6);
  EXPECT_NEAR(json["reactions"]["guide"]["force"][0].get<double>(), 0, 1e-8);
  // the model it writes rests where it is
  const nlohmann::json rest = call_json("run rest.yaml --end 1");
  EXPECT_NEAR(rest["final"]["mass.position.z"].get<double>(), -0.0981, 1e-7);
  const Called called = call("equilibrium mass.yaml --set stiffness=200");
  EXPECT_EQ(called.exit_code, 0);
  EXPECT_NE(called.out.find("-0.04905"), std::string::npos) << called.out;
}

TEST(EquilibriumCommand, DownhillUnlessTold) {
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_NEAR(call_json("equilibrium pendulum.yaml")["joints"]["pivot.angle"].get<double>(), 0, 1e-8);
  const nlohmann::json up = call_json("equilibrium pendulum.yaml --set start='180 deg' --allow-unstable");
  EXPECT_NEAR(std::abs(up["joints"]["pivot.angle"].get<double>()), pi, 1e-8);
  EXPECT_EQ(up["stability"], "unstable");
}

TEST(EquilibriumCommand, WhatFallsHasNone) {
  write_file("free.yaml", "trammel: 1\nbodies:\n  stone: {mass: 1, inertia: [1, 1, 1]}\n");
  const Called called = call("equilibrium free.yaml");
  EXPECT_EQ(called.exit_code, 1);
  EXPECT_TRUE(called.err.starts_with("error: "));
  EXPECT_EQ(call_json("equilibrium free.yaml", 1)["status"], "failed");
  EXPECT_EQ(call("equilibrium free.yaml --time nan").exit_code, 2);
  EXPECT_EQ(call("equilibrium nowhere.yaml").exit_code, 2);
}

TEST(ModesCommand, AMassOnItsSpring) {
  write_file("mass.yaml", mass_on_spring);
  const nlohmann::json json = call_json("modes mass.yaml --out matrices");
  ASSERT_EQ(json["modes"].size(), 1u);
  // ω² = 100, ζ = 2/(2·10)
  EXPECT_NEAR(json["modes"][0]["natural_frequency_hz"].get<double>(), 10 / (2 * pi), 1e-6);
  EXPECT_NEAR(json["modes"][0]["damping_ratio"].get<double>(), 0.1, 1e-6);
  EXPECT_EQ(json["at_rest"], true);
  EXPECT_EQ(json["inputs"], nlohmann::json{"push"});
  ASSERT_EQ(json["A"].size(), 2u);
  EXPECT_NEAR(json["A"][1][0].get<double>(), -100, 1e-6);
  EXPECT_NEAR(json["A"][1][1].get<double>(), -2, 1e-6);
  EXPECT_NEAR(json["B"][1][0].get<double>(), 1, 1e-9);
  for (const char* file : {"A.csv", "B.csv", "C.csv", "D.csv", "modes.json"})
    EXPECT_TRUE(std::filesystem::exists(scratch() / "matrices" / file)) << file;
  std::ifstream a(scratch() / "matrices" / "A.csv");
  std::string names, first;
  std::getline(a, names);
  std::getline(a, first);
  EXPECT_EQ(names.substr(0, names.find(',')), json["states"][0].get<std::string>());
  EXPECT_NEAR(std::stod(first.substr(first.find(',') + 1)), 1, 1e-12);
}

TEST(ModesCommand, AboutTheEquilibriumOrTheStart) {
  write_file("pendulum.yaml", pendulum_model);
  // a rod about its end: ω² = 3g/2l, and less at 30 degrees
  const double omega = std::sqrt(1.5 * 9.81);
  EXPECT_NEAR(call_json("modes pendulum.yaml")["modes"][0]["frequency_hz"].get<double>(), omega / (2 * pi),
              1e-4);
  const nlohmann::json start = call_json("modes pendulum.yaml --at start");
  EXPECT_NEAR(start["modes"][0]["frequency_hz"].get<double>(), omega * std::sqrt(std::cos(pi / 6)) / (2 * pi),
              1e-4);
  EXPECT_EQ(start["at_rest"], false);
  EXPECT_FALSE(start["notes"].empty());
  const Called called = call("modes pendulum.yaml");
  EXPECT_NE(called.out.find("0.61"), std::string::npos) << called.out;
  EXPECT_EQ(call("modes pendulum.yaml --at noon").exit_code, 2);
  EXPECT_EQ(call("modes pendulum.yaml --outputs nothing").exit_code, 2);
  EXPECT_EQ(call("modes pendulum.yaml --out /proc/nowhere").exit_code, 2);
}

}  // namespace
}  // namespace trammel
