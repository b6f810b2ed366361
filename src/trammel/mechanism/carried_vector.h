// Slopes of constraint functions in closed form. Nearly all of them are scalar products of vectors that two
// bodies carry along: a direction fixed to a body, or the difference of two points. A vector u of a body (in body
// axes) is, in world axes, with a small rotation θ of the body in its own axes,
//
//   w = R u,   w' = R (ω × u),   w'' = R (ω × (ω × u) + α × u),   δ(R z) = −R [z]× δθ
//
// and products follow by the product rule. What duals would carry along as 24 numbers in every operation are a
// few matrices of three by three here (constraint_kernels.h says which function is which product).
#pragma once

#include <array>
#include <span>
#include <utility>

#include "trammel/mechanism/constraint_block.h"

namespace trammel {

// A vector fixed to a body as the body moves, with its two derivatives in time.
struct CarriedVector {
  CarriedVector(const BodyState& body, const Vec3<double>& fixed) : u(fixed), R(body.R) {
    const Vec3<double> spun = cross(body.omega, u);
    const Vec3<double> accelerated = cross(body.omega, spun) + cross(body.alpha, u);
    at = {body.R * u, body.R * spun, body.R * accelerated};
    // −m [z]× = m [−z]×
    by_rotation = {times_cross(body.R, -u), times_cross(body.R, -spun), times_cross(body.R, -accelerated)};
    // of ω × (ω × u): −[ω × u]× − [ω]× [u]×, and [ω]× [u]× = u ωᵀ − (ω · u) I
    const double along = dot(body.omega, u);
    for (int k = 0; k < 3; ++k) {
      const auto column = static_cast<std::size_t>(k);
      acceleration_by_spin.column[column] =
          by_rotation[1].column[column] - at[0] * body.omega[k] + body.R.column[column] * along;
    }
  }

  Vec3<double> u;
  Mat3<double> R;
  std::array<Vec3<double>, 3> at;           // w, w', w''
  std::array<Mat3<double>, 3> by_rotation;  // of these, by θ
  Mat3<double> acceleration_by_spin;        // of w'', by ω; that of w' is by_rotation[0]
};

// How a vector depends on one body: on its rotation, and, if it `moves`, on the place of the body too.
struct CarriedPart {
  const CarriedVector* vector = nullptr;  // null: not at all
  double sign = 1;
  bool moves = false;
};

// A vector between two bodies, with its two derivatives in time.
struct VectorBetween {
  std::array<Vec3<double>, 3> at;
  std::array<CarriedPart, 2> parts;  // the first body's, the second's
};

// A direction fixed to a body.
inline VectorBetween direction_on(std::size_t side, const CarriedVector& vector) {
  VectorBetween direction{vector.at, {}};
  direction.parts[side] = {&vector, 1, false};
  return direction;
}

// From a point of A to a point of B, both from the centres of mass.
inline VectorBetween from_to(const BodyState& A, const CarriedVector& on_a, const BodyState& B,
                             const CarriedVector& on_b) {
  VectorBetween difference;
  difference.at = {(B.r + on_b.at[0]) - (A.r + on_a.at[0]), (B.v + on_b.at[1]) - (A.v + on_a.at[1]),
                   (B.a + on_b.at[2]) - (A.a + on_a.at[2])};
  difference.parts = {CarriedPart{&on_a, -1, true}, CarriedPart{&on_b, 1, true}};
  return difference;
}

namespace detail {

inline void add(double* at, const Vec3<double>& vector, double factor) {
  for (int i = 0; i < 3; ++i) at[i] += factor * vector[i];
}

// What the part of x that moves with one body adds to a row of the slopes of x · y.
inline void add_part(const CarriedPart& part, const VectorBetween& y, double factor, std::size_t first,
                     const ConstraintSlopes& out) {
  if (part.vector == nullptr) return;
  const double f = factor * part.sign;
  if (part.moves) {
    add(&out.jacobian[first], y.at[0], f);
    add(&out.rate_pose[first], y.at[1], f);
    add(&out.acceleration_pose[first], y.at[2], f);
    add(&out.acceleration_twist[first], y.at[1], 2 * f);
  }
  const std::array<Mat3<double>, 3>& turned = part.vector->by_rotation;
  const Vec3<double> once = transposed_times(turned[0], y.at[1]);
  add(&out.jacobian[first + 3], transposed_times(turned[0], y.at[0]), f);
  add(&out.rate_pose[first + 3], transposed_times(turned[1], y.at[0]) + once, f);
  add(&out.acceleration_pose[first + 3],
      transposed_times(turned[2], y.at[0]) + 2.0 * transposed_times(turned[1], y.at[1]) +
          transposed_times(turned[0], y.at[2]),
      f);
  add(&out.acceleration_twist[first + 3],
      transposed_times(part.vector->acceleration_by_spin, y.at[0]) + 2.0 * once, f);
}

// Adds a block of three by three to the 12 by 12 slopes of a reaction.
inline void add_block(std::span<double> out, std::size_t row, std::size_t col, const Mat3<double>& block,
                      double factor) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      out[12 * (row + static_cast<std::size_t>(i)) + col + static_cast<std::size_t>(j)] +=
          factor * block(i, j);
}

// Xᵀ Y of how two parts vary with their bodies.
inline void add_variations(const CarriedPart& x, std::size_t row, const CarriedPart& y, std::size_t col,
                           double factor, std::span<double> out) {
  if (x.vector == nullptr || y.vector == nullptr) return;
  const double f = factor * x.sign * y.sign;
  const Mat3<double>&by_x = x.vector->by_rotation[0], &by_y = y.vector->by_rotation[0];
  if (x.moves && y.moves) add_block(out, row, col, Mat3<double>::identity(), f);
  if (x.moves) add_block(out, row, col + 3, by_y, f);
  if (y.moves) add_block(out, row + 3, col, transposed(by_x), f);
  add_block(out, row + 3, col + 3, transposed(by_x) * by_y, f);
}

}  // namespace detail

// The torque u × Rᵀf of a force f that is held, at a point u of the body: added to the slopes of the reaction by the
// body's rotation, [u]× [Rᵀf]×.
inline void add_turning_torque(const CarriedVector& point, const Vec3<double>& force, std::size_t side,
                               double factor, std::span<double> reaction_pose) {
  const Vec3<double> f = transposed_times(point.R, force);
  const double along = dot(point.u, f);
  Mat3<double> slope{f * point.u.x, f * point.u.y, f * point.u.z};
  for (int k = 0; k < 3; ++k) slope(k, k) -= along;
  detail::add_block(reaction_pose, 6 * side + 3, 6 * side + 3, slope, factor);
}

// Adds the slopes of a vector that moves with a body, as three rows.
inline void add_part_rows(const CarriedPart& part, std::size_t side, const ConstraintSlopes& out) {
  const auto add = [&](std::span<double> slopes, const Mat3<double>& block) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        slopes[static_cast<std::size_t>(12 * i + j) + 6 * side + 3] += part.sign * block(i, j);
  };
  for (std::size_t i = 0; i < 3; ++i) out.jacobian[13 * i + 6 * side] += part.sign;
  add(out.jacobian, part.vector->by_rotation[0]);
  add(out.rate_pose, part.vector->by_rotation[1]);
  add(out.acceleration_pose, part.vector->by_rotation[2]);
  add(out.acceleration_twist, part.vector->acceleration_by_spin);
}

// Adds the slopes of factor x · y to a row; and those of its reaction Xᵀ y + Yᵀ x, X and Y being how x and y vary
// with the poses, times the multiplier of that row, if there are multipliers.
inline void add_product(const VectorBetween& x, const VectorBetween& y, double factor, int row,
                        const double* lambda, const ConstraintSlopes& out) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t first = 12 * static_cast<std::size_t>(row) + 6 * side;
    detail::add_part(x.parts[side], y, factor, first, out);
    detail::add_part(y.parts[side], x, factor, first, out);
  }
  if (lambda == nullptr) return;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      detail::add_variations(x.parts[i], 6 * i, y.parts[j], 6 * j, lambda[row], out.reaction_pose);
      detail::add_variations(y.parts[i], 6 * i, x.parts[j], 6 * j, lambda[row], out.reaction_pose);
    }
    for (const auto& [part, other] : {std::pair{&x.parts[i], &y}, std::pair{&y.parts[i], &x}})
      if (part->vector != nullptr)
        add_turning_torque(*part->vector, other->at[0], i, lambda[row] * part->sign, out.reaction_pose);
  }
}

}  // namespace trammel
