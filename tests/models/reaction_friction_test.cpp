// Friction that depends on a joint's reaction, from rest: the same with every method that takes it, refused
// by the others.
#include <gtest/gtest.h>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

const std::string pendulum = R"(
trammel: 1
bodies:
  arm: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.02}}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  bearing: {type: joint_friction, joint: A, coefficient: 0.2, radius: 0.05, velocity: 0.5}
simulation: {end: 1, output: 0.1, rtol: 1e-7}
)";

TEST(ReactionFriction, IsTheSameWithEveryMethod) {
  const MechanismRun expected = run_text(pendulum, {.method = "ggl/radau5"});
  for (const char* method :
       {"psf/radau5", "partitioned/sdirk4", "partitioned/radau5", "projected/dop853", "projected/adams"}) {
    const MechanismRun found = run_text(pendulum, {.method = method});
    expect_same(found, "A.angle", expected, "A.angle", 3e-6);
  }
}

TEST(ReactionFriction, IsRefusedWithoutMultipliers) {
  for (const char* method : {"csm/radau5", "cs/radau5", "cm/ida"}) {
    MechanismRun run(read_model_text(pendulum, "test.yaml"), {.method = method});
    EXPECT_EQ(run.run().failure.reason, Reason::invalid_options) << method;
  }
}

}  // namespace
}  // namespace trammel
