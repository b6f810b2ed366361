#include "trammel/integrator/cvodes.h"

#include <gtest/gtest.h>

#include "tests/integrator/sundials_checks.h"

namespace trammel {
namespace {

using namespace test;
using Family = CvodesOptions::Family;

CvodesOptions with(Family family, double tolerance) {
  CvodesOptions options;
  options.family = family;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

Maker maker(Family family) {
  return [family](OdeProblem& problem, double tolerance) {
    return std::make_unique<Cvodes>(problem, with(family, tolerance));
  };
}

class CvodesOf : public testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(Families, CvodesOf, testing::Values(Family::bdf, Family::adams),
                         [](const auto& family) { return family.param == Family::bdf ? "bdf" : "adams"; });

// multistep methods of variable order sum up more than 100 local errors that all have the same sign
TEST_P(CvodesOf, ErrorFollowsTheTolerance) { expect_errors_follow_tolerance(maker(GetParam()), 300); }
TEST_P(CvodesOf, HeedsTheMassMatrix) { expect_mass_matrix_is_heeded(maker(GetParam())); }
TEST_P(CvodesOf, EndsExactlyAtTheBound) { expect_bounds_are_hit(maker(GetParam())); }
TEST_P(CvodesOf, RetreatRepeatsTheStep) { expect_retreat_repeats_the_step(maker(GetParam())); }
TEST_P(CvodesOf, FailsInWordsAndInSilence) { expect_failures_in_words(maker(GetParam())); }
TEST_P(CvodesOf, GoesOnFromAChangedState) { expect_changed_states_are_kept(maker(GetParam())); }
TEST_P(CvodesOf, StateSpaceFormIsTheReducedEquation) { expect_same_as_reduced(maker(GetParam())); }
TEST_P(CvodesOf, GoesOnFromCompletedGuesses) { expect_guesses_are_completed(maker(GetParam())); }
TEST_P(CvodesOf, FollowsDrivenMotion) { expect_driven_motion_is_followed(maker(GetParam())); }
TEST_P(CvodesOf, CountersAddUp) { expect_counters_add_up(maker(GetParam())); }

TEST_P(CvodesOf, KeepsItsOrderWhenOtherUnknownsBecomeIndependent) {
  int lowest = 100;
  expect_state_space_form_works(maker(GetParam()), [&](Integrator& integrator) {
    lowest = std::min(lowest, dynamic_cast<Cvodes&>(integrator).order());
  });
  EXPECT_GE(lowest, 3);
}

TEST(Cvodes, RetreatKeepsTheOrder) {
  OdeRun<KnownSolution> ode;
  Cvodes cvodes(ode.problem, with(Family::bdf, 1e-8));
  ASSERT_EQ(cvodes.start(0, KnownSolution::initial(), 10, 0), Outcome::ok);
  while (cvodes.t() < 3) ASSERT_EQ(cvodes.step(10), Outcome::ok);
  ASSERT_GE(cvodes.order(), 4);
  const double half = 0.5 * (cvodes.previous_t() + cvodes.t());
  cvodes.retreat();
  ASSERT_EQ(cvodes.step(half), Outcome::ok);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cvodes.step(10), Outcome::ok);
  EXPECT_GE(cvodes.order(), 4);
}

TEST(Cvodes, BdfSolvesVanDerPolsEquation) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    OdeRun<StiffVanDerPol> ode;
    Cvodes cvodes(ode.problem, with(Family::bdf, tolerance));
    ASSERT_EQ(run(cvodes, StiffVanDerPol::initial(), 2), Outcome::ok) << cvodes.failure().message;
    EXPECT_LT((cvodes.x() - StiffVanDerPol::solution_at_2()).norm(), 150 * tolerance);
    EXPECT_LT(ode.problem.statistics().accepted, 4000);
    // a Jacobian serves many steps
    EXPECT_LT(ode.problem.statistics().jacobians, ode.problem.statistics().accepted / 10);
  }
}

TEST(Cvodes, AdamsIsBoundByStability) {
  const double t_end = 1, product = StiffLinear::lambda * t_end;
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    OdeRun<StiffLinear> ode;
    Cvodes adams(ode.problem, with(Family::adams, tolerance));
    ASSERT_EQ(run(adams, StiffLinear::initial(), t_end), Outcome::ok) << adams.failure().message;
    EXPECT_NEAR(adams.x()[0], StiffLinear::solution(t_end), 10 * tolerance);
    EXPECT_GT(ode.problem.statistics().accepted, product / 2);
    EXPECT_LT(ode.problem.statistics().accepted, product * 4);
    EXPECT_EQ(ode.problem.statistics().jacobians, 0);

    OdeRun<StiffLinear> same;
    Cvodes bdf(same.problem, with(Family::bdf, tolerance));
    ASSERT_EQ(run(bdf, StiffLinear::initial(), t_end), Outcome::ok) << bdf.failure().message;
    EXPECT_LT(same.problem.statistics().accepted, product / 20);
  }
}

TEST(Cvodes, OptionsAreObeyed) {
  {
    OdeRun<KnownSolution> ode;
    CvodesOptions options = with(Family::bdf, 1e-8);
    options.max_order = 2;
    Cvodes cvodes(ode.problem, options);
    ASSERT_EQ(cvodes.start(0, KnownSolution::initial(), 1, 1e-5), Outcome::ok);
    ASSERT_EQ(cvodes.step(1), Outcome::ok);
    EXPECT_NEAR(cvodes.last_step(), 1e-5, 1e-15);
    int highest = 0;
    while (cvodes.t() < 1) {
      ASSERT_EQ(cvodes.step(1), Outcome::ok);
      highest = std::max(highest, cvodes.order());
    }
    EXPECT_EQ(highest, 2);
  }
  {
    OdeRun<KnownSolution> ode;
    CvodesOptions options = with(Family::adams, 1e-3);
    options.max_step = 0.01;
    Cvodes cvodes(ode.problem, options);
    ASSERT_EQ(run(cvodes, KnownSolution::initial(), 1), Outcome::ok);
    EXPECT_GE(ode.problem.statistics().accepted, 100);
  }
  {
    OdeRun<KnownSolution> ode;
    CvodesOptions options = with(Family::bdf, 1e-8);
    options.max_steps = 20;
    Cvodes cvodes(ode.problem, options);
    EXPECT_EQ(run(cvodes, KnownSolution::initial(), 10), Outcome::fail);
    EXPECT_EQ(cvodes.failure().reason, Reason::too_many_steps);
    EXPECT_NE(cvodes.failure().message.find("20 steps"), std::string::npos);
  }
}

TEST(Cvodes, OptionsAreChecked) {
  const auto bad = [](auto change) {
    CvodesOptions options;
    change(options);
    return static_cast<bool>(options.check(2));
  };
  EXPECT_FALSE(bad([](CvodesOptions&) {}));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.tolerances.relative = 0; }));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.max_order = 6; }));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.max_order = -1; }));
  EXPECT_FALSE(bad([](CvodesOptions& o) {
    o.family = Family::adams;
    o.max_order = 12;
  }));
  EXPECT_TRUE(bad([](CvodesOptions& o) {
    o.family = Family::adams;
    o.detect_stability_limit = true;
  }));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.max_newton_iterations = 0; }));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.max_steps = 0; }));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.max_step = -1; }));
  EXPECT_TRUE(bad([](CvodesOptions& o) { o.max_step = NAN; }));
}

}  // namespace
}  // namespace trammel
