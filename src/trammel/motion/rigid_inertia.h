// The inertia of what moves as one rigid body, at the point of six-vectors (six_vectors.h): its mass, its mass
// times where its centre of mass is, and its moments of inertia about the point. Ten numbers instead of the 36 of
// a matrix; those of bodies that move together are added.
#pragma once

#include "trammel/motion/six_vectors.h"

namespace trammel {

struct RigidInertia {
  double mass = 0;
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();

  RigidInertia() = default;
  // Of a body with its centre of mass at `arm` and these moments of inertia about it, all in world axes.
  RigidInertia(double m, const Eigen::Vector3d& arm, const Eigen::Matrix3d& about_centre)
      : mass(m), moment(m * arm), second(about_centre - moment * arm.transpose()) {
    second.diagonal().array() += moment.dot(arm);
  }

  RigidInertia& operator+=(const RigidInertia& other) {
    mass += other.mass;
    moment += other.moment;
    second += other.second;
    return *this;
  }

  // The momentum of a motion.
  Six operator*(const Six& motion) const {
    const Eigen::Vector3d v = motion.head<3>(), w = motion.tail<3>();
    Six result;
    result.head<3>() = mass * v - moment.cross(w);
    result.tail<3>() = moment.cross(v) + second * w;
    return result;
  }

  void expand(SixBySix& matrix) const {
    matrix.setZero();
    matrix.diagonal().head<3>().setConstant(mass);
    const double x = moment[0], y = moment[1], z = moment[2];
    matrix(4, 0) = matrix(0, 4) = z;
    matrix(5, 0) = matrix(0, 5) = -y;
    matrix(3, 1) = matrix(1, 3) = -z;
    matrix(5, 1) = matrix(1, 5) = x;
    matrix(3, 2) = matrix(2, 3) = y;
    matrix(4, 2) = matrix(2, 4) = -x;
    matrix.bottomRightCorner<3, 3>() = second;
  }
};

}  // namespace trammel
