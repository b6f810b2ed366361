// A bushing: six springs and dampers between two frames, in the axes of the first.
//
//   x = (d, θ)            d = Fᵀ (P_B − P_A), Q = Fᵀ F_B, θ = ½ (Q₃₂ − Q₂₃, Q₁₃ − Q₃₁, Q₂₁ − Q₁₂)
//   x' = (d', G w)        d' as seen from A, w the relative angular velocity in the axes F,
//                         G = ½ (tr(Q) 1 − Q)
//   y = K x + C x' + preload, or, of a component with a law of its own, law(x, x') + preload
//
// F and F_B are the axes of the frames in the world. For a rotation by φ about an axis n, θ = sin(φ) n: the
// angles themselves while they are small, useful to about 90 degrees, and without the singular positions of
// three successive angles. Beyond 90 degrees the bushing becomes softer, and at 180 it does not resist.
//
// B gets the force −F y_d through P_B and the torque −F Gᵀ y_θ, A the opposite through the same point. With
// the transpose of the map that gives the rates, the power is exactly −y·x': a symmetric K has the potential
// ½ xᵀ K x at any angle, and C takes energy whenever it is positive.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trammel/mechanism/force_pair.h"
#include "trammel/mechanism/force_slopes.h"
#include "trammel/mechanism/law_function.h"
#include "trammel/mechanism/mechanism.h"
#include "trammel/mechanism/velocity_kernels.h"

namespace trammel {

struct Bushing {
  using Six = std::array<double, 6>;

  Frame frame_a, frame_b;  // origins from the centres of mass, in body axes
  // The rows of components with laws are not used.
  std::array<Six, 6> stiffness{}, damping{};
  Six preload{};
  std::array<bool, 6> has_law{};
  std::array<LawFunction, 6> laws;  // of the component and its rate

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Deflection<T> x = deflection(A, B);
    const std::array<T, 6> y = resistance(x, inputs);
    add_force_pair(A, B, x.point_b, -(x.axes * Vec3<T>{y[0], y[1], y[2]}), on_a, on_b);
    add_torque_pair(A, B, -(x.axes * transposed_times(x.G, Vec3<T>{y[3], y[4], y[5]})), on_a, on_b);
  }

  // With θ_A, θ_B rotations of the bodies in the world and φ = Fᵀ (θ_B − θ_A), in the axes F:
  //   δQ = φ × Q,  δθ = G φ,  δG w = −(φ·θ) w − ½ φ × Q w,  δGᵀ y = −(φ·θ) y + ½ Qᵀ (φ × y)
  // and what is fixed to A turns with θ_A.
  void slopes(const BodyState& A, const BodyState& B, const ForceInputs<double>& inputs,
              std::span<double> out) const {
    using Vec = Vec3<double>;
    const Deflection<double> x = deflection(plain_motion(A), plain_motion(B));
    const Six y = resistance(x, inputs);
    const std::array<LawSlope, 6> law_slopes = slopes_of_laws(x, inputs);
    const Mat3<double>& F = x.axes;
    const Mat3<double> Q = transposed(F) * (B.R * frame_b.axes);
    const Vec arm_a = x.point_b - A.r, arm_b = x.point_b - B.r;
    const Vec omega_a = A.R * A.omega, w = transposed_times(F, B.R * B.omega - omega_a), Qw = Q * w;
    const Vec d_rate{x.rate[0], x.rate[1], x.rate[2]}, theta{x.value[3], x.value[4], x.value[5]};
    const Vec y_theta{y[3], y[4], y[5]};
    const Vec force = -(F * Vec{y[0], y[1], y[2]}), torque = -(F * transposed_times(x.G, y_theta));
    const Vec torque_a = transposed_times(A.R, -cross(arm_a, force) - torque);
    const Vec torque_b = transposed_times(B.R, cross(arm_b, force) + torque);
    fill_force_slopes(
        [&](const BodyVariation& by_a, const BodyVariation& by_b, Wrench<double>& on_a,
            Wrench<double>& on_b) {
          const PointMotion<double> point = varied_point(B, frame_b.origin, by_b);
          const Vec turn = A.R * by_a.theta, turn_F = transposed_times(F, turn);
          const Vec phi = transposed_times(F, B.R * by_b.theta) - turn_F;
          const Vec by_omega_a = A.R * (by_a.omega + cross(by_a.theta, A.omega));
          const Vec by_omega_b = B.R * (by_b.omega + cross(by_b.theta, B.omega));
          const Vec moved = point.position - by_a.r;
          const Vec d = transposed_times(F, moved - cross(turn, arm_a));
          const Vec d_rate_by = transposed_times(F, point.velocity - by_a.v - cross(by_omega_a, arm_a) -
                                                        cross(omega_a, moved)) -
                                cross(turn_F, d_rate);
          const Vec w_by = transposed_times(F, by_omega_b - by_omega_a) - cross(turn_F, w);
          const Vec theta_by = x.G * phi;
          const Vec theta_rate_by = x.G * w_by - w * dot(phi, theta) - cross(phi, Qw) * 0.5;
          const Six value_by{d.x, d.y, d.z, theta_by.x, theta_by.y, theta_by.z};
          const Six rate_by{d_rate_by.x,     d_rate_by.y,     d_rate_by.z,
                            theta_rate_by.x, theta_rate_by.y, theta_rate_by.z};
          const Six y_by = resistance_slope(law_slopes, value_by, rate_by);
          const Vec moment_by = transposed_times(x.G, Vec{y_by[3], y_by[4], y_by[5]}) -
                                y_theta * dot(phi, theta) + transposed_times(Q, cross(phi, y_theta)) * 0.5;
          const Vec f = cross(turn, force) - F * Vec{y_by[0], y_by[1], y_by[2]};
          const Vec t = cross(turn, torque) - F * moment_by;
          on_b = {f, transposed_times(B.R, cross(point.position - by_b.r, force) + cross(arm_b, f) + t) +
                         cross(torque_b, by_b.theta)};
          on_a = {-f, cross(torque_a, by_a.theta) -
                          transposed_times(A.R, cross(moved, force) + cross(arm_a, f) + t)};
        },
        out);
  }

  // Whether what is not given by laws has a potential.
  bool has_potential() const {
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if ((has_law[i] ? 0.0 : stiffness[i][j]) != (has_law[j] ? 0.0 : stiffness[j][i])) return false;
    return true;
  }
  double potential(const BodyMotion<double>& A, const BodyMotion<double>& B,
                   const ForceInputs<double>&) const {
    if (!has_potential()) return 0;
    const Six x = deflection(A, B).value;
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      sum += preload[i] * x[i];
      for (std::size_t j = 0; j < 6 && !has_law[i]; ++j) sum += 0.5 * x[i] * stiffness[i][j] * x[j];
    }
    return sum;
  }

  // What resists, in the axes of the first frame.
  std::vector<std::string> output_names() const {
    return {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"};
  }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>& inputs,
               std::span<double> values) const {
    const Deflection<double> x = deflection(A, B);
    const Six y = resistance(x, inputs);
    const Vec3<double> torque = transposed_times(x.G, Vec3<double>{y[3], y[4], y[5]});
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      values[k] = y[k];
      values[3 + k] = torque[i];
    }
  }

 private:
  template <class T>
  struct Deflection {
    std::array<T, 6> value, rate;
    Mat3<T> axes;     // F
    Mat3<T> G;        // from angular velocity to the rates of the angles
    Vec3<T> point_b;  // in the world
  };

  template <class T>
  Deflection<T> deflection(const BodyMotion<T>& A, const BodyMotion<T>& B) const {
    Deflection<T> x;
    x.axes = A.R * frame_a.axes;
    const PointMotion<T> p_b = point_motion(B, frame_b.origin);
    x.point_b = p_b.position;
    const Vec3<T> d = transposed_times(x.axes, p_b.position - (A.r + A.R * frame_a.origin));
    const Vec3<T> d_rate = transposed_times(x.axes, p_b.velocity - velocity_at(A, p_b.position));

    const Mat3<T> Q = transposed(x.axes) * (B.R * frame_b.axes);
    const Vec3<T> theta{0.5 * (Q(2, 1) - Q(1, 2)), 0.5 * (Q(0, 2) - Q(2, 0)), 0.5 * (Q(1, 0) - Q(0, 1))};
    const T half_trace = 0.5 * (Q(0, 0) + Q(1, 1) + Q(2, 2));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) x.G(i, j) = i == j ? half_trace - 0.5 * Q(i, j) : -0.5 * Q(i, j);
    const Vec3<T> w = transposed_times(x.axes, world_angular_velocity(B) - world_angular_velocity(A));
    const Vec3<T> theta_rate = x.G * w;

    x.value = {d.x, d.y, d.z, theta.x, theta.y, theta.z};
    x.rate = {d_rate.x, d_rate.y, d_rate.z, theta_rate.x, theta_rate.y, theta_rate.z};
    return x;
  }

  template <class T>
  std::array<T, 6> resistance(const Deflection<T>& x, const ForceInputs<T>& inputs) const {
    std::array<T, 6> y;
    for (std::size_t i = 0; i < 6; ++i) {
      y[i] = T(preload[i]);
      if (has_law[i]) {
        y[i] += laws[i](inputs, x.value[i], x.rate[i]);
        continue;
      }
      for (std::size_t j = 0; j < 6; ++j) {
        if (stiffness[i][j] != 0) y[i] += stiffness[i][j] * x.value[j];
        if (damping[i][j] != 0) y[i] += damping[i][j] * x.rate[j];
      }
    }
    return y;
  }

  // How a law varies with its component and the rate.
  struct LawSlope {
    double by_value = 0, by_rate = 0;
  };
  std::array<LawSlope, 6> slopes_of_laws(const Deflection<double>& x,
                                         const ForceInputs<double>& inputs) const {
    using Number = Dual<double, twist_directions>;
    std::array<LawSlope, 6> result;
    for (std::size_t i = 0; i < 6; ++i) {
      if (!has_law[i]) continue;
      const Number law = laws[i](ForceInputs<Number>{inputs.t, {}, inputs.switches},
                                 Number::variable(x.value[i], 0), Number::variable(x.rate[i], 1));
      result[i] = {law.derivative[0], law.derivative[1]};
    }
    return result;
  }
  Six resistance_slope(const std::array<LawSlope, 6>& of_laws, const Six& value, const Six& rate) const {
    Six y{};
    for (std::size_t i = 0; i < 6; ++i) {
      if (has_law[i]) {
        y[i] = of_laws[i].by_value * value[i] + of_laws[i].by_rate * rate[i];
        continue;
      }
      for (std::size_t j = 0; j < 6; ++j) y[i] += stiffness[i][j] * value[j] + damping[i][j] * rate[j];
    }
    return y;
  }
};

}  // namespace trammel
