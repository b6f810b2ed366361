// The balance of energy against motions whose energy is known.
#include "trammel/simulation/energy_balance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

const Summary& run_of(const MechanismRun& run) { return run.summary(); }

TEST(EnergyBalance, OfAPendulumIsClosed) {
  MechanismRun run = run_text(R"(
trammel: 1
bodies: {a: {at: [1, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
simulation: {end: 5, rtol: 1e-8}
)");
  const EnergyBalance& energy = run_of(run).energy;
  ASSERT_TRUE(energy.is_known());
  EXPECT_EQ(energy.work_of_drivers(), 0);
  EXPECT_NEAR(energy.work_of_forces(), 0, 1e-5);
  EXPECT_NEAR(energy.unexplained(), 0, 1e-5);
  EXPECT_NEAR(energy.final(), energy.initial(), 1e-5);
}

// m x'' = −c x': all that is lost is work of the damper.
TEST(EnergyBalance, KnowsWhatADamperTakes) {
  MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 2, inertia: [1, 1, 1], velocity: [3, 0, 0]}}
joints: {A: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}
forces: {d: {type: actuator, coordinate: A.displacement, force: "-4*A.displacement_rate"}}
simulation: {end: 1, rtol: 1e-9}
)");
  const EnergyBalance& energy = run_of(run).energy;
  EXPECT_NEAR(energy.initial(), 9, 1e-12);
  EXPECT_NEAR(energy.work_of_forces(), 9 * (std::exp(-4.0) - 1), 1e-6);
  EXPECT_NEAR(energy.unexplained(), 0, 1e-6);
}

// A motor that speeds up a disk: its work is the kinetic energy.
TEST(EnergyBalance, KnowsTheWorkOfADriver) {
  for (const char* method : {"psf/radau5", "partitioned/sdirk4", "projected/dop853"}) {
    RunRequest request;
    request.method = method;
    MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 2, inertia: [2, 2, 3]}}
joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0]}}
drivers: {m: {coordinate: A.angle, position: "t^2"}}
simulation: {end: 2, rtol: 1e-8}
)",
                                request);
    EXPECT_NEAR(run_of(run).energy.work_of_drivers(), 0.5 * 3 * 16, 1e-4) << method;
    EXPECT_NEAR(run_of(run).energy.unexplained(), 0, 1e-4) << method;
  }
}

// Everything is driven, so that steps are long and what sdirk4 has inside them is rough; the balance is that of states on the
// constraints.
TEST(EnergyBalance, OfLongStepsIsThatOfTheConstraints) {
  RunRequest request;
  request.method = "partitioned/sdirk4";
  MechanismRun run = run_text(R"(
trammel: 1
bodies:
  crank: {rod: {from: [0, 0, 0], to: [0.1, 0, 0], mass: 1, radius: 0.01}}
  conrod: {rod: {from: [0.1, 0, 0], to: [0.4, 0, 0], mass: 1, radius: 0.01}}
  piston: {at: [0.4, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0]}
  B: {type: revolute, between: [crank, conrod], at: [0.1, 0, 0]}
  C: {type: revolute, between: [conrod, piston], at: [0.4, 0, 0]}
  D: {type: prismatic, between: [ground, piston], at: [0.4, 0, 0], axis: [1, 0, 0]}
drivers: {m: {coordinate: A.angle, position: "20*t"}}
simulation: {end: 1}
)",
                              request);
  for (const std::string& note : run_of(run).notes) EXPECT_FALSE(note.starts_with("ENERGY")) << note;
  const EnergyBalance& energy = run_of(run).energy;
  EXPECT_LT(std::abs(energy.worst_step()), 1e-3 * energy.in_motion());
}

// What was gone through in several steps counts as one.
TEST(EnergyBalance, CountsStepsTogether) {
  EnergyBalance balance;
  balance.begin({.kinetic = 1});
  balance.add(0.1, 0.1, {.kinetic = 1}, {.kinetic = 1}, {.kinetic = 2});
  balance.add(0.2, 0.1, {.kinetic = 2}, {.kinetic = 2}, {.kinetic = 3});
  EXPECT_DOUBLE_EQ(balance.worst_step(), 1);
  balance.judge(0.2, balance.unexplained());
  EXPECT_DOUBLE_EQ(balance.worst_step(), 2);
  EXPECT_DOUBLE_EQ(balance.worst_t(), 0.2);
}

// A step that changes the kinetic energy without any force is found, and where.
TEST(EnergyBalance, FindsWhatNoForceExplains) {
  EnergyBalance balance;
  balance.begin({.kinetic = 1});
  balance.add(0.1, 0.1, {.kinetic = 1}, {.kinetic = 1}, {.kinetic = 1});
  balance.add(0.2, 0.1, {.kinetic = 1}, {.kinetic = 1}, {.kinetic = 5});
  EXPECT_DOUBLE_EQ(balance.worst_step(), 4);
  EXPECT_DOUBLE_EQ(balance.worst_t(), 0.2);
  EXPECT_DOUBLE_EQ(balance.in_motion(), 5);
  // an impact is no step
  balance.begin({.kinetic = 2});
  EXPECT_DOUBLE_EQ(balance.impacts(), -3);
  EXPECT_DOUBLE_EQ(balance.unexplained(), 4);
}

}  // namespace
}  // namespace trammel
