// Every joint type as a whole simulation from a model file, against an exact solution or against the same
// motion modelled in another way.
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
constexpr double tolerance = 1e-6;  // of lengths, angles and speeds near 1, after a run with rtol 1e-8

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
  for (const char* channel : {"rod.position.x", "rod.position.y", "rod.position.z", "rod.angular_velocity.x"})
    expect_same(revolute, channel, spherical, channel, tolerance);
  EXPECT_LT(values(revolute, "rod.position.y")[5], -0.1);
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

// A rod at its centre of oscillation, 1 from the pivot, where it moves like a particle, if it has no spin
// about itself. It begins at radius 0.6, 0.8 below the pivot.
std::string rod_pendulum(const std::string& speed) {
  return R"(
trammel: 1
parameters: {speed: )" +
         speed + R"(}
bodies:
  bob:
    at: [0.6, 0, -0.8]
    orientation: {z: [0.6, 0, -0.8]}
    mass: 1
    com: [0, 0, -0.5]
    inertia: [0.25, 0.25, 0.01]
    velocity: [0, speed, 0]
    angular_velocity: [0.8*speed, 0, 0.6*speed]
joints: {A: {type: spherical, between: [ground, bob], at: [0, 0, 0]}}
)";
}

TEST(JointTypes, SphericalPendulumGoesRoundInACone) {
  const double rate = std::sqrt(g / 0.8);
  const MechanismRun run = run_text(rod_pendulum("0.6*sqrt(9.81/0.8)"));
  expect_follows(run, "bob.position.x", tolerance, [&](double t) { return 0.6 * std::cos(rate * t); });
  expect_follows(run, "bob.position.y", tolerance, [&](double t) { return 0.6 * std::sin(rate * t); });
  expect_follows(run, "bob.position.z", tolerance, [&](double) { return -0.8; });
}

TEST(JointTypes, DistanceHoldsABobAsASphericalJointHoldsItsRod) {
  const MechanismRun rod = run_text(rod_pendulum("1"));
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
joints: {thread: {type: distance, between: [light, heavy], on_first: {at: [0, 0, 0]},
                  on_second: {at: [0, 0, 0]}, length: 1}}
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
  // steps are long here, and between their ends the interpolation is of third order only
  expect_follows(run, "P.angle", 1e-4, [](double t) { return 3 * t; });
  EXPECT_NEAR(last(run, "P.angle"), 3, tolerance);
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

// Two wheels on parallel axes, each with a coordinate, and a torque of 2 Nm on the first.
std::string two_wheels(const std::string& coupler) {
  return R"(
trammel: 1
bodies:
  small: {mass: 1, inertia: [0.3, 0.3, 0.1]}
  large: {at: [1, 0, 0], mass: 4, inertia: [0.9, 0.9, 0.8]}
joints:
  A: {type: revolute, between: [ground, small], at: [0, 0, 0]}
  B: {type: revolute, between: [ground, large], at: [1, 0, 0]}
forces: {motor: {type: actuator, joint: A, torque: 2}}
couplers: {tie: )" +
         coupler + "}";
}

TEST(JointTypes, GearSharesTheTorqueByItsTeeth) {
  const double a = 2 / (0.1 + 0.8 / 9);
  const MechanismRun outside = run_text(two_wheels("{type: gear, joints: [A, B], teeth: [20, 60]}"));
  expect_follows(outside, "A.angle", tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(outside, "B.angle", tolerance, [&](double t) { return -a * t * t / 6; });
  // J₂ α₂ = −60 · effort, if the tooth forces are what the effort says
  EXPECT_NEAR(last(outside, "tie.effort") * 60, 0.8 * -a / 3, 1e-8);

  const MechanismRun inside =
      run_text(two_wheels("{type: gear, joints: [A, B], teeth: [20, 60], internal: true}"));
  expect_follows(inside, "A.angle", tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(inside, "B.angle", tolerance, [&](double t) { return a * t * t / 6; });
}

TEST(JointTypes, CouplerTiesCoordinatesByFactors) {
  // angle A = 2 angle B + 0.3: the large wheel begins turned back
  const double a = 2 / (0.1 + 0.8 / 4);
  const MechanismRun run =
      run_text(two_wheels("{type: coupler, terms: {A.angle: 1, B.angle: -2}, offset: 0.3}") +
               "\ninitial: {A.angle: 0}\n");
  expect_follows(run, "A.angle", 10 * tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(run, "B.angle", 10 * tolerance, [&](double t) { return a * t * t / 4 - 0.15; });
}

TEST(JointTypes, RackAndPinionMoveTogether) {
  const double a = 6 / (2 + 0.05 / (0.1 * 0.1));
  const MechanismRun run = run_text(R"(
trammel: 1
bodies:
  pinion: {mass: 1, inertia: [0.03, 0.03, 0.05]}
  rack: {at: [0, -0.1, 0], mass: 2, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, between: [ground, pinion], at: [0, 0, 0], axis: [0, 0, 1]}
  S: {type: prismatic, between: [ground, rack], at: [0, -0.1, 0], axis: [1, 0, 0]}
couplers: {teeth: {type: rack_and_pinion, pinion: A.angle, rack: S.displacement, radius: 0.1}}
forces: {pull: {type: actuator, joint: S, force: 6}}
)");
  expect_follows(run, "S.displacement", tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(run, "A.angle", tolerance, [&](double t) { return a * t * t / 0.2; });
}

// Upright, with its axis along y, on a plane that falls 20 degrees along x.
TEST(JointTypes, RollingDiskRollsDownAnIncline) {
  const double a = g * std::sin(20 * pi / 180) / (1 + 0.02 / (2 * 0.25 * 0.25));
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [9.81*sin(20 deg), 0, -9.81*cos(20 deg)]
bodies: {disk: {at: [0, 0, 0.25], mass: 2, inertia: [0.01, 0.02, 0.01]}}
joints: {floor: {type: rolling_disk, between: [ground, disk], at: [0, 0, 0.25], axis: [0, 1, 0], radius: 0.25,
                 normal: [0, 0, 1]}}
)");
  expect_follows(run, "disk.position.x", tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(run, "disk.position.z", 1e-12, [](double) { return 0.25; });
  expect_follows(run, "disk.angular_velocity.y", tolerance, [&](double t) { return a * t / 0.25; });
}

// The roll across the slope and the spin about its normal go on unchanged.
TEST(JointTypes, RollingSphereHasFiveSeventhsOfTheAcceleration) {
  const double a = 5.0 / 7 * g * std::sin(20 * pi / 180);
  const MechanismRun run = run_text(R"(
trammel: 1
parameters: {R: 0.25}
gravity: [9.81*sin(20 deg), 0, -9.81*cos(20 deg)]
bodies:
  ball: {at: [0, 0, R], mass: 2, inertia: [0.8*R^2, 0.8*R^2, 0.8*R^2], velocity: [0, 1, 0],
         angular_velocity: [-1/R, 0, 3]}
joints: {floor: {type: rolling_sphere, between: [ground, ball], at: [0, 0, R], radius: R, normal: [0, 0, 1]}}
)");
  expect_follows(run, "ball.position.x", tolerance, [&](double t) { return a * t * t / 2; });
  expect_follows(run, "ball.position.y", tolerance, [](double t) { return t; });
  expect_follows(run, "ball.angular_velocity.y", tolerance, [&](double t) { return a * t / 0.25; });
  expect_follows(run, "ball.angular_velocity.z", tolerance, [](double) { return 3.0; });
}

// On an incline, turning at an unchanging rate, it does not slide down: it draws a cycloid across the slope
// (Bloch, Nonholonomic Mechanics and Control, 1.6).
TEST(JointTypes, KnifeEdgeDrawsACycloidAcrossTheSlope) {
  const double rate = 3, slope = g * std::sin(20 * pi / 180);
  const MechanismRun run = run_text(R"(
trammel: 1
gravity: [9.81*sin(20 deg), 0, -9.81*cos(20 deg)]
bodies: {skate: {mass: 1.25, inertia: [0.1, 0.1, 0.13], angular_velocity: [0, 0, 3]}}
joints:
  plane: {type: planar, between: [ground, skate], at: [0, 0, 0], axis: [0, 0, 1]}
  edge: {type: knife_edge, between: [ground, skate], at: [0, 0, 0], axis: [0, 0, 1], x: [1, 0, 0]}
)");
  const double size = slope / (2 * rate * rate);
  const auto sine = [&](double t) { return std::sin(rate * t); };
  expect_follows(run, "plane.angle", tolerance, [&](double t) { return rate * t; });
  expect_follows(run, "plane.x", tolerance, [&](double t) { return size * sine(t) * sine(t); });
  expect_follows(run, "plane.y", tolerance, [&](double t) { return size * (rate * t - sine(2 * t) / 2); });
  const double sideways = -2 * 1.25 * slope * sine(1.0);
  EXPECT_NEAR(last(run, "edge.reaction.force.x"), sideways * sine(1.0), 10 * tolerance);
  EXPECT_NEAR(last(run, "edge.reaction.force.y"), -sideways * std::cos(rate), 10 * tolerance);
}

// The driven arm carries a free one, so that the motion of the whole hangs on the driver.
TEST(JointTypes, DriversByPositionVelocityAndAccelerationGiveTheSameMotion) {
  const auto driven_by = [](const std::string& law) {
    return run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  arm: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.02}}
  tip: {rod: {from: [1, 0, 0], to: [2, 0, 0], mass: 1, radius: 0.02}}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0]}
  B: {type: revolute, between: [arm, tip], at: [1, 0, 0]}
initial: {A.angle_rate: 1.5, B.angle_rate: 0}
drivers: {motor: {coordinate: A.angle, )" +
                    law + "}}");
  };
  const MechanismRun position = driven_by("position: 0.5*sin(3*t)");
  const MechanismRun velocity = driven_by("velocity: 1.5*cos(3*t)");
  const MechanismRun acceleration = driven_by("acceleration: -4.5*sin(3*t)");
  expect_follows(position, "A.angle", 1e-12, [](double t) { return 0.5 * std::sin(3 * t); });
  // velocities that are met to 1e-12 times one and the largest of them, about 3, are left alone
  expect_follows(velocity, "A.angle_rate", 4e-12, [](double t) { return 1.5 * std::cos(3 * t); });
  for (const char* channel : {"A.angle", "A.angle_rate", "B.angle", "B.angle_rate"}) {
    expect_same(velocity, channel, position, channel, 3 * tolerance);
    expect_same(acceleration, channel, position, channel, 3 * tolerance);
  }
  EXPECT_NEAR(last(velocity, "motor.effort"), last(position, "motor.effort"), 1e-5);
  EXPECT_NEAR(last(acceleration, "motor.effort"), last(position, "motor.effort"), 1e-5);
  EXPECT_GT(std::abs(last(position, "B.angle")), 0.5);
}

// A driver leaves nothing to integrate, so that only the geometry can limit the steps: no step and no sample
// may be in the mirrored position of the slider-crank, or a turn away. Crank 1, rod 3.
class DrivenSliderCrank : public testing::TestWithParam<std::string> {};

TEST_P(DrivenSliderCrank, TurnsManyTimes) {
  // integrators that take all coordinates for unknowns need many steps a turn: a few turns are enough of them
  const bool slow = GetParam() == "partitioned/dirk" || GetParam() == "partitioned/erk";
  for (const double speed : {20.0, 60.0, 300.0}) {
    if (slow && speed > 20) continue;
    const MechanismRun run = run_text(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 0.5, radius: 0.005}}
  rod: {rod: {from: [1, 0, 0], to: [4, 0, 0], mass: 1, radius: 0.005}}
  slider: {at: [4, 0, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0]}
  B: {type: revolute, between: [crank, rod], at: [1, 0, 0]}
  C: {type: revolute, between: [rod, slider], at: [4, 0, 0]}
  S: {type: prismatic, between: [ground, slider], at: [4, 0, 0], axis: [1, 0, 0]}
drivers: {motor: {coordinate: A.angle, position: )" +
                                          std::to_string(speed) + "*t}}",
                                      {.samples = 1000, .method = GetParam()});
    double worst_angle = 0, worst_slider = 0;
    for (std::size_t i = 0; i < run.recording().times().size(); ++i) {
      const double angle = speed * run.recording().times()[i], sine = std::sin(angle);
      const double slider = std::cos(angle) + std::sqrt(9 - sine * sine);
      worst_angle = std::max(worst_angle, std::abs(values(run, "A.angle")[i] - angle));
      worst_slider = std::max(worst_slider, std::abs(values(run, "slider.position.x")[i] - slider));
    }
    EXPECT_LT(worst_angle, 1e-8) << "at " << speed << " rad/s";
    EXPECT_LT(worst_slider, 1e-8) << "at " << speed << " rad/s";
  }
}

INSTANTIATE_TEST_SUITE_P(JointTypes, DrivenSliderCrank,
                         testing::Values("psf/radau5", "partitioned/sdirk4", "partitioned/radau5",
                                         "partitioned/bdf", "partitioned/dirk", "partitioned/erk",
                                         "partitioned/adams"),
                         [](const auto& parameters) {
                           std::string name = parameters.param;
                           name[name.find('/')] = '_';
                           return name;
                         });

}  // namespace
}  // namespace trammel
