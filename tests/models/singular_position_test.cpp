// Samples at positions where velocities and reactions are not determined.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

// A driven parallelogram is flat at a quarter of a turn, where two branches of motion cross. Its bars turn
// evenly throughout, and the motor carries their weight.
TEST(SingularPosition, SamplesThereAreLimits) {
  RunRequest request;
  request.rtol = 1e-6;
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  b0: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 1 cm}}
  b1: {rod: {from: [0, 1, 0], to: [2, 1, 0], mass: 1, radius: 1 cm}}
  b2: {rod: {from: [2, 1, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  J0: {type: revolute, between: [ground, b0], at: [0, 0, 0], axis: [0, 0, 1]}
  J1: {type: revolute, between: [b0, b1], at: [0, 1, 0], axis: [0, 0, 1]}
  J2: {type: revolute, between: [b1, b2], at: [2, 1, 0], axis: [0, 0, 1]}
  J3: {type: revolute, between: [b2, ground], at: [2, 0, 0], axis: [0, 0, 1]}
drivers:
  m: {coordinate: J0.angle, position: "2*pi*t"}
simulation: {end: 1, output: 0.01}
)",
                                    request);
  constexpr double pi = std::numbers::pi;
  for (const char* joint : {"J1", "J3"})
    expect_follows(run, std::string(joint) + ".angle_rate", 1e-6, [](double) { return -2 * pi; });
  expect_follows(run, "J2.angle_rate", 1e-6, [](double) { return 2 * pi; });
  // two bars of length one with their weight half way, and one carried as a whole
  expect_follows(run, "m.effort", 1e-4, [](double t) { return -9.81 * 2 * std::sin(2 * pi * t); });
  bool told = false;
  for (const std::string& note : run.summary().notes)
    told = told || note.find("singular") != std::string::npos;
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace trammel
