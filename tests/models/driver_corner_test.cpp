// Drivers whose laws have corners: jumps of acceleration are met, of velocity are impulses, of position
// refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

std::string turntable(const std::string& driver) {
  return R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  disk: {mass: 2, inertia: [0.3, 0.3, 0.5]}
  arm: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, disk], at: [0, 0, 0]}
  B: {type: revolute, between: [disk, arm], at: [1, 0, 0]}
drivers: {m: {coordinate: A.angle, )" +
         driver + "}}\nsimulation: {end: 3, output: 0.1, rtol: 1e-7}\n";
}

class DriverCorners : public testing::TestWithParam<const char*> {
 protected:
  static RunRequest request() {
    RunRequest request;
    request.method = GetParam();
    return request;
  }
};

TEST_P(DriverCorners, AccelerationMayJump) {
  const MechanismRun run = run_text(turntable("acceleration: \"if(t < 1, 2, if(t < 2, -2, 0))\""), request());
  expect_follows(run, "A.angle_rate", 1e-5, [](double t) { return t < 1 ? 2 * t : t < 2 ? 4 - 2 * t : 0.0; });
  expect_follows(run, "A.angle", 2e-5, [](double t) {
    return t < 1 ? t * t : t < 2 ? 1 + 2 * (t - 1) - (t - 1) * (t - 1) : 2.0;
  });
}

// The hinge B passes the impulse on.
TEST_P(DriverCorners, AVelocityThatJumpsIsAnImpulse) {
  const MechanismRun run = run_text(turntable("velocity: \"if(t < 1, 0, 3)\""), request());
  const std::vector<double>& disk = values(run, "A.angle_rate");
  const std::vector<double>& arm = values(run, "arm.angular_velocity.z");
  EXPECT_NEAR(disk[5], 0, 1e-9);
  EXPECT_NEAR(disk[11], 3, 1e-7);
  // its end is moved at 3 m/s by a force there: m v = J, I ω = J l/2, v + ω l/2 = 3; at the jump itself the
  // sample is that behind it
  const double I = (1 + 3 * 1e-4) / 12;
  EXPECT_NEAR(arm[10], 1.5 / (I + 0.25), 1e-5);
  bool told = false;
  for (const std::string& note : run.summary().notes)
    told = told || note.find("impulse") != std::string::npos;
  EXPECT_TRUE(told);
}

INSTANTIATE_TEST_SUITE_P(Methods, DriverCorners,
                         testing::Values("psf/radau5", "partitioned/sdirk4", "projected/dop853",
                                         "projected/adams"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

// Where drivers determine all velocities no error is left that a step could be judged by: it must be short enough for samples all the
// same, also where the driver's velocity has become constant.
TEST(DriverCorner, SamplesInsideOfStepsFollowTheDriver) {
  for (const char* method : {"partitioned/sdirk4", "partitioned/radau5", "psf/radau5", "projected/dop853"}) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-6;
    const MechanismRun run = run_text(R"yaml(
trammel: 1
bodies:
  c: {at: [0.1, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}
  r: {at: [0.35, 0, 0], mass: 0.5, inertia: [0.01, 0.02, 0.02]}
  s: {at: [0.5, 0, 0], mass: 2, inertia: [0.01, 0.01, 0.01]}
joints:
  C: {type: revolute, between: [ground, c], at: [0, 0, 0], axis: [0, 1, 0]}
  P: {type: revolute, between: [c, r], at: [0.2, 0, 0], axis: [0, 1, 0]}
  W: {type: revolute, between: [r, s], at: [0.5, 0, 0], axis: [0, 1, 0]}
  S: {type: prismatic, between: [ground, s], at: [0.5, 0, 0], axis: [1, 0, 0]}
drivers: {m: {coordinate: C.angle, acceleration: "if(t < 0.5, 10, 0)"}}
simulation: {end: 2, output: 0.005}
)yaml",
                                      request);
    SCOPED_TRACE(method);
    // two tolerances of 9 rad; samples were 8e-3 off, at 1e-7 0.1
    expect_follows(run, "C.angle", 2e-5, [](double t) { return t < 0.5 ? 5 * t * t : 1.25 + 5 * (t - 0.5); });
  }
}

TEST(DriverCorner, APositionThatJumpsIsRefusedByName) {
  MechanismRun run(read_model_text(turntable("position: \"if(t < 1, 0, 0.5)\""), "test.yaml"));
  const Summary& summary = run.run();
  EXPECT_EQ(summary.status, Status::failed);
  EXPECT_NEAR(summary.t, 1, 1e-9);
  EXPECT_NE(summary.message().find("'m'"), std::string::npos) << summary.message();
}

}  // namespace
}  // namespace trammel
