// Drivers that are no equations in joint coordinates: the same motion, the same forces and the same work as with an
// equation, and as in Cartesian coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

// Three drivers that ask for the same motion from where A.angle is 0.
const std::vector<std::string> drivers = {
    R"yaml(position: "0.5*t + 0.3*sin(2*t)")yaml",
    R"yaml(velocity: "0.5 + 0.6*cos(2*t)")yaml",
    R"yaml(acceleration: "-1.2*sin(2*t)")yaml",
};

// A driven hinge in the middle of a tree, behind it a hinge and a ball, beside it a spring; A is what is driven.
std::string tree(const std::string& driver) {
  return fmt::format(R"yaml(
trammel: 1
gravity: [0.3, 0, -9.81]
bodies:
  base: {{rod: {{from: [0, 0, 0], to: [1, 0, 0], mass: 2, radius: 3 cm}}}}
  arm: {{rod: {{from: [1, 0, 0], to: [1.6, 0.2, 0], mass: 1, radius: 2 cm}}}}
  hand: {{rod: {{from: [1.6, 0.2, 0], to: [1.9, 0.2, 0.1], mass: 0.5, radius: 2 cm}}}}
  tool: {{at: [1.9, 0.2, 0], mass: 0.3, inertia: [2e-3, 3e-3, 4e-3]}}
joints:
  R: {{type: revolute, between: [ground, base], at: [0, 0, 0], axis: [0, 1, 0]}}
  A: {{type: revolute, between: [base, arm], at: [1, 0, 0], axis: [0, 0.6, 0.8], initial: {{angle: 0, angle_rate: 1.1}}}}
  B: {{type: revolute, between: [arm, hand], at: [1.6, 0.2, 0], axis: [1, 0, 0]}}
  C: {{type: spherical, between: [hand, tool], at: [1.9, 0.2, 0.1]}}
drivers: {{motor: {{coordinate: A.angle, {}}}}}
forces:
  spring: {{type: spring_damper, between: [ground, hand], from: [1, 1, 0], to: [1.9, 0.2, 0.1], stiffness: 50, damping: 2}}
simulation: {{end: 1, output: 0.05}}
)yaml",
                     driver);
}

// A driven crank of a loop, on whose coupler a pendulum hangs.
std::string loop(const std::string& driver) {
  return fmt::format(R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  crank: {{rod: {{from: [0, 0, 0], to: [0, 0, 0.4], mass: 1, radius: 2 cm}}}}
  coupler: {{rod: {{from: [0, 0, 0.4], to: [1, 0, 0.9], mass: 2, radius: 2 cm}}}}
  rocker: {{rod: {{from: [1, 0, 0.9], to: [1, 0, 0], mass: 1.5, radius: 2 cm}}}}
  bob: {{rod: {{from: [1, 0, 0.9], to: [1.2, 0, 0.6], mass: 0.7, radius: 2 cm}}}}
joints:
  A: {{type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0], initial: {{angle: 0, angle_rate: 1.1}}}}
  B: {{type: revolute, between: [crank, coupler], at: [0, 0, 0.4], axis: [0, 1, 0]}}
  C: {{type: revolute, between: [coupler, rocker], at: [1, 0, 0.9], axis: [0, 1, 0]}}
  D: {{type: revolute, between: [ground, rocker], at: [1, 0, 0], axis: [0, 1, 0]}}
  P: {{type: spherical, between: [rocker, bob], at: [1, 0, 0.9]}}
drivers: {{motor: {{coordinate: A.angle, {}}}}}
simulation: {{end: 1, output: 0.05}}
)yaml",
                     driver);
}

MechanismRun run_in(const std::string& coordinates, const std::string& text, const std::string& method,
                    bool eliminate = true) {
  Model model = read_model_text(text, "test.yaml");
  model.simulation.coordinates = coordinates;
  RunRequest request;
  request.method = method;
  request.rtol = 1e-8;
  request.options = {{"driver_elimination", eliminate ? "yes" : "no"}};
  MechanismRun run(model, std::move(request));
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << method << ": " << run.summary().message();
  return run;
}

// The largest difference of any channel, relative to the largest value of those with the same unit.
std::string largest_difference(const MechanismRun& run, const MechanismRun& other, double& largest) {
  std::string where;
  largest = 0;
  for (const Channel& channel : run.recording().channels()) {
    if (channel.name.find("constraint") != std::string::npos) continue;
    const Channel* same = other.recording().find(channel.name);
    if (same == nullptr) return "no channel " + channel.name;
    double size = 1;
    for (const Channel& neighbour : run.recording().channels())
      if (neighbour.unit == channel.unit)
        for (const double value : neighbour.values) size = std::max(size, std::abs(value));
    for (std::size_t i = 0; i < channel.values.size(); ++i) {
      const double difference = std::abs(channel.values[i] - same->values[i]) / size;
      if (!(difference <= largest)) {
        largest = difference;
        where = fmt::format("{} at t = {}", channel.name, run.recording().times()[i]);
      }
    }
  }
  return where;
}

bool tells_that_nothing_came_of_it(const Summary& summary) {
  return std::any_of(summary.notes.begin(), summary.notes.end(), [](const std::string& note) {
    return note.starts_with("driver_elimination changed nothing");
  });
}

class EliminatedDriver : public testing::TestWithParam<const char*> {};

TEST_P(EliminatedDriver, MovesAndPushesAsInCartesianCoordinates) {
  const std::string method = GetParam();
  for (const auto& model : {tree, loop})
    for (const std::string& driver : drivers) {
      const MechanismRun cartesian = run_in("cartesian", model(driver), "psf/radau5");
      const MechanismRun joint = run_in("joint", model(driver), method);
      EXPECT_TRUE(cartesian.summary().eliminated_drivers.empty());
      EXPECT_TRUE(tells_that_nothing_came_of_it(cartesian.summary()));
      EXPECT_FALSE(tells_that_nothing_came_of_it(joint.summary())) << driver;
      ASSERT_EQ(joint.summary().eliminated_drivers, std::vector<std::string>{"motor"}) << driver;
      double difference = 0;
      const std::string where = largest_difference(joint, cartesian, difference);
      // errors of a step are at most 1e-8; accelerations and forces of projected states differ by more
      EXPECT_LT(difference, 1e-5) << method << ", " << driver << ": " << where;
      expect_follows(joint, "A.angle", 1e-12, [](double t) { return 0.5 * t + 0.3 * std::sin(2 * t); });
      // where samples between steps are coarse the balance is, too, with an equation for the driver even more so
      const EnergyBalance& energy = joint.summary().energy;
      const EnergyBalance with = run_in("cartesian", model(driver), method).summary().energy;
      const double allowed = std::max(1e-4, std::abs(with.unexplained()));
      EXPECT_NEAR(energy.work_of_drivers(), cartesian.summary().energy.work_of_drivers(), allowed) << method;
      EXPECT_GT(std::abs(energy.work_of_drivers()), 0.05);
      EXPECT_NEAR(energy.unexplained(), 0, allowed) << method << ", " << driver;
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, EliminatedDriver,
                         testing::Values("psf/radau5", "psf1/radau5", "partitioned/sdirk4",
                                         "partitioned/radau5", "projected/dop853", "projected/adams",
                                         "csm/radau5", "auto"),
                         [](const testing::TestParamInfo<const char*>& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

// What the driver does is what its equation would have as multiplier, at every sample, in the state and in the channel.
TEST(EliminatedDriver, PushesAsItsEquationWould) {
  for (const auto& model : {tree, loop})
    for (const std::string& driver : drivers) {
      const MechanismRun without = run_in("joint", model(driver), "projected/dop853");
      const MechanismRun with = run_in("joint", model(driver), "projected/dop853", false);
      EXPECT_TRUE(with.summary().eliminated_drivers.empty());
      expect_same(without, "motor.effort", with, "motor.effort", 1e-5);
      const Vector &x = without.summary().final_state, &y = with.summary().final_state;
      ASSERT_EQ(x.size(), y.size());
      EXPECT_LT((x - y).lpNorm<Eigen::Infinity>(), 1e-5) << driver;
    }
}

// Two motors on a parallelogram, of which one would do: they share the work as the smallest reactions of all joints and
// drivers have it, in both coordinates.
TEST(RedundantDrivers, ShareTheirWorkAsInCartesianCoordinates) {
  const std::string text = R"yaml(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 3 cm}}
  coupler: {rod: {from: [0, 1, 0], to: [2, 1, 0], mass: 2, radius: 3 cm}}
  rocker: {rod: {from: [2, 1, 0], to: [2, 0, 0], mass: 2, radius: 3 cm}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: revolute, between: [coupler, rocker], at: [2, 1, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}
drivers:
  left: {coordinate: A.angle, position: "sin(t)"}
  right: {coordinate: D.angle, position: "-sin(t)"}
simulation: {end: 1, output: 0.1}
)yaml";
  for (const char* method : {"psf/radau5", "projected/dop853"}) {
    const MechanismRun cartesian = run_in("cartesian", text, method), joint = run_in("joint", text, method);
    double difference = 0;
    const std::string where = largest_difference(joint, cartesian, difference);
    EXPECT_LT(difference, 1e-8) << method << ": " << where;
  }
}

// Two coordinates of one joint, one of them driven; the other ones of a body that is free to slide.
TEST(EliminatedDriver, OfOneOfTheCoordinatesOfAJoint) {
  const std::string text = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  nut: {at: [0, 0.1, 0], mass: 1, inertia: [0.02, 0.03, 0.04], com: [0.05, 0.1, 0]}
  arm: {rod: {from: [0, 0.1, 0], to: [0.5, 0.1, 0], mass: 1, radius: 1 cm}}
joints:
  S: {type: cylindrical, between: [ground, nut], at: [0, 0, 0], axis: [0, 0.3, 1]}
  H: {type: revolute, between: [nut, arm], at: [0, 0.1, 0], axis: [0, 1, 0]}
drivers: {motor: {coordinate: S.COORDINATE, position: "LAW"}}
simulation: {end: 1, output: 0.05}
)yaml";
  for (const auto& [coordinate, law] :
       {std::pair("angle", "4*t^2"), std::pair("displacement", "0.3*sin(3*t)")}) {
    std::string model = text;
    model.replace(model.find("COORDINATE"), 10, coordinate);
    model.replace(model.find("LAW"), 3, law);
    const MechanismRun joint = run_in("joint", model, "psf/radau5");
    const MechanismRun cartesian = run_in("cartesian", model, "psf/radau5");
    EXPECT_EQ(joint.summary().eliminated_drivers.size(), 1u) << coordinate;
    double difference = 0;
    const std::string where = largest_difference(joint, cartesian, difference);
    EXPECT_LT(difference, 1e-6) << coordinate << ": " << where;
  }
}

// Where everything is driven nothing would be left.
TEST(EliminatedDriver, StaysAnEquationWhereNothingElseMoves) {
  const std::string all_driven = R"yaml(
trammel: 1
bodies: {a: {at: [1, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
drivers: {motor: {coordinate: A.angle, position: "t^2"}}
simulation: {end: 1, output: 0.25}
)yaml";
  EXPECT_TRUE(run_in("joint", all_driven, "psf/radau5").summary().eliminated_drivers.empty());
}

// Drivers that agree are told as redundant, those that do not by their names.
TEST(EliminatedDriver, AndAnotherOneThatAgreesOrContradicts) {
  const std::string both = R"yaml(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  crank: {rod: {from: [0, 0, 0], to: [0, 0, 0.4], mass: 1, radius: 2 cm}}
  coupler: {rod: {from: [0, 0, 0.4], to: [1, 0, 0.4], mass: 2, radius: 2 cm}}
  rocker: {rod: {from: [1, 0, 0.4], to: [1, 0, 0], mass: 1.5, radius: 2 cm}}
  bob: {rod: {from: [1, 0, 0.4], to: [1.2, 0, 0.1], mass: 0.7, radius: 2 cm}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [crank, coupler], at: [0, 0, 0.4], axis: [0, 1, 0]}
  C: {type: revolute, between: [coupler, rocker], at: [1, 0, 0.4], axis: [0, 1, 0]}
  D: {type: revolute, between: [ground, rocker], at: [1, 0, 0], axis: [0, 1, 0]}
  P: {type: revolute, between: [coupler, bob], at: [1, 0, 0.4], axis: [0, 1, 0]}
drivers:
  motor: {coordinate: A.angle, position: "0.3*sin(t)"}
  second: {coordinate: D.angle, position: "0.3*sin(t) + LATER"}
simulation: {end: 1, output: 0.05}
)yaml";
  for (const char* method : {"psf/radau5", "partitioned/sdirk4", "projected/dop853"}) {
    std::string agrees = both, contradicts = both;
    agrees.replace(agrees.find("LATER"), 5, "0");
    contradicts.replace(contradicts.find("LATER"), 5, "0.01*t^2");
    const MechanismRun joint = run_in("joint", agrees, method);
    const MechanismRun cartesian = run_in("cartesian", agrees, method);
    EXPECT_FALSE(joint.summary().eliminated_drivers.empty());
    EXPECT_EQ(joint.summary().redundant.size(), cartesian.summary().redundant.size());
    double difference = 0;
    const MechanismRun with = run_in("joint", agrees, method, false);
    const std::string where = largest_difference(joint, with, difference);
    EXPECT_LT(difference, 1e-5) << method << ": " << where;

    Model model = read_model_text(contradicts, "test.yaml");
    model.simulation.coordinates = "joint";
    RunRequest request;
    request.method = method;
    MechanismRun run(model, request);
    run.run();
    EXPECT_EQ(run.summary().status, Status::failed) << method;
    EXPECT_EQ(run.summary().failure.reason, Reason::contradictory_conditions) << run.summary().message();
    EXPECT_NE(run.summary().message().find("second"), std::string::npos) << run.summary().message();
  }
}

}  // namespace
}  // namespace trammel
