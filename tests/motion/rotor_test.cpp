// Rotors of motors on coordinates of joints: against the pendulum's own equation, in both coordinates, their slopes
// against differences, energy, inverse dynamics, computed torque.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/motion/densely_derived.h"
#include "tests/motion/joint_against_cartesian.h"
#include "trammel/analysis/joint_dynamics.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/model/model.h"
#include "trammel/motion/cartesian_motion.h"
#include "trammel/motion/difference_derivatives.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/simulation/mechanism_recorder.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

Body body(const std::string& name, const Vec3<double>& at) {
  Body result;
  result.name = name;
  result.mass = 1.5;
  result.com = {0.1, -0.05, 0.02};
  result.inertia = {{0.3, 0.01, 0.02}, {0.01, 0.4, -0.03}, {0.02, -0.03, 0.5}};
  result.reference.origin = at;
  result.reference.axes = rotation_about({1, 2, 3}, 0.4 * at.x);
  return result;
}

// Every coordinate of the joint in the middle has a rotor, and the hinges on both sides.
Mechanism arm_with(JointType type) {
  Mechanism mechanism;
  mechanism.gravity = {0.3, -9.81, 0.1};
  for (int i = 1; i <= 3; ++i) mechanism.add(body("b" + std::to_string(i), {1.0 * i, 0.2 * i, -0.1 * i}));
  mechanism.add_joint("A", JointType::revolute, "ground", "b1", {0.5, 0, 0}, {0, 0.2, 1});
  mechanism.add_joint("J", type, "b1", "b2", {1.5, 0, 0.1}, {0.3, 1, 0}).pitch = 0.4;
  mechanism.add_joint("B", JointType::revolute, "b2", "b3", {2.5, 0, 0}, {1, 0.1, 0});
  double inertia = 2e-5;
  for (Joint& joint : mechanism.joints)
    for (const std::string& coordinate : coordinate_names(joint.type))
      joint.rotors.push_back({coordinate, inertia *= 1.3, -120});
  return mechanism;
}

// A four-bar in space with one degree of freedom, whose last joint closes the loop and has rotors too.
Mechanism loop() {
  Mechanism mechanism = arm_with(JointType::spherical);
  mechanism.add_joint("C", JointType::cylindrical, "b3", "ground", {3.6, 0.6, -0.3}, {0.1, 1, 0.3});
  mechanism.joints.back().in_tree = false;
  mechanism.joints.back().rotors = {{"angle", 3e-5, 90}, {"displacement", 4e-5, 150}};
  return mechanism;
}

void expect_nothing(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) ADD_FAILURE() << sentence;
}

class RotorOn : public testing::TestWithParam<JointType> {};

TEST_P(RotorOn, IsTheSameInBothCoordinatesWithExactSlopes) {
  const Mechanism mechanism = arm_with(GetParam());
  expect_nothing(compare_joint_slopes(mechanism));
  const JointComparison comparison = compare_joint_with_cartesian(mechanism);
  EXPECT_EQ(comparison.left_out, "");
  expect_nothing(comparison.differences);
}

INSTANTIATE_TEST_SUITE_P(All, RotorOn,
                         testing::Values(JointType::revolute, JointType::prismatic, JointType::cylindrical,
                                         JointType::screw, JointType::universal, JointType::planar,
                                         JointType::translational),
                         [](const auto& test) { return name(test.param); });

TEST(Rotor, OfAJointThatClosesALoop) {
  Mechanism mechanism = loop();
  EXPECT_FALSE(JointEquations(mechanism).tree().contains(3));
  expect_nothing(compare_joint_slopes(mechanism));
  const JointComparison comparison = compare_joint_with_cartesian(mechanism);
  EXPECT_EQ(comparison.left_out, "");
  expect_nothing(comparison.differences);
}

// In both kinds of velocities.
TEST(Rotor, HasExactCartesianDerivatives) {
  for (const auto velocities :
       {CartesianEquations::Velocities::angular, CartesianEquations::Velocities::parameter_rates}) {
    CartesianEquations equations(loop(), velocities);
    Vector x = equations.initial_state();
    for (Index i = 0; i < x.size(); ++i) x[i] += 0.1 * std::sin(1.7 * static_cast<double>(i) + 0.4);
    const Vector a = Vector::LinSpaced(equations.layout().v.size, -0.6, 0.9);
    MotionDerivatives exact(equations.layout()), differences(equations.layout());
    equations.differentiate({0.3, x, a}, part::dynamics, exact);
    DifferenceDerivatives(equations.layout()).compute(equations, {0.3, x, a}, part::dynamics, differences);
    EXPECT_LE((exact.dynamics - differences.dynamics).cwiseAbs().maxCoeff(),
              1e-6 * (1 + exact.dynamics.cwiseAbs().maxCoeff()));
  }
}

// (J + ratio² rotor) θ'' = −m g l sin θ
struct Pendulum {
  double mass = 2, arm = 0.4, inertia = 0.15, rotor = 1e-4, ratio = 50, g = 9.81;

  Model model() const {
    Model result;
    result.mechanism.gravity = {0, -g, 0};
    Body rod;
    rod.name = "rod";
    rod.mass = mass;
    rod.com = {arm, 0, 0};
    rod.inertia = {{0.01, 0, 0}, {0, inertia, 0}, {0, 0, inertia}};
    result.mechanism.add(rod);
    Joint& hinge = result.mechanism.add_joint("A", JointType::revolute, "ground", "rod", {}, {0, 0, 1});
    hinge.rotors = {{"angle", rotor, ratio}};
    return result;
  }
  double felt() const { return inertia + mass * arm * arm + ratio * ratio * rotor; }
};

TEST(Rotor, OfAPendulumSlowsItAsItsEquationSays) {
  const Pendulum pendulum;
  JointDynamics dynamics(pendulum.model().mechanism);
  Vector x = dynamics.equations().initial_state(), forces(1);
  x[0] = 0.7;
  dynamics.set_state(0, x);
  EXPECT_NEAR(Matrix(dynamics.mass())(0, 0), pendulum.felt(), 1e-14);
  const double weight = pendulum.mass * pendulum.g * pendulum.arm * std::cos(0.7);
  dynamics.inverse_dynamics(Vector::Constant(1, 3.0), forces);
  EXPECT_NEAR(forces[0], 3 * pendulum.felt() + weight, 1e-12);

  // small swings about the lowest position
  for (const char* coordinates : {"joint", "cartesian"}) {
    Model model = pendulum.model();
    model.mechanism.joints[0].initial = {{"angle", -std::acos(-1.0) / 2 + 1e-4}};
    model.simulation.coordinates = coordinates;
    RunRequest request;
    const double omega = std::sqrt(pendulum.mass * pendulum.g * pendulum.arm / pendulum.felt());
    request.end = std::acos(-1.0) / omega;  // half a period
    request.rtol = 1e-10;
    MechanismRun run(model, request);
    ASSERT_TRUE(run.run().ok()) << coordinates << run.summary().message();
    EXPECT_NEAR(run.recording().find("A.angle")->values.back(), -std::acos(-1.0) / 2 - 1e-4, 1e-9)
        << coordinates;
  }
}

// No force that takes energy: its sum with that of the rotors stays.
TEST(Rotor, KeepsTheEnergyWithEveryFormulation) {
  for (const char* coordinates : {"joint", "cartesian"})
    for (const char* method : {"psf/radau5", "partitioned/sdirk4", "projected/dop853", "csm/radau5",
                               "ggl/radau5", "projected/bdf"}) {
      Model model;
      model.mechanism = loop();
      model.simulation.coordinates = coordinates;
      RunRequest request;
      request.end = 0.5;
      request.method = method;
      request.rtol = 1e-7;
      MechanismRun run(model, request);
      ASSERT_TRUE(run.run().ok()) << method << coordinates << run.summary().message();
      const std::vector<double>& total = run.recording().find("energy.total")->values;
      const std::vector<double>& kinetic = run.recording().find("energy.kinetic")->values;
      EXPECT_GT(kinetic.back(), 0.1) << method
                                     << coordinates;  // it moves: ten thousand times what may be lost
      // methods lose about the tolerance times the energy that goes to and fro; the least exact of them is given 100
      EXPECT_NEAR(total.back(), total.front(), 1e-5 * (1 + kinetic.back())) << method << coordinates;
    }
}

TEST(Rotor, IsKnownToComputedTorque) {
  Model model = Pendulum().model();
  model.mechanism.measures = {{"wanted_A", {}, Law("3 + 0 * t"), ""},
                              {"torque", {}, Law("inverse_dynamics(A, wanted)"), "N m"}};
  for (const char* coordinates : {"joint", "cartesian"}) {
    const std::unique_ptr<MechanismEquations> equations = make_equations(model.mechanism, coordinates);
    Recording recording;
    MechanismRecorder recorder(*equations, recording);
    recorder.append(0, equations->initial_state());
    const Pendulum p;
    EXPECT_NEAR(recording.find("torque")->values[0], 3 * p.felt() + p.mass * p.g * p.arm, 1e-12)
        << coordinates;
  }
}

}  // namespace
}  // namespace trammel
