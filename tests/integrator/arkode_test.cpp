#include "trammel/integrator/arkode.h"

#include <gtest/gtest.h>

#include "tests/integrator/sundials_checks.h"

namespace trammel {
namespace {

using namespace test;
using Family = ArkodeOptions::Family;

ArkodeOptions with(Family family, double tolerance) {
  ArkodeOptions options;
  options.family = family;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

Maker maker(Family family) {
  return [family](OdeProblem& problem, double tolerance) {
    return std::make_unique<Arkode>(problem, with(family, tolerance));
  };
}

class ArkodeOf : public testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(Families, ArkodeOf, testing::Values(Family::dirk, Family::erk),
                         [](const auto& family) { return family.param == Family::dirk ? "dirk" : "erk"; });

// the interpolant has an order less than the steps, which are long with seven stages
TEST_P(ArkodeOf, ErrorFollowsTheTolerance) { expect_errors_follow_tolerance(maker(GetParam()), 100); }
TEST_P(ArkodeOf, HeedsTheMassMatrix) { expect_mass_matrix_is_heeded(maker(GetParam())); }
TEST_P(ArkodeOf, EndsExactlyAtTheBound) { expect_bounds_are_hit(maker(GetParam())); }
TEST_P(ArkodeOf, RetreatRepeatsTheStep) { expect_retreat_repeats_the_step(maker(GetParam())); }
TEST_P(ArkodeOf, FailsInWordsAndInSilence) { expect_failures_in_words(maker(GetParam())); }
TEST_P(ArkodeOf, GoesOnFromAChangedState) { expect_changed_states_are_kept(maker(GetParam())); }
TEST_P(ArkodeOf, StateSpaceFormIsTheReducedEquation) { expect_same_as_reduced(maker(GetParam())); }
TEST_P(ArkodeOf, GoesOnFromCompletedGuesses) { expect_guesses_are_completed(maker(GetParam())); }
TEST_P(ArkodeOf, FollowsDrivenMotion) { expect_driven_motion_is_followed(maker(GetParam())); }
TEST_P(ArkodeOf, CountersAddUp) { expect_counters_add_up(maker(GetParam())); }
TEST_P(ArkodeOf, IntegratesStateSpaceForms) { expect_state_space_form_works(maker(GetParam())); }

// Long steps of a high order end where the pendulum cannot be closed; they are taken back.
TEST(Arkode, StepsWithAnEndThatCannotBeCompletedAreRejected) {
  StateSpacePendulum problem;
  ArkodeOptions options = with(Family::erk, 1e-3);
  options.order = 5;
  Arkode arkode(problem, options);
  ASSERT_EQ(run(arkode, StateSpacePendulum::initial(7), 5), Outcome::ok) << arkode.failure().message;
  const Statistics& statistics = problem.statistics();
  EXPECT_GT(statistics.rejected_convergence, 0);
  EXPECT_EQ(statistics.steps,
            statistics.accepted + statistics.rejected_error + statistics.rejected_convergence);
}

TEST(Arkode, DirkSolvesVanDerPolsEquation) {
  for (const int order : {3, 4, 5})
    for (const double tolerance : {1e-4, 1e-6}) {
      OdeRun<StiffVanDerPol> ode;
      ArkodeOptions options = with(Family::dirk, tolerance);
      options.order = order;
      Arkode arkode(ode.problem, options);
      ASSERT_EQ(run(arkode, StiffVanDerPol::initial(), 2), Outcome::ok) << arkode.failure().message;
      EXPECT_LT((arkode.x() - StiffVanDerPol::solution_at_2()).norm(), 150 * tolerance);
      EXPECT_LT(ode.problem.statistics().accepted, 2000);
    }
}

// Rates taken by evaluation would have the error of the stage times 1e6.
TEST(Arkode, InterpolatesStiffSolutions) {
  OdeRun<StiffVanDerPol> ode, exact;
  Arkode arkode(ode.problem, with(Family::dirk, 1e-6)), reference(exact.problem, with(Family::dirk, 1e-9));
  ASSERT_EQ(arkode.start(0, StiffVanDerPol::initial(), 0.7, 0), Outcome::ok);
  ASSERT_EQ(reference.start(0, StiffVanDerPol::initial(), 0.7, 0), Outcome::ok);
  Vector x(2), y(2);
  while (arkode.t() < 0.7) {
    ASSERT_EQ(arkode.step(0.7), Outcome::ok);
    for (const double part : {0.3, 0.6, 0.9}) {
      const double t = arkode.previous_t() + part * (arkode.t() - arkode.previous_t());
      while (reference.t() < t) ASSERT_EQ(reference.step(0.7), Outcome::ok);
      arkode.interpolate(t, x);
      reference.interpolate(t, y);
      EXPECT_LT((x - y).norm(), 2e-4);
    }
  }
}

TEST(Arkode, ErkIsBoundByStability) {
  const double t_end = 1, product = StiffLinear::lambda * t_end;
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    OdeRun<StiffLinear> ode;
    Arkode erk(ode.problem, with(Family::erk, tolerance));
    ASSERT_EQ(run(erk, StiffLinear::initial(), t_end), Outcome::ok) << erk.failure().message;
    EXPECT_NEAR(erk.x()[0], StiffLinear::solution(t_end), 10 * tolerance);
    // the method is stable up to hλ of about 3
    EXPECT_GT(ode.problem.statistics().accepted, product / 4);
    EXPECT_LT(ode.problem.statistics().accepted, product / 1.5);
    EXPECT_EQ(ode.problem.statistics().jacobians, 0);

    OdeRun<StiffLinear> same;
    Arkode dirk(same.problem, with(Family::dirk, tolerance));
    ASSERT_EQ(run(dirk, StiffLinear::initial(), t_end), Outcome::ok) << dirk.failure().message;
    EXPECT_LT(same.problem.statistics().accepted, product / 20);
  }
}

TEST(Arkode, OptionsAreObeyed) {
  for (const Family family : {Family::dirk, Family::erk}) {
    {
      OdeRun<KnownSolution> ode;
      Arkode arkode(ode.problem, with(family, 1e-6));
      ASSERT_EQ(arkode.start(0, KnownSolution::initial(), 1, 1e-5), Outcome::ok);
      ASSERT_EQ(arkode.step(1), Outcome::ok);
      EXPECT_NEAR(arkode.last_step(), 1e-5, 1e-15);
    }
    {
      OdeRun<KnownSolution> ode;
      ArkodeOptions options = with(family, 1e-3);
      options.max_step = 0.01;
      Arkode arkode(ode.problem, options);
      ASSERT_EQ(run(arkode, KnownSolution::initial(), 1), Outcome::ok);
      EXPECT_GE(ode.problem.statistics().accepted, 100);
    }
    {
      OdeRun<KnownSolution> ode;
      ArkodeOptions options = with(family, 1e-8);
      options.max_steps = 20;
      Arkode arkode(ode.problem, options);
      EXPECT_EQ(run(arkode, KnownSolution::initial(), 10), Outcome::fail);
      EXPECT_EQ(arkode.failure().reason, Reason::too_many_steps);
      EXPECT_NE(arkode.failure().message.find("20 steps"), std::string::npos);
    }
  }
  // a higher order takes fewer steps
  long previous = 1000000;
  for (const int order : {2, 3, 5, 8}) {
    OdeRun<KnownSolution> ode;
    ArkodeOptions options = with(Family::erk, 1e-8);
    options.order = order;
    Arkode arkode(ode.problem, options);
    ASSERT_EQ(run(arkode, KnownSolution::initial(), 10), Outcome::ok);
    EXPECT_LT(ode.problem.statistics().accepted, previous);
    previous = ode.problem.statistics().accepted;
  }
}

TEST(Arkode, OptionsAreChecked) {
  const auto bad = [](auto change) {
    ArkodeOptions options;
    change(options);
    return static_cast<bool>(options.check(2));
  };
  EXPECT_FALSE(bad([](ArkodeOptions&) {}));
  EXPECT_TRUE(bad([](ArkodeOptions& o) { o.tolerances.absolute = -1; }));
  EXPECT_TRUE(bad([](ArkodeOptions& o) { o.order = 2; }));
  EXPECT_TRUE(bad([](ArkodeOptions& o) { o.order = 6; }));
  EXPECT_TRUE(bad([](ArkodeOptions& o) {
    o.family = Family::erk;
    o.order = 9;
  }));
  EXPECT_FALSE(bad([](ArkodeOptions& o) {
    o.family = Family::erk;
    o.order = 8;
  }));
  EXPECT_TRUE(bad([](ArkodeOptions& o) { o.max_newton_iterations = 0; }));
  EXPECT_TRUE(bad([](ArkodeOptions& o) { o.max_steps = 0; }));
  EXPECT_TRUE(bad([](ArkodeOptions& o) { o.max_step = -1; }));
}

}  // namespace
}  // namespace trammel
