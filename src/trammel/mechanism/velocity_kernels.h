// Constraint functions that exist at velocity level only: linear in the twists, not the rate of anything.
//
//   point speed    the velocity of a point of B along a direction fixed to B, seen from A   (knife edge)
//   rolling        the velocity of the touching point of a disk or sphere on a plane, two rows
//   spin           the relative angular velocity along a direction fixed to A
#pragma once

#include "trammel/mechanism/body_motion.h"

namespace trammel {

// The velocity of a point given in the world as it moves with the body.
template <class T>
Vec3<T> velocity_at(const BodyMotion<T>& body, const Vec3<T>& world_point) {
  return body.v + cross(body.R * body.omega, world_point - body.r);
}

struct PointSpeed {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> point_b, direction_b;

  template <class T>
  std::array<T, 1> operator()(const BodyMotion<T>& A, const BodyMotion<T>& B) const {
    const Vec3<T> point = B.r + B.R * point_b;
    return {dot(B.R * direction_b, velocity_at(B, point) - velocity_at(A, point))};
  }
};

struct Rolling {
  static constexpr int rows = 2;
  static constexpr bool relative = true;
  Mat3<double> plane_a;           // z is the normal
  Vec3<double> centre_b, axis_b;  // axis zero: a sphere
  double radius;

  template <class T>
  std::array<T, 2> operator()(const BodyMotion<T>& A, const BodyMotion<T>& B) const {
    using std::sqrt;
    const Vec3<T> n = A.R * plane_a.column[2];
    const Vec3<T> axis = B.R * axis_b;
    Vec3<T> down = n;
    if (dot(axis_b, axis_b) > 0) {
      const T along = dot(n, axis);
      down = (n - axis * along) * (1.0 / sqrt(1.0 - along * along));
    }
    const Vec3<T> touching = B.r + B.R * centre_b - down * radius;
    const Vec3<T> slip = velocity_at(B, touching) - velocity_at(A, touching);
    return {dot(A.R * plane_a.column[0], slip), dot(A.R * plane_a.column[1], slip)};
  }
};

struct Spin {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> direction_a;

  template <class T>
  std::array<T, 1> operator()(const BodyMotion<T>& A, const BodyMotion<T>& B) const {
    return {dot(A.R * direction_a, B.R * B.omega - A.R * A.omega)};
  }
};

}  // namespace trammel
