// What is expected of every integrator that embeds a code of SUNDIALS, as functions of how one is made.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "tests/integrator/broken_problems.h"
#include "tests/integrator/ode_runs.h"
#include "tests/integrator/state_space_pendulum.h"

namespace trammel::test {

// A problem of both kinds, as it is handed to an integrator of either.
struct BothKinds {
  template <class Kind>
  BothKinds(Kind& problem) : ode(problem), implicit(problem) {}
  operator OdeProblem&() const { return ode; }
  operator ImplicitProblem&() const { return implicit; }

  OdeProblem& ode;
  ImplicitProblem& implicit;
};

using Maker = std::function<std::unique_ptr<Integrator>(BothKinds, double tolerance)>;

// The largest error at the ends of steps, and the largest inside them.
struct Errors {
  double ends = 0, inside = 0;
};

inline Errors errors_of_known_solution(const Maker& make, double tolerance) {
  OdeRun<KnownSolution> ode;
  const auto integrator = make(ode.problem, tolerance);
  EXPECT_EQ(integrator->start(0, KnownSolution::initial(), 10, 0), Outcome::ok);
  Errors errors;
  Vector x(2);
  while (integrator->t() < 10) {
    if (integrator->step(10) != Outcome::ok) {
      ADD_FAILURE() << integrator->failure().message;
      break;
    }
    const double t_old = integrator->previous_t(), t_new = integrator->t();
    errors.ends = std::max(errors.ends, (integrator->x() - KnownSolution::solution(t_new)).norm());
    for (const double part : {0.0, 0.1, 0.4, 0.7, 0.95, 1.0}) {
      const double t = t_old + part * (t_new - t_old);
      integrator->interpolate(t, x);
      errors.inside = std::max(errors.inside, (x - KnownSolution::solution(t)).norm());
    }
  }
  return errors;
}

// `factor`: how much a sum of local errors may be above the tolerance; the interpolant may add as much again.
inline void expect_errors_follow_tolerance(const Maker& make, double factor) {
  double previous = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const Errors errors = errors_of_known_solution(make, tolerance);
    EXPECT_LT(errors.ends, factor * tolerance);
    EXPECT_LT(errors.inside, 2 * factor * tolerance);
    EXPECT_LT(errors.ends, 0.1 * previous);
    previous = errors.ends;
  }
}

inline void expect_mass_matrix_is_heeded(const Maker& make) {
  OdeRun<Bead> ode;
  const auto integrator = make(ode.problem, 1e-7);
  ASSERT_EQ(run(*integrator, Bead::initial(), 5), Outcome::ok) << integrator->failure().message;
  EXPECT_NEAR(Bead::energy(integrator->x()), Bead::energy(Bead::initial()), 1e-4);
  OdeRun<Bead> exact;
  const auto reference = make(exact.problem, 1e-11);
  ASSERT_EQ(run(*reference, Bead::initial(), 5), Outcome::ok) << reference->failure().message;
  EXPECT_LT((integrator->x() - reference->x()).norm(), 1e-4);
  EXPECT_GT((integrator->x() - reference->x()).norm(), 0);
}

inline void expect_bounds_are_hit(const Maker& make) {
  OdeRun<KnownSolution> ode;
  const auto integrator = make(ode.problem, 1e-6);
  ASSERT_EQ(integrator->start(0, KnownSolution::initial(), 10, 0), Outcome::ok);
  for (const double bound : {1e-9, 0.1, 0.1 + 1e-13, 1.0 / 3.0, 2.0, 7.77, 10.0}) {
    while (integrator->t() < bound) {
      const double before = integrator->t();
      ASSERT_EQ(integrator->step(bound), Outcome::ok) << integrator->failure().message;
      ASSERT_EQ(integrator->previous_t(), before);
      ASSERT_LE(integrator->t(), bound);
      ASSERT_GT(integrator->t(), before);
    }
    EXPECT_EQ(integrator->t(), bound);
    EXPECT_LT((integrator->x() - KnownSolution::solution(bound)).norm(), 2e-4);
  }
  // less than round-off away
  const double next = std::nextafter(10.0, 11.0);
  ASSERT_EQ(integrator->step(next), Outcome::ok);
  EXPECT_EQ(integrator->t(), next);
}

inline void expect_retreat_repeats_the_step(const Maker& make) {
  OdeRun<KnownSolution> ode;
  const auto integrator = make(ode.problem, 1e-7);
  ASSERT_EQ(integrator->start(0, KnownSolution::initial(), 10, 0), Outcome::ok);
  while (integrator->t() < 2) ASSERT_EQ(integrator->step(10), Outcome::ok);
  const double t_old = integrator->previous_t(), t_new = integrator->t();
  const double middle = t_old + 0.4 * (t_new - t_old);
  for (int again = 0; again < 2; ++again) {
    integrator->retreat();
    EXPECT_EQ(integrator->t(), t_old);
    EXPECT_LT((integrator->x() - KnownSolution::solution(t_old)).norm(), 3e-5);
    // one step, not several: an event is looked for only once
    ASSERT_EQ(integrator->step(middle), Outcome::ok);
    EXPECT_EQ(integrator->t(), middle);
    EXPECT_EQ(integrator->previous_t(), t_old);
    EXPECT_NEAR(integrator->last_step(), middle - t_old, 1e-12);
    EXPECT_LT((integrator->x() - KnownSolution::solution(middle)).norm(), 3e-5);
    const double quarter = 0.5 * (t_old + middle);
    Vector x(2);
    integrator->interpolate(quarter, x);
    EXPECT_LT((x - KnownSolution::solution(quarter)).norm(), 3e-5);
  }
  while (integrator->t() < 10) ASSERT_EQ(integrator->step(10), Outcome::ok);
  EXPECT_LT((integrator->x() - KnownSolution::solution(10)).norm(), 3e-5);
}

// What fails, between which times, and with which reason and words.
template <class Broken>
void expect_failure(const Maker& make, double begin, double end, Reason reason, const std::string& words) {
  Broken problem;
  const auto integrator = make(problem, 1e-6);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(*integrator, Vector::Zero(1), 2), Outcome::fail);
  EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(integrator->failure().reason, reason) << integrator->failure().message;
  EXPECT_NE(integrator->failure().message.find(words), std::string::npos) << integrator->failure().message;
  EXPECT_GE(integrator->t(), begin);
  EXPECT_LE(integrator->t(), end);
}

inline void expect_failures_in_words(const Maker& make) {
  // smaller steps are tried, up to the very end
  expect_failure<EndsInNothing>(make, 1 - 1e-9, 1, Reason::not_finite, "not finite at t = 1");
  expect_failure<Throws>(make, 0, 0.5, Reason::user_function_failed, "the spring broke");
  expect_failure<ThrowsNonsense>(make, 0, 0.5, Reason::user_function_failed, "not an exception");
  expect_failure<GivesUp>(make, 0, 0.5, Reason::mass_singular, "no mass left");

  Explodes explodes;
  const auto integrator = make(explodes, 1e-6);
  EXPECT_EQ(run(*integrator, Vector::Ones(1), 2), Outcome::fail);
  EXPECT_FALSE(integrator->failure().message.empty());
  EXPECT_NEAR(integrator->t(), 1, 1e-2);

  // redundant unknowns, and not differential at all
  TemplatedEquations<Bead> equations{Bead{}};
  IndexReduction constrained(equations, {.form = IndexReductionOptions::Form::ggl});
  const auto wrong = make(constrained, 1e-6);
  EXPECT_EQ(wrong->start(0, Bead::initial(), 1, 0), Outcome::fail);
  EXPECT_EQ(wrong->failure().reason, Reason::invalid_options);

  OdeRun<KnownSolution> ode;
  const auto backwards = make(ode.problem, 1e-6);
  EXPECT_EQ(backwards->start(1, KnownSolution::initial(), 0, 0), Outcome::fail);
  EXPECT_EQ(backwards->failure().reason, Reason::end_before_start);
}

inline void expect_changed_states_are_kept(const Maker& make) {
  Jumps problem;
  const auto integrator = make(problem, 1e-7);
  ASSERT_EQ(run(*integrator, Vector::Ones(1), 2), Outcome::ok) << integrator->failure().message;
  ASSERT_GT(problem.jumped_at, 0);
  EXPECT_NEAR(integrator->x()[0], problem.solution(2), 1e-5);
}

inline void expect_counters_add_up(const Maker& make) {
  OdeRun<StiffVanDerPol> ode;
  const auto integrator = make(ode.problem, 1e-4);
  ASSERT_EQ(run(*integrator, StiffVanDerPol::initial(), 1e-3), Outcome::ok) << integrator->failure().message;
  const Statistics& statistics = ode.problem.statistics();
  EXPECT_GT(statistics.accepted, 5);
  EXPECT_EQ(statistics.steps,
            statistics.accepted + statistics.rejected_error + statistics.rejected_convergence);
  // a second run with the same integrator is the same run
  const Vector end = integrator->x();
  const long accepted = statistics.accepted;
  ASSERT_EQ(run(*integrator, StiffVanDerPol::initial(), 1e-3), Outcome::ok);
  EXPECT_EQ((integrator->x() - end).norm(), 0);
  EXPECT_EQ(statistics.accepted, 2 * accepted);
}

// The state-space form of the pendulum and the differential equation of its independent position are the same
// computation: as many steps, up to those that differ in when Newton's iteration stopped, and the same
// result.
struct ReducedPendulum {
  Sizes sizes() const { return {.force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    using std::sqrt;
    const T q = x.r[0], w = x.r[1], d = -sqrt(1.0 - q * q), e = -q * w / d;
    b[0] = w;
    b[1] = -q * (w * w + e * e - StateSpacePendulum::gravity * d);
  }
};

inline void expect_same_as_reduced(const Maker& make) {
  const double speed = 9, t_end = 0.07, tolerance = 1e-8;
  StateSpacePendulum problem;
  const auto integrator = make(problem, tolerance);
  ASSERT_EQ(run(*integrator, StateSpacePendulum::initial(speed), t_end, 1e-4), Outcome::ok);
  ASSERT_EQ(problem.changes, 0);
  OdeRun<ReducedPendulum> ode;
  const auto reduced = make(ode.problem, tolerance);
  ASSERT_EQ(run(*reduced, (Vector(2) << 0, speed).finished(), t_end, 1e-4), Outcome::ok);
  EXPECT_NEAR(integrator->x()[0], reduced->x()[0], 100 * tolerance);
  EXPECT_NEAR(integrator->x()[2], reduced->x()[1], 100 * tolerance);
  const double steps = static_cast<double>(ode.problem.statistics().accepted);
  EXPECT_NEAR(static_cast<double>(problem.statistics().accepted), steps, 0.15 * steps);
}

// Completing may change every unknown; the iteration must go on from what it gets back.
inline void expect_guesses_are_completed(const Maker& make) {
  const double speed = 9, t_end = 3, tolerance = 1e-7;
  TangentPendulum problem;
  const auto integrator = make(problem, tolerance);
  ASSERT_EQ(run(*integrator, StateSpacePendulum::initial(speed), t_end), Outcome::ok)
      << integrator->failure().message;
  EXPECT_LT(StateSpacePendulum::distance_from_circle(integrator->x()), 1e-12);
  const double steps = static_cast<double>(problem.statistics().accepted);
  EXPECT_LT((integrator->x() - StateSpacePendulum::solution(t_end, speed)).head(4).norm(),
            steps * tolerance * (1 + speed) * speed * t_end);
}

// Where nothing is left to integrate there is no error either, but steps must not leap over the motion.
inline void expect_driven_motion_is_followed(const Maker& make) {
  Driven problem;
  const auto integrator = make(problem, 1e-6);
  ASSERT_EQ(integrator->start(0, Vector::Zero(1), 10, 0), Outcome::ok);
  Vector x(1);
  while (integrator->t() < 10) {
    ASSERT_EQ(integrator->step(10), Outcome::ok) << integrator->failure().message;
    const double middle = 0.5 * (integrator->previous_t() + integrator->t());
    integrator->interpolate(middle, x);
    EXPECT_NEAR(x[0], std::sin(2 * middle), 1e-3);
    EXPECT_NEAR(integrator->x()[0], std::sin(2 * integrator->t()), 1e-12);
  }
}

// Seven turns of the pendulum: constraints hold to round-off, and the error is what the tolerance allows. A
// step errs by at most tolerance · (1 + speed), and an error of the speed grows to speed · t times itself.
inline void expect_state_space_form_works(
    const Maker& make, const std::function<void(Integrator&)>& watch = [](Integrator&) {}) {
  const double speed = 9, t_end = 5;
  const Vector reference = StateSpacePendulum::solution(t_end, speed);
  for (const bool count_all : {false, true}) {
    double previous = 10;
    for (const double tolerance : {1e-5, 1e-8}) {
      SCOPED_TRACE(testing::Message() << tolerance << (count_all ? ", all count" : ""));
      StateSpacePendulum problem(count_all);
      const auto integrator = make(problem, tolerance);
      ASSERT_EQ(integrator->start(0, StateSpacePendulum::initial(speed), t_end, 0), Outcome::ok);
      double violation = 0, inside = 0, jump = 0;
      Vector x(5), before = integrator->x();
      while (integrator->t() < t_end) {
        ASSERT_EQ(integrator->step(t_end), Outcome::ok) << integrator->failure().message;
        violation = std::max(violation, StateSpacePendulum::distance_from_circle(integrator->x()));
        EXPECT_NEAR(integrator->x()[4], StateSpacePendulum::multiplier(integrator->x()), 1e-10);
        // the interpolant joins the states, multipliers too, and is nearly on the constraints
        const double t_old = integrator->previous_t(), h = integrator->t() - t_old;
        integrator->interpolate(t_old + 0.5 * h, x);
        inside = std::max(inside, StateSpacePendulum::distance_from_circle(x));
        for (const double part : {1e-7, 1 - 1e-7}) {
          integrator->interpolate(t_old + part * h, x);
          jump = std::max(jump, (x - (part < 0.5 ? before : integrator->x())).norm());
        }
        before = integrator->x();
        if (integrator->t() > 0.5) watch(*integrator);
      }
      EXPECT_GE(problem.changes, 20);
      EXPECT_LT(violation, 1e-12);
      EXPECT_LT(inside, 0.05);
      EXPECT_LT(jump, 1e-4);
      const double error = (integrator->x() - reference).head(4).norm();
      const double steps = static_cast<double>(problem.statistics().accepted);
      EXPECT_LT(error, steps * tolerance * (1 + speed) * speed * t_end);
      EXPECT_LT(error, 0.1 * previous);
      previous = error;
    }
  }
}

}  // namespace trammel::test
