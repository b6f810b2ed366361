// Forces along a coordinate of a joint: a torque about its axis or a force along it. What acts along a
// coordinate does the work (force · rate of the coordinate), whatever the joint.
//
//   joint spring     −(k (q − q₀) + c q' + preload + law(q, q'))
//   joint friction   −(dry + coefficient · radius · N) tanh(q'/v) − viscous q', N the joint's reaction force
//   actuator         law(q, q')
//
// The coordinate q, which counts turns, its rate and the reaction are inputs: they are measured elsewhere.
// The geometry is that of the coordinate's own function, Angle or Offset (constraint_kernels.h).
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "trammel/mechanism/constraint_kernels.h"
#include "trammel/mechanism/law_function.h"

namespace trammel {

// Where the force acts: along the derivative of the coordinate.
template <class Coordinate>
struct JointDirection {
  static constexpr bool is_angle = std::is_same_v<Coordinate, Angle>;
  Coordinate function;

  template <class T>
  void apply(const BodyMotion<T>& A, const BodyMotion<T>& B, const T& force, Wrench<T>& on_a,
             Wrench<T>& on_b) const {
    const double one = 1;
    Wrench<T> unit_a, unit_b;
    function.reaction(Pose<T>{A.r, A.R}, Pose<T>{B.r, B.R}, &one, unit_a, unit_b);
    on_a += Wrench<T>{unit_a.force * force, unit_a.torque * force};
    on_b += Wrench<T>{unit_b.force * force, unit_b.torque * force};
  }

  static std::string force_name() { return is_angle ? "torque" : "force"; }
  static std::string value_name() { return is_angle ? "angle" : "displacement"; }
};

template <class Coordinate>
struct JointSpring {
  JointDirection<Coordinate> direction;
  double stiffness = 0, damping = 0, free_value = 0, preload = 0;
  LawFunction value, rate;  // of the coordinate, from inputs
  LawFunction law;          // of the value and the rate

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    direction.apply(A, B, along(inputs), on_a, on_b);
  }
  template <class T>
  T along(const ForceInputs<T>& inputs) const {
    return -force(inputs);
  }

  double potential(const BodyMotion<double>&, const BodyMotion<double>&,
                   const ForceInputs<double>& inputs) const {
    const double moved = value(inputs) - free_value;
    return 0.5 * stiffness * moved * moved + preload * moved;
  }

  std::vector<std::string> output_names() const {
    return {direction.force_name(), direction.value_name(), "rate"};
  }
  void outputs(const BodyMotion<double>&, const BodyMotion<double>&, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    values[0] = force(inputs);
    values[1] = value(inputs);
    values[2] = rate(inputs);
  }

 private:
  template <class T>
  T force(const ForceInputs<T>& inputs) const {
    const T q = value(inputs), q_rate = rate(inputs);
    return stiffness * (q - free_value) + damping * q_rate + preload + law(inputs, q, q_rate);
  }
};

template <class Coordinate>
struct JointFriction {
  JointDirection<Coordinate> direction;
  double dry = 0;  // a force or torque
  double arm = 0;  // coefficient · radius; of a displacement the coefficient alone
  double viscous = 0;
  double velocity = 1;   // at which dry friction is nearly (76 %) developed
  LawFunction rate;      // of the coordinate, from inputs
  LawFunction reaction;  // the magnitude of the joint's reaction force

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    direction.apply(A, B, along(inputs), on_a, on_b);
  }
  template <class T>
  T along(const ForceInputs<T>& inputs) const {
    return -force(inputs);
  }

  std::vector<std::string> output_names() const { return {direction.force_name()}; }
  void outputs(const BodyMotion<double>&, const BodyMotion<double>&, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    values[0] = force(inputs);
  }

 private:
  template <class T>
  T force(const ForceInputs<T>& inputs) const {
    using std::tanh;
    const T q_rate = rate(inputs);
    return (dry + arm * reaction(inputs)) * tanh(q_rate / velocity) + viscous * q_rate;
  }
};

template <class Coordinate>
struct Actuator {
  JointDirection<Coordinate> direction;
  LawFunction value, rate;  // of the coordinate, from inputs; zero if the law uses neither
  LawFunction law;          // of the value and the rate

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    direction.apply(A, B, along(inputs), on_a, on_b);
  }
  template <class T>
  T along(const ForceInputs<T>& inputs) const {
    return law(inputs, value(inputs), rate(inputs));
  }

  std::vector<std::string> output_names() const { return {direction.force_name()}; }
  void outputs(const BodyMotion<double>&, const BodyMotion<double>&, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    values[0] = law(inputs, value(inputs), rate(inputs));
  }
};

}  // namespace trammel
