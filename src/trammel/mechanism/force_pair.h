// Action and reaction: what acts on one body acts the other way on the other body, through the same point of
// space.
#pragma once

#include "trammel/mechanism/body_motion.h"

namespace trammel {

// A point fixed to a body, in the world.
template <class T>
struct PointMotion {
  Vec3<T> position, velocity;
};

// The point in body axes from the centre of mass.
template <class T>
PointMotion<T> point_motion(const BodyMotion<T>& body, const Vec3<double>& point) {
  return {body.r + body.R * point, body.v + body.R * cross(body.omega, point)};
}

template <class T>
Vec3<T> world_angular_velocity(const BodyMotion<T>& body) {
  return body.R * body.omega;
}

// A force in world axes through a point given in the world.
template <class T>
void add_force_through(const BodyMotion<T>& body, const Vec3<T>& point, const Vec3<T>& force,
                       Wrench<T>& wrench) {
  wrench.force += force;
  wrench.torque += transposed_times(body.R, cross(point - body.r, force));
}

template <class T>
void add_force_pair(const BodyMotion<T>& A, const BodyMotion<T>& B, const Vec3<T>& point,
                    const Vec3<T>& force_on_b, Wrench<T>& on_a, Wrench<T>& on_b) {
  add_force_through(B, point, force_on_b, on_b);
  add_force_through(A, point, -force_on_b, on_a);
}

// A torque in world axes.
template <class T>
void add_torque_pair(const BodyMotion<T>& A, const BodyMotion<T>& B, const Vec3<T>& torque_on_b,
                     Wrench<T>& on_a, Wrench<T>& on_b) {
  on_b.torque += transposed_times(B.R, torque_on_b);
  on_a.torque -= transposed_times(A.R, torque_on_b);
}

}  // namespace trammel
