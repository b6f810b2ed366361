// Reactions of joints in whole simulations, against those computed by hand; how redundant joints share them;
// and the state in which a run begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;
constexpr double tolerance = 1e-8;

// A reaction that does not change, as force and torque in the axes of the joint's frame on the first body.
struct Reaction {
  double fx, fy, fz, mx, my, mz;
};

void expect_reaction(const MechanismRun& run, const std::string& joint, const Reaction& expected) {
  const auto constant = [](double value) { return [value](double) { return value; }; };
  expect_follows(run, joint + ".reaction.force.x", tolerance, constant(expected.fx));
  expect_follows(run, joint + ".reaction.force.y", tolerance, constant(expected.fy));
  expect_follows(run, joint + ".reaction.force.z", tolerance, constant(expected.fz));
  expect_follows(run, joint + ".reaction.torque.x", tolerance, constant(expected.mx));
  expect_follows(run, joint + ".reaction.torque.y", tolerance, constant(expected.my));
  expect_follows(run, joint + ".reaction.torque.z", tolerance, constant(expected.mz));
}

// What a hinge carries of a body that is not balanced about its axis: N = I α + ω × I ω, in the axes of the hinge's
// frame on the ground. The motor's law goes by an angle of many turns; the mechanism is planar, so that its reactions
// across the plane are found beside the steps.
TEST(Reactions, OfABodyThatIsNotBalancedAreRightAfterManyTurns) {
  for (const char* method : {"psf/radau5", "projected/dop853"})
    for (const char* coordinates : {"cartesian", "joint"}) {
      RunRequest request;
      request.method = method;
      const MechanismRun run = run_text(std::string(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {rotor: {mass: 1, inertia: [0.5, 0.6, 0.4, 0, 0.1, 0.05]}}
joints: {hinge: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1], initial: {angle_rate: 4}}}
forces: {motor: {type: actuator, joint: hinge, torque: "2 - 0.1*angle"}}
simulation: {end: 5, output: 0.1, coordinates: )") +
                                            coordinates + "}\n",
                                        request);
      const std::vector<double>&angle = values(run, "hinge.angle"), &rate = values(run, "hinge.angle_rate");
      ASSERT_GT(angle.back(), 4 * pi);
      for (std::size_t i = 0; i < angle.size(); ++i) {
        const double alpha = (2 - 0.1 * angle[i]) / 0.4, square = rate[i] * rate[i];
        const double x = 0.1 * alpha - 0.05 * square, y = 0.05 * alpha + 0.1 * square;
        const double c = std::cos(angle[i]), s = std::sin(angle[i]);
        EXPECT_NEAR(values(run, "hinge.reaction.torque.x")[i], c * x - s * y, 1e-6)
            << method << ", " << coordinates << ", " << angle[i];
        EXPECT_NEAR(values(run, "hinge.reaction.torque.y")[i], s * x + c * y, 1e-6)
            << method << ", " << coordinates << ", " << angle[i];
      }
    }
}

bool has_note(const MechanismRun& run, const std::string& words) {
  const std::vector<std::string>& notes = run.summary().notes;
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

// 3 kg, 2 m long, with a load (4, −5, 7) N at the tip and a torque of 6 Nm about the beam.
TEST(Reactions, CantileverIsHeldAtItsRoot) {
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {beam: {rod: {from: [0, 0, 0], to: [2, 0, 0], mass: 3, radius: 0.02}}}
joints: {wall: {type: fixed, between: [ground, beam], at: [0, 0, 0]}}
forces:
  load: {type: force, on: beam, at: [2, 0, 0], components: [4, -5, 7]}
  twist: {type: torque, on: beam, components: [6, 0, 0]}
)");
  expect_reaction(run, "wall", {-4, 5 + 3 * g, -7, -6, 2 * 7, 2 * 5 + 3 * g});
  EXPECT_EQ(run.summary().degrees_of_freedom, 0);
  EXPECT_TRUE(run.summary().redundant.empty());
}

// A hinge on the left, a roller on the right of 4 m; 100 N down at a quarter of the way.
TEST(Reactions, BeamOnTwoSupportsFollowsTheLever) {
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {beam: {rod: {from: [0, 0, 0], to: [4, 0, 0], mass: 10, radius: 0.05}}}
joints:
  hinge: {type: revolute, between: [ground, beam], at: [0, 0, 0], axis: [0, 0, 1]}
  roller: {type: point_in_plane, between: [ground, beam], at: [4, 0, 0], axis: [0, 1, 0], x: [1, 0, 0]}
forces: {load: {type: force, on: beam, at: [1, 0, 0], components: [0, -100, 0]}}
)");
  expect_reaction(run, "hinge", {0, 75 + 5 * g, 0, 0, 0, 0});
  expect_reaction(run, "roller", {0, 0, 25 + 5 * g, 0, 0, 0});
  EXPECT_TRUE(run.summary().redundant.empty());
}

// The centre of mass is 0.2 ahead and 0.5 above the guide; the driver pulls along the guide with m a. The
// frame of the guide: z along the world's x, x upwards, y along −y.
TEST(Reactions, SliderIsKeptUprightByItsGuide) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {slider: {mass: 2, com: [0.2, 0, 0.5], inertia: [1, 1, 1]}}
joints: {guide: {type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0], x: [0, 0, 1]}}
drivers: {pull: {coordinate: guide.displacement, position: 1.5*t^2}}
)");
  expect_reaction(run, "guide", {2 * g, 0, 0, 0, -(2 * 3 * 0.5 - 2 * g * 0.2), 0});
  expect_follows(run, "pull.effort", tolerance, [](double) { return 2 * 3.0; });
}

// Let go horizontally: m g (1 − m d²/J) at first, and m g + m ω² d below.
TEST(Reactions, PendulumPullsAtItsPivot) {
  const double J = 1.0 / 3 + 0.02 * 0.02 / 4;
  const double quarter = std::sqrt(J / (g / 2)) * std::comp_ellint_1(std::sin(pi / 4));
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.02}}}
joints: {A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}}
)",
                                    {.end = quarter});
  EXPECT_NEAR(first(run, "A.reaction.force.x"), 0, tolerance);
  EXPECT_NEAR(first(run, "A.reaction.force.y"), g * (1 - 0.25 / J), tolerance);
  EXPECT_NEAR(last(run, "A.reaction.force.x"), 0, 1e-5);
  EXPECT_NEAR(last(run, "A.reaction.force.y"), g + g / J / 2, 1e-5);
}

// Built in at both ends. Of all forces F and moments M with F₁ + F₂ = W + P and F₂ − F₁ + M₁ + M₂ = P (about
// the middle, ends at ±1) those of the smallest sum of squares: the weight W is shared in halves, of the load
// P at the right end the left end carries a quarter, and both have a moment of P/4.
TEST(Reactions, BeamWithTwoBuiltInEndsSharesTheLoad) {
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {beam: {rod: {from: [-1, 0, 0], to: [1, 0, 0], mass: 3, radius: 0.02}}}
joints:
  left: {type: fixed, between: [ground, beam], at: [-1, 0, 0]}
  right: {type: fixed, between: [ground, beam], at: [1, 0, 0]}
forces: {load: {type: force, on: beam, at: [1, 0, 0], components: [0, -20, 0]}}
)");
  expect_reaction(run, "left", {0, 1.5 * g + 5, 0, 0, 0, 5});
  expect_reaction(run, "right", {0, 1.5 * g + 15, 0, 0, 0, 5});
  EXPECT_EQ(run.summary().redundant.size(), 6u);
  EXPECT_TRUE(has_note(run, "redundant")) << run.summary().full_report();
}

// A door of 20 kg turns at 2 rad/s on hinges at z = ±0.8, its centre of mass 0.5 from them. The weight is
// shared in halves. The hinges hold it upright by forces ∓f, with the arm 0.8, and by moments m:
// 2·0.8 f + 2 m = 20 g · 0.5, and f² + m² is smallest if f = 0.8 m. And they pull it inwards.
TEST(Reactions, DoorOnTwoHingesSharesItsWeight) {
  const double m = 20 * g * 0.5 / (2 * 0.8 * 0.8 + 2), f = 0.8 * m;
  const double inwards = 20 * 4 * 0.5 / 2;
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {door: {mass: 20, com: [0.5, 0, 0], inertia: [4, 6, 2]}}
joints:
  top: {type: revolute, between: [ground, door], at: [0, 0, 0.8], axis: [0, 0, 1], x: [1, 0, 0]}
  bottom: {type: revolute, between: [ground, door], at: [0, 0, -0.8], axis: [0, 0, 1], x: [1, 0, 0]}
initial: {top.angle_rate: 2}
)",
                                    {.rtol = 1e-10});
  const auto along = [](double size) { return [size](double t) { return size * std::cos(2 * t); }; };
  const auto across = [](double size) { return [size](double t) { return size * std::sin(2 * t); }; };
  for (const char* hinge : {"top", "bottom"}) {
    const double outwards = (hinge == std::string("top") ? -f : f) - inwards;
    const std::string force = std::string(hinge) + ".reaction.force.";
    const std::string torque = std::string(hinge) + ".reaction.torque.";
    EXPECT_NEAR(first(run, force + "x"), outwards, tolerance);
    EXPECT_NEAR(first(run, torque + "y"), -m, tolerance);
    expect_follows(run, force + "x", 1e-4, along(outwards));
    expect_follows(run, force + "y", 1e-4, across(outwards));
    expect_follows(run, force + "z", tolerance, [](double) { return 10 * g; });
    expect_follows(run, torque + "x", 1e-4, across(m));
    expect_follows(run, torque + "y", 1e-4, along(-m));
  }
  EXPECT_EQ(run.summary().degrees_of_freedom, 1);
  EXPECT_EQ(run.summary().redundant.size(), 5u);
  EXPECT_TRUE(has_note(run, "redundant")) << run.summary().full_report();
}

constexpr const char* four_bar = R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 0.02}}
  coupler: {rod: {from: [0, 1, 0], to: [3, 2, 0], mass: 1, radius: 0.02}}
  rocker: {rod: {from: [3, 2, 0], to: [3, 0, 0], mass: 1, radius: 0.02}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0]}
  B: {type: revolute, between: [crank, coupler], at: [0, 1, 0]}
  C: {type: revolute, between: [coupler, rocker], at: [3, 2, 0]}
  D: {type: revolute, between: [rocker, ground], at: [3, 0, 0]}
markers: {P: {body: rocker, at: [3, 2, 0]}, Q: {body: crank, at: [0, 1, 0]}}
)";

// Given for the crank, met by the whole loop: the joints hold, and the velocities fit.
TEST(Start, ConditionsOnACoordinateMoveTheWholeLoop) {
  const MechanismRun run =
      run_text(std::string(four_bar) + "initial: {A.angle: -30 deg, A.angle_rate: 2}\n", {.end = 0.01});
  EXPECT_NEAR(first(run, "A.angle"), -pi / 6, 1e-12);
  EXPECT_NEAR(first(run, "crank.angular_velocity.z"), 2, 1e-12);
  EXPECT_NEAR(first(run, "crank.position.x"), 0.25, 1e-12);
  // from Q, where the crank ends, to P the coupler's length, and Q and P are equally fast along it
  EXPECT_NEAR(first(run, "crank.position.y") * 2, std::cos(pi / 6), 1e-12);
  const double px = 2 * first(run, "rocker.position.x") - 3, py = 2 * first(run, "rocker.position.y");
  const double dx = px - 0.5, dy = py - std::cos(pi / 6);
  EXPECT_NEAR(std::hypot(dx, dy), std::sqrt(10), 1e-12);
  EXPECT_NEAR(std::hypot(px - 3, py), 2, 1e-12);
  const double rocker = first(run, "rocker.angular_velocity.z");
  EXPECT_NEAR((-rocker * py - -2 * std::cos(pi / 6)) * dx + (rocker * (px - 3) - 2 * 0.5) * dy, 0, 1e-12);
  EXPECT_GT(std::abs(rocker), 0.1);
}

TEST(Start, AVelocityOfAPointIsACondition) {
  const MechanismRun run = run_text(std::string(four_bar) + "initial: {Q.velocity.x: 3}\n", {.end = 0.01});
  EXPECT_NEAR(first(run, "A.angle"), 0, 1e-12);
  EXPECT_NEAR(first(run, "A.angle_rate"), -3, 1e-12);
  // both cranks are upright: all points of the coupler, and so the rocker's end, have the same velocity
  EXPECT_NEAR(first(run, "rocker.angular_velocity.z"), -1.5, 1e-12);
}

// The rod is described 0.1 beside its pivot, moving away from it and turning.
TEST(Start, ValuesThatDoNotFitAreCorrectedByAsLittleAsPossible) {
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {at: [0.6, 0, 0], mass: 1, inertia: [0.01, 0.1, 0.1], velocity: [1, 2, 0]}}
joints: {A: {type: revolute, between: [ground, rod], on_first: {at: [0, 0, 0]},
             on_second: {at: [-0.5, 0, 0]}}}
)",
                                    {.end = 0.01});
  EXPECT_NEAR(first(run, "rod.position.x"), 0.5, 1e-12);
  EXPECT_NEAR(first(run, "rod.position.y"), 0, 1e-12);
  EXPECT_NEAR(first(run, "A.angle"), 0, 1e-12);
  EXPECT_NEAR(first(run, "rod.velocity.x"), 0, 1e-12);
  EXPECT_NEAR(first(run, "rod.velocity.y"), 0.5 * first(run, "A.angle_rate"), 1e-12);
  EXPECT_GT(first(run, "A.angle_rate"), 0.5);
  EXPECT_LT(run.summary().violation.position, 1e-12);
  EXPECT_TRUE(has_note(run, "corrected")) << run.summary().full_report();
}

TEST(Start, ConditionsThatContradictADriverAreRefused) {
  const Model model = read_model_text(
      std::string(four_bar) +
          "drivers: {motor: {coordinate: A.angle, position: 2*t}}\ninitial: {A.angle: 20 deg}\n",
      "test.yaml");
  MechanismRun run(model, {.end = 0.1});
  EXPECT_EQ(run.run().status, Status::failed);
  EXPECT_NE(run.summary().message().find("A.angle"), std::string::npos) << run.summary().message();
}

}  // namespace
}  // namespace trammel
