// Euler parameters e = (w, x, y, z) and the angular velocity ω in body axes:
//
//   e' = ½ L(e)ᵀ ω,   ω = 2 L(e) e' / eᵀe,   L(e) = [−ε, w I − [ε]×], ε = (x, y, z)
//
// (E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, ch. 9; G there is L here).
#pragma once

#include <Eigen/Core>

#include "trammel/numerics/space.h"

namespace trammel {

using EulerMatrix = Eigen::Matrix<double, 3, 4>;

template <class Derived>
EulerMatrix euler_matrix(const Eigen::MatrixBase<Derived>& e) {
  EulerMatrix L;
  L << -e[1], e[0], e[3], -e[2],  //
      -e[2], -e[3], e[0], e[1],   //
      -e[3], e[2], -e[1], e[0];
  return L;
}

inline Eigen::Vector3d eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
template <class Derived>
Vec3<double> vec3(const Eigen::MatrixBase<Derived>& a) {
  return {a[0], a[1], a[2]};
}
inline Eigen::Matrix3d eigen(const Mat3<double>& m) {
  Eigen::Matrix3d result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result(i, j) = m(i, j);
  return result;
}
inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d result;
  result << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return result;
}

}  // namespace trammel
