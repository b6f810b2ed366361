// The projected-strangeness-free form, and the published procedure of it (geoms).
#include "trammel/formulation/psf/projected_strangeness_free.h"

#include <gtest/gtest.h>

#include <cmath>

#include "shifted_solve_check.h"
#include "tests/motion/everything_system.h"
#include "trammel/formulation/geoms/geoms.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/sdirk.h"
#include "trammel/numerics/norms.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

struct Assembled {
  Vector x, xdot;
};

Assembled assembled_everything(EquationsOfMotion& equations, bool meet_invariants) {
  AssemblyOptions options;
  options.meet_invariants = meet_invariants;
  Assembled result;
  result.x = Vector::Constant(equations.layout().total, 0.3);
  result.x.head(6) << 0.5, 0.4, 0.6, 0.7, 0.2, 0.9;
  const AssemblyReport report = Assembly(equations, options).run(0.2, result.x);
  EXPECT_FALSE(report.failure) << report.failure.message;
  result.xdot = Vector::Zero(result.x.size());
  MotionValues values(equations.layout());
  equations.evaluate({0.2, result.x, report.accelerations}, part::kinematics | part::b, values);
  const Layout& l = equations.layout();
  result.xdot.segment(l.p.begin, l.p.size) = values.kinematics;
  result.xdot.segment(l.v.begin, l.v.size) = report.accelerations;
  result.xdot.segment(l.r.begin, l.r.size) = values.b;
  return result;
}

class ShiftedSolve : public testing::TestWithParam<std::tuple<Decomposition, bool, bool>> {};

TEST_P(ShiftedSolve, FitsTheResidual) {
  const auto [decomposition, complete, invariants] = GetParam();
  TemplatedEquations<EverythingSystem> equations{EverythingSystem{}};
  GeomsOptions options;
  options.algebraic = decomposition;
  options.form = complete ? GeomsOptions::Form::complete : GeomsOptions::Form::incomplete;
  options.enforce_invariants = invariants;
  options.differential =
      decomposition == Decomposition::qr ? DifferentialDecomposition::qr : DifferentialDecomposition::lu;
  Geoms problem(equations, options);
  const Assembled state = assembled_everything(equations, invariants);
  // multipliers of the incomplete form follow from differences divided by the step: the errors of the check's
  // own differences grow with the shift
  expect_shifted_solves_fit(problem, 0.2, state.x, state.xdot, complete ? 1e-6 : 1e-4);
}

INSTANTIATE_TEST_SUITE_P(AllForms, ShiftedSolve,
                         testing::Combine(testing::Values(Decomposition::lu, Decomposition::qr,
                                                          Decomposition::svd),
                                          testing::Bool(), testing::Bool()));

// ------------------------------------------------------------------ psf itself

// A built-in problem, assembled, with psf of it.
struct Case {
  explicit Case(const char* name, ProjectedStrangenessFreeOptions options = {})
      : instance(find_problem(name)->make(find_problem(name)->values({}))),
        problem(*instance.equations, options) {
    Vector start = instance.x0;
    const AssemblyReport report =
        Assembly(*instance.equations, instance.assembly).run(instance.t_start, start);
    EXPECT_FALSE(report.failure) << report.failure.message;
    x.setZero(problem.unknowns());
    x.head(start.size()) = start;
    xdot.setZero(problem.unknowns());
    const Layout& l = instance.equations->layout();
    MotionValues values(l);
    instance.equations->evaluate({instance.t_start, start, report.accelerations}, part::kinematics | part::b,
                                 values);
    xdot.segment(l.p.begin, l.p.size) = values.kinematics;
    xdot.segment(l.v.begin, l.v.size) = report.accelerations;
    xdot.segment(l.r.begin, l.r.size) = values.b;
  }

  ProblemCase instance;
  ProjectedStrangenessFree problem;
  Vector x, xdot;
};

using Form = ProjectedStrangenessFreeOptions::Form;

class PsfShiftedSolve : public testing::TestWithParam<std::tuple<const char*, Form>> {};

TEST_P(PsfShiftedSolve, FitsTheResidual) {
  Case of(std::get<0>(GetParam()), {.form = std::get<1>(GetParam())});
  expect_shifted_solves_fit(of.problem, of.instance.t_start, of.x, of.xdot, 1e-4);
}

// a constant mass matrix; an invariant; one of the state, and loops; nonholonomic. What follows (s, w) has no equation
// here
INSTANTIATE_TEST_SUITE_P(OfProblems, PsfShiftedSolve,
                         testing::Combine(testing::Values("pendulum", "pendulum-energy", "andrews",
                                                          "chaplygin-sleigh"),
                                          testing::Values(Form::complete, Form::incomplete)));

class PsfSteps : public testing::TestWithParam<const char*> {};

// All three levels at round-off at the end of a step, and multipliers that belong to them.
TEST_P(PsfSteps, HoldTheConstraintsAtAllLevels) {
  Case of(GetParam());
  RadauOptions options;
  options.tolerances.relative = options.tolerances.absolute = 1e-4;
  Radau radau(of.problem, options);
  const double end = of.instance.t_start + 0.1 * (of.instance.t_end - of.instance.t_start);
  ASSERT_EQ(radau.start(of.instance.t_start, of.x, end, of.instance.h0), Outcome::ok);
  const Layout& l = of.instance.equations->layout();
  MotionValues values(l);
  for (int step = 0; step < 20 && radau.t() < end; ++step) {
    ASSERT_EQ(radau.step(end), Outcome::ok) << radau.failure().message;
    const Vector x = radau.x().head(l.total);
    const Vector* a = of.problem.accelerations_at(radau.t(), radau.x());
    ASSERT_NE(a, nullptr);
    of.instance.equations->evaluate(
        {radau.t(), x, *a},
        part::g | part::velocity_level | part::acceleration_level | part::dynamics | part::mass, values);
    EXPECT_LE(largest(values.g), 1e-13) << radau.t();
    const double speed = 1 + largest(x.segment(l.v.begin, l.v.size));
    EXPECT_LE(largest(values.gI), 1e-13 * speed) << radau.t();
    EXPECT_LE(largest(values.h), 1e-13 * speed) << radau.t();
    EXPECT_LE(largest(values.gII), 1e-12 * (largest(*a) + speed * speed)) << radau.t();
    EXPECT_LE(largest(values.hI), 1e-12 * (largest(*a) + speed * speed)) << radau.t();
    const Vector left = values.dynamics - values.M * *a;
    // of forces that may be far larger than what they leave
    EXPECT_LE(largest(left),
              1e-14 * (1 + x.tail(l.total - l.lambda.begin).lpNorm<1>()) + 1e-11 * largest(values.dynamics))
        << radau.t();
    EXPECT_EQ(radau.x().tail(of.problem.unknowns() - l.total).norm(), 0) << "what vanishes on the solution";
  }
}

INSTANTIATE_TEST_SUITE_P(OfProblems, PsfSteps,
                         testing::Values("pendulum", "andrews", "truck", "chaplygin-sleigh", "bricard",
                                         "heavy-top", "four-bar", "rolling-contact"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::erase(text, '-');
                           return text;
                         });

// With one stage after the other, each of order 1, only derivatives that follow from the state keep the order 4
// (ImplicitProblem::improve_rates): with those of the increments it is 2. Mass matrices constant and of the state.
TEST(ProjectedStrangenessFree, HasOrderFourWithSdirk) {
  struct Setting {
    const char* problem;
    double until;
    int steps;
  };
  for (const Setting& setting : {Setting{"pendulum", 1, 40}, {"andrews", 0.01, 90}, {"knife-edge", 1, 10}}) {
    const auto solve = [&](int steps) {
      Case of(setting.problem);
      SdirkOptions options;
      options.fixed_step = true;
      options.newton_stop = 1e-4;
      options.max_newton_iterations = 20;
      options.tolerances.relative = options.tolerances.absolute = 1e-6;
      Sdirk sdirk(of.problem, options);
      EXPECT_EQ(sdirk.start(0, of.x, setting.until, setting.until / steps), Outcome::ok);
      for (int k = 0; k < steps; ++k)
        EXPECT_EQ(sdirk.step(setting.until), Outcome::ok) << sdirk.failure().message;
      EXPECT_EQ(sdirk.t(), setting.until);
      return Vector(sdirk.x());
    };
    const Vector reference = solve(6 * setting.steps);
    const Layout l = Case(setting.problem).instance.equations->layout();
    const Vector coarse = solve(setting.steps) - reference, fine = solve(2 * setting.steps) - reference;
    for (const Block& block : {l.p, l.v, l.lambda}) {
      if (block.size == 0) continue;
      const double order = std::log2(coarse.segment(block.begin, block.size).norm() /
                                     fine.segment(block.begin, block.size).norm());
      EXPECT_GT(order, 3.5) << setting.problem << " " << block.begin;
      EXPECT_LT(order, 5.5) << setting.problem << " " << block.begin;
    }
  }
}

}  // namespace
}  // namespace trammel
