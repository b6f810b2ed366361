// The four-bar linkage with a doubled constraint: what is redundant is named, and nothing else changes.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

ProblemCase make(std::map<std::string, double> changes = {}) {
  const BuiltinProblem four_bar = doubled_four_bar_problem();
  return four_bar.make(four_bar.values(changes));
}

AssemblyReport assemble(ProblemCase& four_bar, Vector& x) {
  x = four_bar.x0;
  return Assembly(*four_bar.equations, four_bar.assembly).run(0, x);
}

TEST(FourBarEquations, DoubledConstraintIsNamed) {
  ProblemCase four_bar = make();
  Vector x;
  const AssemblyReport report = assemble(four_bar, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_EQ(report.degrees_of_freedom, 1);
  ASSERT_EQ(report.redundant.size(), 1u);
  EXPECT_TRUE(report.redundant[0] == "pin D y" || report.redundant[0] == "pin D y again")
      << report.redundant[0];
  EXPECT_TRUE(report.largest_change.empty()) << report.largest_change;
}

TEST(FourBarEquations, DoubledConstraintSharesItsForceInHalves) {
  ProblemCase doubled = make(), plain = make({{"doubled", 0}});
  Vector x_doubled, x_plain;
  const AssemblyReport report = assemble(doubled, x_doubled), plain_report = assemble(plain, x_plain);
  ASSERT_FALSE(report.failure) << report.failure.message;
  ASSERT_FALSE(plain_report.failure) << plain_report.failure.message;
  EXPECT_TRUE(plain_report.redundant.empty());
  EXPECT_LE((report.accelerations - plain_report.accelerations).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_LE((x_doubled.segment(18, 7) - x_plain.segment(18, 7)).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_GT(std::abs(x_plain[25]), 1);
  EXPECT_NEAR(x_doubled[25], x_plain[25] / 2, 1e-11);
  EXPECT_NEAR(x_doubled[26], x_plain[25] / 2, 1e-11);
}

TEST(FourBarEquations, CrankMovesAsInItsOneDegreeOfFreedom) {
  // J(θ) θ'' + J'(θ)/2 θ'² + V'(θ) = 0, J and V from the positions of the closed linkage and differences of
  // them
  const double theta = 2.2, omega = -1.7, gravity = 9.81;
  const double masses[] = {1, 2.5, 2.5};
  const auto positions = [&](double angle) -> Vector {
    return make({{"angle", angle}, {"omega", omega}}).x0.head(9);
  };
  const auto V = [&](double angle) {
    const Vector p = positions(angle);
    return gravity * (masses[0] * p[1] + masses[1] * p[4] + masses[2] * p[7]);
  };
  const auto difference = [](const auto& function, double at, double h) -> decltype(function(at)) {
    return (function(at - 2 * h) - function(at + 2 * h) + 8 * (function(at + h) - function(at - h))) /
           (12 * h);
  };
  const auto J = [&](double angle) {
    const Vector slope = difference(positions, angle, 2e-3);
    double sum = 0;
    for (Index rod = 0; rod < 3; ++rod) {
      const double mass = masses[rod], inertia = mass * mass * mass / 12;  // length = mass for density 1
      sum +=
          mass * slope.segment(3 * rod, 2).squaredNorm() + inertia * slope[3 * rod + 2] * slope[3 * rod + 2];
    }
    return sum;
  };
  const double expected =
      -(0.5 * difference(J, theta, 2e-3) * omega * omega + difference(V, theta, 2e-3)) / J(theta);

  ProblemCase four_bar = make({{"angle", theta}, {"omega", omega}});
  Vector x;
  const AssemblyReport report = assemble(four_bar, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_NEAR(report.accelerations[2], expected, 1e-8 * std::abs(expected));
}

TEST(FourBarEquations, NoPositionOfTheDefaultLinkageIsSingular) {
  for (int i = 0; i < 48; ++i) {
    ProblemCase four_bar = make({{"angle", i * 0.1309}});
    Vector x;
    const AssemblyReport report = assemble(four_bar, x);
    ASSERT_FALSE(report.failure) << report.failure.message;
    EXPECT_EQ(report.velocity_rank, 8) << i;
  }
}

}  // namespace
}  // namespace trammel
