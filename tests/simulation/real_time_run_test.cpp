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

// A ball that falls on a floor and bounces: contacts close and open inside of steps, which are counted and told.
constexpr const char* ball = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, 0, 0.3]}
joints:
  guide: {type: prismatic, between: [ground, ball], at: [0, 0, 0.3], axis: [0, 0, 1]}
forces:
  floor: {type: actuator, joint: guide, force: "if(displacement < -0.2, -2e4*(displacement + 0.2), 0)"
}
simulation: {end: 0.7, coordinates: joint, method: penalty/trapezoidal}
)yaml";

TEST(RealTimeRun, LawsThatChangeTheirBranchAreCountedAndTold) {
  const Model model = read_model_text(ball, "ball.yaml");
  MechanismRun exact(model, {.method = "psf/radau5", .rtol = 1e-10});
  ASSERT_EQ(exact.run().status, Status::finished);
  ASSERT_EQ(exact.summary().statistics.switches, 4) << "two bounces, each on and off";
  const double reference = exact.recording().find("guide.displacement")->values.back();

  double last = 0;
  for (const double rate : {1000.0, 4000.0}) {
    MechanismRun run(model);
    RealTimeRun steps(run, {.rate = rate});
    ASSERT_TRUE(steps.start());
    while (steps.step()) {
    }
    EXPECT_EQ(steps.unconverged(), 0);
    EXPECT_EQ(steps.switched(), 4);
    const Summary summary = steps.summary();
    EXPECT_EQ(summary.status, Status::finished);
    EXPECT_EQ(std::count_if(summary.notes.begin(), summary.notes.end(),
                            [](const std::string& note) {
                              return note.find("in 4 of the steps a law changed") != std::string::npos &&
                                     note.find("'floor'") != std::string::npos;
                            }),
              1);
    const std::size_t way = channel(run, "guide.displacement");
    double found = 0;
    steps.read(std::span(&way, 1), std::span(&found, 1));
    last = std::abs(found - reference);
    // each bounce changes the velocity of 2 m/s by at most what the floor gives in a step, 2e4 N/m 2 m/s h²: 0.04 m/s at 1 ms
    EXPECT_LT(last, 0.04 * 1e6 / (rate * rate)) << rate;
  }
}

// In a run at once the same switches are located, whatever the method of second order.
TEST(SecondOrderMethods, EndStepsWhereBranchesEnd) {
  const Model model = read_model_text(ball, "ball.yaml");
  MechanismRun exact(model, {.method = "psf/radau5", .rtol = 1e-10});
  ASSERT_EQ(exact.run().status, Status::finished);
  const double reference = exact.recording().find("guide.displacement")->values.back();
  for (const char* method : {"penalty/trapezoidal", "augmented/trapezoidal", "augmented/hht", "ggl/alpha"})
    for (const char* coordinates : {"joint", "cartesian"}) {
      Model one = model;
      one.simulation.coordinates = coordinates;
      MechanismRun run(one, {.method = method, .rtol = 1e-7});
      ASSERT_EQ(run.run().status, Status::finished) << method << run.summary().message();
      EXPECT_EQ(run.summary().statistics.switches, 4) << method << coordinates;
      EXPECT_NEAR(run.recording().find("guide.displacement")->values.back(), reference, 1e-4)
          << method << coordinates;
    }
}

TEST(RealTimeRun, JumpsOfTimeAreToldOrRefused) {
  const std::string text = pendulum;
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    return read_model_text(changed.replace(changed.find(what), what.size(), by), "test.yaml");
  };
  // a torque that jumps twice
  const Model pulse = with("push - 0.3*rate", "\"if(t > 0.4505, 1, 0) - if(t > 1.2, 1, 0) - 0.3*rate\"");
  MechanismRun run(pulse);
  RealTimeRun steps(run, {.rate = 1000});
  ASSERT_TRUE(steps.start());
  while (steps.step()) {
  }
  EXPECT_EQ(steps.corners(), 2);
  EXPECT_NE(steps.summary().notes.back().find("in 2 of the steps a law of time makes forces jump"),
            std::string::npos);
  MechanismRun exact(pulse, {.method = "psf/radau5", .rtol = 1e-10});
  ASSERT_EQ(exact.run().status, Status::finished);
  const std::size_t angle = channel(run, "A.angle");
  double found = 0;
  steps.read(std::span(&angle, 1), std::span(&found, 1));
  // 3 rad/s² (1 Nm on 1/3 kg m²), half a millisecond early or late, for up to 1.6 s, twice
  EXPECT_NEAR(found, exact.recording().find("A.angle")->values.back(), 2 * 3 * 1e-3 * 1.6);

  const Model jumping = with(
      "inputs: {push: 0}",
      "drivers: {turn: {coordinate: A.angle, position: \"if(t > 1, 0.5*(t - 1), 0)\"}}\ninputs: {push: 0}");
  MechanismRun refused(jumping);
  RealTimeRun never(refused, {.rate = 1000});
  EXPECT_FALSE(never.start());
  EXPECT_NE(never.summary().failure.message.find("velocity that 'turn' prescribes jumps at t = 1"),
            std::string::npos)
      << never.summary().failure.message;

  MechanismRun with_events(read_model_text(text, "test.yaml"),
                           {.events = {{.name = "down", .channel = "A.angle"}}});
  EXPECT_THROW(RealTimeRun(with_events, {}), std::invalid_argument);
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
