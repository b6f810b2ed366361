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
