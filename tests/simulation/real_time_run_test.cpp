#include "trammel/simulation/real_time_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trammel/model/model.h"

namespace trammel {
namespace {

constexpr const char* pendulum = R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1}}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}
inputs: {push: 0}
forces:
  motor: {type: actuator, joint: A, torque: push - 0.3*rate}
simulation: {end: 2, coordinates: joint, method: penalty/trapezoidal}
)";

std::size_t channel(const MechanismRun& run, const std::string& name) {
  const std::vector<Channel>& channels = run.recording().channels();
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (channels[i].name == name) return i;
  ADD_FAILURE() << "no channel " << name;
  return 0;
}

TEST(RealTimeRun, FollowsTheMotionThatOtherMethodsFind) {
  const Model model = read_model_text(pendulum, "test.yaml");
  MechanismRun run(model);
  RealTimeRun steps(run, {.rate = 1000});
  ASSERT_TRUE(steps.start());
  while (steps.step()) {
  }
  EXPECT_EQ(steps.t(), 2);
  EXPECT_EQ(steps.times().count(), 2000);
  EXPECT_EQ(steps.unconverged(), 0);
  const std::size_t angle = channel(run, "A.angle");
  double found = 0;
  steps.read(std::span(&angle, 1), std::span(&found, 1));

  MechanismRun other(model, {.method = "psf/radau5", .rtol = 1e-10});
  ASSERT_EQ(other.run().status, Status::finished);
  EXPECT_NEAR(found, other.recording().find("A.angle")->values.back(), 1e-5);
}

TEST(RealTimeRun, InputsActFromTheNextStepOn) {
  const Model model = read_model_text(pendulum, "test.yaml");
  MechanismRun run(model);
  RealTimeRun steps(run, {.rate = 500});
  ASSERT_TRUE(steps.start());
  const std::size_t push = steps.input("push");
  const std::array channels{channel(run, "A.angle"), channel(run, "A.angle_rate")};
  // holds the rod up: the controller looks and acts in every step
  std::array<double, 2> found{};
  do {
    steps.read(channels, found);
    steps.set_input(push, 0.5 * 9.81 * std::cos(found[0]) + 40 * (0.3 - found[0]) - 7 * found[1]);
  } while (steps.step());
  EXPECT_NEAR(found[0], 0.3, 1e-3);
  EXPECT_THROW(steps.input("pull"), std::invalid_argument);
}

// A step that is too long for the bound of the iteration is kept, counted, and its residual told.
TEST(RealTimeRun, StepsThatDidNotConvergeAreMarkedAndKept) {
  const Model model = read_model_text(pendulum, "test.yaml");
  MechanismRun run(model, {.end = 3, .options = {{"max_newton_iterations", "1"}}});
  RealTimeRun steps(run, {.rate = 5});
  ASSERT_TRUE(steps.start());
  bool marked = false;
  do marked |= !steps.is_converged();
  while (steps.step());
  EXPECT_EQ(steps.t(), 3);
  EXPECT_TRUE(marked);
  EXPECT_GT(steps.unconverged(), 0);
  EXPECT_GT(steps.largest_residual(), 1e-9);
  EXPECT_NE(steps.report().find("did not converge"), std::string::npos) << steps.report();
  EXPECT_EQ(steps.summary().status, Status::finished);
}

TEST(RealTimeRun, RefusesWhatCannotBeDoneInTime) {
  const Model model = read_model_text(pendulum, "test.yaml");
  MechanismRun slow(model, {.method = "psf/radau5"});
  EXPECT_THROW(RealTimeRun(slow, {}), std::invalid_argument);
  MechanismRun stepped(model, {.options = {{"step", "0.1"}}});
  EXPECT_THROW(RealTimeRun(stepped, {}), std::invalid_argument);
  MechanismRun run(model);
  EXPECT_THROW(RealTimeRun(run, {.rate = 0}), std::invalid_argument);
}

TEST(StepTimes, QuantilesAreRightToTwoPercent) {
  StepTimes times;
  for (int i = 1; i <= 1000; ++i) times.add(1e-6 * i);
  EXPECT_EQ(times.count(), 1000);
  EXPECT_NEAR(times.mean(), 500.5e-6, 1e-9);
  EXPECT_NEAR(times.quantile(0.5) / 500e-6, 1, 0.021);
  EXPECT_NEAR(times.quantile(0.999) / 999e-6, 1, 0.021);
  EXPECT_EQ(times.worst(), 1e-3);
}

}  // namespace
}  // namespace trammel
