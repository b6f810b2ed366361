// A run of a model step by step.
#include <gtest/gtest.h>

#include <numbers>

#include "trammel/analysis/linearization.h"
#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

Model pendulum(double damping = 0) {
  return read_model_text(
      "trammel: 1\n"
      "parameters: {damping: 0}\n"
      "bodies:\n"
      "  rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}\n"
      "joints:\n"
      "  A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "forces:\n"
      "  motor: {type: actuator, joint: A, torque: push - damping*rate}\n"
      "inputs: {push: 0}\n"
      "simulation: {end: 2, output: 0.1, rtol: 1e-9}\n",
      "pendulum.yaml", {{{"damping", std::to_string(damping)}}});
}

double value(MechanismRun& run, const std::string& channel) {
  const auto place =
      static_cast<std::size_t>(run.recording().find(channel) - run.recording().channels().data());
  double result = 0;
  run.read(std::span(&place, 1), std::span(&result, 1));
  return result;
}

void push(MechanismRun& run, double torque) {
  Vector x = run.state();
  x[run.equations().layout().r.begin] = torque;
  ASSERT_TRUE(run.set_state(x));
}

TEST(MechanismRunSteps, PiecesGiveTheSamplesOfAWhole) {
  MechanismRun whole(pendulum()), stepped(pendulum());
  whole.run();
  bool on = stepped.start();
  for (int i = 1; on; ++i) on = stepped.advance(0.25 * i);
  stepped.finish();
  ASSERT_EQ(stepped.recording().times(), whole.recording().times());
  const std::vector<double>&a = stepped.recording().find("A.angle")->values,
        &b = whole.recording().find("A.angle")->values;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-7);
}

TEST(MechanismRunSteps, InputsActAndAreRead) {
  MechanismRun run(pendulum());
  ASSERT_TRUE(run.start());
  push(run, 3);
  ASSERT_TRUE(run.advance(0.5));
  EXPECT_EQ(value(run, "motor.torque"), 3);
  EXPECT_EQ(value(run, "push"), 3);
  // the work of the torque
  EXPECT_NEAR(value(run, "energy.total"), 3 * value(run, "A.angle"), 1e-7);
}

TEST(MechanismRunSteps, WhatWasRecordedAfterACopyIsTakenAway) {
  MechanismRun run(pendulum());
  ASSERT_TRUE(run.start());
  ASSERT_TRUE(run.advance(0.5));
  RunCheckpoint here;
  ASSERT_TRUE(run.save(here));
  const Index samples = run.recording().samples.samples(), steps = run.recording().steps.samples();
  ASSERT_TRUE(run.advance(1.0));
  const double there = value(run, "A.angle");
  EXPECT_GT(run.recording().samples.samples(), samples);
  ASSERT_TRUE(run.restore(here));
  EXPECT_EQ(run.recording().samples.samples(), samples);
  EXPECT_EQ(run.recording().steps.samples(), steps);
  ASSERT_TRUE(run.advance(1.0));
  EXPECT_EQ(value(run, "A.angle"), there);
}

TEST(MechanismRunSteps, AnotherRunTakesOver) {
  MechanismRun first(pendulum()), second(pendulum(2));
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(first.advance(1.0));
  const double angle = value(first, "A.angle"), rate = value(first, "A.angle_rate");
  ASSERT_TRUE(second.take_over(first));
  EXPECT_EQ(second.t(), 1.0);
  EXPECT_NEAR(value(second, "A.angle"), angle, 1e-12);
  EXPECT_NEAR(value(second, "A.angle_rate"), rate, 1e-12);
  second.advance(2.0);
  second.finish();
  const std::vector<double>& t = second.recording().times();
  ASSERT_EQ(t.size(), 21u);
  for (std::size_t i = 1; i < t.size(); ++i) EXPECT_GT(t[i], t[i - 1]);
  const std::vector<double>& ends = second.recording().steps.times();
  for (std::size_t i = 1; i < ends.size(); ++i) EXPECT_GT(ends[i], ends[i - 1]);
  const std::vector<double>& energy = second.recording().find("energy.total")->values;
  EXPECT_NEAR(energy[10], energy[0], 1e-7);
  EXPECT_LT(energy[20], energy[10] - 0.1);
}

TEST(MechanismRunSteps, EventsOfChannels) {
  RunRequest request;
  request.events.push_back(
      {.name = "down", .channel = "A.angle", .level = std::numbers::pi / 2, .action = Event::Action::stop});
  MechanismRun run(pendulum(), request);
  run.run();
  EXPECT_EQ(run.summary().failure.reason, Reason::stopped_by_event);
  EXPECT_NEAR(run.recording().find("A.angle")->values.back(), std::numbers::pi / 2, 1e-8);
  request.events[0].channel = "A.angel";
  MechanismRun wrong(pendulum(), request);
  EXPECT_THROW(wrong.run(), std::invalid_argument);
}

TEST(MechanismRunSteps, InputsAreColumnsOfBAndNoStates) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(pendulum());
  Vector x = equations->initial_state();
  ASSERT_FALSE(assemble_mechanism(*equations, 0, x).failure);
  const Linearization linear = linearize(*equations, 0, x);
  ASSERT_FALSE(linear.failure) << linear.failure.message;
  EXPECT_EQ(linear.inputs, std::vector<std::string>{"push"});
  EXPECT_EQ(linear.A.rows(), 2);
  ASSERT_EQ(linear.B.cols(), 1);
  // a torque about the end of a rod
  EXPECT_NEAR(linear.B(1, 0), 1 / (1.0 / 3 + 0.01 * 0.01 / 4), 1e-9);
  EXPECT_EQ(linear.D.cols(), 1);
  // by name, beside the force of the actuator itself, they are the same
  const Linearization both = linearize(*equations, 0, x, {.inputs = {"push", "motor"}});
  ASSERT_FALSE(both.failure) << both.failure.message;
  EXPECT_EQ(both.inputs, (std::vector<std::string>{"push", "motor"}));
  EXPECT_NEAR(both.B(1, 0), both.B(1, 1), 1e-9);
}

}  // namespace
}  // namespace trammel
