// Systems and checks that the tests of assembly share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "trammel/motion/assembly.h"
#include "trammel/motion/templated_equations.h"

namespace trammel::assembly_rig {

// What assembly promises: 1e-12 relative to 1 + the size of the unknowns.
inline constexpr double accuracy = 4e-12;
// The nearest of the consistent states is found to 1e-9 of their size.
inline constexpr double nearest_accuracy = 1e-8;

// A pendulum in Cartesian coordinates. Its multiplier is λ = m (v² − g y) / (2 L²).
struct Pendulum {
  double mass = 1.5, length = 1, gravity = 9.81;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  Names names() const { return {.p = {"x", "y"}, .g = {"rod"}}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = -mass * gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  }

  double multiplier(const Vector& x) const {
    return mass * (x.segment(2, 2).squaredNorm() - gravity * x[1]) / (2 * length * length);
  }
  // On the rod at this angle from straight down, turning at this speed.
  Vector swinging(double angle, double speed) const {
    Vector x(5);
    x << length * std::sin(angle), -length * std::cos(angle), length * speed * std::cos(angle),
        length * speed * std::sin(angle), 0;
    x[4] = multiplier(x);
    return x;
  }
};

template <class System>
AssemblyReport assemble(const System& system, Vector& x, AssemblyOptions options = {}, double t = 0) {
  TemplatedEquations<System> equations{system};
  return Assembly(equations, std::move(options)).run(t, x);
}

inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

inline void expect_failure(const AssemblyReport& report, Reason reason,
                           const std::vector<std::string>& words) {
  EXPECT_EQ(name(report.failure.reason), name(reason)) << report.failure.message;
  for (const std::string& word : words)
    EXPECT_NE(report.failure.message.find(word), std::string::npos)
        << "'" << word << "' is missing in: " << report.failure.message;
}

#define EXPECT_ASSEMBLED(report) EXPECT_FALSE((report).failure) << (report).failure.message

struct DoublePendulum {
  Sizes sizes() const { return {.positions = 4, .holonomic = 2}; }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    const T dx = x.p[2] - x.p[0], dy = x.p[3] - x.p[1];
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
    g[1] = dx * dx + dy * dy - 1.0;
  }
};

// Two rules in units of their own: tonnes here, micrometres there.
struct UnlikeUnits {
  double unit_x = 1, unit_y = 1;
  Sizes sizes() const { return {.positions = 3, .holonomic = 2}; }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = unit_x * (x.p[0] + x.p[2] * x.p[2] - 3.0);
    g[1] = unit_y * (x.p[1] * x.p[1] + x.p[2] - 5.0);
  }
};

// A particle on the parabola y = x²/2 reached through a contact coordinate s = x, with a skate's constraint
// on two more coordinates, a quaternion-like pair of unit length and an auxiliary force.
struct ALittleOfEverything {
  Sizes sizes() const {
    return {.positions = 6,
            .force_states = 1,
            .auxiliaries = 1,
            .contacts = 1,
            .holonomic = 1,
            .nonholonomic = 1,
            .normalizations = 1};
  }
  void c(const auto& x, auto c) const { c[0] = 2.0 * (x.s[0] - x.p[0]); }
  void g(const auto& x, auto g) const { g[0] = x.p[1] - 0.5 * x.s[0] * x.s[0]; }
  void H(const auto& x, auto H) const {
    H(0, 2) = x.p[3];
    H(0, 3) = 1.0;
  }
  void h(const auto& x, auto h) const { h[0] = 0.0 * x.t - 0.5; }
  void n(const auto& x, auto n) const { n[0] = x.p[4] * x.p[4] + x.p[5] * x.p[5] - 1.0; }
  void f(const auto& x, auto f) const { f[0] = x.w[0]; }
  void b(const auto& x, auto b) const { b[0] = -x.r[0]; }
  void d(const auto& x, auto d) const { d[0] = x.w[0] * x.w[0] * x.w[0] + x.w[0] - 10.0; }
};

inline Condition diagonal() {
  return Condition::on_positions("45 degrees", [](const auto& x) { return x.p[0] + x.p[1]; });
}
inline Condition angular_speed(double omega) {
  return Condition::on_velocities("angular speed", [omega](const auto& x) {
    using std::sqrt;
    return sqrt(x.v[0] * x.v[0] + x.v[1] * x.v[1]) - omega;
  });
}

}  // namespace trammel::assembly_rig
