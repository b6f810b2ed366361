// Laws of computed torque: the values are those of inverse dynamics, in both coordinates, and an arm follows its path.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/motion/joint_against_cartesian.h"
#include "trammel/analysis/joint_dynamics.h"
#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_recorder.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

Model six_axes() { return read_model(TRAMMEL_SOURCE_DIR "/examples/models/computed-torque.yaml"); }

TEST(ComputedTorque, IsInverseDynamics) {
  Model model = six_axes();
  const std::vector<double> wanted{0.3, -1.2, 2.5, 0.7, -0.4, 1.9};
  JointDynamics dynamics(model.mechanism);
  Vector accelerations(6), forces(6);
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string& joint = model.mechanism.joints[i].name;
    for (Measure& measure : model.mechanism.measures)
      if (measure.name == "wanted_" + joint) measure.value = Law(std::to_string(wanted[i]) + " + 0 * t");
    model.mechanism.measures.push_back(
        {"force_" + joint, {}, Law("inverse_dynamics(" + joint + ", wanted)"), "N m"});
    model.mechanism.measures.push_back({"weight_" + joint, {}, Law("gravity_torque(" + joint + ")"), "N m"});
    const std::vector<std::string>& names = dynamics.equations().names().v;
    accelerations[std::find(names.begin(), names.end(), joint + ".angle_rate") - names.begin()] = wanted[i];
  }
  for (const char* coordinates : {"joint", "cartesian"}) {
    const std::unique_ptr<MechanismEquations> equations = make_equations(model.mechanism, coordinates);
    // a state on the constraints, all joints moving
    JointEquations joint(model.mechanism);
    Vector x = joint.initial_state();
    for (Index i = 0; i < 6; ++i) {
      x[i] = std::sin(1.0 + 2.0 * static_cast<double>(i));
      x[joint.layout().v.begin + i] = std::cos(1.0 + static_cast<double>(i));
    }
    dynamics.set_state(0, x);
    dynamics.inverse_dynamics(accelerations, forces);
    const Vector gravity = dynamics.gravity();
    const Vector state = coordinates == std::string("joint") ? x : joint.to_cartesian(0, x);
    Recording recording;
    MechanismRecorder recorder(*equations, recording);
    recorder.append(0, state);
    for (Index i = 0; i < 6; ++i) {
      const std::string& rate = dynamics.equations().names().v[at_index(i)];
      const std::string name = rate.substr(0, rate.find('.'));
      EXPECT_NEAR(recording.find("force_" + name)->values[0], forces[i], 1e-11 * forces.norm())
          << name << coordinates;
      EXPECT_NEAR(recording.find("weight_" + name)->values[0], gravity[i], 1e-11 * gravity.norm())
          << name << coordinates;
    }
  }
}

// Accelerations and reactions in both coordinates, and all slopes against differences.
TEST(ComputedTorque, IsTheSameInBothCoordinatesWithExactSlopes) {
  const Mechanism mechanism = six_axes().mechanism;
  for (const std::string& sentence : compare_joint_slopes(mechanism)) ADD_FAILURE() << sentence;
  const JointComparison comparison = compare_joint_with_cartesian(mechanism);
  EXPECT_EQ(comparison.left_out, "");
  for (const std::string& sentence : comparison.differences) ADD_FAILURE() << sentence;
}

double farthest_off(const Model& model, const std::string& method) {
  RunRequest request;
  request.end = 0.6;
  request.method = method;
  MechanismRun run(model, request);
  EXPECT_TRUE(run.run().ok()) << method << run.summary().message();
  const std::vector<double>& off = run.recording().find("off")->values;
  return *std::max_element(off.begin(), off.end());
}

// With the default tolerance of 1e-6: the law itself would keep the arm on its path exactly.
TEST(ComputedTorque, FollowsItsPathWithEveryFormulation) {
  for (const char* coordinates : {"joint", "cartesian"})
    for (const char* method :
         {"psf/radau5", "partitioned/sdirk4", "projected/dop853", "csm/radau5", "ggl/radau5"}) {
      Model model = six_axes();
      model.simulation.coordinates = coordinates;
      EXPECT_LT(farthest_off(model, method), 2e-5) << method << " " << coordinates;
    }
  // springs and dampers alone sag: 3000 N m/rad under some tens of newton metres
  Model sagging =
      read_model(TRAMMEL_SOURCE_DIR "/examples/models/computed-torque.yaml", {{{"computed", "0"}}});
  EXPECT_GT(farthest_off(sagging, "psf/radau5"), 5e-3);
}

}  // namespace
}  // namespace trammel
