// Single terms of the equations in joint coordinates, and how points move: what robots are controlled by
// (analysis/joint_dynamics.h).
#include "trammel/motion/joint_motion.h"

namespace trammel {

void JointMotion::required_forces(const MotionPoint& at, Acting acting, VectorOut required) {
  const MotionPoint cartesian = place(at, Level::accelerations);
  if (acting == Acting::everything) {
    bodies_.evaluate_inputs(cartesian);
    evaluate_element_wrenches(cartesian, A_);
  } else {
    for (const int body : working_bodies_) bodies_.wrenches_[static_cast<std::size_t>(body)] = {};
    add_rotors_at_work(A_);
  }
  gather_forces(A_);
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k)
      required[k] = joint.rotor * accelerations_[k] - S_[at_index(k)].dot(forces_[i]);
  }
}

void JointMotion::point_jacobian(int body, const Vec3<double>& point, Eigen::Ref<Matrix> columns) const {
  columns.setZero();
  const Eigen::Vector3d arm = eigen(point) - centre_;
  along_path(node_of(body), -1, [&](Index k) {
    const Six& S = S_[at_index(k)];
    const Eigen::Vector3d turn = S.tail<3>();
    columns.col(k).head<3>() = S.head<3>() + turn.cross(arm);
    columns.col(k).tail<3>() = turn;
  });
}

Six JointMotion::point_drift(int body, const Vec3<double>& point) const {
  const int on = node_of(body);
  if (on < 0) return Six::Zero();
  const Six &V = V_[static_cast<std::size_t>(on)], &drift = drift_[static_cast<std::size_t>(on)];
  const Eigen::Vector3d arm = eigen(point) - centre_;
  const Eigen::Vector3d omega = V.tail<3>(), turn = drift.tail<3>();
  const Eigen::Vector3d velocity = V.head<3>() + omega.cross(arm);
  Six result;
  result.head<3>() = drift.head<3>() + turn.cross(arm) + omega.cross(velocity);
  result.tail<3>() = turn;
  return result;
}

}  // namespace trammel
