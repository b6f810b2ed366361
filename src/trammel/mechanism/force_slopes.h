// Slopes of a force element in closed form: how its wrenches vary in each of the directions of its two bodies, one after the
// other, in plain numbers. Cheaper than duals that carry all directions through every operation.
#pragma once

#include <array>
#include <span>

#include "trammel/mechanism/force_pair.h"

namespace trammel {

// Of one body: a displacement in world axes, a rotation in body axes, changes of v and of ω.
struct BodyVariation {
  Vec3<double> r, theta, v, omega;
};

inline BodyMotion<double> plain_motion(const BodyState& body) { return {body.r, body.R, body.v, body.omega}; }

// How a point fixed to a body varies, and its velocity.
inline PointMotion<double> varied_point(const BodyState& body, const Vec3<double>& point,
                                        const BodyVariation& by) {
  return {by.r + body.R * cross(by.theta, point),
          by.v + body.R * (cross(by.theta, cross(body.omega, point)) + cross(by.omega, point))};
}

// A column of ForceBlock::pose_and_twist_slopes: how the wrenches vary in one direction.
inline void put_force_slope(std::size_t column, const Wrench<double>& on_a, const Wrench<double>& on_b,
                            std::span<double> slopes) {
  constexpr std::size_t columns = twist_directions;
  const std::array<const Vec3<double>*, 4> parts{&on_a.force, &on_a.torque, &on_b.force, &on_b.torque};
  double* to = slopes.data() + column;
  for (const Vec3<double>* part : parts) {
    to[0] = part->x;
    to[columns] = part->y;
    to[2 * columns] = part->z;
    to += 3 * columns;
  }
}

// vary(a, b, on_a, on_b): how the wrenches vary where the bodies do. `slopes` as in ForceBlock::pose_and_twist_slopes. The
// element does not feel where both bodies are and how fast they move together.
template <class Vary>
void fill_force_slopes(const Vary& vary, std::span<double> slopes) {
  using Part = Vec3<double> BodyVariation::*;
  constexpr std::size_t of_b = 6;
  const auto take = [&](Part part, std::size_t first, bool turns) {
    for (int k = 0; k < 3; ++k) {
      const auto column = first + static_cast<std::size_t>(k);
      Wrench<double> on_a, on_b;
      BodyVariation rests, varied;
      (varied.*part)[k] = 1;
      vary(rests, varied, on_a, on_b);
      put_force_slope(column + of_b, on_a, on_b, slopes);
      if (turns)
        vary(varied, rests, on_a, on_b);
      else
        on_a = {-on_a.force, -on_a.torque}, on_b = {-on_b.force, -on_b.torque};
      put_force_slope(column, on_a, on_b, slopes);
    }
  };
  take(&BodyVariation::r, 0, false);
  take(&BodyVariation::theta, 3, true);
  take(&BodyVariation::v, pose_directions, false);
  take(&BodyVariation::omega, pose_directions + 3, true);
}

}  // namespace trammel
