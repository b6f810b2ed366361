// Velocities at the start that nobody gives: zero wherever joints allow it.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

// In coordinates of either kind.
class InitialVelocity : public testing::TestWithParam<std::string> {
 protected:
  static MechanismRun start(const std::string& text) {
    RunRequest request;
    request.end = 0;
    return run_text(text + "simulation: {coordinates: " + GetParam() + "}\n", request);
  }
};

INSTANTIATE_TEST_SUITE_P(Coordinates, InitialVelocity, testing::Values("cartesian", "cartesian-parameters"),
                         [](const auto& each) { return each.param == "cartesian" ? "angular" : "rates"; });

bool has_note(const MechanismRun& run, const std::string& words) {
  for (const std::string& note : run.summary().notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

const std::string arm_with_wheel = R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  arm: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
  wheel: {at: [1, 0, 0], mass: 1, inertia: [0.05, 0.05, 0.1]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0]}
  W: {type: revolute, between: [arm, wheel], at: [1, 0, 0]}
)";

TEST_P(InitialVelocity, ADrivenWheelLeavesARestingArmAlone) {
  const MechanismRun run = start(arm_with_wheel + "drivers: {motor: {coordinate: W.angle, velocity: 10}}\n");
  EXPECT_NEAR(first(run, "A.angle_rate"), 0, 1e-12);
  EXPECT_NEAR(first(run, "W.angle_rate"), 10, 1e-12);
  EXPECT_FALSE(has_note(run, "corrected")) << run.summary().notes[0];
  EXPECT_FALSE(has_note(run, "nobody gave"));
}

TEST_P(InitialVelocity, ARateThatIsAskedForMovesWhatHangsOnIt) {
  const MechanismRun run = start(arm_with_wheel + "initial: {A.angle_rate: 2}\n");
  EXPECT_NEAR(first(run, "A.angle_rate"), 2, 1e-12);
  EXPECT_NEAR(first(run, "W.angle_rate"), 0, 1e-12);
  EXPECT_NEAR(first(run, "wheel.angular_velocity.z"), 2, 1e-12);
  EXPECT_NEAR(first(run, "wheel.velocity.y"), 2, 1e-12);
  EXPECT_TRUE(run.summary().notes.empty()) << run.summary().notes[0];
}

// A given velocity of a body in the middle sets what carries it in motion.
TEST_P(InitialVelocity, OfABodyIsKept) {
  const MechanismRun run = start(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  arm: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
  tip: {at: [1, 0, 0], mass: 1, inertia: [0.05, 0.05, 0.1], velocity: [0, 3, 0]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0]}
  W: {type: revolute, between: [arm, tip], at: [1, 0, 0]}
)");
  EXPECT_GT(first(run, "A.angle_rate"), 1.5);
  EXPECT_LT(first(run, "A.angle_rate"), 3.0001);
}

const std::string four_bar_on_an_arm = R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  arm: {rod: {from: [0, 0, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
  crank: {rod: {from: [1, 0, 0], to: [1, 0.5, 0], mass: 1, radius: 1 cm}}
  coupler: {rod: {from: [1, 0.5, 0], to: [2, 0.8, 0], mass: 1, radius: 1 cm}}
  rocker: {rod: {from: [2, 0.8, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0]}
  B: {type: revolute, between: [arm, crank], at: [1, 0, 0]}
  C: {type: revolute, between: [crank, coupler], at: [1, 0.5, 0]}
  D: {type: revolute, between: [coupler, rocker], at: [2, 0.8, 0]}
  E: {type: revolute, between: [rocker, arm], at: [2, 0, 0]}
)";

TEST_P(InitialVelocity, ALoopMovesWithoutWhatCarriesIt) {
  const MechanismRun run = start(four_bar_on_an_arm + "initial: {B.angle_rate: 3}\n");
  EXPECT_NEAR(first(run, "A.angle_rate"), 0, 1e-11);
  EXPECT_NEAR(first(run, "B.angle_rate"), 3, 1e-11);
  EXPECT_GT(std::abs(first(run, "E.angle_rate")), 0.1);
  // one degree of freedom, and it was asked for: nothing to tell
  for (const std::string& note : run.summary().notes)  // but that the loop is redundant in space
    EXPECT_NE(note.find("depend"), std::string::npos) << note;
  EXPECT_FALSE(has_note(run, "nobody gave"));
}

// A loop of five bars has two degrees of freedom and one rate is asked for: someone has to choose.
TEST_P(InitialVelocity, AChoiceIsTold) {
  const MechanismRun run = start(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 1 cm}}
  b: {rod: {from: [0, 1, 0], to: [1, 1.5, 0], mass: 1, radius: 1 cm}}
  c: {rod: {from: [1, 1.5, 0], to: [2, 1, 0], mass: 1, radius: 1 cm}}
  d: {rod: {from: [2, 1, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0, 0]}
  B: {type: revolute, between: [a, b], at: [0, 1, 0]}
  C: {type: revolute, between: [b, c], at: [1, 1.5, 0]}
  D: {type: revolute, between: [c, d], at: [2, 1, 0]}
  E: {type: revolute, between: [d, ground], at: [2, 0, 0]}
initial: {A.angle_rate: 1}
)");
  EXPECT_NEAR(first(run, "A.angle_rate"), 1, 1e-11);
  EXPECT_TRUE(has_note(run, "nobody gave"));
}

}  // namespace
}  // namespace trammel
