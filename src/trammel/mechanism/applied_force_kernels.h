// Forces given from outside, and the resistance of a medium.
//
//   point force   three laws, at a point of B; A may get the opposite through the same point
//   torque        three laws, on B; A may get the opposite
//   drag          −(c + q |u|) u at a point of B, u its velocity through the medium;
//                 −(c_ω + q_ω |ω|) ω, the torque
//
// The components are in world axes or in the axes of one of the bodies.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trammel/mechanism/force.h"
#include "trammel/mechanism/force_pair.h"
#include "trammel/mechanism/law_function.h"

namespace trammel {

// Three laws and the axes they belong to.
struct VectorLaw {
  std::array<LawFunction, 3> components;
  Force::Axes axes = Force::Axes::world;

  // In the world.
  template <class T>
  Vec3<T> operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs) const {
    const Vec3<T> vector{components[0](inputs), components[1](inputs), components[2](inputs)};
    switch (axes) {
      case Force::Axes::first_body:
        return A.R * vector;
      case Force::Axes::second_body:
        return B.R * vector;
      case Force::Axes::world:
        break;
    }
    return vector;
  }
};

struct PointForce {
  Vec3<double> point_b;
  VectorLaw force;
  bool applies_reaction = true;

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Vec3<T> f = force(A, B, inputs);
    add_force_at(B.R, point_b, f, on_b);
    if (applies_reaction) add_force_through(A, B.r + B.R * point_b, -f, on_a);
  }

  // In world axes.
  std::vector<std::string> output_names() const { return {"force_x", "force_y", "force_z"}; }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    const Vec3<double> f = force(A, B, inputs);
    for (int i = 0; i < 3; ++i) values[static_cast<std::size_t>(i)] = f[i];
  }
};

struct AppliedTorque {
  VectorLaw torque;
  bool applies_reaction = true;

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Vec3<T> m = torque(A, B, inputs);
    on_b.torque += transposed_times(B.R, m);
    if (applies_reaction) on_a.torque -= transposed_times(A.R, m);
  }

  // In world axes.
  std::vector<std::string> output_names() const { return {"torque_x", "torque_y", "torque_z"}; }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    const Vec3<double> m = torque(A, B, inputs);
    for (int i = 0; i < 3; ++i) values[static_cast<std::size_t>(i)] = m[i];
  }
};

struct Drag {
  Vec3<double> point_b;
  double viscous = 0, quadratic = 0;
  double angular_viscous = 0, angular_quadratic = 0;
  Vec3<double> wind;  // velocity of the medium in the world

  template <class T>
  void operator()(const BodyMotion<T>&, const BodyMotion<T>& B, const ForceInputs<T>&, Wrench<T>&,
                  Wrench<T>& on_b) const {
    const Vec3<T> u = point_motion(B, point_b).velocity - wind;
    add_force_at(B.R, point_b, -resistance(u, viscous, quadratic), on_b);
    on_b.torque -= resistance(B.omega, angular_viscous, angular_quadratic);
  }

  // Their magnitudes.
  std::vector<std::string> output_names() const { return {"force", "torque"}; }
  void outputs(const BodyMotion<double>&, const BodyMotion<double>& B, const ForceInputs<double>&,
               std::span<double> values) const {
    values[0] = length(resistance(point_motion(B, point_b).velocity - wind, viscous, quadratic));
    values[1] = length(resistance(B.omega, angular_viscous, angular_quadratic));
  }

 private:
  template <class T>
  static Vec3<T> resistance(const Vec3<T>& u, double linear, double square) {
    Vec3<T> result = u * linear;
    const T speed_square = dot(u, u);
    // |u| u is smooth where |u| is not
    if (square != 0 && plain(speed_square) > 0) {
      using std::sqrt;
      result += u * (square * sqrt(speed_square));
    }
    return result;
  }
};

}  // namespace trammel
