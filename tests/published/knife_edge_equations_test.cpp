// The knife edge: its exact solution satisfies the equations at every level.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

TEST(KnifeEdgeEquations, ExactSolutionSolvesThem) {
  const BuiltinProblem problem = knife_edge_problem();
  const auto parameters = problem.values({});
  const double m = parameters.at("m"), Omega = parameters.at("Omega");
  const double pull = parameters.at("g") * std::sin(parameters.at("alpha"));
  ProblemCase edge = problem.make(parameters);
  MotionValues values(edge.equations->layout());
  for (const double t : {0.0, 0.7, 3.0, 11.0, edge.t_end}) {
    const double s = std::sin(Omega * t), c = std::cos(Omega * t), A = pull / (2 * Omega * Omega);
    const double La_dot = -2 * m * pull * s;
    Vector x(7), a(3);
    x << A * s * s, A * (Omega * t - 0.5 * std::sin(2 * Omega * t)), Omega * t, pull / Omega * s * c,
        pull / Omega * s * s, Omega, La_dot;
    a << pull + s * La_dot / m, -c * La_dot / m, 0;
    edge.equations->evaluate({t, x, a}, part::all, values);
    EXPECT_LE((values.dynamics - values.M * a).lpNorm<Eigen::Infinity>(), 1e-14) << t;
    EXPECT_LE(std::abs(values.h[0]), 1e-14) << t;
    EXPECT_LE(std::abs(values.hI[0]), 1e-14) << t;
    EXPECT_GE(edge.digits(t, x).value(), 14) << t;
    x[4] += 1e-4;
    EXPECT_NEAR(edge.digits(t, x).value(), 4 + std::log10(std::max(1.0, std::abs(x[4]))), 1e-3) << t;
  }
}

TEST(KnifeEdgeEquations, StartsAsTheExactSolutionDoes) {
  const BuiltinProblem problem = knife_edge_problem();
  ProblemCase edge = problem.make(problem.values({{"Omega", 2}, {"alpha", 0.3}}));
  Vector x = edge.x0;
  const AssemblyReport report = Assembly(*edge.equations).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_NEAR(report.accelerations[0], 9.81 * std::sin(0.3), 1e-14);
  EXPECT_NEAR(report.accelerations[1], 0, 1e-14);
  EXPECT_NEAR(x[6], 0, 1e-14);
  EXPECT_EQ(edge.digits(0, x).value(), 16);
}

}  // namespace
}  // namespace trammel
