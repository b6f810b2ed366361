#include "trammel/integrator/multistep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/integrator/own_pendulum.h"

namespace trammel {
namespace {

using test::OwnPendulum;

constexpr std::array families{MultistepFamily::bdf, MultistepFamily::adams};

const char* name(MultistepFamily family) { return family == MultistepFamily::bdf ? "bdf" : "adams"; }

MultistepOptions options_of(MultistepFamily family, double tolerance) {
  MultistepOptions options;
  options.family = family;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

Vector scale_of(const Vector& y, double tolerance) { return tolerance * (1 + y.array().abs()).matrix(); }

struct Swing {
  OwnPendulum pendulum;
  InvariantOdeProblem problem{pendulum};
  Multistep steps;
  double worst = 0;  // violation
  bool ok = true;

  explicit Swing(const MultistepOptions& options) : steps(problem, options) {
    ok = steps.start(0, OwnPendulum::horizontal(), 1e3, 0) == Outcome::ok;
  }
  void to(double end, double tolerance) {
    while (ok && steps.t() < end) {
      ok = steps.step(end) == Outcome::ok;
      worst = std::max(worst, pendulum.violation(0, steps.x(), scale_of(steps.x(), tolerance)));
    }
    EXPECT_TRUE(ok) << steps.failure().message;
  }
  double error() const { return (steps.x() - OwnPendulum::horizontal()).norm(); }
};

TEST(Multistep, KeepsTheViolationBelowTheConstraintToleranceAtEveryStep) {
  for (const MultistepFamily family : families)
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
      MultistepOptions options = options_of(family, tolerance);
      Swing run(options);
      run.to(20, tolerance);
      EXPECT_LT(run.worst, options.projection.constraint_tolerance * (1 + 1e-9)) << name(family) << tolerance;
    }
}

TEST(Multistep, ErrorFollowsTheTolerance) {
  for (const MultistepFamily family : families) {
    double previous = 10;
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      Swing run(options_of(family, tolerance));
      run.to(10, tolerance);
      // bdf damps the swing, step by step: CVODES is off by as many tolerances
      EXPECT_LT(run.error(), 3e4 * tolerance) << name(family) << tolerance;
      EXPECT_LT(run.error(), 0.2 * previous) << name(family) << tolerance;
      previous = run.error();
    }
  }
}

TEST(Multistep, WithoutProjectionStatesDrift) {
  for (const MultistepFamily family : families) {
    MultistepOptions options = options_of(family, 1e-6);
    options.projection.frequency = 0;
    Swing run(options);
    run.to(20, 1e-6);
    EXPECT_GT(run.worst, 10) << name(family);
    EXPECT_EQ(run.problem.statistics().projections, 0);
  }
}

// A projected error is smaller, so that steps are longer.
TEST(Multistep, ProjectedErrorsAllowLongerSteps) {
  for (const MultistepFamily family : families) {
    double product = 1;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      MultistepOptions options = options_of(family, tolerance);
      Swing with(options);
      with.to(20, tolerance);
      options.projection.project_error = false;
      Swing without(options);
      without.to(20, tolerance);
      product *= static_cast<double>(with.problem.statistics().accepted) /
                 static_cast<double>(without.problem.statistics().accepted);
      const Statistics& statistics = with.problem.statistics();
      EXPECT_LE(statistics.error_after_projection, statistics.error_before_projection);
    }
    EXPECT_LT(product, 1) << name(family);
  }
}

// --- what goes wrong

// Of its operations every twentieth fails, at random.
struct Unreliable : OwnPendulum {
  std::mt19937 random{7};
  long failed_derivatives = 0, failed_projections = 0;

  bool fails() { return std::uniform_int_distribution<int>(0, 19)(random) == 0; }
  Outcome derivative(double t, VectorIn y, VectorOut rates) override {
    if (t > 0 && fails()) {
      ++failed_derivatives;
      return Outcome::retry;
    }
    return OwnPendulum::derivative(t, y, rates);
  }
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) override {
    if (fails()) {
      ++failed_projections;
      return Outcome::retry;
    }
    return OwnPendulum::project(t, scale, tolerance, y);
  }
};

TEST(Multistep, RecoversFromFailuresAtRandomAndCountsThem) {
  for (const MultistepFamily family : families) {
    Unreliable pendulum;
    InvariantOdeProblem problem(pendulum);
    Multistep steps(problem, options_of(family, 1e-7));
    ASSERT_EQ(steps.start(0, OwnPendulum::horizontal(), 10, 0), Outcome::ok);
    while (steps.t() < 10) ASSERT_EQ(steps.step(10), Outcome::ok) << steps.failure().message;
    EXPECT_LT((steps.x() - OwnPendulum::horizontal()).norm(), 1e-3) << name(family);
    const Statistics& statistics = problem.statistics();
    EXPECT_GT(pendulum.failed_projections, 5);
    // some moved the state too far
    EXPECT_GE(statistics.rejected_projection, pendulum.failed_projections) << name(family);
    EXPECT_LE(statistics.rejected_projection, pendulum.failed_projections + 5) << name(family);
    EXPECT_GT(statistics.rejected_convergence, 0);
    EXPECT_LE(statistics.rejected_convergence, pendulum.failed_derivatives);
    EXPECT_EQ(statistics.steps, statistics.accepted + statistics.rejected());
  }
}

struct Hopeless : OwnPendulum {
  // short steps violate so little that no projection is needed
  double violation(double /*t*/, VectorIn /*y*/, VectorIn /*scale*/) override { return 1; }
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) override {
    return t > 0.5 ? Outcome::retry : OwnPendulum::project(t, scale, tolerance, y);
  }
};

TEST(Multistep, AProjectionThatNeverSucceedsEndsTheRunInWords) {
  for (const MultistepFamily family : families) {
    Hopeless pendulum;
    InvariantOdeProblem problem(pendulum);
    MultistepOptions options = options_of(family, 1e-6);
    Multistep steps(problem, options);
    ASSERT_EQ(steps.start(0, OwnPendulum::horizontal(), 1, 0), Outcome::ok);
    Outcome outcome = Outcome::ok;
    while (outcome == Outcome::ok && steps.t() < 1) outcome = steps.step(1);
    EXPECT_EQ(outcome, Outcome::fail);
    EXPECT_NE(steps.failure().message.find("the projection is not possible"), std::string::npos)
        << steps.failure().message;
    EXPECT_GT(problem.statistics().rejected_projection, 3);
  }
}

struct Throwing : OwnPendulum {
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) override {
    if (t > 0.5) throw std::runtime_error("out of paper");
    return OwnPendulum::project(t, scale, tolerance, y);
  }
};

TEST(Multistep, WhatAUsersOperationThrowsIsTold) {
  Throwing pendulum;
  InvariantOdeProblem problem(pendulum);
  Multistep steps(problem, options_of(MultistepFamily::adams, 1e-6));
  ASSERT_EQ(steps.start(0, OwnPendulum::horizontal(), 1, 0), Outcome::ok);
  Outcome outcome = Outcome::ok;
  while (outcome == Outcome::ok && steps.t() < 1) outcome = steps.step(1);
  EXPECT_EQ(outcome, Outcome::fail);
  EXPECT_NE(steps.failure().message.find("out of paper"), std::string::npos) << steps.failure().message;
}

TEST(Multistep, RefusesWhatMakesNoSense) {
  OwnPendulum pendulum;
  InvariantOdeProblem problem(pendulum);
  MultistepOptions options = options_of(MultistepFamily::bdf, 1e-6);
  options.max_order = 6;
  EXPECT_EQ(Multistep(problem, options).start(0, OwnPendulum::horizontal(), 1, 0), Outcome::fail);
  options.max_order = 0;
  options.projection.constraint_tolerance = 0;
  EXPECT_EQ(Multistep(problem, options).start(0, OwnPendulum::horizontal(), 1, 0), Outcome::fail);
}

// --- steps

// A tolerance that is met without it leaves the state alone; a frequency leaves it alone in between.
TEST(Multistep, SkipsWhatNeedsNoProjection) {
  MultistepOptions options = options_of(MultistepFamily::adams, 1e-6);
  options.projection.constraint_tolerance = 1;
  Swing lenient(options);
  lenient.to(10, 1e-6);
  EXPECT_GT(lenient.problem.statistics().projections_skipped, 0);
  EXPECT_GT(lenient.problem.statistics().projections, 0);
  EXPECT_LT(lenient.worst, 1.5);

  options.projection = {.frequency = 5};
  Swing rare(options);
  rare.to(10, 1e-6);
  const Statistics& statistics = rare.problem.statistics();
  EXPECT_NEAR(static_cast<double>(statistics.projections), static_cast<double>(statistics.steps) / 5,
              0.1 * static_cast<double>(statistics.steps));
}

TEST(Multistep, InterpolatesInsideStepsAsExactlyAsItSteps) {
  for (const MultistepFamily family : families) {
    const double tolerance = 1e-8;
    MultistepOptions tight = options_of(MultistepFamily::adams, 1e-12);
    Swing reference(tight), run(options_of(family, tolerance));
    Vector inside(4), exact(4);
    double worst = 0, worst_end = 0;
    while (run.steps.t() < 1.5) {
      ASSERT_EQ(run.steps.step(2), Outcome::ok);
      const double t = 0.5 * (run.steps.t() + run.steps.previous_t());
      run.steps.interpolate(t, inside);
      while (reference.steps.t() < t) ASSERT_EQ(reference.steps.step(t), Outcome::ok);
      worst = std::max(worst, (inside - reference.steps.x()).norm());
      while (reference.steps.t() < run.steps.t()) ASSERT_EQ(reference.steps.step(run.steps.t()), Outcome::ok);
      worst_end = std::max(worst_end, (run.steps.x() - reference.steps.x()).norm());
    }
    EXPECT_LT(worst, 2 * worst_end + 100 * tolerance) << name(family);
  }
}

TEST(Multistep, GoesBackAndStepsAgain) {
  for (const MultistepFamily family : families) {
    const double tolerance = 1e-8;
    Swing run(options_of(family, tolerance));
    run.to(1, tolerance);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(run.steps.step(2), Outcome::ok);
      const double begin = run.steps.previous_t(), end = run.steps.t();
      run.steps.retreat();
      EXPECT_EQ(run.steps.t(), begin);
      ASSERT_EQ(run.steps.step(begin + 0.3 * (end - begin)), Outcome::ok);
      EXPECT_EQ(run.steps.t(), begin + 0.3 * (end - begin));
    }
    run.to(2, tolerance);
    EXPECT_LT(run.error(), 1e-5) << name(family);
  }
}

TEST(Multistep, GoesOnFromACopyToTheLastBit) {
  for (const MultistepFamily family : families) {
    const double tolerance = 1e-7;
    Swing run(options_of(family, tolerance)), other(options_of(family, tolerance));
    run.to(1, tolerance);
    Snapshot snapshot;
    ASSERT_EQ(run.steps.save(snapshot), Outcome::ok);
    ASSERT_EQ(other.steps.restore(snapshot), Outcome::ok);
    run.to(2, tolerance);
    other.to(2, tolerance);
    EXPECT_EQ(run.steps.x(), other.steps.x()) << name(family);
    EXPECT_EQ(run.problem.statistics().accepted, other.problem.statistics().accepted);
  }
}

// A bound that cuts steps short, again and again, costs neither accuracy nor order.
TEST(Multistep, BoundsThatCutStepsShortDoNoHarm) {
  for (const MultistepFamily family : families) {
    const double tolerance = 1e-8;
    Swing run(options_of(family, tolerance)), free(options_of(family, tolerance));
    free.to(2, tolerance);
    for (int i = 1; i <= 20; ++i) run.to(0.1 * i + 1e-9 * (i % 2), tolerance);
    run.to(2, tolerance);
    EXPECT_LT(run.error(), 20 * free.error() + 1e-5) << name(family);
    EXPECT_LT(run.problem.statistics().accepted, 2 * free.problem.statistics().accepted) << name(family);
  }
}

}  // namespace
}  // namespace trammel
