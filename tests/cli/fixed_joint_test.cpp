// What a joint without a place of its own shows: its torque is about the second body.
#include "tests/cli/called_program.h"

namespace trammel {
namespace {

TEST(FixedJoint, TorqueIsAboutTheSecondBody) {
  write_file("grip.yaml", R"(trammel: 1
bodies:
  arm: {rod: {from: [10, 0, 0], to: [11, 0, 0], mass: 1, radius: 1 cm}}
  load: {at: [11, 0, 0], mass: 3, inertia: [0.01, 0.01, 0.01]}
joints:
  root: {type: fixed, between: [ground, arm], at: [10, 0, 0]}
  grip: {type: fixed, between: [arm, load]}
)");
  const nlohmann::json results = call_json("run grip.yaml --end 0 --no-page")["final"];
  EXPECT_NEAR(results["grip.reaction.force.z"].get<double>(), 3 * 9.81, 1e-9);
  EXPECT_NEAR(results["grip.reaction.torque.y"].get<double>(), 0, 1e-9);
  EXPECT_NEAR(std::abs(results["root.reaction.torque.y"].get<double>()), 9.81 * (0.5 + 3), 1e-9);
}

}  // namespace
}  // namespace trammel
