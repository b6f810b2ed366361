// Coordinate splitting on a four-bar of plain revolute joints that turns all the way: three equations too
// many, and a splitting that must be chosen anew again and again.
#include <gtest/gtest.h>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

Vector turn(const std::string& method, double tolerance, Statistics* statistics = nullptr) {
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/four-bar.yaml");
  RunRequest request;
  request.method = method;
  request.rtol = request.atol = tolerance;
  request.end = 4;
  request.samples = 4;
  MechanismRun run(model, request);
  const Summary& summary = run.run();
  EXPECT_EQ(summary.status, Status::finished) << method << ": " << summary.failure.message;
  EXPECT_LT(summary.violation.position, 1e-13) << method;
  if (statistics != nullptr) *statistics = summary.statistics;
  return summary.final_state.head(21);  // positions of three bodies
}

// IDAS leaves positions off the constraints by the tolerance, where rows that depend on others do so no more:
// they must not be chosen there.
TEST(CoordinateSplittingOfModels, TurnsAFourBarWithRedundantConstraints) {
  const Vector reference = turn("psf/radau5", 1e-10);
  for (const std::string method : {"csm/radau5", "csm/ida", "cm/ida", "cs/ida"}) {
    double previous = 0;
    for (const double tolerance : {1e-4, 1e-7}) {
      Statistics statistics;
      const double error = (turn(method, tolerance, &statistics) - reference).lpNorm<Eigen::Infinity>();
      EXPECT_LT(error, 3000 * tolerance) << method << " " << tolerance;  // over two turns of 5 rad/s
      EXPECT_GT(statistics.selectors, 5) << method;
      if (previous > 0) {
        EXPECT_LT(error, previous / 20) << method;
      }
      previous = error;
    }
  }
}

// There are no multipliers in these equations: those of a sample must belong to its positions and velocities,
// and not to what was extrapolated from step to step.
TEST(CoordinateSplittingOfModels, ReactionsAreRightAtEverySample) {
  const std::string text = R"(
trammel: 1
title: a body on a rod, hung beside its centre of mass
bodies:
  block: {at: [-0.8, 1.5, 0], mass: 2, inertia: [0.1, 0.2, 0.25]}
joints:
  rod: {type: distance, between: [ground, block], from: [0.5, 0, 0], to: [0.7, 1.5, 0]}
simulation: {end: 5, output: 0.01, rtol: 1e-8}
)";
  const MechanismRun reference = run_text(text, {.method = "psf/radau5", .rtol = 1e-11});
  for (const std::string method : {"cs/radau5", "cm/radau5", "csm/radau5", "cs/ida", "partitioned/radau5"}) {
    SCOPED_TRACE(method);
    const MechanismRun run = run_text(text, {.method = method});
    // up to 400 N, for a moment: an error of 5e-7 m in the positions is one of 2e-3 N there, with cm one of
    // 7e-3 N
    for (const std::string channel : {"rod.reaction.force.x", "rod.reaction.force.y", "rod.reaction.force.z"})
      expect_same(run, channel, reference, channel, method == "cs/ida" ? 0.5 : 2e-2);
  }
}

}  // namespace
}  // namespace trammel
