// The stiff double pendulum: its two forms, its known end, and the published steps and errors of SDIRK4 (D.
// Negrut, E. J. Haug, H. C. German, 2003, tables II and III).
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <set>

#include "trammel/formulation/classical/index_reduction.h"
#include "trammel/formulation/geoms/geoms.h"
#include "trammel/formulation/state_space/coordinate_partitioning.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/sdirk.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/difference_derivatives.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

const BuiltinProblem& problem() { return *find_problem("double-pendulum"); }

ProblemCase make(const std::string& formulation, const std::map<std::string, double>& changes = {}) {
  return problem().make_for(formulation, problem().values(changes));
}

// ------------------------------------------------------------------------------------------ equations

class DoublePendulumForms : public testing::TestWithParam<const char*> {
 protected:
  ProblemCase instance = make(GetParam());
  EquationsOfMotion& equations = *instance.equations;
};
INSTANTIATE_TEST_SUITE_P(Forms, DoublePendulumForms, testing::Values("psf", "ode"),
                         [](const auto& form) { return std::string(form.param); });

TEST_P(DoublePendulumForms, InitialValuesAreConsistent) {
  const Layout& layout = equations.layout();
  Vector x = instance.x0;
  ASSERT_EQ(x.size(), layout.total);
  const AssemblyReport report = Assembly(equations, instance.assembly).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_EQ(x.head(layout.v.end()), instance.x0.head(layout.v.end())) << report.largest_change;
  EXPECT_EQ(report.degrees_of_freedom, 2);
  EXPECT_EQ(report.position_rank, layout.lambda.size);
}

TEST_P(DoublePendulumForms, DerivativesAreExact) {
  Vector x = instance.x0, a = Vector::LinSpaced(equations.layout().v.size, -0.6, 0.9);
  for (Index i = 0; i < x.size(); ++i)
    x[i] += 0.02 * (1 + std::abs(x[i])) * std::sin(1.7 * static_cast<double>(i) + 0.4);
  MotionDerivatives exact(equations.layout()), differences(equations.layout());
  equations.differentiate({0, x, a}, part::all, exact);
  DifferenceDerivatives(equations.layout()).compute(equations, {0, x, a}, part::all, differences);
  const auto expect_near = [](const Matrix& value, const Matrix& difference) {
    if (value.size() == 0) return;
    EXPECT_LE((value - difference).cwiseAbs().maxCoeff(), 2e-8 * (1 + value.cwiseAbs().maxCoeff()));
  };
  expect_near(exact.kinematics, differences.kinematics);
  expect_near(exact.dynamics, differences.dynamics);
  expect_near(exact.g, differences.g);
  expect_near(exact.gI, differences.gI);
  expect_near(exact.gII, differences.gII);
}

TEST_P(DoublePendulumForms, AnglesHaveTheSameNamesInBoth) {
  const Layout& layout = equations.layout();
  std::set<std::string> names;
  for (Index i = 0; i < layout.total; ++i) names.insert(equations.names().variable(layout, i));
  EXPECT_EQ(static_cast<Index>(names.size()), layout.total);
  for (const char* name : {"theta1", "theta2", "omega1", "omega2"}) EXPECT_TRUE(names.contains(name)) << name;
  for (const ComputedColumn& column : instance.drawn_columns) EXPECT_FALSE(names.contains(column.name));
  // link 1 lies along x, link 2 points down by 15 degrees
  const double pi = std::numbers::pi;
  const std::vector<double> drawn = {2, 0, 2 + 3 * std::cos(pi / 12), -3 * std::sin(pi / 12)};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(instance.drawn_columns[i].value(instance.x0), drawn[i], 1e-14) << i;
}

// x' of the reduced form
Vector rates(IndexReduction& form, const Vector& x) {
  Vector xdot(4);
  EXPECT_EQ(form.rates(0, x, xdot), Outcome::ok);
  return xdot;
}

TEST(DoublePendulum, BothFormsHaveTheSameAccelerations) {
  // the springs are weak enough to let the other terms be seen
  const std::map<std::string, double> changes = {
      {"k1", 4},   {"k2", 3},       {"c1", 0.5},    {"c2", 0.2},      {"m1", 2.5},
      {"m2", 1.7}, {"L1", 0.8},     {"L2", 1.3},    {"zero2", 0.3},   {"zero1", 1},
      {"g", 9},    {"theta1", 0.7}, {"theta2", -1}, {"omega1", -1.5}, {"omega2", 2.5}};
  ProblemCase cartesian = make("psf", changes), reduced = make("ode", changes);
  Vector x = cartesian.x0;
  const AssemblyReport report = Assembly(*cartesian.equations).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  IndexReduction form(*reduced.equations, {.form = IndexReductionOptions::Form::ode});
  ASSERT_EQ(form.start(0, reduced.x0), Outcome::ok);
  const Vector xdot = rates(form, reduced.x0);
  EXPECT_NEAR(xdot[2], report.accelerations[2], 1e-12);
  EXPECT_NEAR(xdot[3], report.accelerations[5], 1e-12);
}

TEST(DoublePendulum, IsAsStiffAsPublished) {
  ProblemCase reduced = make("ode");
  IndexReduction form(*reduced.equations, {.form = IndexReductionOptions::Form::ode});
  ASSERT_EQ(form.start(0, reduced.x0), Outcome::ok);
  Matrix J(4, 4);
  for (Index i = 0; i < 4; ++i) {
    Vector left = reduced.x0, right = reduced.x0;
    left[i] -= 1e-6;
    right[i] += 1e-6;
    J.col(i) = (rates(form, right) - rates(form, left)) / 2e-6;
  }
  const double dominant = J.eigenvalues().real().minCoeff();
  EXPECT_NEAR(dominant, -9.987e4, 0.0005e4);
}

TEST(DoublePendulum, RefusesParametersThatMakeNoSense) {
  for (const char* form : {"psf", "ode"}) {
    for (const char* name : {"m1", "m2", "L1", "L2"})
      EXPECT_THROW(make(form, {{name, 0}}), std::invalid_argument) << name;
    for (const char* name : {"k1", "k2", "c1", "c2"})
      EXPECT_THROW(make(form, {{name, -1}}), std::invalid_argument) << name;
    EXPECT_TRUE(make(form).digits);
    EXPECT_FALSE(make(form, {{"omega1", 0.1}}).digits);
    EXPECT_FALSE(make(form).digits(1, make(form).x0));
  }
}

// ----------------------------------------------------------------------------------------------- motion

// The reduced form with its integrator.
template <class Integrator, class Options>
struct Reduced {
  ProblemCase instance = make("ode");
  IndexReduction problem{*instance.equations, {.form = IndexReductionOptions::Form::ode}};
  Integrator integrator;
  explicit Reduced(double tolerance) : integrator(problem, options(tolerance)) {
    EXPECT_EQ(integrator.start(0, instance.x0, 2, instance.h0), Outcome::ok);
  }
  static Options options(double tolerance) {
    Options options;
    options.tolerances.relative = options.tolerances.absolute = tolerance;
    return options;
  }
};
using ReducedRadau = Reduced<Radau, RadauOptions>;
using ReducedSdirk = Reduced<Sdirk, SdirkOptions>;

TEST(DoublePendulum, BothFormsEndInTheReference) {
  ReducedRadau reduced(1e-11);
  double smallest = 0, largest = 0;
  while (reduced.integrator.t() < 2) {
    ASSERT_EQ(reduced.integrator.step(2), Outcome::ok) << reduced.integrator.failure().message;
    smallest = std::min(smallest, reduced.integrator.x()[2]);
    largest = std::max(largest, reduced.integrator.x()[2]);
  }
  EXPECT_GT(reduced.instance.digits(2, reduced.integrator.x()).value(), 9.5);
  EXPECT_NEAR(smallest, -9.66, 0.005);
  EXPECT_NEAR(largest, 6.41, 0.005);

  ProblemCase cartesian = make("psf");
  Vector x0 = cartesian.x0;
  ASSERT_FALSE(Assembly(*cartesian.equations).run(0, x0).failure);
  Geoms psf(*cartesian.equations);
  Radau radau(psf, ReducedRadau::options(1e-11));
  ASSERT_EQ(radau.start(0, x0, 2, cartesian.h0), Outcome::ok);
  while (radau.t() < 2) ASSERT_EQ(radau.step(2), Outcome::ok) << radau.failure().message;
  EXPECT_GT(cartesian.digits(2, radau.x()).value(), 9.5);
}

struct Published {
  double tolerance;
  long steps;
  double angle_error, speed_error;  // 0: not published
};

class PublishedSdirk : public testing::TestWithParam<Published> {};

// The published initial step size is not known; the one of the problem, 1e-6, is a tenth of the time constant
// of the fast mode. The counts are sensitive to it: after the fast mode the estimate feels what Newton's
// iteration left over, and some initial steps lead to ten steps more at 1e-4 and 1e-5. Changes of 1 % do not.
//
// The published errors are no goal but a bound: they are 12 to 90 times larger than those found here in as
// many steps. Between the last two they fall with the third power of the step size, those here with the
// fourth.
TEST_P(PublishedSdirk, StepsAndErrors) {
  const Published published = GetParam();
  ReducedSdirk run(published.tolerance);
  ReducedRadau reference(1e-10);
  double angle_error = 0, speed_error = 0;
  while (run.integrator.t() < 2) {
    ASSERT_EQ(run.integrator.step(2), Outcome::ok) << run.integrator.failure().message;
    if (published.angle_error == 0) continue;
    while (reference.integrator.t() < run.integrator.t())
      ASSERT_EQ(reference.integrator.step(run.integrator.t()), Outcome::ok);
    const Vector error = (run.integrator.x() - reference.integrator.x()).cwiseAbs();
    angle_error = std::max(angle_error, error[0]);
    speed_error = std::max(speed_error, error[2]);
  }
  EXPECT_NEAR(static_cast<double>(run.problem.statistics().accepted), static_cast<double>(published.steps),
              0.05 * static_cast<double>(published.steps));
  if (published.angle_error == 0) return;
  EXPECT_LT(angle_error, published.angle_error / 5);
  EXPECT_LT(speed_error, published.speed_error / 5);
}

INSTANTIATE_TEST_SUITE_P(Tables, PublishedSdirk,
                         testing::Values(Published{1e-2, 31, 3.280e-2, 2.290e-1},
                                         Published{1e-3, 47, 3.787e-3, 3.131e-2},
                                         Published{1e-4, 76, 7.546e-4, 6.407e-3},
                                         Published{1e-5, 127, 1.706e-4, 1.485e-3}, Published{1e-6, 223, 0, 0},
                                         Published{1e-7, 387, 0, 0}, Published{1e-8, 682, 0, 0}));

// --- the state-space form of the constrained problem

struct StateSpaceResult {
  long steps = 0;
  double angle_error = 0, speed_error = 0;
  Violation violation;
};

// Errors at the grid points against a tight solution of the reduced form.
StateSpaceResult run_state_space(double tolerance, bool local_extrapolation) {
  StateSpaceResult result;
  ProblemCase instance = make("partitioned");
  Vector x0 = instance.x0;
  EXPECT_FALSE(Assembly(*instance.equations).run(0, x0).failure);
  CoordinatePartitioning problem(*instance.equations, {});
  SdirkOptions options = ReducedSdirk::options(tolerance);
  options.local_extrapolation = local_extrapolation;
  options.matrix_place = SdirkOptions::MatrixPlace::begin;  // as the paper has it
  Sdirk sdirk(problem, options);
  EXPECT_EQ(sdirk.start(0, x0, 2, instance.h0), Outcome::ok);
  ReducedRadau reference(1e-10);
  const std::unique_ptr<TangentMotion> motion = instance.equations->tangent();
  ConsistentState state(*motion);
  while (sdirk.t() < 2) {
    if (sdirk.step(2) != Outcome::ok) {
      ADD_FAILURE() << sdirk.failure().message;
      break;
    }
    while (reference.integrator.t() < sdirk.t()) EXPECT_EQ(reference.integrator.step(sdirk.t()), Outcome::ok);
    result.angle_error = std::max(result.angle_error, std::abs(sdirk.x()[2] - reference.integrator.x()[0]));
    result.speed_error = std::max(result.speed_error, std::abs(sdirk.x()[8] - reference.integrator.x()[2]));
    Violation violation;
    const Vector* a = problem.accelerations_at(sdirk.t(), sdirk.x());
    EXPECT_NE(a, nullptr);
    EXPECT_FALSE(state.measure(sdirk.t(), sdirk.x(), *a, violation));
    result.violation.include(violation);
  }
  result.steps = problem.statistics().accepted;
  return result;
}

class PublishedStateSpace : public testing::TestWithParam<Published> {};

TEST_P(PublishedStateSpace, Steps) {
  const Published published = GetParam();
  const StateSpaceResult result = run_state_space(published.tolerance, true);
  EXPECT_NEAR(static_cast<double>(result.steps), static_cast<double>(published.steps),
              0.05 * static_cast<double>(published.steps));
  EXPECT_LT(result.violation.position, 1e-10);
  EXPECT_LT(result.violation.velocity, 1e-10);
  if (published.angle_error == 0) return;
  EXPECT_LT(result.angle_error, published.angle_error);
  EXPECT_LT(result.speed_error, published.speed_error);
}

// The published errors are those of the embedded solution of order 3, as it seems: going on from it they come
// out in as many steps; the solution of order 4 is more accurate.
TEST_P(PublishedStateSpace, Errors) {
  const Published published = GetParam();
  const StateSpaceResult result = run_state_space(published.tolerance, false);
  EXPECT_NEAR(static_cast<double>(result.steps), static_cast<double>(published.steps),
              0.05 * static_cast<double>(published.steps));
  if (published.angle_error == 0) return;
  EXPECT_LT(result.angle_error, 3 * published.angle_error);
  EXPECT_GT(result.angle_error, published.angle_error / 3);
  EXPECT_LT(result.speed_error, 3 * published.speed_error);
  EXPECT_GT(result.speed_error, published.speed_error / 3);
}

INSTANTIATE_TEST_SUITE_P(Tables, PublishedStateSpace,
                         testing::Values(Published{1e-2, 29, 3.280e-2, 2.290e-1},
                                         Published{1e-3, 47, 3.787e-3, 3.131e-2},
                                         Published{1e-4, 75, 7.546e-4, 6.407e-3},
                                         Published{1e-5, 126, 1.706e-4, 1.485e-3}, Published{1e-6, 219, 0, 0},
                                         Published{1e-7, 384, 0, 0}, Published{1e-8, 678, 0, 0}));

}  // namespace
}  // namespace trammel
