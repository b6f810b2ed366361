#include "trammel/integrator/ida.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integrator/own_pendulum.h"
#include "tests/integrator/sundials_checks.h"
#include "trammel/integrator/radau.h"

namespace trammel {
namespace {

using namespace test;
using Form = IndexReductionOptions::Form;

IdaOptions with(double tolerance) {
  IdaOptions options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

std::unique_ptr<Integrator> make(ImplicitProblem& problem, double tolerance) {
  return std::make_unique<Ida>(problem, with(tolerance));
}

// as for every multistep method, many local errors of the same sign add up
TEST(Ida, ErrorFollowsTheTolerance) { expect_errors_follow_tolerance(make, 300); }
TEST(Ida, HeedsTheMassMatrix) { expect_mass_matrix_is_heeded(make); }
TEST(Ida, EndsExactlyAtTheBound) { expect_bounds_are_hit(make); }
TEST(Ida, RetreatRepeatsTheStep) { expect_retreat_repeats_the_step(make); }
TEST(Ida, GoesOnFromAChangedState) { expect_changed_states_are_kept(make); }
TEST(Ida, StateSpaceFormIsTheReducedEquation) { expect_same_as_reduced(make); }
TEST(Ida, GoesOnFromCompletedGuesses) { expect_guesses_are_completed(make); }
TEST(Ida, FollowsDrivenMotion) { expect_driven_motion_is_followed(make); }
TEST(Ida, CountersAddUp) { expect_counters_add_up(make); }

TEST(Ida, KeepsItsOrderWhenOtherUnknownsBecomeIndependent) {
  int lowest = 100;
  expect_state_space_form_works(make, [&](Integrator& integrator) {
    lowest = std::min(lowest, dynamic_cast<Ida&>(integrator).order());
  });
  EXPECT_GE(lowest, 3);
}

TEST(Ida, SolvesVanDerPolsEquation) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    OdeRun<StiffVanDerPol> ode;
    Ida ida(ode.problem, with(tolerance));
    ASSERT_EQ(run(ida, StiffVanDerPol::initial(), 2), Outcome::ok) << ida.failure().message;
    EXPECT_LT((ida.x() - StiffVanDerPol::solution_at_2()).norm(), 150 * tolerance);
    EXPECT_LT(ode.problem.statistics().accepted, 4000);
    // a Jacobian serves several steps
    EXPECT_LT(ode.problem.statistics().jacobians, ode.problem.statistics().accepted / 2);
  }
}

// A pendulum whose support moves, x = a sin 3t: 0 = (p − a sin 3t)² + q² − 1, in five unknowns and those that
// a form adds.
struct Pendulum {
  double a = 0;
  static constexpr double gravity = 9.81;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = -gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::sin;
    const T d = x.p[0] - a * sin(3.0 * x.t);
    g[0] = d * d + x.p[1] * x.p[1] - 1.0;
  }

  // at the lowest point, with the velocity of the support and 3 beyond it: λ carries weight and turning
  Vector initial() const { return (Vector(5) << 0, -1, 3 * a + 3, 0, (gravity + 9) / 2).finished(); }
  double position_violation(double t, const Vector& x) const {
    const double d = x[0] - a * std::sin(3 * t);
    return std::abs(d * d + x[1] * x[1] - 1);
  }
  double velocity_violation(double t, const Vector& x) const {
    const double d = x[0] - a * std::sin(3 * t), e = x[2] - 3 * a * std::cos(3 * t);
    return std::abs(2 * d * e + 2 * x[1] * x[3]);
  }
};

struct PendulumRun {
  Pendulum pendulum;
  TemplatedEquations<Pendulum> equations;
  IndexReduction problem;
  Vector x0;
  PendulumRun(Form form, double a)
      : pendulum{a}, equations{pendulum}, problem(equations, {.form = form}), x0(problem.unknowns()) {
    x0.setZero();
    x0.head(5) = pendulum.initial();
  }
};

Vector reference(double a, double t_end) {
  PendulumRun exact(Form::ggl, a);
  RadauOptions options;
  options.tolerances.relative = options.tolerances.absolute = 1e-12;
  Radau radau(exact.problem, options);
  EXPECT_EQ(run(radau, exact.x0, t_end), Outcome::ok);
  return radau.x().head(5);
}

class IdaOf : public testing::TestWithParam<Form> {};
std::string name_of(const testing::TestParamInfo<Form>& form) {
  const std::vector<std::string> names{"index3", "index2", "index1", "baumgarte", "ggl"};
  return names[static_cast<std::size_t>(form.param)];
}
INSTANTIATE_TEST_SUITE_P(Forms, IdaOf,
                         testing::Values(Form::index1, Form::baumgarte, Form::index2, Form::ggl), name_of);

TEST_P(IdaOf, SolvesConstrainedMotion) {
  const std::vector<double> times{0.25, 0.5, 0.75, 1};
  for (const double a : {0.0, 0.3}) {
    std::vector<Vector> exact;
    for (const double t : times) exact.push_back(reference(a, t));
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      PendulumRun motion(GetParam(), a);
      Ida ida(motion.problem, with(tolerance));
      ASSERT_EQ(ida.start(0, motion.x0, 1, 0), Outcome::ok);
      // the largest error over several times: at a single one it may happen to vanish
      double error = 0;
      Vector x(motion.x0.size());
      for (std::size_t k = 0; k < times.size(); ++k) {
        while (ida.t() < times[k]) ASSERT_EQ(ida.step(1), Outcome::ok) << ida.failure().message;
        ida.interpolate(times[k], x);
        error = std::max(error, (x.head(4) - exact[k].head(4)).norm());
        // multipliers too; where they are of index 2, Newton's iteration determines them up to 1/h
        const double size = tolerance * (1 + std::abs(exact[k][4]));
        EXPECT_NEAR(x[4], exact[k][4],
                    motion.problem.variable_index()[4] == 1 ? 100 * size : 2 * size / ida.next_step());
      }
      // 4 to 70 times the tolerance over many runs, since local errors cancel in some and add up in others
      EXPECT_LT(error, 100 * tolerance);
      // the first step begins with rates that fit: neither it nor any other fails to converge
      EXPECT_EQ(motion.problem.statistics().rejected_convergence, 0);
      EXPECT_LT(motion.problem.statistics().jacobians, motion.problem.statistics().accepted / 2);
    }
  }
}

TEST(Ida, HoldsTheConstraintsOfGgl) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    PendulumRun motion(Form::ggl, 0.3);
    Ida ida(motion.problem, with(tolerance));
    ASSERT_EQ(ida.start(0, motion.x0, 3, 0), Outcome::ok);
    Vector x(ida.x().size());
    while (ida.t() < 3) {
      ASSERT_EQ(ida.step(3), Outcome::ok) << ida.failure().message;
      // Newton's iteration stops at a part of the tolerance, in a norm; |x| up to 4
      ASSERT_LT(motion.pendulum.position_violation(ida.t(), ida.x()), 10 * tolerance);
      ASSERT_LT(motion.pendulum.velocity_violation(ida.t(), ida.x()), 50 * tolerance);
      // and between the steps to the accuracy of the method
      const double t = 0.5 * (ida.previous_t() + ida.t());
      ida.interpolate(t, x);
      ASSERT_LT(motion.pendulum.position_violation(t, x), 100 * tolerance);
    }
  }
}

// Index 3 has no error test for velocities and multipliers: positions are as good as their neighbours allow.
TEST(Ida, SolvesIndexThreeRoughly) {
  const Vector exact = reference(0, 1);
  PendulumRun motion(Form::index3, 0);
  Ida ida(motion.problem, with(1e-6));
  ASSERT_EQ(run(ida, motion.x0, 1), Outcome::ok) << ida.failure().message;
  EXPECT_LT((ida.x().head(2) - exact.head(2)).norm(), 1e-2);
  EXPECT_LT(motion.pendulum.position_violation(1, ida.x()), 1e-4);
}

// At tight tolerances the first step is so short that round-off over h is all there is of a multiplier of
// index 2: it must weigh less.
TEST(Ida, BeginsAtTightTolerances) {
  const Vector exact = reference(0, 0.3);
  for (const Form form : {Form::index1, Form::index2, Form::ggl}) {
    PendulumRun motion(form, 0);
    Ida ida(motion.problem, with(1e-11));
    ASSERT_EQ(run(ida, motion.x0, 0.3), Outcome::ok) << ida.failure().message;
    EXPECT_LT((ida.x().head(4) - exact.head(4)).norm(), 1e-9);
    EXPECT_EQ(motion.problem.statistics().rejected_convergence, 0);
  }
}

TEST_P(IdaOf, BeginsWithRatesThatFit) {
  const double a = 0.3;
  PendulumRun motion(GetParam(), a);
  ASSERT_EQ(motion.problem.start(0, motion.x0), Outcome::ok);
  const Tolerances tolerances;
  SundialsFunctions functions(motion.problem, tolerances);
  functions.start();
  Vector rates(motion.x0.size());
  ASSERT_EQ(functions.initial_rates(0, motion.x0, 1, rates), 0);
  // the velocity, and the acceleration of a turn with speed 3 about the support
  const Vector expected = (Vector(4) << 3 * a + 3, 0, 0, 9).finished();
  EXPECT_LT((rates.head(4) - expected).norm(), 1e-4);
  // a multiplier of index 1 has a rate; for one of index 2 a step of any size finds the value, not the rate
  if (motion.problem.variable_index()[4] == 1) {
    const double h = 1e-4;
    EXPECT_NEAR(rates[4], (reference(a, h)[4] - motion.x0[4]) / h, 0.05);
  } else {
    EXPECT_EQ(rates[4], 0);
  }
}

// Multipliers of index 2 that do not fit the motion at the start are put right by the first step.
TEST(Ida, FindsMultipliersOfIndexTwo) {
  for (const Form form : {Form::index2, Form::ggl}) {
    PendulumRun motion(form, 0);
    motion.x0[4] = 0;
    Ida ida(motion.problem, with(1e-6));
    ASSERT_EQ(ida.start(0, motion.x0, 1, 0), Outcome::ok);
    ASSERT_EQ(ida.step(1), Outcome::ok) << ida.failure().message;
    EXPECT_NEAR(ida.x()[4], motion.pendulum.initial()[4], 1e-2);
    EXPECT_EQ(motion.problem.statistics().rejected_error, 0);
  }
}

TEST(Ida, StopsAtBoundsOfConstrainedMotion) {
  const Vector exact = reference(0.3, 0.75);
  PendulumRun motion(Form::ggl, 0.3);
  Ida ida(motion.problem, with(1e-7));
  ASSERT_EQ(ida.start(0, motion.x0, 1, 0), Outcome::ok);
  for (const double bound : {1e-8, 0.25, 0.25 + 1e-10, 0.75}) {
    while (ida.t() < bound) ASSERT_EQ(ida.step(bound), Outcome::ok) << ida.failure().message;
    EXPECT_EQ(ida.t(), bound);
  }
  EXPECT_LT((ida.x().head(4) - exact.head(4)).norm(), 1e-5);

  // an event inside the next step
  ASSERT_EQ(ida.step(1), Outcome::ok);
  const double end = ida.t(), middle = 0.5 * (ida.previous_t() + end);
  Vector x(ida.x().size());
  ida.interpolate(middle, x);
  ida.retreat();
  EXPECT_EQ(ida.t(), 0.75);
  ASSERT_EQ(ida.step(middle), Outcome::ok);
  EXPECT_EQ(ida.t(), middle);
  EXPECT_LT((ida.x() - x).norm(), 1e-12);
  ASSERT_EQ(ida.step(1), Outcome::ok);
  EXPECT_EQ(ida.t(), end);
}

// y' = −y beside an unknown without an equation, which stays what it is.
class Incomplete final : public ImplicitProblem {
 public:
  Index unknowns() const override { return 2; }
  Index equations() const override { return 1; }
  const std::vector<int>& variable_index() const override { return index_; }
  Outcome start(double, VectorIn) override { return Outcome::ok; }
  Outcome residual(double, VectorIn x, VectorIn xdot, VectorOut out) override {
    EXPECT_EQ(out.size(), 1);
    out[0] = -x[0] - xdot[0];
    return Outcome::ok;
  }
  Outcome linearize(double, VectorIn) override { return Outcome::ok; }
  Outcome factor(double shift) override {
    shift_ = shift;
    return Outcome::ok;
  }
  Outcome factor(std::complex<double>) override { return Outcome::ok; }
  void solve(VectorIn residual, VectorOut x) override { x[0] = residual[0] / (shift_ + 1); }
  void solve(const Eigen::Ref<const ComplexVector>&, Eigen::Ref<ComplexVector>) override {}

 private:
  std::vector<int> index_{1, 0};
  double shift_ = 0;
};

TEST(Ida, LeavesUnknownsWithoutEquationAlone) {
  Incomplete problem;
  Ida ida(problem, with(1e-8));
  ASSERT_EQ(run(ida, (Vector(2) << 1, 7).finished(), 1), Outcome::ok) << ida.failure().message;
  EXPECT_NEAR(ida.x()[0], std::exp(-1), 1e-6);
  EXPECT_NEAR(ida.x()[1], 7, 1e-12);
}

class Excessive final : public ScalarProblem {
  Index equations() const override { return 2; }
  double rate(double, double) override { return 0; }
};

// Gives up for good in its residual after t = 0.5.
class GivesUpItsResidual final : public ScalarProblem {
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override {
    if (t > 0.5) return give_up(Reason::mass_singular, "there is no mass left");
    return ScalarProblem::residual(t, x, xdot, out);
  }
  double rate(double, double) override { return 1; }
};

// A step that is read again from the interpolant, up to an earlier bound, ends on the invariants as every other does.
TEST(Ida, StepsThatAreCutShortAreProjectedByTheRuleOfAllOthers) {
  test::OwnPendulum pendulum;
  InvariantOdeProblem problem(pendulum);
  IdaOptions options;
  options.tolerances.relative = options.tolerances.absolute = 1e-10;
  Ida steps(problem, options);
  ASSERT_EQ(steps.start(0, test::OwnPendulum::horizontal(), 2, 0), Outcome::ok);
  while (steps.t() < 1) {
    ASSERT_EQ(steps.step(2), Outcome::ok) << steps.failure().message;
    const double begin = steps.previous_t(), end = steps.t();
    steps.retreat();
    ASSERT_EQ(steps.step(begin + 0.4 * (end - begin)), Outcome::ok) << steps.failure().message;
    const Vector scale = 1e-10 * (1 + steps.x().array().abs()).matrix();
    EXPECT_LE(pendulum.violation(0, steps.x(), scale), options.projection.constraint_tolerance) << steps.t();
    ASSERT_EQ(steps.step(end), Outcome::ok) << steps.failure().message;  // what is left of it
  }
}

TEST(Ida, FailsInWordsAndInSilence) {
  expect_failure<EndsInNothing>(make, 1 - 1e-9, 1, Reason::not_finite, "not finite at t = 1");
  expect_failure<Throws>(make, 0, 0.5, Reason::user_function_failed, "the spring broke");
  expect_failure<ThrowsNonsense>(make, 0, 0.5, Reason::user_function_failed, "not an exception");
  expect_failure<GivesUpItsResidual>(make, 0, 0.5, Reason::mass_singular, "no mass left");
  expect_failure<Excessive>(make, 0, 0, Reason::invalid_options, "more");

  Explodes explodes;
  Ida ida(explodes, with(1e-6));
  EXPECT_EQ(run(ida, Vector::Ones(1), 2), Outcome::fail);
  EXPECT_FALSE(ida.failure().message.empty());
  EXPECT_NEAR(ida.t(), 1, 1e-2);

  OdeRun<KnownSolution> ode;
  Ida backwards(ode.problem, with(1e-6));
  EXPECT_EQ(backwards.start(1, KnownSolution::initial(), 0, 0), Outcome::fail);
  EXPECT_EQ(backwards.failure().reason, Reason::end_before_start);

  IdaOptions few = with(1e-8);
  few.max_steps = 20;
  PendulumRun motion(Form::ggl, 0);
  Ida short_of_steps(motion.problem, few);
  EXPECT_EQ(run(short_of_steps, motion.x0, 10), Outcome::fail);
  EXPECT_EQ(short_of_steps.failure().reason, Reason::too_many_steps);
  EXPECT_NE(short_of_steps.failure().message.find("20 steps"), std::string::npos);
}

int highest_order(int max_order, double tolerance) {
  OdeRun<KnownSolution> ode;
  IdaOptions options = with(tolerance);
  options.max_order = max_order;
  Ida ida(ode.problem, options);
  EXPECT_EQ(ida.order(), 0);
  EXPECT_EQ(ida.start(0, KnownSolution::initial(), 3, 0), Outcome::ok);
  int highest = 0;
  while (ida.t() < 3 && ida.step(3) == Outcome::ok) highest = std::max(highest, ida.order());
  EXPECT_EQ(ida.t(), 3);
  EXPECT_LT((ida.x() - KnownSolution::solution(3)).norm(), 300 * tolerance);
  return highest;
}

TEST(Ida, OptionsAreObeyed) {
  EXPECT_EQ(highest_order(1, 1e-4), 1);
  EXPECT_EQ(highest_order(2, 1e-6), 2);
  EXPECT_EQ(highest_order(5, 1e-8), 5);

  OdeRun<KnownSolution> ode;
  IdaOptions options = with(1e-3);
  options.max_step = 0.01;
  Ida ida(ode.problem, options);
  ASSERT_EQ(ida.start(0, KnownSolution::initial(), 1, 1e-5), Outcome::ok);
  ASSERT_EQ(ida.step(1), Outcome::ok);
  EXPECT_NEAR(ida.last_step(), 1e-5, 1e-15);
  while (ida.t() < 1) ASSERT_EQ(ida.step(1), Outcome::ok);
  EXPECT_GE(ode.problem.statistics().accepted, 100);
}

TEST(Ida, RecordsHowNewtonsIterationConverges) {
  for (const Form form : {Form::index1, Form::ggl}) {
    PendulumRun motion(form, 0);
    const IdaOptions options = with(1e-7);
    Ida ida(motion.problem, options);
    ida.record_newton(true);
    ASSERT_EQ(run(ida, motion.x0, 1), Outcome::ok) << ida.failure().message;
    const std::vector<NewtonRecord>& records = ida.newton_records();
    const Statistics& statistics = motion.problem.statistics();
    ASSERT_EQ(static_cast<long>(records.size()), statistics.accepted + statistics.rejected_error);
    long iterations = 0, several = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const NewtonRecord& record = records[i];
      EXPECT_TRUE(record.converged);
      // an attempt begins where the one before ended, or where it began if its error was too large
      if (i > 0) {
        EXPECT_LT(std::min(std::abs(record.t - record.h - records[i - 1].t),
                           std::abs(record.t - record.h - records[i - 1].t + records[i - 1].h)),
                  1e-12);
      }
      EXPECT_GE(record.iterations, 1);
      EXPECT_LE(record.iterations, options.max_newton_iterations);
      EXPECT_EQ(record.rate > 0, record.iterations > 1);
      EXPECT_LT(record.rate, 0.9);  // above this IDAS does not accept an iteration
      iterations += record.iterations;
      several += record.iterations > 1;
    }
    EXPECT_EQ(records.back().t, 1);
    EXPECT_GT(several, 0);
    // an iteration that begins again with a new matrix is recorded from there
    EXPECT_LE(iterations, statistics.newton_iterations);
    EXPECT_GT(iterations, statistics.newton_iterations * 8 / 10);
  }

  // the matrix is exact for a linear equation; what is left of the rate is σ, which may be that of a step
  // before: the ratio r lies between 3/5 and 5/3, and the scaled change misses |r − 1| / (r + 1) = 1/4
  OdeRun<StiffLinear> linear;
  Ida ida(linear.problem, with(1e-7));
  ida.record_newton(true);
  ASSERT_EQ(run(ida, StiffLinear::initial(), 1), Outcome::ok);
  for (const NewtonRecord& record : ida.newton_records()) EXPECT_LT(record.rate, 0.26);

  // a new start, as after an event, goes on with the record; nothing is recorded unasked
  const std::size_t before = ida.newton_records().size();
  ASSERT_EQ(run(ida, StiffLinear::initial(), 1), Outcome::ok);
  EXPECT_EQ(ida.newton_records().size(), 2 * before);
  Ida silent(linear.problem, with(1e-7));
  ASSERT_EQ(run(silent, StiffLinear::initial(), 1), Outcome::ok);
  EXPECT_TRUE(silent.newton_records().empty());
}

TEST(Ida, TakesStepsOfOneSizeWithoutAnErrorTest) {
  OdeRun<KnownSolution> ode;
  double previous = 0;
  for (const double h : {0.02, 0.01}) {
    IdaOptions options = with(1e-9);
    options.max_order = 1;
    options.fixed_step = true;
    Ida ida(ode.problem, options);
    ASSERT_EQ(ida.start(0, KnownSolution::initial(), 1, h), Outcome::ok);
    while (ida.t() < 0.999) {
      ASSERT_EQ(ida.step(1), Outcome::ok) << ida.failure().message;
      ASSERT_NEAR(ida.last_step(), h, 1e-12);
    }
    const double error = (ida.x() - KnownSolution::solution(ida.t())).lpNorm<Eigen::Infinity>();
    EXPECT_GT(error, 1e-6);  // far above the tolerance
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 2, 0.2);
    }
    previous = error;
  }
}

TEST(Ida, OptionsAreChecked) {
  const auto bad = [](auto change) {
    IdaOptions options;
    change(options);
    return static_cast<bool>(options.check(2));
  };
  EXPECT_FALSE(bad([](IdaOptions&) {}));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.tolerances.relative = 0; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.max_order = 6; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.max_order = 0; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.max_newton_iterations = 0; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.newton_stop = -1; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.max_steps = 0; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.max_step = -1; }));
  EXPECT_TRUE(bad([](IdaOptions& o) { o.max_step = NAN; }));
}

}  // namespace
}  // namespace trammel
