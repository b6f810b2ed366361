// Every joint type as a whole simulation from a model file, against an exact solution or against the same
// motion modelled in another way.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;
constexpr double tolerance = 1e-7;  // of lengths, angles and speeds near 1, after a run with rtol 1e-8

// Rod of length 1, mass 1, radius 0.02: about its end.
const double rod_inertia = 1.0 / 3 + 0.02 * 0.02 / 4;

TEST(JointTypes, RevolutePendulumSwingsAQuarterInTheTimeOfTheEllipticIntegral) {
  const double quarter = std::sqrt(rod_inertia / (g / 2)) * std::comp_ellint_1(std::sin(pi / 4));
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.02}}}
joints: {A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}}
)",
                                    {.end = quarter});
  EXPECT_NEAR(last(run, "A.angle"), -pi / 2, tolerance);
  EXPECT_NEAR(last(run, "A.angle_rate"), -std::sqrt(g / rod_inertia), tolerance);
  expect_follows(run, "energy.total", tolerance, [](double) { return 0.0; });
}

// The pendulum in a plane that lies askew, held by its axis or by a point only: gravity has no part across
// the plane, so that nothing takes it out of there.
TEST(JointTypes, RevoluteMovesLikeSphericalInThePlaneOfTheSwing) {
  const auto pendulum = [](const std::string& joint) {
    return run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {rod: {from: [0, 0, 0], to: [0.6, 0, 0.8], mass: 1, radius: 0.02}}}
joints: {A: {between: [ground, rod], at: [0, 0, 0], )" +
                    joint + "}}");
  };
  const MechanismRun revolute = pendulum("type: revolute, axis: [-0.8, 0, 0.6]");
  const MechanismRun spherical = pendulum("type: spherical");
  for (const char* channel :
       {"rod.position.x", "rod.position.y", "rod.position.z", "rod.angular_velocity.x", "A.reaction.force.y"})
    expect_same(revolute, channel, spherical, channel,
                std::string(channel).find("reaction") == std::string::npos ? tolerance : 0.1);
  EXPECT_LT(last(revolute, "rod.position.y"), -0.1);
}

TEST(JointTypes, PrismaticSlidesDownAnIncline) {
  const double a = g * std::sin(pi / 6);
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {block: {mass: 3, inertia: [1, 2, 3]}}
joints: {S: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [cos(30 deg), 0, -sin(30 deg)]}}
)");
  expect_follows(run, "S.displacement", tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(run, "S.displacement_rate", tolerance, [&](double t) { return a * t; });
  expect_follows(run, "block.position.z", tolerance, [&](double t) { return -a * t * t / 4; });
}

// The centre of mass is beside the axis: the spin does not change the fall, nor the fall the spin.
TEST(JointTypes, CylindricalFallsAlongItsAxisAndSpins) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {sleeve: {mass: 2, com: [0.1, 0, 0], inertia: [0.1, 0.2, 0.3]}}
joints: {C: {type: cylindrical, between: [ground, sleeve], at: [0, 0, 0], axis: [0, 0, 1],
             initial: {angle_rate: 7, displacement_rate: 2}}}
)");
  expect_follows(run, "C.displacement", tolerance, [](double t) { return 2 * t - g * t * t / 2; });
  expect_follows(run, "C.angle", tolerance, [](double t) { return 7 * t; });
}

// Radius 0.6 at 0.8 below the pivot; the rod has mass at its end only, and no spin about itself.
std::string conical_pendulum(const std::string& speed, const std::string& joint) {
  return R"(
trammel: 1
parameters: {speed: )" +
         speed + R"(}
bodies:
  bob:
    at: [0.6, 0, -0.8]
    orientation: {z: [0.6, 0, -0.8]}
    mass: 1
    inertia: [0, 0, 0.01]
    velocity: [0, speed, 0]
    angular_velocity: [0.8*speed, 0, 0.6*speed]
joints: {A: {between: [ground, bob], )" +
         joint + "}}";
}

TEST(JointTypes, SphericalPendulumGoesRoundInACone) {
  const double rate = std::sqrt(g / 0.8);
  const MechanismRun run = run_text(conical_pendulum("0.6*sqrt(9.81/0.8)", "type: spherical, at: [0, 0, 0]"));
  expect_follows(run, "bob.position.x", tolerance, [&](double t) { return 0.6 * std::cos(rate * t); });
  expect_follows(run, "bob.position.y", tolerance, [&](double t) { return 0.6 * std::sin(rate * t); });
  expect_follows(run, "bob.position.z", tolerance, [&](double) { return -0.8; });
}

TEST(JointTypes, DistanceHoldsABobAsASphericalJointHoldsItsRod) {
  const MechanismRun rod = run_text(conical_pendulum("1", "type: spherical, at: [0, 0, 0]"));
  // the bob of the thread may turn as it likes, so it gets inertia about all axes
  const MechanismRun thread = run_text(R"(
trammel: 1
bodies: {bob: {at: [0.6, 0, -0.8], mass: 1, inertia: [0.01, 0.02, 0.03], velocity: [0, 1, 0]}}
joints: {A: {type: distance, between: [ground, bob], from: [0, 0, 0], to: [0.6, 0, -0.8]}}
)");
  for (const char* channel : {"bob.position.x", "bob.position.y", "bob.position.z", "bob.velocity.x"})
    expect_same(rod, channel, thread, channel, tolerance);
  EXPECT_LT(last(rod, "bob.position.x"), 0);
}

// Two balls, 1 kg and 3 kg, thrown: their centre of mass flies freely, 0.75 from the light one, and they
// turn about it at an unchanging rate.
TEST(JointTypes, DistanceKeepsTwoThrownBallsTogether) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies:
  light: {at: [0.75, 0, 0], mass: 1, inertia: [1, 1, 1], velocity: [1, 3, 5]}
  heavy: {at: [-0.25, 0, 0], mass: 3, inertia: [1, 1, 1], velocity: [1, -1, 5]}
joints: {thread: {type: distance, between: [light, heavy], on_first: {at: [0, 0, 0]}, length: 1}}
)");
  expect_follows(run, "light.position.x", tolerance, [](double t) { return t + 0.75 * std::cos(4 * t); });
  expect_follows(run, "light.position.y", tolerance, [](double t) { return 0.75 * std::sin(4 * t); });
  expect_follows(run, "heavy.position.x", tolerance, [](double t) { return t - 0.25 * std::cos(4 * t); });
  expect_follows(run, "heavy.position.z", tolerance, [](double t) { return 5 * t - g * t * t / 2; });
}

// Shafts that meet at 40 degrees in the plane xy. The arm of the first yoke begins in this plane:
// tan θ₂ = tan θ₁ / cos β.
TEST(JointTypes, UniversalTurnsTheSecondShaftUnevenly) {
  const double cosine = std::cos(40 * pi / 180);
  const MechanismRun run = run_text(R"(
trammel: 1
parameters: {b: 40 deg}
bodies:
  input: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  output: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, input], at: [-1, 0, 0], axis: [1, 0, 0]}
  U: {type: universal, between: [input, output], at: [0, 0, 0], axis: [0, 1, 0], axis_2: [0, 0, 1]}
  B: {type: revolute, between: [ground, output], at: [cos(b), sin(b), 0], axis: [cos(b), sin(b), 0]}
drivers: {motor: {coordinate: A.angle, velocity: 5}}
)");
  expect_follows(run, "B.angle", tolerance, [&](double t) {
    const double turns = std::floor((5 * t + pi) / (2 * pi));
    return 2 * pi * turns + std::atan2(std::sin(5 * t), cosine * std::cos(5 * t));
  });
  EXPECT_GT(last(run, "B.angle"), 4);
}

// Two universal joints in the shape of a Z, with parallel yokes on the shaft between them, undo each other.
TEST(JointTypes, TwoUniversalsInAZTurnEvenly) {
  const double cosine = 0.8;
  const MechanismRun run = run_text(R"(
trammel: 1
bodies:
  input: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  middle: {at: [0.4, 0.3, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
  output: {at: [0.8, 0.6, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, input], at: [-1, 0, 0], axis: [1, 0, 0]}
  U: {type: universal, between: [input, middle], at: [0, 0, 0], axis: [0, 1, 0], axis_2: [0, 0, 1]}
  V: {type: universal, between: [middle, output], at: [0.8, 0.6, 0], axis: [0, 0, 1], axis_2: [0, 1, 0]}
  B: {type: revolute, between: [ground, output], at: [2, 0.6, 0], axis: [1, 0, 0]}
drivers: {motor: {coordinate: A.angle, position: 5*t}}
measures: {spin: 0.8*middle.angular_velocity.x + 0.6*middle.angular_velocity.y}
)");
  expect_follows(run, "B.angle", tolerance, [](double t) { return 5 * t; });
  expect_follows(run, "spin", tolerance, [&](double t) {
    const double s = std::sin(5 * t), c = cosine * std::cos(5 * t);
    return 5 * cosine / (s * s + c * c);
  });
}

TEST(JointTypes, ConstantVelocityTurnsTheSecondShaftEvenly) {
  const MechanismRun run = run_text(R"(
trammel: 1
parameters: {b: 40 deg}
bodies:
  input: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  output: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, input], at: [-1, 0, 0], axis: [1, 0, 0]}
  K: {type: constant_velocity, between: [input, output], at: [0, 0, 0], axis: [1, 0, 0],
      axis_2: [cos(b), sin(b), 0]}
  B: {type: revolute, between: [ground, output], at: [cos(b), sin(b), 0], axis: [cos(b), sin(b), 0]}
drivers: {motor: {coordinate: A.angle, position: 3*t + sin(2*t)}}
)");
  expect_follows(run, "B.angle", tolerance, [](double t) { return 3 * t + std::sin(2 * t); });
  expect_follows(run, "B.angle_rate", tolerance, [](double t) { return 3 + 2 * std::cos(2 * t); });
}

// On a plane that rises 30 degrees along x, with spin about its normal.
TEST(JointTypes, PlanarFliesFreelyInItsPlane) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {puck: {mass: 2, inertia: [0.1, 0.2, 0.3]}}
joints: {P: {type: planar, between: [ground, puck], at: [0, 0, 0], axis: [-sin(30 deg), 0, cos(30 deg)],
             x: [cos(30 deg), 0, sin(30 deg)], initial: {x_rate: 1, y_rate: 2, angle_rate: 3}}}
)");
  expect_follows(run, "P.x", tolerance, [](double t) { return t - g / 4 * t * t; });
  expect_follows(run, "P.y", tolerance, [](double t) { return 2 * t; });
  expect_follows(run, "P.angle", tolerance, [](double t) { return 3 * t; });
  expect_follows(run, "puck.position.z", tolerance, [](double t) { return (t - g / 4 * t * t) / 2; });
}

TEST(JointTypes, ScrewTurnsAsItFalls) {
  const double turn = 2 * pi / 0.2, a = 2 * g / (2 + 0.01 * turn * turn);
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {nut: {mass: 2, inertia: [0.05, 0.06, 0.01]}}
joints: {S: {type: screw, between: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.2}}
)");
  expect_follows(run, "S.displacement", tolerance, [&](double t) { return -a * t * t / 2; });
  expect_follows(run, "S.angle", 10 * tolerance, [&](double t) { return -a * t * t / 2 * turn; });
}

// A torque and a force beside the centre of mass would turn it.
TEST(JointTypes, TranslationalFliesWithoutTurning) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {box: {mass: 2, com: [0.1, 0.2, 0.3], inertia: [1, 2, 3], velocity: [1, 2, 3]}}
joints: {T: {type: translational, between: [ground, box]}}
forces:
  push: {type: force, on: box, at: [0, 0, 0], components: [4, 0, 0]}
  twist: {type: torque, on: box, components: [1, 2, 3]}
)");
  expect_follows(run, "T.x", tolerance, [](double t) { return t + t * t; });
  expect_follows(run, "T.y", tolerance, [](double t) { return 2 * t; });
  expect_follows(run, "T.z", tolerance, [](double t) { return 3 * t - g * t * t / 2; });
  expect_follows(run, "box.quaternion.w", 1e-12, [](double) { return 1.0; });
}

TEST(JointTypes, PointOnLineIsABeadOnAWire) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {bead: {mass: 2, inertia: [1, 1, 1], angular_velocity: [1, 2, 3]}}
joints: {W: {type: point_on_line, between: [ground, bead], at: [0, 0, 0], axis: [0.6, 0, 0.8]}}
)");
  expect_follows(run, "W.displacement", tolerance, [](double t) { return -0.4 * g * t * t; });
  expect_follows(run, "bead.position.x", tolerance, [](double t) { return -0.24 * g * t * t; });
  expect_follows(run, "bead.angular_velocity.y", tolerance, [](double) { return 2.0; });
}

TEST(JointTypes, PointInPlaneIsAParticleOnASlope) {
  const MechanismRun run = run_text(R"(
trammel: 1
bodies: {particle: {mass: 2, inertia: [1, 1, 1], angular_velocity: [1, 2, 3]}}
joints: {P: {type: point_in_plane, between: [ground, particle], at: [0, 0, 0], axis: [-0.6, 0, 0.8],
             x: [0.8, 0, 0.6], initial: {x_rate: 1, y_rate: 2}}}
)");
  expect_follows(run, "P.x", tolerance, [](double t) { return t - 0.3 * g * t * t; });
  expect_follows(run, "P.y", tolerance, [](double t) { return 2 * t; });
  expect_follows(run, "particle.position.z", tolerance, [](double t) { return 0.6 * (t - 0.3 * g * t * t); });
  expect_follows(run, "particle.angular_velocity.x", tolerance, [](double) { return 1.0; });
}

TEST(JointTypes, FixedMakesOneRodOfTwo) {
  const MechanismRun welded = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  inner: {rod: {from: [0, 0, 0], to: [0.3, 0, 0], mass: 0.3, radius: 0.02}}
  outer: {rod: {from: [0.3, 0, 0], to: [1, 0, 0], mass: 0.7, radius: 0.02}}
joints:
  A: {type: revolute, between: [ground, inner], at: [0, 0, 0]}
  weld: {type: fixed, between: [inner, outer]}
)");
  const MechanismRun whole = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.02}}}
joints: {A: {type: revolute, between: [ground, rod], at: [0, 0, 0]}}
)");
  expect_same(welded, "A.angle", whole, "A.angle", tolerance);
  expect_same(welded, "outer.angular_velocity.z", whole, "A.angle_rate", tolerance);
  EXPECT_LT(last(whole, "A.angle"), -1);
}

}  // namespace
}  // namespace trammel
