// Inverse dynamics along motions: what drivers did comes back, and their forces give the motion back.
#include "trammel/simulation/inverse_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

const std::string arm = R"yaml(trammel: 1
bodies:
  upper: {at: [0, 0, 0], com: [0.3, 0, 0], mass: 3, inertia: [0.02, 0.2, 0.2]}
  fore: {at: [0.8, 0, 0], com: [0.25, 0, 0.05], mass: 2, inertia: [0.01, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0.3]}
  B: {type: revolute, between: [upper, fore], at: [0.8, 0, 0], axis: [0, 1, 0]}
forces:
  spring: {type: torsion_spring, joint: B, stiffness: 15, damping: 0.4, free_angle: 0.2}
)yaml";
const std::string arm_drivers = R"yaml(drivers:
  first: {coordinate: A.angle, position: "0.6 * sin(2 * t) + 0.1 * t^2"}
  second: {coordinate: B.angle, position: "0.5 * cos(3 * t)"}
)yaml";

// A four-bar and its crank.
const std::string four_bar = R"yaml(trammel: 1
bodies:
  crank: {at: [0, 0, 0], com: [0.1, 0, 0], mass: 1, inertia: [0.001, 0.01, 0.01]}
  coupler: {at: [0.2, 0, 0], com: [0.3, 0, 0.2], mass: 2, inertia: [0.01, 0.1, 0.1]}
  rocker: {at: [0.9, 0, -0.3], com: [0, 0, 0.3], mass: 1.5, inertia: [0.05, 0.05, 0.01]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [crank, coupler], at: [0.2, 0, 0], axis: [0, 1, 0]}
  C: {type: revolute, between: [coupler, rocker], at: [0.8, 0, 0.4], axis: [0, 1, 0]}
  D: {type: revolute, between: [ground, rocker], at: [0.9, 0, -0.3], axis: [0, 1, 0]}
)yaml";
const std::string four_bar_driver = R"yaml(drivers:
  motor: {coordinate: A.angle, position: "3 * t + 0.2 * sin(5 * t)"}
)yaml";
const std::string friction = R"yaml(forces:
  rubbing: {type: joint_friction, joint: C, coefficient: 0.3, radius: 0.05, velocity: 0.05}
)yaml";

Recording run_of(const Model& model, double end, double interval) {
  RunRequest request;
  request.end = end;
  request.output_interval = interval;
  request.rtol = 1e-11;
  MechanismRun run(model, request);
  EXPECT_TRUE(run.run().ok()) << run.summary().message();
  return run.recording();
}

double largest_difference(const Recording& a, const std::string& first, const Recording& b,
                          const std::string& second) {
  const Channel *one = a.find(first), *other = b.find(second);
  if (one == nullptr || other == nullptr || one->values.size() != other->values.size()) {
    ADD_FAILURE() << first << " or " << second << " is missing";
    return INFINITY;
  }
  double largest = 0;
  for (std::size_t i = 0; i < one->values.size(); ++i)
    largest = std::max(largest, std::abs(one->values[i] - other->values[i]));
  return largest;
}

TEST(InverseRun, GivesTheForcesOfDriversBack) {
  const Model model = read_model_text(arm + arm_drivers, "arm");
  const Recording recording = run_of(model, 2, 0.01);
  InverseRun inverse(model, recording);
  ASSERT_FALSE(inverse.run());
  EXPECT_EQ(inverse.notes().size(), 0u);
  // torques are up to about 30 N m; a spline of degree 5 through velocities 0.01 s apart is off by some 1e-8 of them
  EXPECT_LT(largest_difference(recording, "first.effort", inverse.recording(), "first.torque"), 1e-6);
  EXPECT_LT(largest_difference(recording, "second.effort", inverse.recording(), "second.torque"), 1e-6);
  // everything else that a run records, too
  for (const char* name :
       {"A.reaction.force.x", "B.reaction.torque.z", "spring.torque", "fore.position.z", "energy.total"})
    EXPECT_LT(largest_difference(recording, name, inverse.recording(), name), 1e-5) << name;
}

TEST(InverseRun, ItsForcesGiveTheMotionBack) {
  for (const std::string& text : {arm + arm_drivers, four_bar + four_bar_driver}) {
    const Model model = read_model_text(text, "driven");
    const Recording recording = run_of(model, 1, 0.005);
    InverseRun inverse(model, recording);
    ASSERT_FALSE(inverse.run());
    Model driven = inverse.driven();
    const Recording again = run_of(driven, 1, 0.005);
    // tables are natural cubic splines: at the ends they are off by the curvature of the torque times 0.005² / 10
    EXPECT_LT(largest_difference(recording, "A.angle", again, "A.angle"), 1e-5);
    EXPECT_LT(largest_difference(recording, "B.angle_rate", again, "B.angle_rate"), 1e-3);
  }
}

TEST(InverseRun, LoopsAndFrictionByReactions) {
  const Model model = read_model_text(four_bar + friction + four_bar_driver, "four-bar");
  const Recording recording = run_of(model, 1, 0.002);
  InverseRun inverse(model, recording);
  ASSERT_FALSE(inverse.run());
  const double largest = *std::max_element(recording.find("motor.effort")->values.begin(),
                                           recording.find("motor.effort")->values.end());
  EXPECT_GT(largest, 1);
  EXPECT_LT(largest_difference(recording, "motor.effort", inverse.recording(), "motor.torque"),
            1e-5 * largest);
  EXPECT_LT(largest_difference(recording, "rubbing.torque", inverse.recording(), "rubbing.torque"),
            1e-5 * largest);
}

// The same motion as a table of its coordinates, with and without rates.
TEST(InverseRun, AlongATable) {
  const Model model = read_model_text(arm + arm_drivers, "arm");
  const Recording recording = run_of(model, 2, 0.005);
  for (const int told : {0, 1, 2}) {
    Recording table;
    table.samples = ChannelTable(recording.times());
    for (const char* name : {"A.angle", "B.angle"}) {
      table.add_channel({.name = name, .values = recording.find(name)->values});
      if (told > 0)
        table.add_channel({.name = name + std::string("_rate"),
                           .values = recording.find(name + std::string("_rate"))->values});
      if (told < 2) continue;
      std::vector<double> accelerations;
      for (const double t : recording.times())
        accelerations.push_back(name[0] == 'A' ? -2.4 * std::sin(2 * t) + 0.2 : -4.5 * std::cos(3 * t));
      table.add_channel({.name = name + std::string("_acceleration"), .values = accelerations});
    }
    InverseRun inverse(model, table);
    ASSERT_FALSE(inverse.run());
    const double limit = told == 2 ? 1e-8 : 1e-4;
    EXPECT_LT(largest_difference(recording, "first.effort", inverse.recording(), "first.torque"), limit)
        << told;
    EXPECT_LT(largest_difference(recording, "second.effort", inverse.recording(), "second.torque"), limit)
        << told;
  }
}

TEST(InverseRun, ATableOfOneCoordinateDrivesALoop) {
  const Model model = read_model_text(four_bar + four_bar_driver, "four-bar");
  const Recording recording = run_of(model, 2, 0.004);
  Recording table;
  table.samples = ChannelTable(recording.times());
  table.add_channel({.name = "A.angle", .values = recording.find("A.angle")->values});
  InverseRun inverse(model, table);
  ASSERT_FALSE(inverse.run());
  EXPECT_LT(largest_difference(recording, "motor.effort", inverse.recording(), "motor.torque"), 1e-4);
  EXPECT_LT(largest_difference(recording, "D.angle", inverse.recording(), "D.angle"), 1e-9);
}

TEST(InverseRun, SaysWhatIsWrong) {
  const Model model = read_model_text(arm + arm_drivers, "arm");
  Recording table;
  table.samples = ChannelTable({0, 0.1, 0.2});
  table.add_channel({.name = "A.angle", .values = {0, 0.1, 0.2}});
  InverseRun too_little(model, table);
  EXPECT_NE(too_little.run().message.find("B.angle"), std::string::npos);
  table.add_channel({.name = "C.angle", .values = {0, 0.1, 0.2}});
  InverseRun unknown(model, table);
  EXPECT_THROW(unknown.run(), std::invalid_argument);
  EXPECT_THROW(InverseRun(model, table, {.coordinates = {"D.angle"}}), std::invalid_argument);

  // motors that cannot do it
  const Recording recording = run_of(model, 0.5, 0.01);
  InverseRun one_motor(model, recording, {.coordinates = {"A.angle"}});
  ASSERT_FALSE(one_motor.run());
  ASSERT_EQ(one_motor.notes().size(), 1u);
  EXPECT_NE(one_motor.notes()[0].find("cannot do this motion"), std::string::npos);
}

// Forces of actuators, which the model has instead of drivers, come back as well: from a free motion of loops.
TEST(InverseRun, GivesTheForcesOfActuatorsBack) {
  const Model model = read_model_text(four_bar + R"yaml(forces:
  push: {type: actuator, joint: A, torque: "2 * sin(4 * t) - 0.3 * rate"}
)yaml",
                                      "four-bar");
  const Recording recording = run_of(model, 1, 0.005);
  InverseRun inverse(model, recording);
  ASSERT_FALSE(inverse.run());
  EXPECT_LT(largest_difference(recording, "push.torque", inverse.recording(), "push.torque"), 1e-5);
}

}  // namespace
}  // namespace trammel
