// Every integrator on the state-space form of every built-in problem with a known solution.
#include <gtest/gtest.h>

#include "tests/problems/run_problem.h"

namespace trammel {
namespace {

using Case = std::tuple<std::string, std::string>;

class StateSpaceProblems : public testing::TestWithParam<Case> {};

// Local errors of 1e-7 add up to no more than three more digits lost, with the integrators that control them
// most loosely; constraints hold to round-off.
TEST_P(StateSpaceProblems, MeetTheirSolutions) {
  const auto& [name, integrator] = GetParam();
  const bool accurate = integrator == "sdirk4" || integrator == "radau5";
  const ProblemRun run = run_problem(name, 1e-7, "partitioned/" + integrator);
  ASSERT_EQ(run.summary.status, Status::finished) << run.summary.failure.message;
  ASSERT_TRUE(run.digits);
  EXPECT_GT(*run.digits, accurate ? 4.5 : 3.5);
  EXPECT_LT(run.summary.violation.position, 1e-13);
  EXPECT_LT(run.summary.violation.velocity, 1e-12);
  EXPECT_LT(run.summary.violation.acceleration, 1e-9);  // of accelerations up to 1e6
}

// The truck and the double pendulum are stiff: nothing for explicit methods.
INSTANTIATE_TEST_SUITE_P(Implicit, StateSpaceProblems,
                         testing::Combine(testing::Values("andrews", "chain", "chaplygin-sleigh",
                                                          "knife-edge", "force-element", "rolling-contact",
                                                          "truck", "double-pendulum"),
                                          testing::Values("sdirk4", "radau5", "bdf", "dirk")));
INSTANTIATE_TEST_SUITE_P(Explicit, StateSpaceProblems,
                         testing::Combine(testing::Values("andrews", "chain", "chaplygin-sleigh",
                                                          "knife-edge", "force-element", "rolling-contact"),
                                          testing::Values("adams", "erk")));

// Redundant constraints are no obstacle: the same motion as without the copy.
TEST(StateSpaceProblems, TreatRedundantConstraints) {
  const ProblemRun with = run_problem("four-bar", 1e-8, "partitioned/radau5");
  const ProblemRun reference = run_problem("four-bar", 1e-10, "psf/radau5");
  ASSERT_EQ(with.summary.status, Status::finished);
  EXPECT_FALSE(with.summary.redundant.empty());
  const Vector& end = reference.summary.final_state;
  const Vector relative =
      (with.summary.final_state - end).cwiseQuotient(Vector::Ones(end.size()) + end.cwiseAbs());
  EXPECT_LT(relative.lpNorm<Eigen::Infinity>(), 1e-5);
}

}  // namespace
}  // namespace trammel
