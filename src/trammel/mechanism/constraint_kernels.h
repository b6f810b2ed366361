// The few functions from which every joint is made. Each is a function of two poses, in any scalar:
//
//   coincident points   P_B − P_A                       three rows, in world axes
//   point in frame      the same in axes fixed to A
//   perpendicular       a · b                           a fixed to A, b to B
//   offset              a · (P_B − P_A)                 a fixed to A
//   distance            (|P_B − P_A|² − L²) / 2L        nearly the change of length, and smooth at zero
//   angle               of x_B about z_A, any number of turns
//
// Points are given in body axes from the centre of mass, directions in body axes. `reaction` adds Dᵀλ, the
// wrenches by which a multiplier works on the twists of both bodies: D is the derivative of the function
// along the twists, so that λ · (d/dt function) is the power. Written by hand because a constraint force is
// differentiated once more in every Newton matrix. `slopes` adds all derivatives in closed form
// (carried_vector.h), and those of the reaction if there are multipliers; kernels without it are differentiated by
// duals. `relative` says that a function depends only on how the two bodies are placed to each other.
#pragma once

#include <array>

#include "trammel/mechanism/body_motion.h"
#include "trammel/mechanism/carried_vector.h"

namespace trammel {

struct CoincidentPoints {
  static constexpr int rows = 3;
  Vec3<double> point_a, point_b;

  template <class T>
  std::array<T, 3> operator()(const Pose<T>& A, const Pose<T>& B) const {
    const Vec3<T> d = (B.r + B.R * point_b) - (A.r + A.R * point_a);
    return {d.x, d.y, d.z};
  }
  template <class T>
  void reaction(const Pose<T>& A, const Pose<T>& B, const double* lambda, Wrench<T>& on_a,
                Wrench<T>& on_b) const {
    const Vec3<T> force{T(lambda[0]), T(lambda[1]), T(lambda[2])};
    add_force_at(B.R, point_b, force, on_b);
    add_force_at(A.R, point_a, -force, on_a);
  }
  void slopes(const BodyState& A, const BodyState& B, double factor, const double* lambda,
              const ConstraintSlopes& out) const {
    const CarriedVector on_a(A, point_a), on_b(B, point_b);
    const std::array parts = {CarriedPart{&on_a, -factor, true}, CarriedPart{&on_b, factor, true}};
    for (std::size_t side = 0; side < 2; ++side) {
      add_part_rows(parts[side], side, out);
      if (lambda == nullptr) continue;
      add_turning_torque(*parts[side].vector, {lambda[0], lambda[1], lambda[2]}, side, side == 0 ? -1 : 1,
                         out.reaction_pose);
    }
  }
};

// The same seen from a frame of A: nothing changes when both bodies are moved together.
struct PointInFrame {
  static constexpr int rows = 3;
  static constexpr bool relative = true;
  Mat3<double> axes_a;
  Vec3<double> point_a, point_b;

  template <class T>
  std::array<T, 3> operator()(const Pose<T>& A, const Pose<T>& B) const {
    const Vec3<T> d = transposed_times(A.R, (B.r + B.R * point_b) - A.r) - point_a;
    return {dot(axes_a.column[0], d), dot(axes_a.column[1], d), dot(axes_a.column[2], d)};
  }
  template <class T>
  void reaction(const Pose<T>& A, const Pose<T>& B, const double* lambda, Wrench<T>& on_a,
                Wrench<T>& on_b) const {
    const Vec3<double> along = axes_a * Vec3<double>{lambda[0], lambda[1], lambda[2]};
    const Vec3<T> force = A.R * along;
    add_force_at(B.R, point_b, force, on_b);
    // on A the same force acts backwards through the same point in space
    on_a.force -= force;
    on_a.torque -= cross(transposed_times(A.R, (B.r + B.R * point_b) - A.r), along);
  }
  void slopes(const BodyState& A, const BodyState& B, double factor, const double* lambda,
              const ConstraintSlopes& out) const {
    const CarriedVector on_a(A, point_a), on_b(B, point_b);
    const VectorBetween difference = from_to(A, on_a, B, on_b);
    for (int row = 0; row < rows; ++row) {
      const CarriedVector axis(A, axes_a.column[static_cast<std::size_t>(row)]);
      add_product(direction_on(0, axis), difference, factor, row, lambda, out);
    }
  }
};

struct Perpendicular {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> a, b;

  template <class T>
  std::array<T, 1> operator()(const Pose<T>& A, const Pose<T>& B) const {
    return {dot(A.R * a, B.R * b)};
  }
  template <class T>
  void reaction(const Pose<T>& A, const Pose<T>& B, const double* lambda, Wrench<T>& on_a,
                Wrench<T>& on_b) const {
    // d(a·b) = (ω_A × a)·b + a·(ω_B × b) = (ω_A − ω_B)·(a × b)
    const Vec3<T> torque = cross(A.R * a, B.R * b) * lambda[0];
    on_a.torque += transposed_times(A.R, torque);
    on_b.torque -= transposed_times(B.R, torque);
  }
  void slopes(const BodyState& A, const BodyState& B, double factor, const double* lambda,
              const ConstraintSlopes& out) const {
    const CarriedVector on_a(A, a), on_b(B, b);
    add_product(direction_on(0, on_a), direction_on(1, on_b), factor, 0, lambda, out);
  }
};

struct Offset {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> direction, point_a, point_b;

  template <class T>
  std::array<T, 1> operator()(const Pose<T>& A, const Pose<T>& B) const {
    return {dot(A.R * direction, (B.r + B.R * point_b) - (A.r + A.R * point_a))};
  }
  template <class T>
  void reaction(const Pose<T>& A, const Pose<T>& B, const double* lambda, Wrench<T>& on_a,
                Wrench<T>& on_b) const {
    const Vec3<T> force = (A.R * direction) * lambda[0];
    add_force_at(B.R, point_b, force, on_b);
    // on A the same force acts backwards through the same point in space
    const Vec3<T> arm = transposed_times(A.R, (B.r + B.R * point_b) - A.r);
    on_a.force -= force;
    on_a.torque -= cross(arm, direction) * lambda[0];
  }
  void slopes(const BodyState& A, const BodyState& B, double factor, const double* lambda,
              const ConstraintSlopes& out) const {
    const CarriedVector axis(A, direction), on_a(A, point_a), on_b(B, point_b);
    add_product(direction_on(0, axis), from_to(A, on_a, B, on_b), factor, 0, lambda, out);
  }
};

struct Distance {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> point_a, point_b;
  double length;

  template <class T>
  std::array<T, 1> operator()(const Pose<T>& A, const Pose<T>& B) const {
    const Vec3<T> d = (B.r + B.R * point_b) - (A.r + A.R * point_a);
    return {(dot(d, d) - length * length) * (0.5 / length)};
  }
  template <class T>
  void reaction(const Pose<T>& A, const Pose<T>& B, const double* lambda, Wrench<T>& on_a,
                Wrench<T>& on_b) const {
    const Vec3<T> force = ((B.r + B.R * point_b) - (A.r + A.R * point_a)) * (lambda[0] / length);
    add_force_at(B.R, point_b, force, on_b);
    add_force_at(A.R, point_a, -force, on_a);
  }
  void slopes(const BodyState& A, const BodyState& B, double factor, const double* lambda,
              const ConstraintSlopes& out) const {
    const CarriedVector on_a(A, point_a), on_b(B, point_b);
    const VectorBetween difference = from_to(A, on_a, B, on_b);
    const double scaled = lambda == nullptr ? 0.0 : lambda[0] * (0.5 / length);
    add_product(difference, difference, factor * (0.5 / length), 0, lambda == nullptr ? nullptr : &scaled,
                out);
  }
};

// The angle by which x_B is turned about the axis of A from x_A, as if projected on the plane across that
// axis. Which turn it is follows from where it is expected: from the angle and its rate when it was last followed.
struct Angle {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Mat3<double> frame_a, frame_b;  // z is the axis
  double expected = 0;
  double followed = 0, rate = 0;  // when it was last followed

  template <class T>
  std::array<T, 1> operator()(const Pose<T>& A, const Pose<T>& B) const {
    using std::atan2, std::round;
    const Vec3<T> x_b = B.R * frame_b.column[0];
    const T angle = atan2(dot(A.R * frame_a.column[1], x_b), dot(A.R * frame_a.column[0], x_b));
    constexpr double turn = 6.283185307179586476925286766559;
    return {angle + turn * round((expected - plain(angle)) / turn)};
  }
  // x_B · x_A = c, x_B · y_A = s: dθ = (c ds − s dc) / (c² + s²).
  template <class T>
  void reaction(const Pose<T>& A, const Pose<T>& B, const double* lambda, Wrench<T>& on_a,
                Wrench<T>& on_b) const {
    const Vec3<T> x_b = B.R * frame_b.column[0], x_a = A.R * frame_a.column[0], y_a = A.R * frame_a.column[1];
    const T s = dot(y_a, x_b), c = dot(x_a, x_b);
    const Vec3<T> direction = (y_a * c - x_a * s) * (lambda[0] / (s * s + c * c));
    // d(x_B) = ω_B × x_B and d(y_A) = ω_A × y_A give the torque x_B × direction
    const Vec3<T> torque = cross(x_b, direction);
    on_b.torque += transposed_times(B.R, torque);
    on_a.torque -= transposed_times(A.R, torque);
  }
  Vec3<double> axis() const { return frame_a.column[2]; }
  void track(const BodyState& A, const BodyState& B, double since) {
    const double now = dot(A.R * axis(), B.R * B.omega - A.R * A.omega);
    expected = followed + 0.5 * since * (rate + now);
    followed = expected = (*this)(Pose<double>{A.r, A.R}, Pose<double>{B.r, B.R})[0];
    rate = now;
  }
  void expect(double since) { expected = followed + since * rate; }
};

// The true distance of two points: a quantity to measure. Its slope is taken as zero where they coincide.
struct PointDistance {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> point_a, point_b;

  template <class T>
  std::array<T, 1> operator()(const Pose<T>& A, const Pose<T>& B) const {
    const Vec3<T> d = (B.r + B.R * point_b) - (A.r + A.R * point_a);
    const T square = dot(d, d);
    if (plain(square) == 0) return {T(0.0)};
    using std::sqrt;
    return {sqrt(square)};
  }
};

// The height of a disk's lowest point over the xy plane of A: n·(C − P) − ρ sin(n, axis). A sphere has no
// axis.
struct DiskHeight {
  static constexpr int rows = 1;
  static constexpr bool relative = true;
  Vec3<double> normal_a, point_a;  // the plane
  Vec3<double> centre_b, axis_b;   // the disk; axis zero: a sphere
  double radius;

  template <class T>
  std::array<T, 1> operator()(const Pose<T>& A, const Pose<T>& B) const {
    using std::sqrt;
    const Vec3<T> n = A.R * normal_a;
    const T height = dot(n, (B.r + B.R * centre_b) - (A.r + A.R * point_a));
    if (dot(axis_b, axis_b) == 0) return {height - radius};
    const T along = dot(n, B.R * axis_b);
    return {height - radius * sqrt(1.0 - along * along)};
  }
};

}  // namespace trammel
