// The Chaplygin sleigh: its closed form satisfies the equations and the reduced ones, u' = a omega², ...
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

constexpr double m = 1.3, Theta = 0.2, a = 0.15, K2 = Theta / m + a * a;

ProblemCase make(double u0, double omega0) {
  const BuiltinProblem sleigh = chaplygin_sleigh_problem();
  return sleigh.make(sleigh.values({{"m", m}, {"Theta", Theta}, {"a", a}, {"u0", u0}, {"omega0", omega0}}));
}

// (u, omega, phi, x, y)
using Reduced = Eigen::Vector<double, 5>;

Reduced rate(const Reduced& y) {
  return {a * y[1] * y[1], -a / K2 * y[0] * y[1], y[1], y[0] * std::cos(y[2]), y[0] * std::sin(y[2])};
}

// The classical Runge-Kutta method, to round-off.
Reduced integrate(Reduced y, double t) {
  const int steps = 20000;
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const Reduced k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return y;
}

Vector state(const Reduced& y) {
  Vector x(7);
  x << y[3], y[4], y[2], y[0] * std::cos(y[2]), y[0] * std::sin(y[2]), y[1], -Theta / K2 * y[0] * y[1];
  return x;
}

TEST(ChaplyginSleighEquations, ClosedFormSolvesTheReducedEquations) {
  for (const auto& [u0, omega0] : {std::pair(-1.0, 1.0), {-0.5, -2.0}, {0.7, 0.4}, {0.0, 1.5}, {-1.0, 0.0}}) {
    const ProblemCase sleigh = make(u0, omega0);
    for (const double t : {0.5, 2.0, 5.0, 10.0}) {
      const Vector x = state(integrate({u0, omega0, 0, 0, 0}, t));
      EXPECT_GE(sleigh.digits(t, x).value(), 12) << u0 << " " << omega0 << " " << t;
    }
  }
}

TEST(ChaplyginSleighEquations, ReducedEquationsFollowFromTheFullOnes) {
  ProblemCase sleigh = make(-1, 1);
  MotionValues values(sleigh.equations->layout());
  for (const Reduced& y :
       {Reduced(-1, 1, 0, 0, 0), Reduced(0.3, -0.8, 2.1, 1, -2), Reduced(1.2, 0.1, -0.7, 0, 0)}) {
    const Vector x = state(y);
    const Reduced y_rate = rate(y);
    // acceleration of the contact point: u' along the blade, u omega across it
    const double across = y[0] * y[1], cosine = std::cos(y[2]), sine = std::sin(y[2]);
    const Vector v_rate =
        Eigen::Vector3d(y_rate[0] * cosine - across * sine, y_rate[0] * sine + across * cosine, y_rate[1]);
    sleigh.equations->evaluate({0, x, v_rate}, part::all, values);
    EXPECT_LE((values.dynamics - values.M * v_rate).lpNorm<Eigen::Infinity>(), 1e-15);
    EXPECT_LE(std::abs(values.h[0]), 1e-15);
    EXPECT_LE(std::abs(values.hI[0]), 1e-15);
    // twice the energy, less that of the start
    const double surplus = m * (y[0] * y[0] + K2 * y[1] * y[1]) - m * (1 + K2);
    EXPECT_NEAR(2 * values.e[0], surplus, 1e-14);
  }
}

TEST(ChaplyginSleighEquations, AssemblyFindsTheForceOnTheBlade) {
  ProblemCase sleigh = make(-1, 1);
  Vector x = sleigh.x0;
  x[6] = 0;
  const AssemblyReport report = Assembly(*sleigh.equations).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_NEAR(x[6], Theta / K2, 1e-14);
  EXPECT_LE((report.accelerations - Eigen::Vector3d(a, -1, a / K2)).lpNorm<Eigen::Infinity>(), 1e-14);
}

}  // namespace
}  // namespace trammel
