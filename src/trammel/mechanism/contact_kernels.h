// Contacts, which push and never pull.
//
//   tyre              a wheel's centre over a road, a spring and damper along the vertical z of frame A:
//                     depth δ = road(x) + radius − z, y = k δ + c δ', force = onset(δ) · positive part(y)
//                     with friction: in the plane of the road −μ N tanh(|k|) k/|k|, k = (c/μ) slip velocity / speed, across
//                     the wheel, and along it if it has traction
//   sphere on plane   the law of Hunt and Crossley, N = k δⁿ (1 + d δ'), with dry friction μ N tanh(|v|/v₀)
//                     against the slip v of the touching point, on the plane under the sphere's centre
//
// A tyre follows one point of the road under its centre and pushes along the vertical only, also where the
// road is not level: so energy is kept on level roads alone. `smoothing` is the depth over which a contact
// sets in (smooth_onset.h); without it forces have corners where a contact begins. Switches (switches.h): a
// contact that is held open has no force, one that is held closed goes on as a law that also pulls. Where a
// contact sets in is a branch of its own: the stages of a step might lie on both sides of it and see nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trammel/mechanism/force_pair.h"
#include "trammel/mechanism/law_function.h"
#include "trammel/mechanism/road_profile.h"
#include "trammel/mechanism/smooth_onset.h"
#include "trammel/mechanism/velocity_kernels.h"

namespace trammel {

// onset(x, range) with a switch: not yet, setting in, all of it. `without_range`: what happens at zero if there is
// no range.
template <class T>
T switched_onset(const T& x, double range, SwitchReading::Order without_range, int index,
                 const Switches& switches) {
  const double at = plain(x);
  const auto margin = [&](int branch) {
    return branch == 0 ? -at : branch == 1 ? std::min(at, range - at) : at - range;
  };
  const int natural = at <= 0 ? 0 : at < range ? 1 : 2;
  switch (switches.choose(index, natural, range > 0 ? SwitchReading::nothing_jumps : without_range, margin)) {
    case 0:
      return T(0.0);
    case 1:
      return onset(x, range);
    default:
      return T(1.0);
  }
}

struct Tyre {
  Frame frame_a;          // z upwards, x along the road; origin from the centre of mass, in body axes
  Vec3<double> centre_b;  // of the wheel
  double radius = 0, stiffness = 0, damping = 0, smoothing = 0;
  RoadProfile road;
  double friction = 0, cornering = 0, slip_velocity = 1;
  bool traction = false;
  Vec3<double> axle_b = {0, 1, 0};

  static constexpr int switch_count = 3;

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Touch<T> touch = this->touch(A, B, inputs.switches);
    if (plain(touch.force) == 0) return;
    add_force_pair(A, B, touch.centre, (A.R * frame_a.axes.column[2]) * touch.force, on_a, on_b);
    if (friction == 0) return;
    const Slip<T> slip = this->slip(A, B, touch);
    add_force_pair(A, B, slip.point, slip.along * slip.longitudinal + slip.across * slip.lateral, on_a, on_b);
  }

  double potential(const BodyMotion<double>& A, const BodyMotion<double>& B,
                   const ForceInputs<double>&) const {
    // ∫ k δ onset² dδ, the force without damping
    const double depth = touch(A, B, {}).depth;
    if (depth <= 0) return 0;
    if (depth >= smoothing) return stiffness * (0.5 * (depth * depth - smoothing * smoothing) + full_onset());
    return stiffness * onset_integral(depth / smoothing);
  }

  std::vector<std::string> output_names() const {
    if (friction == 0) return {"force", "deflection"};
    return {"force", "deflection", "lateral_force", "longitudinal_force"};
  }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>&,
               std::span<double> values) const {
    const Touch<double> touch = this->touch(A, B, {});
    values[0] = touch.force;
    values[1] = std::max(touch.depth, 0.0);
    if (friction == 0) return;
    const Slip<double> slip = this->slip(A, B, touch);
    values[2] = slip.lateral;
    values[3] = slip.longitudinal;
  }

 private:
  template <class T>
  struct Slip {
    Vec3<T> point, along, across;  // in the world
    T longitudinal, lateral;       // forces on the wheel
  };

  template <class T>
  struct Touch {
    Vec3<T> centre;  // of the wheel, in the world
    T depth, force;
  };

  template <class T>
  Touch<T> touch(const BodyMotion<T>& A, const BodyMotion<T>& B, const Switches& switches) const {
    const PointMotion<T> centre = point_motion(B, centre_b);
    const Mat3<T> axes = A.R * frame_a.axes;
    const Vec3<T> p = transposed_times(axes, centre.position - (A.r + A.R * frame_a.origin));
    const auto ground = road(p.x, 2, switches);
    Touch<T> touch{centre.position, ground.height + radius - p.z, T(0.0)};
    const T begun =
        switched_onset(touch.depth, smoothing,
                       damping == 0 ? SwitchReading::slope_jumps : SwitchReading::value_jumps, 0, switches);
    if (plain(begun) == 0) return touch;
    const Vec3<T> p_rate = transposed_times(axes, centre.velocity - velocity_at(A, centre.position));
    const T depth_rate = ground.slope * p_rate.x - p_rate.z;
    const T pressed = stiffness * touch.depth + damping * depth_rate;
    touch.force = begun * pressed *
                  switched_onset(pressed, stiffness * smoothing, SwitchReading::slope_jumps, 1, switches);
    return touch;
  }

  template <class T>
  Slip<T> slip(const BodyMotion<T>& A, const BodyMotion<T>& B, const Touch<T>& touch) const {
    using std::sqrt;
    const Vec3<T> up = A.R * frame_a.axes.column[2], axle = B.R * axle_b;
    const Vec3<T> level = axle - up * dot(axle, up);
    Slip<T> slip;
    slip.across = level * (1.0 / sqrt(dot(level, level)));
    slip.along = cross(slip.across, up);
    slip.point = touch.centre - up * (radius - touch.depth);
    const Vec3<T> touching = velocity_at(B, slip.point) - velocity_at(A, slip.point);
    const T way = dot(slip.along, velocity_at(B, touch.centre) - velocity_at(A, touch.centre));
    const T scale = (cornering / friction) / sqrt(way * way + slip_velocity * slip_velocity);
    const T k_across = dot(slip.across, touching) * scale;
    const T k_along = traction ? T(dot(slip.along, touching) * scale) : T(0.0);
    const T force = -friction * touch.force * friction_direction(k_across * k_across + k_along * k_along);
    slip.lateral = force * k_across;
    slip.longitudinal = force * k_along;
    return slip;
  }

  // ∫ δ onset(δ)² dδ from 0 to u · smoothing.
  double onset_integral(double u) const {
    const double u4 = u * u * u * u;
    return smoothing * smoothing * u4 * u4 *
           (100.0 / 8 + u * (-300.0 / 9 + u * (345.0 / 10 + u * (-180.0 / 11 + u * (36.0 / 12)))));
  }
  double full_onset() const { return onset_integral(1); }
};

struct SphereOnPlane {
  Frame frame_a;          // the plane, z its normal; origin from the centre of mass, in body axes
  Vec3<double> centre_b;  // of the sphere
  double radius = 0, stiffness = 0, exponent = 1, damping = 0, smoothing = 0;
  double friction = 0, friction_velocity = 1;

  static constexpr int switch_count = 2;

  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    const Touch<T> touch = this->touch(A, B, inputs.switches);
    if (plain(touch.normal_force) == 0) return;
    const Vec3<T> force = touch.normal * touch.normal_force + friction_force(touch, A, B);
    add_force_pair(A, B, touch.point, force, on_a, on_b);
  }

  double potential(const BodyMotion<double>& A, const BodyMotion<double>& B,
                   const ForceInputs<double>&) const {
    // ∫ k δⁿ onset dδ
    const double depth = touch(A, B, {}).depth;
    if (depth <= 0) return 0;
    const double n = exponent, w = smoothing, inner = std::min(depth, w);
    double integral = (std::pow(std::max(depth, w), n + 1) - std::pow(w, n + 1)) / (n + 1);
    if (w > 0) {
      const double u = inner / w;
      integral +=
          std::pow(inner, n + 1) * u * u * u * (10 / (n + 4) + u * (-15 / (n + 5) + u * (6 / (n + 6))));
    }
    return stiffness * integral;
  }

  std::vector<std::string> output_names() const { return {"normal_force", "depth", "friction_force"}; }
  void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B, const ForceInputs<double>&,
               std::span<double> values) const {
    const Touch<double> touch = this->touch(A, B, {});
    values[0] = touch.normal_force;
    values[1] = std::max(touch.depth, 0.0);
    values[2] = length(friction_force(touch, A, B));
  }

 private:
  // Hunt and Crossley's factor (1 + d δ') is left below this value for one that stays positive; a sphere that
  // bounces off under its own force alone never gets there.
  static constexpr double separation_range = 0.1;

  template <class T>
  struct Touch {
    Vec3<T> normal, point;  // in the world
    T depth, normal_force;
  };

  template <class T>
  Touch<T> touch(const BodyMotion<T>& A, const BodyMotion<T>& B, const Switches& switches) const {
    const PointMotion<T> centre = point_motion(B, centre_b);
    const Vec3<T> normal = A.R * frame_a.axes.column[2];
    const T height = dot(normal, centre.position - (A.r + A.R * frame_a.origin));
    Touch<T> touch{normal, centre.position - normal * height, radius - height, T(0.0)};
    const T begun = switched_onset(touch.depth, smoothing, SwitchReading::slope_jumps, 0, switches);
    if (plain(begun) == 0) return touch;
    const T depth_rate = dot(normal, velocity_at(A, centre.position) - centre.velocity);
    const T factor = 1.0 + damping * depth_rate;
    touch.normal_force = stiffness * odd_power(touch.depth) * begun * factor *
                         switched_onset(factor, separation_range, SwitchReading::slope_jumps, 1, switches);
    return touch;
  }

  // depthⁿ, and −(−depth)ⁿ for a contact that is held closed beyond its end.
  template <class T>
  T odd_power(const T& depth) const {
    using std::pow;
    if (plain(depth) > 0) return pow(depth, exponent);
    return plain(depth) == 0 ? T(exponent == 1 ? depth : T(0.0)) : T(-pow(-depth, exponent));
  }

  // On the sphere.
  template <class T>
  Vec3<T> friction_force(const Touch<T>& touch, const BodyMotion<T>& A, const BodyMotion<T>& B) const {
    if (friction == 0) return {};
    const Vec3<T> relative = velocity_at(B, touch.point) - velocity_at(A, touch.point);
    const Vec3<T> slip = (relative - touch.normal * dot(touch.normal, relative)) * (1 / friction_velocity);
    return slip * (-friction * touch.normal_force * friction_direction(dot(slip, slip)));
  }
};

}  // namespace trammel
