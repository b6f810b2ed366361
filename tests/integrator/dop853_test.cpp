#include "trammel/integrator/dop853.h"

#include <gtest/gtest.h>

#include "tests/integrator/sundials_checks.h"

namespace trammel {
namespace {

using namespace test;

Dop853Options with(double tolerance) {
  Dop853Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

std::unique_ptr<Integrator> make(OdeProblem& problem, double tolerance) {
  return std::make_unique<Dop853>(problem, with(tolerance));
}

TEST(Dop853, ErrorFollowsTheTolerance) { expect_errors_follow_tolerance(make, 100); }
TEST(Dop853, HeedsTheMassMatrix) { expect_mass_matrix_is_heeded(make); }
TEST(Dop853, EndsExactlyAtTheBound) { expect_bounds_are_hit(make); }
TEST(Dop853, RetreatRepeatsTheStep) { expect_retreat_repeats_the_step(make); }
TEST(Dop853, FailsInWordsAndInSilence) { expect_failures_in_words(make); }
TEST(Dop853, GoesOnFromAChangedState) { expect_changed_states_are_kept(make); }
TEST(Dop853, FollowsDrivenMotion) { expect_driven_motion_is_followed(make); }
TEST(Dop853, StateSpaceFormIsTheReducedEquation) { expect_same_as_reduced(make); }
TEST(Dop853, GoesOnFromCompletedGuesses) { expect_guesses_are_completed(make); }
TEST(Dop853, CountersAddUp) { expect_counters_add_up(make); }
TEST(Dop853, IntegratesStateSpaceForms) { expect_state_space_form_works(make); }

// The error of a run with so many equal steps, at the end and at its worst inside steps.
struct FixedStepErrors {
  double end = 0, inside = 0;
};
FixedStepErrors errors_of(int steps) {
  OdeRun<KnownSolution> ode;
  Dop853Options options = with(1e-6);
  options.fixed_step = true;
  Dop853 dop853(ode.problem, options);
  constexpr double end = 2;
  FixedStepErrors errors;
  EXPECT_EQ(dop853.start(0, KnownSolution::initial(), end, end / steps), Outcome::ok);
  Vector x(2);
  while (dop853.t() < end) {
    EXPECT_EQ(dop853.step(end), Outcome::ok);
    for (const double part : {0.2, 0.5, 0.7}) {
      const double t = dop853.previous_t() + part * dop853.last_step();
      dop853.interpolate(t, x);
      errors.inside = std::max(errors.inside, (x - KnownSolution::solution(t)).lpNorm<Eigen::Infinity>());
    }
  }
  errors.end = (dop853.x() - KnownSolution::solution(end)).lpNorm<Eigen::Infinity>();
  return errors;
}

TEST(Dop853, HasOrderEightAndSevenInsideSteps) {
  const FixedStepErrors coarse = errors_of(8), fine = errors_of(16);
  EXPECT_GT(std::log2(coarse.end / fine.end), 7.3);
  EXPECT_GT(std::log2(coarse.inside / fine.inside), 6.5);  // a step has the error h⁸ inside
  EXPECT_LT(fine.inside, 1e-7);
}

TEST(Dop853, AStiffProblemNeedsManySteps) {
  OdeRun<StiffLinear> ode;
  Dop853Options options = with(1e-5);
  options.max_steps = 500;
  Dop853 dop853(ode.problem, options);
  EXPECT_EQ(run(dop853, StiffLinear::initial(), 10), Outcome::fail);
  EXPECT_EQ(dop853.failure().reason, Reason::too_many_steps);
}

TEST(Dop853, RefusesNonsense) {
  OdeRun<KnownSolution> ode;
  Dop853Options options = with(1e-6);
  options.max_step_factor = 0.5;
  Dop853 dop853(ode.problem, options);
  EXPECT_EQ(dop853.start(0, KnownSolution::initial(), 1, 0), Outcome::fail);
  EXPECT_NE(dop853.failure().message.find("max_step_factor"), std::string::npos);
}

}  // namespace
}  // namespace trammel
