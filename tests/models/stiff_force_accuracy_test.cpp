// How well forces of stiff elements are known, as every method says it, against what they are off by.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

class StiffForce : public testing::TestWithParam<const char*> {
 protected:
  static MechanismRun run(const std::string& method, double rtol) {
    RunRequest request;
    request.method = method;
    request.rtol = rtol;
    return run_text(R"yaml(
trammel: 1
gravity: [-9.81, 0, 0]
bodies: {m: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {S: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: [1, 0, 0], initial: {displacement: 1}}}
forces: {stop: {type: actuator, joint: S, force: "if(displacement < 0, -1e7*displacement, 0)"}}
simulation: {end: 1.5, output: 0.0001}
)yaml",
                    request);
  }
};

// A mass falls on a stop of 1e7 N/m, twice. The second contact begins as late as the position is off by, which a hundred
// tolerances of a position are 7 % of the force. It is known better, or it is said how well.
TEST_P(StiffForce, IsKnownOrItIsSaidHowWell) {
  static const MechanismRun exact = run("psf/radau5", 1e-11);
  for (const double rtol : {1e-5, 1e-6, 1e-7}) {
    const MechanismRun found = run(GetParam(), rtol);
    const std::vector<double>&force = values(found, "stop.force"), &expected = values(exact, "stop.force");
    double error = 0, largest = 0, said = 0;
    for (std::size_t i = 0; i < force.size(); ++i) {
      error = std::max(error, std::abs(force[i] - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
    for (const Summary::InexactForce& one : found.summary().force_accuracy)
      if (one.channel == "stop.force") said = one.error;
    EXPECT_LT(error, std::max(0.01 * largest, 3 * said))
        << GetParam() << ", " << rtol << ": " << error / largest;
  }
}

// A pendulum on an undamped spring of 1e7 N/m, whose vibration of a micrometre nothing damps: errors of a force add up.
TEST_P(StiffForce, OfAVibrationIsKnownOrItIsSaid) {
  const auto swing = [](const std::string& method, double rtol) {
    RunRequest request;
    request.method = method;
    request.rtol = rtol;
    return run_text(R"yaml(
trammel: 1
bodies: {m: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [1, 0, 0]}}
forces: {stop: {type: spring_damper, between: [ground, m], from: [0, 0, 0], to: [1, 0, 0], stiffness: 1e7, free_length: 1}}
simulation: {end: 0.5, output: 0.001}
)yaml",
                    request);
  };
  static const MechanismRun exact = swing("psf/radau5", 1e-11);
  for (const double rtol : {1e-5, 1e-6, 1e-7}) {
    const MechanismRun found = swing(GetParam(), rtol);
    const std::vector<double>&force = values(found, "stop.force"), &expected = values(exact, "stop.force");
    double error = 0, largest = 0, said = 0;
    for (std::size_t i = 0; i < force.size(); ++i) {
      error = std::max(error, std::abs(force[i] - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
    for (const Summary::InexactForce& one : found.summary().force_accuracy)
      if (one.channel == "stop.force") said = one.error;
    EXPECT_LT(error, std::max(0.02 * largest, said)) << GetParam() << ", " << rtol << ": " << error / largest;
  }
}

// A spring that lets a body through its own foot: its force of 20 N turns round there. One without a free length vanishes there, and
// what the body passes at some distance has a direction all the time.
TEST_P(StiffForce, OfASpringThatPassesThroughZeroLengthIsNamed) {
  const auto named = [](const char* free_length, const char* velocity) {
    RunRequest request;
    request.method = GetParam();
    const MechanismRun run = run_text(std::string(R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies: {m: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0], velocity: )yaml") +
                                          velocity + R"yaml(}}
forces: {s: {type: spring_damper, between: [ground, m], from: [0, 0, 0], to: [0.5, 0, 0], stiffness: 100, damping: 0.1, free_length: )yaml" +
                                          free_length + "}}\nsimulation: {end: 0.5}\n",
                                      request);
    const std::vector<std::string>& notes = run.summary().notes;
    return std::count_if(notes.begin(), notes.end(), [](const std::string& note) {
      return note.starts_with("'s' passes through zero length");
    });
  };
  EXPECT_EQ(named("0.2", "[0, 0, 0]"), 1);
  EXPECT_EQ(named("0", "[0, 0, 0]"), 0);
  EXPECT_EQ(named("0.2", "[0, 1, 0]"), 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, StiffForce,
                         testing::Values("psf/radau5", "projected/dop853", "projected/adams", "projected/bdf",
                                         "partitioned/adams", "partitioned/bdf", "partitioned/sdirk4",
                                         "projected-index1/ida"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace trammel
