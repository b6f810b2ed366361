// The mathematical pendulum against the published numbers of GEOMS (WIAS preprint 1259, tables 3 and 4, section 4.1).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trammel/problems/builtin.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

struct Result {
  Summary summary;
  Trajectory trajectory;
};

Result run(const std::string& problem, const std::map<std::string, double>& changes, const std::string& method,
           double tolerance, double until, double h0 = 0.01, const std::map<std::string, std::string>& settings = {}) {
  const BuiltinProblem& builtin = *find_problem(problem);
  ProblemCase instance = builtin.make(builtin.values(changes));
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.h0 = h0;
  options.psf.enforce_invariants = instance.enforce_invariants;
  for (const auto& [key, value] : settings) EXPECT_FALSE(set_option(options, key, value)) << key;
  Method parsed;
  EXPECT_FALSE(parse_method(method, parsed));
  Simulation simulation(*instance.equations, parsed, options);
  Result result;
  result.summary = simulation.run(instance.x0, 0, until);
  result.trajectory = simulation.trajectory();
  return result;
}

struct PublishedRow {
  double v10, tolerance;
  long accepted;
  long passages;  // through 45°
};

class PublishedCounters : public testing::TestWithParam<PublishedRow> {};

TEST_P(PublishedCounters, AcceptedStepsAndSelectors) {
  const PublishedRow row = GetParam();
  const Summary summary =
      run("pendulum", {{"v10", row.v10}, {"g", 13.75}}, "psf/radau5", row.tolerance, 5).summary;
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  const Statistics& s = summary.statistics;
  EXPECT_NEAR(static_cast<double>(s.accepted), static_cast<double>(row.accepted), 0.12 * static_cast<double>(row.accepted));
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
  const Summary summary = run("pendulum", horizontal_rest, "psf/radau5", 1e-7, 1000).summary;
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_LT(summary.violation.position, 1e-10);
  EXPECT_LT(summary.violation.velocity, 1e-10);
  EXPECT_LT(summary.violation.acceleration, 1e-10);
}

TEST(Pendulum, EnergyAsInvariantIsKeptOver1000Seconds) {
  const Summary summary = run("pendulum-energy", horizontal_rest, "psf/radau5", 1e-7, 1000).summary;
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_LT(summary.violation.invariant, 1e-10);
  EXPECT_LT(summary.violation.position, 1e-10);
  EXPECT_LT(summary.violation.velocity, 1e-10);
  EXPECT_LT(summary.violation.acceleration, 1e-10);
}

TEST(Pendulum, IndexOneFormDrifts) {
  const Summary index1 = run("pendulum", horizontal_rest, "index1/radau5", 1e-7, 1000).summary;
  const Summary psf = run("pendulum", horizontal_rest, "psf/radau5", 1e-7, 1000).summary;
  ASSERT_EQ(index1.status, Status::finished) << index1.message();
  EXPECT_GT(index1.violation.position, 1e-4);
  EXPECT_GT(index1.violation.position, 1e6 * psf.violation.position);
  EXPECT_LT(index1.violation.acceleration, 1e-4);  // the level it does hold
}

TEST(Pendulum, ExactPeriodAfter500Periods) {
  // Local errors of one sign change the energy, and so the period, linearly with time: the phase error grows with its
  // square. 500 periods of some 1e5 steps give 1e6 × tolerance; with the energy kept the growth is linear.
  for (const double tolerance : {1e-7, 1e-9}) {
    const auto error = [&](const char* problem) {
      const Summary summary = run(problem, horizontal_rest, "psf/radau5", tolerance, 1000, 0.01, {{"max_steps", "1000000"}}).summary;
      EXPECT_EQ(summary.status, Status::finished) << summary.message();
      return std::max(std::abs(summary.final_state[0] - 1), std::abs(summary.final_state[1]));
    };
    const double plain = error("pendulum"), with_energy = error("pendulum-energy");
    EXPECT_LT(plain, 1e6 * tolerance);
    EXPECT_LT(with_energy, 1e3 * tolerance);
    EXPECT_LT(with_energy, 0.1 * plain);
  }
}

// Positions, velocities and multipliers of the complete form converge with the order of the method; the incomplete form
// loses orders in the multiplier, as an index-2 variable does (Hairer, Lubich, Roche 1989: order 3 for λ).
TEST(Pendulum, OrderOfConvergence) {
  const std::map<std::string, std::string> fixed = {{"fixed_step", "yes"}, {"newton_stop", "1e-6"}};
  const auto final_state = [&](const std::string& method, double h) {
    const Summary summary = run("pendulum", {{"v10", 2.9}}, method, 1e-12, 0.8, h, fixed).summary;
    EXPECT_EQ(summary.status, Status::finished) << summary.message();
    return summary.final_state;
  };
  const Vector reference = final_state("psf/radau5", 0.8 / 2048);
  const auto orders = [&](const std::string& method, Index begin, Index size) {
    const Vector coarse = final_state(method, 0.8 / 32) - reference, fine = final_state(method, 0.8 / 64) - reference;
    return std::log2(coarse.segment(begin, size).norm() / fine.segment(begin, size).norm());
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
