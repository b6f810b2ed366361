// Springs and dampers along a line and about an axis.
//
//   spring and damper   tension = k (l − l₀) + c l' + preload + law(l, l'), pulling two points together
//   torsion spring      torque = k (θ − θ₀) + c θ' + preload + law(θ, θ'), turning B back against the angle θ
//                       of x_B about z_A, taken in (−π, π]: it jumps after half a turn. On a joint, whose
//                       angle counts turns, it is a joint spring (joint_force_kernels.h).
//
// A torsion spring acts along the angle it is a function of: about z_A if the z axes are parallel; if they
// are not, about the axis that keeps work and energy equal.
//
// Potentials count the linear spring and the preload, not what a law adds.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism/constraint_kernels.h"
#include "trammel/mechanism/force_pair.h"
#include "trammel/mechanism/force_slopes.h"
#include "trammel/mechanism/law_function.h"

namespace trammel {

struct SpringDamper {
  Vec3<double> point_a, point_b;
  double stiffness = 0, damping = 0, free_length = 0, preload = 0;
  LawFunction law;  // of the length and its rate

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Stretch<T> s = stretch(A, B);
    // k d is smooth where the points coincide; the rest has no direction there, and counts nothing
    Vec3<T> force = s.d * -stiffness;
    if (plain(s.length) > 0) force -= s.d * (other_tension(s, inputs) / s.length);
    add_force_at(B.R, point_b, force, on_b);
    add_force_at(A.R, point_a, -force, on_a);
  }
  // With d from A to B, u = d/|d| and τ the tension but k |d|: the force on B is −k d − τ u, and
  //   δu = (1 − u uᵀ) δd/|d|,   δ|d|' = u·δd' + (d' − |d|' u)·δd/|d|.
  void slopes(const BodyState& A, const BodyState& B, const ForceInputs<double>& inputs,
              std::span<double> out) const {
    const BodyMotion<double> a = plain_motion(A), b = plain_motion(B);
    const Stretch<double> s = stretch(a, b);
    Vec3<double> force = s.d * -stiffness;
    Mat3<double> by_d, by_rate;  // of the force
    for (int i = 0; i < 3; ++i) by_d(i, i) = -stiffness;
    if (s.length > 0) {
      using Number = Dual<double, twist_directions>;
      const Number other =
          other_tension(Stretch<Number>{{}, Number::variable(s.length, 0), Number::variable(s.rate, 1)},
                        ForceInputs<Number>{inputs.t, {}, inputs.switches});
      const Vec3<double> u = s.d * (1 / s.length);
      const Vec3<double> d_rate = point_motion(b, point_b).velocity - point_motion(a, point_a).velocity;
      const Vec3<double> rate_by_d = (d_rate - u * s.rate) * (1 / s.length);
      const double across = other.value / s.length;
      force -= s.d * across;
      for (int j = 0; j < 3; ++j) {
        const double along = (other.derivative[0] - across) * u[j] + other.derivative[1] * rate_by_d[j];
        for (int i = 0; i < 3; ++i) {
          by_d(i, j) -= u[i] * along + (i == j ? across : 0.0);
          by_rate(i, j) = -other.derivative[1] * u[i] * u[j];
        }
      }
    }
    const auto put = [&](const BodyState& body, const Vec3<double>& point, double sign, std::size_t first) {
      const Vec3<double> own_force = transposed_times(body.R, force * sign);
      for (int k = 0; k < 3; ++k) {
        const auto column = first + static_cast<std::size_t>(k);
        Vec3<double> axis;
        axis[k] = sign;
        const Vec3<double> moved = body.R * cross(axis, point),
                           rate = body.R * cross(axis, cross(body.omega, point));
        const auto add = [&](std::size_t at, const Vec3<double>& f, const Vec3<double>& turned) {
          Wrench<double> on_a{-f, -cross(point_a, transposed_times(A.R, f))},
              on_b{f, cross(point_b, transposed_times(B.R, f))};
          (first == 0 ? on_a : on_b).torque += turned;
          put_force_slope(at, on_a, on_b, out);
        };
        // of a force that stays, in axes that turn
        const Vec3<double> turned = cross(point, cross(own_force, axis)) * sign;
        add(column, (by_d * axis), {});
        add(column + 3, by_d * moved + by_rate * rate, turned);
        add(column + pose_directions, by_rate * axis, {});
        add(column + pose_directions + 3, by_rate * moved, {});
      }
    };
    put(A, point_a, -1, 0);
    put(B, point_b, 1, 6);
  }

  double potential(const BodyMotion<double>& A, const BodyMotion<double>& B,
                   const ForceInputs<double>&) const {
    const double stretched = stretch(A, B).length - free_length;
    return 0.5 * stiffness * stretched * stretched + preload * stretched;
  }

  std::vector<std::string> output_names() const { return {"force", "length", "rate"}; }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    const Stretch<double> s = stretch(A, B);
    values[0] = s.length > 0 ? stiffness * s.length + other_tension(s, inputs) : 0.0;
    values[1] = s.length;
    values[2] = s.rate;
  }

 private:
  template <class T>
  struct Stretch {
    Vec3<T> d;
    T length, rate;
  };

  template <class T>
  Stretch<T> stretch(const BodyMotion<T>& A, const BodyMotion<T>& B) const {
    const PointMotion<T> p_a = point_motion(A, point_a), p_b = point_motion(B, point_b);
    Stretch<T> s{p_b.position - p_a.position, T(0.0), T(0.0)};
    const T square = dot(s.d, s.d);
    if (plain(square) > 0) {
      using std::sqrt;
      s.length = sqrt(square);
      s.rate = dot(s.d, p_b.velocity - p_a.velocity) / s.length;
    }
    return s;
  }

  // All but k l.
  template <class T>
  T other_tension(const Stretch<T>& s, const ForceInputs<T>& inputs) const {
    return damping * s.rate + (preload - stiffness * free_length) + law(inputs, s.length, s.rate);
  }
};

struct TorsionSpring {
  Angle angle;
  double stiffness = 0, damping = 0, free_angle = 0, preload = 0;
  LawFunction law;  // of the angle and its rate

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Twist<T> twist = this->twist(A, B, inputs);
    on_a.torque -= twist.unit_a * twist.torque;
    on_b.torque -= twist.unit_b * twist.torque;
  }

  double potential(const BodyMotion<double>& A, const BodyMotion<double>& B,
                   const ForceInputs<double>&) const {
    const double turned = angle(Pose<double>{A.r, A.R}, Pose<double>{B.r, B.R})[0] - free_angle;
    return 0.5 * stiffness * turned * turned + preload * turned;
  }

  std::vector<std::string> output_names() const { return {"torque", "angle", "rate"}; }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    const Twist<double> twist = this->twist(A, B, inputs);
    values[0] = twist.torque;
    values[1] = twist.angle;
    values[2] = twist.rate;
  }

 private:
  template <class T>
  struct Twist {
    Vec3<T> unit_a,
        unit_b;  // torques on the bodies, in body axes, that a torque of one along the angle means
    T angle, rate, torque;
  };

  template <class T>
  Twist<T> twist(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs) const {
    const Pose<T> a{A.r, A.R}, b{B.r, B.R};
    const double one = 1;
    Wrench<T> unit_a, unit_b;
    angle.reaction(a, b, &one, unit_a, unit_b);
    const T value = angle(a, b)[0];
    const T rate = dot(unit_a.torque, A.omega) + dot(unit_b.torque, B.omega);
    return {unit_a.torque, unit_b.torque, value, rate,
            stiffness * (value - free_angle) + damping * rate + preload + law(inputs, value, rate)};
  }
};

}  // namespace trammel
