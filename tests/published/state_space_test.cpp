// Every integrator on the state-space form of every built-in problem with a known solution; redundant
// constraints in it and with coordinate splitting.
#include <gtest/gtest.h>

#include "tests/published/run_problem.h"

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

// Redundant constraints are no obstacle: the same motion, and the same reactions of minimal norm, as those of
// psf. A reaction is the worst of all unknowns: it grows with the square of an error in speed.
TEST(StateSpaceProblems, TreatRedundantConstraints) {
  const Vector reference = run_problem("four-bar", 1e-12, "psf/radau5").summary.final_state;
  for (const char* method : {"partitioned/radau5", "cs/radau5", "cm/radau5", "csm/radau5"}) {
    for (const auto& [tolerance, bound] : {std::pair{1e-8, 2e-4}, {1e-10, 1e-5}}) {
      const ProblemRun run = run_problem("four-bar", tolerance, method);
      ASSERT_EQ(run.summary.status, Status::finished) << method;
      EXPECT_FALSE(run.summary.redundant.empty());
      const Vector size = Vector::Ones(reference.size()) + reference.cwiseAbs();
      EXPECT_LT((run.summary.final_state - reference).cwiseQuotient(size).lpNorm<Eigen::Infinity>(), bound)
          << method;
      EXPECT_LT(run.summary.violation.acceleration, 1e-9);
    }
  }
}

}  // namespace
}  // namespace trammel
