// The built-in problems that are made of bodies and joints, against their references.
#include <gtest/gtest.h>

#include <cmath>

#include "run_problem.h"
#include "trammel/published/mechanism_case.h"

namespace trammel {
namespace {

ProblemCase made(const std::string& name, const std::map<std::string, double>& changes = {}) {
  const BuiltinProblem& builtin = *find_problem(name);
  return builtin.make(builtin.values(changes));
}

TEST(NFourBar, MeetsTheExactSolution) {
  for (const double redundant : {0.0, 1.0}) {
    const ProblemRun result =
        run_problem("n-four-bar", 1e-8, "psf/radau5", {.parameters = {{"redundant", redundant}}});
    ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
    EXPECT_EQ(result.summary.degrees_of_freedom, 1);
    // every two seconds it passes the top slowly, where errors grow
    EXPECT_GT(*result.digits, 4.8) << redundant;
    EXPECT_LT(made("n-four-bar").energy_drift(result.trajectory).value(), 2e-5);
  }
}

TEST(NFourBar, HasTheEnergyOfTheBenchmark) {
  for (const auto& [N, kinetic] : {std::pair{2.0, 1.5}, {40.0, 26.83333333333333}}) {
    const ProblemCase problem = made("n-four-bar", {{"N", N}});
    // upright, against all rods on the ground
    const double height = 0.5 * (N + 1) + N;
    EXPECT_NEAR(problem.energy(0, problem.x0) - 9.81 * height, kinetic, 1e-11);
    EXPECT_GT(problem.digits(0, problem.x0).value(), 15);
  }
}

TEST(NFourBar, CountsTheWorstCrank) {
  const ProblemCase problem = made("n-four-bar", {{"N", 3}});
  Vector x = problem.x0;
  x[7 * 6 + 1] += 1e-3;  // y of the last crank
  EXPECT_NEAR(problem.error(0, x).value(), 1e-3, 1e-15);
  EXPECT_THROW(made("n-four-bar", {{"N", 0}}), std::invalid_argument);
  EXPECT_THROW(made("n-four-bar", {{"redundant", 2}}), std::invalid_argument);
}

TEST(Bricard, MeetsItsReferenceOnTheWay) {
  for (const double until : {0.25, 2.5, 7.75, 10.0}) {
    const ProblemRun result = run_problem("bricard", 1e-9, "psf/radau5", {.until = until});
    ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
    EXPECT_EQ(result.summary.degrees_of_freedom, 1);
    EXPECT_EQ(result.summary.redundant.size(), 1U);
    ASSERT_TRUE(result.digits) << until;
    EXPECT_GT(*result.digits, 7.5) << until;
    EXPECT_LT(made("bricard").energy_drift(result.trajectory).value(), 1e-6);
  }
  EXPECT_NEAR(made("bricard").energy(0, made("bricard").x0), -29.43, 1e-12);
  EXPECT_FALSE(run_problem("bricard", 1e-3, "psf/radau5", {.until = 0.1}).digits);
}

TEST(HeavyTop, AcceleratesAsPublished) {
  ProblemCase top = made("heavy-top");
  Vector x = top.x0;
  const AssemblyReport report = Assembly(*top.equations, top.assembly).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_EQ(x.head(13), top.x0.head(13));
  const double published[] = {0, -21.3017325444, -30.96083076923082, 661.3461692307692, 0, 0};
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(report.accelerations[i], published[i], 1e-9) << i;
  EXPECT_NEAR(top.energy(0, top.x0), 5435.697, 1e-3);
}

TEST(HeavyTop, MeetsItsReferences) {
  for (const double slow : {0.0, 1.0})
    for (const double until : {0.5, 2.0}) {
      const ProblemRun result =
          run_problem("heavy-top", 1e-10, "psf/radau5", {.parameters = {{"slow", slow}}, .until = until});
      ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
      EXPECT_GT(*result.digits, 7) << slow << ", " << until;
    }
}

// Kynema, steps of 2e-6 s, at t = 2: displacement from (0, 1, 0).
TEST(HeavyTop, PublishedRunAgreesWithTheReference) {
  const ProblemCase top = made("heavy-top");
  Vector x = top.x0;
  x.head(3) << -0.1504168894608856, 1 - 1.7241654846852867, -0.6730223697288009;
  EXPECT_LT(top.error(2, x).value(), 1.2e-7);
  EXPECT_FALSE(top.error(1.9, x));
}

TEST(SpatialFourBar, StartsWhereItsSourceHasIt) {
  const ProblemCase problem = made("spatial-four-bar");
  const Eigen::Vector3d coupler(-3.74555772, -4.25, 4.26236544), rocker(-5.74555772, -8.5, 3.26236544);
  EXPECT_LT((point_of_body(problem.x0, 2) - coupler).norm(), 1e-7);
  EXPECT_LT((point_of_body(problem.x0, 3) - rocker).norm(), 1e-7);
  EXPECT_GT(problem.digits(0, problem.x0).value(), 14);

  // and moves as it does there: the velocities that the driver asks for
  ProblemCase moving = made("spatial-four-bar");
  Vector x = moving.x0;
  const AssemblyReport report = Assembly(*moving.equations, moving.assembly).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_EQ(report.degrees_of_freedom, 0);
  const Eigen::Vector3d of_coupler(-5.26684752, -3.14159265, -2.81807373),
      of_rocker(-5.26684752, 0, -2.81807373);
  EXPECT_LT((x.segment<3>(21 + 6) - of_coupler).norm(), 1e-7);
  EXPECT_LT((x.segment<3>(21 + 12) - of_rocker).norm(), 1e-7);
}

TEST(SpatialFourBar, FollowsItsDriver) {
  for (const double until : {0.3, 1.1, 2.0}) {
    const ProblemRun result = run_problem("spatial-four-bar", 1e-6, "psf/radau5", {.until = until});
    ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
    EXPECT_GT(*result.digits, 13) << until;
  }
}

}  // namespace
}  // namespace trammel
