// The mathematical pendulum against the published numbers of GEOMS (WIAS preprint 1259, tables 3 and 4,
// section 4.1).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "run_problem.h"

namespace trammel {
namespace {

struct PublishedRow {
  double v10, tolerance;
  long accepted;
  long passages;  // through 45°
};

class PublishedCounters : public testing::TestWithParam<PublishedRow> {};

TEST_P(PublishedCounters, AcceptedStepsAndSelectors) {
  const PublishedRow row = GetParam();
  const Summary summary = run_problem("pendulum", row.tolerance, "geoms/radau5",
                                      {.parameters = {{"v10", row.v10}, {"g", 13.75}}, .until = 5})
                              .summary;
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  const Statistics& s = summary.statistics;
  EXPECT_NEAR(static_cast<double>(s.accepted), static_cast<double>(row.accepted),
              0.12 * static_cast<double>(row.accepted));
  EXPECT_EQ(s.selectors, 1 + s.rejected_convergence + row.passages);
  EXPECT_EQ(s.steps, s.accepted + s.rejected_error + s.rejected_convergence);
  EXPECT_EQ(s.mass_evaluations, 1);
}

INSTANTIATE_TEST_SUITE_P(Geoms, PublishedCounters,
                         testing::Values(PublishedRow{2.8, 1e-7, 187, 0}, PublishedRow{2.8, 1e-8, 270, 0},
                                         PublishedRow{2.8, 1e-9, 391, 0}, PublishedRow{2.9, 1e-7, 207, 12},
                                         PublishedRow{2.9, 1e-8, 303, 12}, PublishedRow{2.9, 1e-9, 441, 12}));

const std::map<std::string, double> horizontal_rest = {
    {"angle", std::numbers::pi / 2}, {"v10", 0}, {"g", 13.750371636040745654980191559621}};

TEST(Pendulum, CompleteFormHoldsAllLevelsOver1000Seconds) {
  const Summary summary =
      run_problem("pendulum", 1e-7, "psf/radau5", {.parameters = horizontal_rest, .until = 1000}).summary;
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_LT(summary.violation.position, 1e-10);
  EXPECT_LT(summary.violation.velocity, 1e-10);
  EXPECT_LT(summary.violation.acceleration, 1e-10);
}

TEST(Pendulum, EnergyAsInvariantIsKeptOver1000Seconds) {
  const Summary summary =
      run_problem("pendulum-energy", 1e-7, "psf/radau5", {.parameters = horizontal_rest, .until = 1000})
          .summary;
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_LT(summary.violation.invariant, 1e-10);
  EXPECT_LT(summary.violation.position, 1e-10);
  EXPECT_LT(summary.violation.velocity, 1e-10);
  EXPECT_LT(summary.violation.acceleration, 1e-10);
}

TEST(Pendulum, IndexOneFormDrifts) {
  const Summary index1 =
      run_problem("pendulum", 1e-7, "index1/radau5", {.parameters = horizontal_rest, .until = 1000}).summary;
  const Summary psf =
      run_problem("pendulum", 1e-7, "psf/radau5", {.parameters = horizontal_rest, .until = 1000}).summary;
  ASSERT_EQ(index1.status, Status::finished) << index1.message();
  EXPECT_GT(index1.violation.position, 1e-4);
  EXPECT_GT(index1.violation.position, 1e6 * psf.violation.position);
  EXPECT_LT(index1.violation.acceleration, 1e-4);  // the level it does hold
}

TEST(Pendulum, ExactPeriodAfter500Periods) {
  // Local errors of one sign change the energy, and so the period, linearly with time: the phase error grows
  // with its square. 500 periods of some 1e5 steps give 1e6 × tolerance; with the energy kept the growth is
  // linear.
  for (const double tolerance : {1e-7, 1e-9}) {
    const auto error = [&](const char* problem) {
      const Summary summary =
          run_problem(problem, tolerance, "psf/radau5",
                      {.parameters = horizontal_rest, .until = 1000, .options = {{"max_steps", "1000000"}}})
              .summary;
      EXPECT_EQ(summary.status, Status::finished) << summary.message();
      return std::max(std::abs(summary.final_state[0] - 1), std::abs(summary.final_state[1]));
    };
    const double plain = error("pendulum"), with_energy = error("pendulum-energy");
    EXPECT_LT(plain, 1e6 * tolerance);
    EXPECT_LT(with_energy, 1e3 * tolerance);
    EXPECT_LT(with_energy, 0.1 * plain);
  }
}

// Positions, velocities and multipliers of the complete form converge with the order of the method; the
// incomplete form loses orders in the multiplier, as an index-2 variable does (Hairer, Lubich, Roche 1989:
// order 3 for λ).
TEST(Pendulum, OrderOfConvergence) {
  const std::map<std::string, std::string> fixed = {
      {"fixed_step", "yes"}, {"newton_stop", "1e-5"}, {"max_newton_iterations", "40"}};
  // the largest error over the common times of all grids: at a single time one of them may happen to vanish
  const double end = 1.6;
  const auto solve = [&](const std::string& method, int steps) {
    const ProblemRun result =
        run_problem("pendulum", 1e-11, method,
                    {.parameters = {{"v10", 2.9}}, .until = end, .h0 = end / steps, .options = fixed});
    EXPECT_EQ(result.summary.status, Status::finished) << result.summary.message();
    EXPECT_EQ(result.trajectory.samples(), steps + 1);
    return result.trajectory;
  };
  const Trajectory reference = solve("psf/radau5", 1024);
  const auto orders = [&](const std::string& method, Index begin, Index size) {
    const auto error = [&](int steps) {
      const Trajectory trajectory = solve(method, steps);
      double largest = 0;
      for (Index k = 1; k <= 32; ++k) {
        const Vector difference = trajectory.state(k * steps / 32) - reference.state(k * 1024 / 32);
        largest = std::max(largest, difference.segment(begin, size).norm());
      }
      return largest;
    };
    return std::log2(error(64) / error(128));
  };
  EXPECT_NEAR(orders("psf/radau5", 0, 2), 5, 0.4);
  EXPECT_NEAR(orders("psf/radau5", 2, 2), 5, 0.4);
  EXPECT_NEAR(orders("psf/radau5", 4, 1), 5, 0.4);
  EXPECT_NEAR(orders("psf1/radau5", 0, 2), 5, 0.4);
  EXPECT_NEAR(orders("psf1/radau5", 2, 2), 5, 0.4);
  EXPECT_NEAR(orders("psf1/radau5", 4, 1), 3, 0.4);
  EXPECT_NEAR(orders("ggl/radau5", 0, 2), 5, 0.4);
  EXPECT_NEAR(orders("ggl/radau5", 4, 1), 3, 0.4);
  EXPECT_NEAR(orders("index3/radau5", 0, 2), 5, 0.6);
  EXPECT_NEAR(orders("index3/radau5", 2, 2), 3, 0.6);
  EXPECT_NEAR(orders("index3/radau5", 4, 1), 2, 0.6);
}

}  // namespace
}  // namespace trammel
