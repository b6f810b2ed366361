// trammel assemble: the model it writes is the same mechanism, and consistent.
#include <cmath>

#include "tests/cli/called_program.h"

namespace trammel {
namespace {

// A four-bar whose coupler is a little too short for the gap it is drawn into, and which has a gear without
// an offset, a spring without a length and a condition.
const std::string loose_model = R"(trammel: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0.5, 0]}
  coupler: {at: [0, 1, 0], mass: 1, inertia: [0.1, 0.1, 0.1], com: [1, 0, 0]}
  rocker: {at: [2.1, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0.5, 0]}
  wheel: {at: [0, 3, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], initial: {angle_rate: 1}}
  B: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}
  C:
    type: revolute
    between: [coupler, rocker]
    on_first: {at: [2, 0, 0], axis: [0, 0, 1]}
    on_second: {at: [0, 1, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [ground, rocker], at: [2.1, 0, 0], axis: [0, 0, 1]}
  W: {type: revolute, between: [ground, wheel], at: [0, 3, 0], axis: [0, 0, 1]}
couplers:
  gear: {type: gear, joints: [A.angle, W.angle], teeth: [20, 40]}
forces:
  spring: {type: spring_damper, between: [ground, rocker], from: [3, 0, 0], to: [2.1, 1, 0], stiffness: 100}
simulation: {end: 0.5}
)";

TEST(AssembleCommand, WritesAModelThatIsConsistent) {
  write_file("loose.yaml", loose_model);
  const nlohmann::json first = call_json("assemble loose.yaml --out closed.yaml");
  EXPECT_EQ(first["status"], "assembled");
  EXPECT_EQ(first["file"], "closed.yaml");
  EXPECT_EQ(first["degrees_of_freedom"], 1);
  EXPECT_FALSE(first["largest_change"].get<std::string>().empty());
  EXPECT_NEAR(first["joints"]["A.angle_rate"].get<double>(), 1, 1e-10);

  const nlohmann::json second = call_json("assemble closed.yaml");
  EXPECT_EQ(second["status"], "assembled");
  EXPECT_NEAR(second["joints"]["A.angle_rate"].get<double>(), 1, 1e-10);
  for (const auto& [name, body] : first["bodies"].items())
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(second["bodies"][name]["position"][i].get<double>(), body["position"][i].get<double>(),
                  1e-9)
          << name;
  // the spring has the length of the drawing still, the gear its offset
  EXPECT_NEAR(second["forces"]["spring.force"].get<double>(), first["forces"]["spring.force"].get<double>(),
              1e-6);
  EXPECT_NEAR(second["forces"]["gear.effort"].get<double>(), first["forces"]["gear.effort"].get<double>(),
              1e-6);
}

TEST(AssembleCommand, BothModelsMoveAlike) {
  write_file("loose.yaml", loose_model);
  ASSERT_EQ(call("assemble loose.yaml --out closed.yaml").exit_code, 0);
  const nlohmann::json loose = call_json("run loose.yaml --rtol 1e-9"),
                       closed = call_json("run closed.yaml --rtol 1e-9");
  for (const char* channel : {"rocker.position.x", "coupler.velocity.y", "W.angle_rate", "spring.force"})
    EXPECT_NEAR(closed["final"][channel].get<double>(), loose["final"][channel].get<double>(), 1e-5)
        << channel;
}

TEST(AssembleCommand, StandardOutputIsTheModel) {
  write_file("pendulum.yaml", pendulum_model);
  const Called called = call("assemble pendulum.yaml");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  write_file("again.yaml", called.out);
  EXPECT_EQ(call("assemble again.yaml").exit_code, 0);
  EXPECT_EQ(call_json("assemble pendulum.yaml")["text"].get<std::string>(), called.out);
}

TEST(AssembleCommand, WhatCannotBeClosedFails) {
  std::string apart = loose_model;
  apart.replace(apart.find("on_first: {at: [2, 0, 0]"), 24, "on_first: {at: [.01, 0, 0]");
  write_file("apart.yaml", apart);
  const Called called = call("assemble apart.yaml --out never.yaml");
  EXPECT_EQ(called.exit_code, 1);
  EXPECT_TRUE(called.err.starts_with("error: "));
  EXPECT_FALSE(std::filesystem::exists(scratch() / "never.yaml"));
  EXPECT_EQ(call_json("assemble apart.yaml", 1)["assembled"], false);
}

TEST(AssembleCommand, BadInputIsRefused) {
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_EQ(call("assemble").exit_code, 2);
  EXPECT_EQ(call("assemble nowhere.yaml").exit_code, 2);
  EXPECT_EQ(call("assemble pendulum.yaml --out /proc/nowhere/model.yaml").exit_code, 2);
  EXPECT_EQ(call("assemble pendulum.yaml --set lenght=2").exit_code, 2);
}

}  // namespace
}  // namespace trammel
