// Methods of second order on models whose steps end at switches: two of these may be as close as round-off.
#include <gtest/gtest.h>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

MechanismRun run_example(const char* file, const char* method, double rtol) {
  const Model model = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/examples/models/" + file);
  RunRequest request;
  request.method = method;
  request.rtol = rtol;
  MechanismRun run(model, request);
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << run.summary().message();
  return run;
}

// index3 takes accelerations from displacements, which are lost in the round-off of positions where a step is 1e-14 s long.
TEST(SecondOrder, VeryShortStepsLeaveTheMotionAsItIs) {
  const MechanismRun run = run_example("engine.yaml", "index3/alpha", 1e-4);
  const MechanismRun reference = run_example("engine.yaml", "psf/radau5", 1e-9);
  // a hundred times the tolerance; the wrist was 0.49 off
  for (const char* channel : {"piston0.position.z", "wrist0.angle"})
    for (std::size_t i = 0; i < run.recording().times().size(); ++i)
      EXPECT_NEAR(values(run, channel)[i], values(reference, channel)[i], 1e-2) << channel;
  EXPECT_LT(run.summary().statistics.accepted, 1500);  // 5129 where accelerations were round-off
}

}  // namespace
}  // namespace trammel
