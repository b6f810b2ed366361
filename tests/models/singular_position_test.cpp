// Samples at positions where velocities and reactions are not determined.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

const std::string parallelogram = R"(
trammel: 1
bodies:
  b0: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 1 cm}}
  b1: {rod: {from: [0, 1, 0], to: [2, 1, 0], mass: 1, radius: 1 cm}}
  b2: {rod: {from: [2, 1, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  J0: {type: revolute, between: [ground, b0], at: [0, 0, 0], axis: [0, 0, 1]}
  J1: {type: revolute, between: [b0, b1], at: [0, 1, 0], axis: [0, 0, 1]}
  J2: {type: revolute, between: [b1, b2], at: [2, 1, 0], axis: [0, 0, 1]}
  J3: {type: revolute, between: [b2, ground], at: [2, 0, 0], axis: [0, 0, 1]}
)";

struct Way {
  std::string method, coordinates;
};

class SingularPosition : public testing::TestWithParam<Way> {
 protected:
  static MechanismRun run(const std::string& more) {
    RunRequest request;
    request.rtol = 1e-6;
    request.method = GetParam().method;
    return run_text(parallelogram + "simulation: {coordinates: " + GetParam().coordinates + ", " + more,
                    request);
  }
  static std::string note_of(const MechanismRun& run) {
    for (const std::string& note : run.summary().notes)
      if (note.find("is singular") != std::string::npos) return note;
    return "";
  }
};

// A driven parallelogram is flat at a quarter of a turn, where two branches of motion cross. Its bars turn
// evenly throughout, and the motor carries their weight. So it is with every method, whether a step ends there
// or not.
TEST_P(SingularPosition, SamplesThereAreLimits) {
  const MechanismRun run = SingularPosition::run(R"(end: 1, output: 0.01}
gravity: [0, -9.81, 0]
drivers:
  m: {coordinate: J0.angle, position: "2*pi*t"}
)");
  for (const char* joint : {"J1", "J3"})
    expect_follows(run, std::string(joint) + ".angle_rate", 1e-6, [](double) { return -2 * pi; });
  expect_follows(run, "J2.angle_rate", 1e-6, [](double) { return 2 * pi; });
  // two bars of length one with their weight half way, and one carried as a whole
  expect_follows(run, "m.effort", 1e-4, [](double t) { return -9.81 * 2 * std::sin(2 * pi * t); });
  // the bar between them pushes along itself without bound: said, with the time and a joint
  const std::string note = note_of(run);
  EXPECT_NE(note.find("t = 0.25 (and at 1 more sample)"), std::string::npos) << note;
  EXPECT_NE(note.find("J"), std::string::npos) << note;
  EXPECT_NE(note.find("without bound"), std::string::npos) << note;
}

// The same without weight and motor: reactions are those of bodies on circles, and their limits where they are not
// determined, in joint coordinates too.
TEST_P(SingularPosition, ReactionsThereAreLimits) {
  const MechanismRun run = SingularPosition::run(R"(end: 1, output: 0.025}
gravity: [0, 0, 0]
initial: {J0.angle_rate: 2*pi}
)");
  // a bar of 1 kg with its centre half way, and half of the one between; of minimal norm
  const double along = 4 * pi * pi * (0.5 + 0.5);
  const std::string note = note_of(run);
  EXPECT_NE(note.find("limits"), std::string::npos) << note;
  EXPECT_EQ(note.find("without bound"), std::string::npos) << note;
  const std::vector<double>& times = run.recording().times();
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(values(run, "J0.reaction.force.x")[i], along * std::sin(2 * pi * times[i]), 1e-3 * along)
        << times[i];
    EXPECT_NEAR(values(run, "J0.reaction.force.y")[i], -along * std::cos(2 * pi * times[i]), 1e-3 * along)
        << times[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SingularPosition,
                         testing::Values(Way{"projected/dop853", "joint"},
                                         Way{"projected/dop853", "cartesian"}, Way{"psf/radau5", "joint"},
                                         Way{"psf/radau5", "cartesian"}, Way{"csm/radau5", "joint"},
                                         Way{"projected/adams", "joint"}, Way{"partitioned/sdirk4", "joint"}),
                         [](const auto& way) {
                           std::string name = way.param.method + "_" + way.param.coordinates;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace trammel
