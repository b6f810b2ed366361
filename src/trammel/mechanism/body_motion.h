// What an element sees of a body, in any scalar, and the directions in which it is differentiated.
//
// A body's place is that of its centre of mass, r, and its rotation R; its twist is (v, ω), v in world axes
// and ω in body axes. Derivatives are taken along the twist directions: a small translation in world axes and
// a small rotation δθ in body axes, δR = R [δθ]×. So an element knows nothing of the coordinates that an
// equation of motion uses for its bodies.
#pragma once

#include "trammel/numerics/space.h"

namespace trammel {

// A body as plain numbers, with its accelerations.
struct BodyState {
  Vec3<double> r;
  Mat3<double> R = Mat3<double>::identity();
  Vec3<double> v, omega;  // ω in body axes
  Vec3<double> a, alpha;  // their rates
};

template <class T>
struct Pose {
  Vec3<T> r;
  Mat3<T> R;
};

template <class T>
struct BodyMotion {
  Vec3<T> r;
  Mat3<T> R;
  Vec3<T> v, omega;
};

// A force in world axes at the centre of mass, and a torque in body axes: what works on the twist (v, ω).
template <class T>
struct Wrench {
  Vec3<T> force, torque;

  Wrench& operator+=(const Wrench& other) {
    force += other.force;
    torque += other.torque;
    return *this;
  }
  Wrench& operator-=(const Wrench& other) {
    force -= other.force;
    torque -= other.torque;
    return *this;
  }
};

// A force at a point fixed to the body, the point in body axes from the centre of mass, force in world axes.
template <class T, class P>
void add_force_at(const Mat3<T>& R, const Vec3<P>& point, const Vec3<T>& force, Wrench<T>& wrench) {
  wrench.force += force;
  wrench.torque += cross(point, transposed_times(R, force));
}

// The directions of a two-body element: its first body's (translation, rotation), its second's; then the same
// for the velocities.
inline constexpr int pose_directions = 12;
inline constexpr int twist_directions = 24;
using Slope = Dual<double, twist_directions>;
using PoseSlope = Dual<double, pose_directions>;

// The motion of a body as time goes on, without derivatives.
inline Pose<Taylor<double>> taylor_pose(const BodyState& body) {
  const Mat3<double> rate = times_cross(body.R, body.omega);
  const Mat3<double> acceleration = times_cross(rate, body.omega) + times_cross(body.R, body.alpha);
  Pose<Taylor<double>> pose;
  for (int i = 0; i < 3; ++i) {
    pose.r[i] = {body.r[i], body.v[i], body.a[i]};
    for (int j = 0; j < 3; ++j) pose.R(i, j) = {body.R(i, j), rate(i, j), acceleration(i, j)};
  }
  return pose;
}

// A pose that varies with its own six directions, which start at `first`; again, if it varied before: then
// the new directions turn after the old ones.
template <int N, class S>
Pose<Dual<S, N>> varied_pose(const Pose<S>& pose, int first) {
  Pose<Dual<S, N>> varied;
  for (int i = 0; i < 3; ++i) {
    varied.r[i].value = pose.r[i];
    for (int j = 0; j < 3; ++j) varied.R(i, j).value = pose.R(i, j);
  }
  for (int k = 0; k < 3; ++k) {
    varied.r[k].derivative[static_cast<std::size_t>(first + k)] = S(1.0);
    Vec3<double> axis;
    axis[k] = 1;
    const Mat3<S> turned = times_cross(pose.R, axis);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        varied.R(i, j).derivative[static_cast<std::size_t>(first + 3 + k)] = turned(i, j);
  }
  return varied;
}

// The same with the velocities, whose directions come after the poses of both bodies.
template <int N>
BodyMotion<Dual<double, N>> varied_motion(const BodyState& body, int first) {
  const Pose<Dual<double, N>> pose = varied_pose<N>(Pose<double>{body.r, body.R}, first);
  BodyMotion<Dual<double, N>> motion{pose.r, pose.R, body.v, body.omega};
  for (int k = 0; k < 3; ++k) {
    motion.v[k].derivative[static_cast<std::size_t>(pose_directions + first + k)] = 1;
    motion.omega[k].derivative[static_cast<std::size_t>(pose_directions + first + 3 + k)] = 1;
  }
  return motion;
}

// Both: the motion as time goes on, and how each of its coefficients varies with pose and twist.
inline Pose<Taylor<Slope>> varied_taylor_pose(const BodyState& body, int first) {
  const auto at = [first](int k) { return static_cast<std::size_t>(first + k); };
  const Mat3<double> rate = times_cross(body.R, body.omega);
  const Mat3<double> acceleration = times_cross(rate, body.omega) + times_cross(body.R, body.alpha);
  Pose<Taylor<Slope>> pose;
  for (int i = 0; i < 3; ++i) {
    pose.r[i] = {Slope(body.r[i]), Slope(body.v[i]), Slope(body.a[i])};
    pose.r[i].value.derivative[at(i)] = 1;
    pose.r[i].first.derivative[at(pose_directions + i)] = 1;
    for (int j = 0; j < 3; ++j)
      pose.R(i, j) = {Slope(body.R(i, j)), Slope(rate(i, j)), Slope(acceleration(i, j))};
  }
  for (int k = 0; k < 3; ++k) {
    Vec3<double> axis;
    axis[k] = 1;
    // R [e]×, R [e]× [ω]×, R [e]× ([ω]×² + [α]×)
    const Mat3<double> turned = times_cross(body.R, axis);
    const Mat3<double> turned_rate = times_cross(turned, body.omega);
    const Mat3<double> turned_acceleration =
        times_cross(turned_rate, body.omega) + times_cross(turned, body.alpha);
    // by ω: R [e]× and R ([e]× [ω]× + [ω]× [e]×)
    const Mat3<double> spun = turned_rate + times_cross(rate, axis);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Taylor<Slope>& entry = pose.R(i, j);
        entry.value.derivative[at(3 + k)] = turned(i, j);
        entry.first.derivative[at(3 + k)] = turned_rate(i, j);
        entry.second.derivative[at(3 + k)] = turned_acceleration(i, j);
        entry.first.derivative[at(pose_directions + 3 + k)] = turned(i, j);
        entry.second.derivative[at(pose_directions + 3 + k)] = spun(i, j);
      }
  }
  return pose;
}

}  // namespace trammel
