// Motions and forces as six-vectors in world axes at one point: (velocity there, angular velocity), (force,
// moment about it). R. Featherstone, Rigid Body Dynamics Algorithms (2008), with the linear part first.
#pragma once

#include <Eigen/Dense>

namespace trammel {

using Six = Eigen::Matrix<double, 6, 1>;
using SixBySix = Eigen::Matrix<double, 6, 6>;

// The rate of a motion b that is carried along by a.
inline Six cross_motion(const Six& a, const Six& b) {
  const Eigen::Vector3d v = a.head<3>(), w = a.tail<3>(), bv = b.head<3>(), bw = b.tail<3>();
  Six result;
  result.head<3>() = w.cross(bv) + v.cross(bw);
  result.tail<3>() = w.cross(bw);
  return result;
}

// The rate of a force f that is carried along by a; cross_motion(a, b) · f = −b · cross_force(a, f).
inline Six cross_force(const Six& a, const Six& f) {
  const Eigen::Vector3d v = a.head<3>(), w = a.tail<3>(), force = f.head<3>(), moment = f.tail<3>();
  Six result;
  result.head<3>() = w.cross(force);
  result.tail<3>() = w.cross(moment) + v.cross(force);
  return result;
}

}  // namespace trammel
