// The disk on a wavy road against the motion of its centre on the parallel curve, in the contact coordinate
// alone.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

constexpr double m = 2, radius = 0.4, gravity = 9.81, A = 0.25, k = 1.8;

ProblemCase make(double rolling, double s0, double v0) {
  const BuiltinProblem problem = rolling_contact_problem();
  return problem.make(problem.values(
      {{"m", m}, {"radius", radius}, {"A", A}, {"k", k}, {"rolling", rolling}, {"s0", s0}, {"v0", v0}}));
}

TEST(RollingContactEquations, CentreMovesOnTheParallelCurve) {
  for (const double rolling : {1.0, 0.0})
    for (const auto& [s, speed] : {std::pair(0.0, 3.0), {0.5, -1.2}, {1.7, 2.0}, {-2.2, 0.0}}) {
      ProblemCase disk = make(rolling, s, speed);
      Vector x = disk.x0;
      const AssemblyReport report = Assembly(*disk.equations).run(0, x);
      ASSERT_FALSE(report.failure) << report.failure.message;

      // slope and curvature of the road, curvature of the curve of the centres
      const double h1 = A * k * std::sin(k * s), h2 = A * k * k * std::cos(k * s), W = std::sqrt(1 + h1 * h1);
      const double kappa = h2 / (W * W * W), kappa_centre = kappa / (1 - radius * kappa);
      const Eigen::Vector2d tangent(1 / W, h1 / W), normal(-h1 / W, 1 / W);

      // a rolling disk has half its mass more inertia; friction makes it turn
      const double down = -gravity * h1 / W, along = rolling == 1 ? down / 1.5 : down;
      const double across = kappa_centre * speed * speed;
      EXPECT_LE((report.accelerations.head(2) - (along * tangent + across * normal)).norm(), 1e-12);
      EXPECT_NEAR(report.accelerations[2], rolling == 1 ? -along / radius : 0, 1e-12);
      EXPECT_NEAR(x[7], m * (across + gravity / W), 1e-12);
      if (rolling == 1) {
        EXPECT_NEAR(x[8], m * (down - along), 1e-12);
      }
    }
}

TEST(RollingContactEquations, ContactFollowsTheCentre) {
  // on the normal of the road, at the distance of the radius, wherever the contact is
  ProblemCase disk = make(1, 0, 0);
  MotionValues values(disk.equations->layout());
  for (double s = -3; s < 3; s += 0.37) {
    const double h1 = A * k * std::sin(k * s), W = std::sqrt(1 + h1 * h1);
    Vector x = disk.x0;
    x.head(2) << s - radius * h1 / W, -A * std::cos(k * s) + radius / W;
    x[6] = s;
    // moving along the road with the speed 1 and turning with it
    x.segment(3, 3) << 1 / W, h1 / W, -1 / radius;
    disk.equations->evaluate({0, x, Vector::Zero(3)}, part::all, values);
    EXPECT_NEAR(values.c[0], 0, 1e-15);
    EXPECT_NEAR(values.g[0], 0, 1e-15);
    EXPECT_NEAR(values.gI[0], 0, 1e-15);
    EXPECT_NEAR(values.h[0], 0, 1e-15);
  }
}

TEST(RollingContactEquations, AssemblyPutsTheDiskOnTheRoad) {
  ProblemCase disk = make(1, 0.5, 1);
  Vector x = disk.x0;
  x[1] += 0.05;
  x[6] -= 0.1;
  AssemblyOptions options;
  options.meet_invariants = false;
  const AssemblyReport report = Assembly(*disk.equations, options).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  MotionValues values(disk.equations->layout());
  disk.equations->evaluate({0, x, report.accelerations}, part::all, values);
  EXPECT_NEAR(values.c[0], 0, 1e-12);
  EXPECT_NEAR(values.g[0], 0, 1e-12);
  EXPECT_NEAR(std::hypot(x[0] - x[6], x[1] + A * std::cos(k * x[6])), radius, 1e-12);
}

TEST(RollingContactEquations, DigitsAreKnownForTheDefaultsOnly) {
  const BuiltinProblem problem = rolling_contact_problem();
  const ProblemCase rolling = problem.make(problem.values({})),
                    sliding = problem.make(problem.values({{"rolling", 0}}));
  Vector x = Vector::Zero(9);
  x << 1.1458817127419238997e+01, 6.4008916721069999670e-01, -2.3782645905207371176e+01, 0, 0, 0,
      1.1336573772753132724e+01, 0, 0;
  EXPECT_GE(rolling.digits(5, x).value(), 14);
  EXPECT_LT(sliding.digits(5, x).value(), 1);
  EXPECT_FALSE(rolling.digits(2, x).has_value());
  EXPECT_FALSE(make(1, 0, 3).digits);
}

}  // namespace
}  // namespace trammel
