// Trees of hinges in MuJoCo: mj_forward, without contacts and constraints.
#include <fmt/format.h>

#include <cmath>

#include "dynamics.h"
#include "mujoco_models.h"
#include "mujoco_simulator.h"
#include "trammel/numerics/space.h"

namespace peers {

namespace {

using trammel::Mat3;
using trammel::Vec3;

std::string numbers(const double* from, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}{:.17g}", i > 0 ? " " : "", from[i]);
  return text;
}

// A body with all that hangs on it: hinges about z, inertias about centres of mass in axes of the hinge.
// MuJoCo numbers them as they are written.
void write(const HingeTree& tree, const std::vector<std::vector<int>>& children, int i, std::string& text,
           std::vector<int>& order) {
  order.push_back(i);
  const HingedBody& body = tree.bodies[static_cast<std::size_t>(i)];
  const auto& a = body.axes;
  const trammel::Quaternion<double> turn =
      trammel::quaternion(Mat3<double>{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}});
  const auto& J = body.inertia;
  text += fmt::format(
      "<body pos='{}' quat='{:.17g} {:.17g} {:.17g} {:.17g}'><joint type='hinge' axis='0 0 1'/>"
      "<inertial pos='{}' mass='{:.17g}' fullinertia='{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}'/>\n",
      numbers(body.origin.data(), 3), turn.w, turn.x, turn.y, turn.z, numbers(body.centre.data(), 3),
      body.mass, J[0], J[4], J[8], J[1], J[2], J[5]);
  for (const int child : children[static_cast<std::size_t>(i)]) write(tree, children, child, text, order);
  text += "</body>\n";
}

class MujocoDynamics final : public ForwardDynamics {
 public:
  MujocoDynamics(const std::string& text, std::vector<int> order)
      : simulator_(text), order_(std::move(order)) {}
  void evaluate(const double* angles, const double* rates, double* accelerations) override {
    mjData& data = simulator_.data();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      data.qpos[i] = angles[order_[i]];
      data.qvel[i] = rates[order_[i]];
    }
    mj_forward(&simulator_.model(), &data);
    for (std::size_t i = 0; i < order_.size(); ++i) accelerations[order_[i]] = data.qacc[i];
  }

 private:
  MujocoSimulator simulator_;
  std::vector<int> order_;  // of its joints, among those of the tree
};

// Its loops are springs as stiff as a step of 1e-4 s allows.
class MujocoLoops final : public ForwardDynamics {
 public:
  explicit MujocoLoops(int windows) : simulator_(mujoco_four_bars(windows, 1e-4)), windows_(windows) {
    const FourBarPose pose;
    for (int i = 0; i < 2 * windows_ + 1; ++i) {
      simulator_.data().qpos[i] = i % 2 == 0 ? pose.crank : pose.coupler;
      simulator_.data().qvel[i] = i % 2 == 0 ? pose.crank_rate : pose.coupler_rate;
    }
  }
  void evaluate(const double* shift, const double*, double* accelerations) override {
    mjData& data = simulator_.data();
    data.qpos[0] = FourBarPose().crank + *shift;
    mj_forward(&simulator_.model(), &data);
    for (int i = 0; i <= windows_; ++i) accelerations[i] = data.qacc[2 * i];
  }

 private:
  MujocoSimulator simulator_;
  int windows_;
};

}  // namespace

std::unique_ptr<ForwardDynamics> mujoco_loop_dynamics(int windows) {
  return std::make_unique<MujocoLoops>(windows);
}

std::unique_ptr<ForwardDynamics> mujoco_dynamics(const HingeTree& tree) {
  std::vector<std::vector<int>> children(tree.bodies.size());
  std::string bodies;
  std::vector<int> order;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    if (const int parent = tree.bodies[i].parent; parent >= 0)
      children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    if (tree.bodies[i].parent < 0) write(tree, children, static_cast<int>(i), bodies, order);
  const std::string text = fmt::format(
      "<mujoco><compiler angle='radian' balanceinertia='false' boundmass='0' boundinertia='0'/>"
      "<option gravity='{}'><flag contact='disable' constraint='disable' warmstart='disable'/></option>"
      "<worldbody>{}</worldbody></mujoco>",
      numbers(tree.gravity.data(), 3), bodies);
  return std::make_unique<MujocoDynamics>(text, std::move(order));
}

}  // namespace peers
