// The flexible slider crank: the published initial accelerations and multipliers, the published end, and
// runs.
#include <gtest/gtest.h>

#include <cmath>

#include "run_problem.h"

namespace trammel {
namespace {

ProblemCase slider_crank(double initial) {
  const BuiltinProblem problem = slider_crank_problem();
  return problem.make(problem.values({{"initial", initial}}));
}

struct Start {
  Vector x, accelerations;
};
Start assembled(double initial) {
  ProblemCase crank = slider_crank(initial);
  Vector x = crank.x0;
  const AssemblyReport report = Assembly(*crank.equations, crank.assembly).run(0, x);
  EXPECT_FALSE(report.failure) << report.failure.message;
  return {x, report.accelerations};
}

// The test set prints them to all digits, for its own start; ours has other velocities by 4e-8.
TEST(SliderCrankEquations, AcceleratesAsPublishedFromTheSmoothStart) {
  const auto [x, a] = assembled(1);
  const double w[] = {0,
                      -1.344541576008661e-3,
                      -5.062194923138079e3,
                      -6.833142732779555e-5,
                      1.449382650173157e-8,
                      -4.268463211410861,
                      2.098334687947376e-1};
  for (Index i = 0; i < 7; ++i) EXPECT_NEAR(a[i], w[i], 1e-3) << i;
  EXPECT_NEAR(a[2], w[2], 1e-4);
  EXPECT_NEAR(x[15], 3.824589508329281e2, 1e-5);
}

TEST(SliderCrankEquations, AcceleratesAsPublishedFromTheUndeformedRod) {
  const auto [x, a] = assembled(2);
  EXPECT_NEAR(a[2], -3.789473684210526e3, 1e-9);
  EXPECT_NEAR(a[5], 1.924342105263158e2, 1e-10);
  EXPECT_NEAR(a[6], 1.273026315789474e3, 1e-9);
  EXPECT_NEAR(x[15], 2.863023157894737e2, 1e-10);
  for (const Index zero : {0, 1, 3, 4}) EXPECT_NEAR(a[zero], 0, 1e-9) << zero;
}

// MEBDFI at 1e-14; x3 without the offset of the published start.
TEST(SliderCrankEquations, PublishedEndHasTenDigits) {
  Vector x(17);
  x << 0.1500000000000104e+2, -0.3311734988256260, 0.1697373328427860 - 2.031e-10, 0.1893192899613509e-3,
      0.2375751249879174e-4, -0.5323896770569702e-5, -0.8363313279112129e-5, 0.15e+3, 0.6025346755138369e+2,
      -0.8753116326670527e+1, -0.3005541400289738e-1, -0.5500431812571696e-2, 0.4974111734266989e-3,
      0.1105560003626645e-2, 0, 0, 0;
  const ProblemCase crank = slider_crank(1);
  EXPECT_GT(crank.digits(0.1, x).value(), 10);
  x[6] += 1e-4;
  EXPECT_NEAR(crank.digits(0.1, x).value(), 4, 0.01);
  EXPECT_FALSE(crank.digits(0.05, x));
}

class SliderCrankRun : public testing::TestWithParam<double> {};

// It vibrates some hundred times; the error of the end is that of the phase.
TEST_P(SliderCrankRun, MeetsTheReference) {
  const ProblemRun result =
      run_problem("slider-crank", 1e-10, "geoms/radau5", {.parameters = {{"initial", GetParam()}}});
  ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
  ASSERT_TRUE(result.digits);
  EXPECT_GT(*result.digits, 6.5);
  EXPECT_LT(result.summary.violation.position, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(BothStarts, SliderCrankRun, testing::Values(1, 2));

TEST(SliderCrank, OtherRodsHaveNoReference) {
  for (const char* option : {"stiff", "damped"}) {
    const ProblemRun result = run_problem("slider-crank", 1e-5, "psf/radau5", {.parameters = {{option, 1}}});
    EXPECT_EQ(result.summary.status, Status::finished) << result.summary.message();
    EXPECT_FALSE(result.digits);
  }
}

}  // namespace
}  // namespace trammel
