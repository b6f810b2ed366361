// What happens between two steps: pulses in laws of time, contacts, reactions of samples inside a step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

const std::vector<std::string> families{"psf/radau5",        "psf/sdirk4",       "partitioned/sdirk4",
                                        "partitioned/bdf",   "projected/dop853", "projected/adams",
                                        "partitioned/radau5"};

// They look at the ends of their steps only, and add up more errors of steps: of order two.
const std::vector<std::string> of_second_order{"augmented/trapezoidal", "penalty/alpha", "ggl/hht"};

std::string free_body(const std::string& law, const std::string& more = "") {
  return "trammel: 1\ngravity: [0, 0, 0]\n" + more +
         "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "forces:\n  f: {type: force, on: a, at: [0, 0, 0], components: [\"" +
         law + "\", 0, 0]}\nsimulation: {end: 10, output: 0.5}\n";
}

class Pulses : public testing::TestWithParam<std::string> {
 protected:
  static RunRequest request() {
    RunRequest request;
    request.method = GetParam();
    request.rtol = 1e-6;
    return request;
  }
};

// m v = ∫ F dt
TEST_P(Pulses, MoveAFreeBody) {
  EXPECT_NEAR(last(run_text(free_body("if(t > 5 and t < 5.01, 100, 0)"), request()), "a.velocity.x"), 1,
              5e-5);
  EXPECT_NEAR(last(run_text(free_body("if(t > 5 and t < 5.0001, 1e4, 0)"), request()), "a.velocity.x"), 1,
              5e-5);
  EXPECT_NEAR(
      last(run_text(free_body("200*step(t, 5, 0, 5.005, 1)*(1 - step(t, 5.005, 0, 5.01, 1))"), request()),
           "a.velocity.x"),
      1, 5e-5);
  EXPECT_NEAR(last(run_text(free_body("table(p, t)",
                                      "tables: {p: {x: [0, 4.99, 5, 5.01, 10], y: [0, 0, 100, 0, 0]}}\n"),
                            request()),
                   "a.velocity.x"),
              1, 5e-5);
  // smooth, with no corner at all; also where it is nothing on both sides of any time that one would try
  EXPECT_NEAR(last(run_text(free_body("1e3*exp(-((t - 3.0005)/0.001)^2)"), request()), "a.velocity.x"),
              std::sqrt(std::acos(-1.0)), 1e-4);
  EXPECT_NEAR(last(run_text(free_body("1e6*exp(-((t - 3.0005)/1e-6)^2)"), request()), "a.velocity.x"),
              std::sqrt(std::acos(-1.0)), 1e-4);
  EXPECT_NEAR(last(run_text(free_body("100*exp(-((t - 5)/0.01)^2)"), request()), "a.velocity.x"),
              100 * 0.01 * std::sqrt(std::acos(-1.0)), 1e-4);
}

const std::string kicked_pendulum = R"yaml(
trammel: 1
bodies: {a: {at: [0, 0, -1], mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  kick: {type: force, on: a, at: [0, 0, -1], components: ["10*step(t, 5, 0, 5.025, 1)*(1 - step(t, 5.025, 0, 5.05, 1))", 0, 0]}
simulation: {end: 10, output: 0.01}
)yaml";

double largest_angle(const MechanismRun& run) {
  double largest = 0;
  for (const double angle : values(run, "A.angle")) largest = std::max(largest, std::abs(angle));
  return largest;
}

// A hanging pendulum that is kicked swings afterwards as far as with tiny steps.
TEST_P(Pulses, KickAPendulum) {
  RunRequest with = request();
  with.rtol = 1e-7;
  const double found = largest_angle(run_text(kicked_pendulum, with));
  with.options = {{"max_step", "0.001"}};
  with.method = "psf/radau5";
  const double expected = largest_angle(run_text(kicked_pendulum, with));
  EXPECT_GT(expected, 0.05);
  EXPECT_NEAR(found, expected, 1e-4 * expected);
}

TEST(Pulse, IsSeenByMethodsOfSecondOrder) {
  const std::vector<std::pair<std::string, double>> laws{
      {"if(t > 5 and t < 5.01, 100, 0)", 1},
      {"200*step(t, 5, 0, 5.005, 1)*(1 - step(t, 5.005, 0, 5.01, 1))", 1},
      // kinks, behind which a step of any length may follow
      {"500*max(0, 1 - abs(t - 5)/0.003)", 1.5},
      {"if(mod(t + 0.5, 1) < 0.01, 100, 0)", 10},
      {"100*exp(-((t - 5)/0.01)^2)", std::sqrt(std::acos(-1.0))}};
  for (const std::string& method : of_second_order)
    for (const auto& [law, impulse] : laws) {
      RunRequest request;
      request.method = method;
      request.rtol = 1e-6;
      EXPECT_NEAR(last(run_text(free_body(law), request), "a.velocity.x"), impulse, 5e-4 * impulse)
          << method << ", " << law;
    }
}

// One tick of a clock that ticks a thousand times and more.
TEST(Pulse, MayBeATickOfAClock) {
  for (const std::string& method : families) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-6;
    EXPECT_NEAR(last(run_text(free_body("if(floor(t*100 + 0.3) == 500, 100, 0)"), request), "a.velocity.x"),
                1, 5e-5)
        << method;
  }
}

// More ticks than are listed at a time, and a comparison whose periods a grid over the run does not tell apart.
TEST(Pulse, MayComeAnyNumberOfTimes) {
  for (const char* method : {"psf/radau5", "projected/dop853", "partitioned/sdirk4", "projected/adams"}) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-6;
    request.options = {{"max_steps", "1000000"}};
    EXPECT_NEAR(last(run_text(free_body("if(mod(t, 0.0008) < 0.0002, 4, 0)"), request), "a.velocity.x"), 10,
                1e-4)
        << method;
    EXPECT_NEAR(last(run_text(free_body("if(sin(2*pi*819.2*t) > 0.5, 3, 0)"), request), "a.velocity.x"), 10,
                1e-4)
        << method;
  }
}

// What rests has no energy to speak of: round-off is no reason for a note.
TEST(EnergyNote, IsSilentAtRest) {
  for (const std::string& method : families) {
    RunRequest request;
    request.method = method;
    const MechanismRun run = run_text(R"(
trammel: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}
simulation: {end: 2, output: 0.5}
)",
                                      request);
    EXPECT_TRUE(run.summary().notes.empty()) << method << ": " << run.summary().notes.front();
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Pulses, testing::ValuesIn(families), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

// A ball that falls without damping comes back to where it was let go.
TEST(Contact, IsNotSteppedThrough) {
  for (const double stiffness : {1e5, 1e7, 1e8})
    for (const double height : {0.3, 1.0, 3.0})
      for (const double radius : {0.05, 0.1}) {
        RunRequest request;
        request.rtol = 1e-6;
        const MechanismRun run = run_text(fmt::format(R"(
trammel: 1
bodies:
  ball: {{at: [0, 0, {0}], density: 7800, shapes: {{sphere: {{radius: {1}}}}}}}
forces:
  floor: {{type: contact, sphere: ball, at: [0, 0, {0}], radius: {1}, stiffness: {2}, smoothing: 1 mm}}
simulation: {{end: 2, output: 0.01}}
)",
                                                      height, radius, stiffness),
                                          request);
        const std::vector<double>& energy = values(run, "energy.total");
        for (const double now : energy)
          ASSERT_NEAR(now, energy[0], 2e-3 * energy[0]) << stiffness << ' ' << height << ' ' << radius;
      }
}

// A pendulum let go from the horizontal: the force along the bar is known from the energy.
TEST(Reactions, AreRightBetweenSteps) {
  for (const std::string method : {"psf/radau5", "psf/sdirk4", "partitioned/radau5", "partitioned/sdirk4",
                                   "partitioned/bdf", "projected/dop853", "projected/adams"}) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-7;
    const MechanismRun run = run_text(R"(
trammel: 1
bodies:
  bar: {rod: {from: [0, 0, 0], to: [1.5, 0, 0], mass: 1, radius: 1 cm}}
joints:
  hinge: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: [0, 1, 0]}
simulation: {end: 2, output: 0.01}
)",
                                      request);
    const std::vector<double>&angle = values(run, "hinge.angle"), &rate = values(run, "hinge.angle_rate"),
          &x = values(run, "hinge.reaction.force.x"), &y = values(run, "hinge.reaction.force.y"),
          &z = values(run, "hinge.reaction.force.z");
    // thin rod with a radius: I about the hinge from the motion itself, by energy: I rate²/2 = m g (l/2) sin
    const double I = 2 * 9.81 * 0.75 * std::sin(angle[20]) / (rate[20] * rate[20]);
    for (std::size_t i = 0; i < angle.size(); ++i) {
      const double outwards = 0.75 * rate[i] * rate[i], along = 9.81 * 0.75 * std::cos(angle[i]) / I * 0.75;
      const double ax = -outwards * std::cos(angle[i]) - along * std::sin(angle[i]);
      const double az = outwards * std::sin(angle[i]) - along * std::cos(angle[i]);
      EXPECT_NEAR(std::hypot(x[i], y[i], z[i]), std::hypot(ax, az + 9.81), 3e-4)
          << method << " at sample " << i;
    }
  }
}

// A state that lags behind lets dop853 take steps of several of its time constants, at whose ends errors cancel. In
// between they may be 30 tolerances; they were 120.
TEST(BetweenSteps, StatesAreAsExactAsStepsOfDop853) {
  RunRequest request;
  request.method = "projected/dop853";
  request.rtol = 1e-4;
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: [0.05, 0.05, 0.1]}
joints:
  W: {type: revolute, between: [ground, wheel], at: [0, 0, 0]}
states:
  lag: {rate: "(sin(2*t) - lag)/0.04", initial: 0.3}
simulation: {end: 2, output: 0.01}
)",
                                    request);
  constexpr double T = 0.04, gain = 1 / (1 + 4 * T * T);
  EXPECT_LT(run.summary().statistics.accepted, 30);
  expect_follows(run, "lag", 30 * 1e-4, [](double t) {
    return gain * (std::sin(2 * t) - 2 * T * std::cos(2 * t)) + (0.3 + 2 * T * gain) * std::exp(-t / T);
  });
}

// A pulse that only a state feels: steps end before it and begin behind it, as with forces.
TEST(BetweenSteps, PulsesInRatesOfStatesAreFelt) {
  for (const std::string& method : families) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-6;
    const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: [0.05, 0.05, 0.1]}
joints:
  W: {type: revolute, between: [ground, wheel], at: [0, 0, 0]}
states:
  command: {rate: "(if(t > 0.3 and t < 0.325, 1, 0) - command)/0.5", initial: 0.4}
simulation: {end: 1, output: 0.1}
)",
                                      request);
    const double before = 0.4 * std::exp(-0.3 / 0.5), after = 1 - (1 - before) * std::exp(-0.025 / 0.5);
    EXPECT_NEAR(last(run, "command"), after * std::exp(-0.675 / 0.5), 1e-5) << method;
  }
}

}  // namespace
}  // namespace trammel
