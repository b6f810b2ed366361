// Data of the stiff double pendulum of Negrut, Haug and German (2003), section 5.1, and its state at the end
// (from Trammel's built-in problem: classical Runge-Kutta in quadruple precision with 8e5 steps).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace peers::double_pendulum_data {

// a literal: the sources of Simbody are C++17, which has no std::numbers
constexpr double pi = 3.14159265358979323846;
constexpr double mass1 = 3, mass2 = 0.3, half1 = 1, half2 = 1.5;
constexpr double stiffness1 = 400, stiffness2 = 3e5, damping1 = 15, damping2 = 5e4;
constexpr double zero1 = 1.5 * pi, gravity = 9.81, end = 2;
// absolute angles from the x axis, and their rates
constexpr std::array<double, 4> start = {2 * pi, 23 * pi / 12, 0, 10};
constexpr std::array<double, 4> reference = {4.6404781832213311268, 4.6404967016885316723,
                                             -1.629892454083766430, -1.630252715380255568};

inline double error(double theta1, double theta2, double omega1, double omega2) {
  return std::max({std::abs(theta1 - reference[0]), std::abs(theta2 - reference[1]),
                   std::abs(omega1 - reference[2]), std::abs(omega2 - reference[3])});
}

}  // namespace peers::double_pendulum_data
