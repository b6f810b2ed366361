// The angle of angle'' = c sin(angle) at a time, by classical Runge-Kutta in extended precision: what the
// exact solutions of the pendulum and of the N-four-bar come down to.
#pragma once

#include <cmath>

namespace peers {

inline double pendulum_angle(long double c, long double angle, long double rate, long double end) {
  constexpr int steps = 300000;
  const long double h = end / steps;
  for (int i = 0; i < steps; ++i) {
    const long double a1 = c * std::sin(angle);
    const long double v2 = rate + h / 2 * a1, a2 = c * std::sin(angle + h / 2 * rate);
    const long double v3 = rate + h / 2 * a2, a3 = c * std::sin(angle + h / 2 * v2);
    const long double v4 = rate + h * a3, a4 = c * std::sin(angle + h * v3);
    angle += h / 6 * (rate + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return static_cast<double>(angle);
}

}  // namespace peers
