// Angles count turns, however many of them a step is long.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

struct Way {
  std::string coordinates, method;
  double rtol;
};

std::string name_of(const testing::TestParamInfo<Way>& info) {
  std::string name = info.param.coordinates + "_" + info.param.method;
  std::replace(name.begin(), name.end(), '/', '_');
  return name + (info.param.rtol < 1e-3 ? "" : "_loose");
}

MechanismRun run_by(const Way& way, const std::string& text) {
  RunRequest request;
  request.method = way.method;
  request.rtol = way.rtol;
  request.samples = 20;
  Model model = read_model_text(text, "test.yaml");
  model.simulation.coordinates = way.coordinates;
  MechanismRun run(model, request);
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << run.summary().message();
  return run;
}

class Turns : public testing::TestWithParam<Way> {};

TEST_P(Turns, OfAFreeWheelAreCounted) {
  const MechanismRun run = run_by(GetParam(), R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: [0.05, 0.05, 0.1]}
joints:
  W: {type: revolute, between: [ground, wheel], at: [0, 0, 0]}
initial: {W.angle: 20, W.angle_rate: 100}
simulation: {end: 2}
)yaml");
  expect_follows(run, "W.angle", 1, [](double t) { return 20 + 100 * t; });
}

TEST_P(Turns, OfAWheelThatSlowsDownAreCounted) {
  const MechanismRun run = run_by(GetParam(), R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: [0.05, 0.05, 0.1]}
joints:
  W: {type: revolute, between: [ground, wheel], at: [0, 0, 0]}
forces:
  brake: {type: torque, on: wheel, components: [0, 0, -5]}
initial: {W.angle_rate: 100}
simulation: {end: 2}
)yaml");
  expect_follows(run, "W.angle", 1, [](double t) { return 100 * t - 25 * t * t; });
}

// Of four angles one belongs to the joint that closes the loop.
TEST_P(Turns, OfAParallelogramAreCounted) {
  const MechanismRun run = run_by(GetParam(), R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies:
  left: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 1 cm}}
  coupler: {rod: {from: [0, 1, 0], to: [2, 1, 0], mass: 1, radius: 1 cm}}
  right: {rod: {from: [2, 1, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0, 0]}
  B: {type: revolute, between: [left, coupler], at: [0, 1, 0]}
  C: {type: revolute, between: [coupler, right], at: [2, 1, 0]}
  D: {type: revolute, between: [right, ground], at: [2, 0, 0]}
drivers:
  motor: {coordinate: A.angle, velocity: 10}
simulation: {end: 0.14}
)yaml");
  for (const char* angle : {"A.angle", "C.angle"})
    expect_follows(run, angle, 0.05, [](double t) { return 10 * t; });
  for (const char* angle : {"B.angle", "D.angle"})
    expect_follows(run, angle, 0.05, [](double t) { return -10 * t; });
}

// A wheel at the end of a shaft with two hinges, driven; the shaft rests.
TEST_P(Turns, AreCountedInLaws) {
  const MechanismRun run = run_by(GetParam(), R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies:
  arm: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
  wheel: {at: [1, 0, 0], mass: 1, inertia: [0.05, 0.05, 0.1]}
joints:
  A: {type: universal, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], axis_2: [0, 1, 0]}
  W: {type: revolute, between: [arm, wheel], at: [1, 0, 0]}
drivers:
  motor: {coordinate: W.angle, velocity: 30}
measures:
  half: 0.5*W.angle
states:
  sum: {rate: W.angle, initial: 0}
simulation: {end: 2}
)yaml");
  expect_follows(run, "W.angle", 0.5, [](double t) { return 30 * t; });
  expect_follows(run, "half", 0.5, [](double t) { return 15 * t; });
  expect_follows(run, "sum", 0.5, [](double t) { return 15 * t * t; });
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Turns,
    testing::Values(Way{"joint", "psf/radau5", 1e-5}, Way{"joint", "projected/dop853", 1e-5},
                    Way{"joint", "partitioned/adams", 1e-5}, Way{"cartesian", "psf/radau5", 1e-5},
                    Way{"cartesian", "psf/radau5", 1e-2}, Way{"cartesian", "projected/dop853", 1e-2},
                    Way{"cartesian", "csm/radau5", 1e-2}),
    name_of);

}  // namespace
}  // namespace trammel
