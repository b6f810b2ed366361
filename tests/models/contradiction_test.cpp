// Constraints that contradict each other, told from constraints that are redundant: at assembly and while
// running, with every family of methods.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

Summary run_quietly(const std::string& text, const std::string& method,
                    std::vector<std::pair<std::string, std::string>> options = {}) {
  RunRequest request;
  request.method = method;
  request.options = std::move(options);
  MechanismRun run(read_model_text(text, "test.yaml"), request);
  return run.run();
}

// A slider crank with a driver at either end.
std::string two_drivers(const std::string& crank, const std::string& slider) {
  return R"yaml(
trammel: 1
gravity: [0, -9.81, 0]
parameters: {th: 60 deg, end: "cos(th)+sqrt(4-sin(th)^2)"}
bodies:
  a: {rod: {from: [0, 0, 0], to: [cos(th), sin(th), 0], mass: 1, radius: 1 cm}}
  b: {rod: {from: [cos(th), sin(th), 0], to: [end, 0, 0], mass: 1, radius: 1 cm}}
  s: {at: [end, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0, 0]}
  B: {type: revolute, between: [a, b], at: [cos(th), sin(th), 0]}
  C: {type: revolute, between: [b, s], at: [end, 0, 0]}
  S: {type: prismatic, between: [ground, s], at: [end, 0, 0], axis: [1, 0, 0]}
simulation: {end: 0.8, output: 0.01}
)yaml"
         "drivers:\n  m: {coordinate: A.angle, position: \"" +
         crank + "\"}\n  n: {coordinate: S.displacement, position: \"" + slider + "\"}\n";
}

class Contradiction : public testing::TestWithParam<std::string> {};

TEST_P(Contradiction, OfTwoDriversIsAFailure) {
  const Summary summary = run_quietly(two_drivers("t^3", "t^3"), GetParam());
  EXPECT_EQ(summary.status, Status::failed);
  EXPECT_LT(summary.t, 0.2);
  EXPECT_TRUE(summary.failure.reason == Reason::contradictory_conditions ||
              summary.failure.reason == Reason::newton_failed ||
              summary.failure.reason == Reason::constraints_violated)
      << summary.message();
  // a driver is what does not hold, or both are among what that stands against
  EXPECT_TRUE(summary.message().find("'n") != std::string::npos ||
              summary.message().find("'m") != std::string::npos ||
              summary.message().find(", m, n.") != std::string::npos)
      << summary.message();
}

// The slider's driver says what the crank's driver makes of it: redundant, and fine.
TEST_P(Contradiction, IsNotRedundancy) {
  const Summary summary = run_quietly(
      two_drivers("0.1*t^3", "cos(th+0.1*t^3)+sqrt(4-sin(th+0.1*t^3)^2)-cos(th)-sqrt(4-sin(th)^2)"),
      GetParam());
  EXPECT_EQ(summary.status, Status::finished) << summary.message();
}

INSTANTIATE_TEST_SUITE_P(Methods, Contradiction,
                         testing::Values("psf/radau5", "psf/sdirk4", "partitioned/sdirk4", "projected/dop853",
                                         "projected/adams", "penalty/trapezoidal", "augmented/trapezoidal"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

std::string two_joints(double apart) {
  return fmt::format(R"(
trammel: 1
bodies: {{a: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}}}
joints:
  A: {{type: spherical, between: [ground, a], on_first: {{at: [0, 0, 0]}}, on_second: {{at: [0, 0, 0]}}}}
  B: {{type: spherical, between: [ground, a], on_first: {{at: [1, 0, 0]}}, on_second: {{at: [{}, 0, 0]}}}}
simulation: {{end: 0.1, output: 0.1}}
)",
                     1 + apart);
}

TEST(Assembly, RefusesJointsThatContradictEachOther) {
  for (const double apart : {1.0, 0.1, 1e-4})
    for (const char* method : {"psf/radau5", "geoms/radau5"}) {
      const Summary summary = run_quietly(two_joints(apart), method);
      EXPECT_EQ(summary.status, Status::failed) << apart;
      EXPECT_EQ(summary.failure.reason, Reason::contradictory_conditions) << summary.message();
      for (const char* name : {"A", "B"}) EXPECT_NE(summary.message().find(name), std::string::npos);
    }
}

TEST(Assembly, TakesWhatFitsAsWellAsNumbersAreTyped) {
  const Summary typed = run_quietly(two_joints(2e-6), "psf/radau5");
  EXPECT_EQ(typed.status, Status::finished) << typed.message();
  EXPECT_TRUE(std::any_of(typed.notes.begin(), typed.notes.end(), [](const std::string& note) {
    return note.find("fit only") != std::string::npos;
  }));
  const Summary asked = run_quietly(two_joints(1e-4), "psf/radau5", {{"closure_tolerance", "1e-3"}});
  EXPECT_EQ(asked.status, Status::finished) << asked.message();
}

// Of joint coordinates the second hinge has rows that nothing can move.
TEST(Assembly, OfJointCoordinatesTakesWhatIsAskedFor) {
  const auto door = [](double apart) {
    return fmt::format(R"(
trammel: 1
bodies: {{door: {{mass: 20, inertia: [2, 2, 2]}}}}
joints:
  low: {{type: revolute, between: [ground, door], on_first: {{at: [0, 0, 0]}}, on_second: {{at: [0, 0, 0]}}}}
  high: {{type: revolute, between: [ground, door], on_first: {{at: [0, 0, 1]}}, on_second: {{at: [{}, 0, 1]}}}}
simulation: {{end: 0.1, output: 0.1, coordinates: joint}}
)",
                       apart);
  };
  const Summary off = run_quietly(door(1e-4), "psf/radau5");
  EXPECT_EQ(off.status, Status::failed);
  EXPECT_EQ(off.failure.reason, Reason::contradictory_conditions) << off.message();
  const Summary asked = run_quietly(door(1e-4), "psf/radau5", {{"closure_tolerance", "1e-3"}});
  EXPECT_EQ(asked.status, Status::finished) << asked.message();
}

// There are none; what its joints carry is to be known all the same.
TEST(Assembly, OfAMechanismThatCannotMoveTakesCartesianCoordinates) {
  MechanismRun run(read_model_text(R"(
trammel: 1
gravity: [0, 0, -10]
bodies: {plate: {at: [2, 0, 0], mass: 1, inertia: [1, 1, 1]}}
joints: {F: {type: fixed, between: [ground, plate], at: [0, 0, 0]}}
simulation: {end: 1, coordinates: joint}
)",
                                   "test.yaml"));
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().message();
  EXPECT_EQ(run.settings().coordinates, "cartesian");
  EXPECT_NE(run.settings().why_coordinates.find("no joint of the tree moves"), std::string::npos);
  EXPECT_NEAR(std::abs(last(run, "F.reaction.force.z")), 10, 1e-9);
  EXPECT_NEAR(std::abs(last(run, "F.reaction.torque.y")), 20, 1e-9);
}

// What is said of constraints does not depend on the coordinates: those of the tree are named too.
class SaidOfConstraints : public testing::TestWithParam<std::string> {
 protected:
  Summary run(const std::string& text) const {
    Model model = read_model_text(text, "test.yaml");
    model.simulation.coordinates = GetParam();
    return MechanismRun(model).run();
  }
};

TEST_P(SaidOfConstraints, RedundantHinge) {
  const Summary summary = run(R"(
trammel: 1
bodies: {door: {at: [0.4, 0, 0.5], mass: 20, inertia: [2, 2, 2]}}
joints:
  low: {type: revolute, between: [ground, door], at: [0, 0, 0]}
  high: {type: revolute, between: [ground, door], at: [0, 0, 1]}
simulation: {end: 0.1, output: 0.1}
)");
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_EQ(summary.degrees_of_freedom, 1);
  ASSERT_EQ(summary.redundant.size(), 5u);
  for (const std::string& row : summary.redundant)
    EXPECT_TRUE(row.starts_with("high.") || row.starts_with("low.")) << row;
  for (const char* said : {"depend on the others", "minimal norm"})
    EXPECT_TRUE(std::any_of(summary.notes.begin(), summary.notes.end(), [&](const std::string& note) {
      return note.find(said) != std::string::npos;
    })) << said;
}

TEST_P(SaidOfConstraints, JointsThatContradictEachOther) {
  const Summary summary = run(two_joints(0.1));
  EXPECT_EQ(summary.failure.reason, Reason::contradictory_conditions) << summary.message();
  for (const char* name : {"'A.", "'B."})
    EXPECT_NE(summary.message().find(name), std::string::npos) << summary.message();
}

TEST_P(SaidOfConstraints, DriversThatContradictEachOtherLater) {
  const Summary summary = run(two_drivers("t^3", "t^3"));
  EXPECT_EQ(summary.failure.reason, Reason::contradictory_conditions) << summary.message();
  for (const char* name : {"A", "B", "C", "S", "m", "n"})
    EXPECT_TRUE(summary.message().find(fmt::format("'{}.", name)) != std::string::npos ||
                summary.message().find(fmt::format(" {},", name)) != std::string::npos ||
                summary.message().find(fmt::format(" {}.", name)) != std::string::npos)
        << name << ": " << summary.message();
}

TEST_P(SaidOfConstraints, PartsThatFitAsWellAsNumbersAreTyped) {
  const Summary summary = run(two_joints(2e-6));
  EXPECT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_TRUE(std::any_of(summary.notes.begin(), summary.notes.end(), [](const std::string& note) {
    return note.find("fit only") != std::string::npos;
  }));
}

INSTANTIATE_TEST_SUITE_P(Coordinates, SaidOfConstraints, testing::Values("cartesian", "joint"),
                         [](const auto& each) { return each.param; });

TEST(Assembly, NamesDriversThatDisagreeAtTheStart) {
  const Summary velocities = run_quietly(two_drivers("t", "t"), "psf/radau5");
  EXPECT_EQ(velocities.status, Status::failed);
  EXPECT_EQ(velocities.failure.reason, Reason::contradictory_conditions) << velocities.message();
  EXPECT_NE(velocities.message().find("velocities"), std::string::npos) << velocities.message();
  const Summary accelerations = run_quietly(two_drivers("t^2", "t^2"), "psf/radau5");
  EXPECT_EQ(accelerations.status, Status::failed);
  EXPECT_NE(accelerations.message().find("accelerations"), std::string::npos) << accelerations.message();
}

// What is not held is said.
TEST(Drift, IsNoted) {
  RunRequest request;
  request.method = "index1/radau5";
  request.rtol = 1e-3;
  request.end = 20;
  MechanismRun run(read_model_text(R"(
trammel: 1
bodies: {a: {at: [1, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
)",
                                   "test.yaml"),
                   request);
  const Summary& summary = run.run();
  ASSERT_GT(summary.violation.position, 1e-3) << "the test wants a drift";
  EXPECT_TRUE(std::any_of(summary.notes.begin(), summary.notes.end(),
                          [](const std::string& note) { return note.find("drift") != std::string::npos; }));
}

}  // namespace
}  // namespace trammel
