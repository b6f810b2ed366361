#include "trammel/integrator/radau.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/formulation/classical/index_reduction.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

// y1' = −y2, y2' = y1 with a stiff, nonlinear companion y3' = −λ (y3 − y1 y2): all exact solutions known but
// y3's.
struct Circle {
  Sizes sizes() const { return {.force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = -x.r[1] * (x.r[0] * x.r[0] + x.r[1] * x.r[1]);
    b[1] = x.r[0];
  }
};

// Van der Pol, μ = 1e6: the classical stiff test (Hairer & Wanner), reference at t = 2.
struct VanDerPol {
  Sizes sizes() const { return {.force_states = 2}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = x.r[1];
    b[1] = ((1.0 - x.r[0] * x.r[0]) * x.r[1] - x.r[0]) / 1e-6;
  }
};

template <class System>
struct OdeRun {
  TemplatedEquations<System> equations{System{}};
  IndexReduction problem{equations, {.form = IndexReductionOptions::Form::ode}};
  Radau radau;
  explicit OdeRun(const RadauOptions& options) : radau(problem, options) {}
  Outcome to(double t_end, const Vector& x0, double h0) {
    Outcome outcome = radau.start(0, x0, t_end, h0);
    while (outcome == Outcome::ok && radau.t() < t_end) outcome = radau.step(t_end);
    return outcome;
  }
};

RadauOptions tolerance(double tolerance) {
  RadauOptions options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

RadauOptions fixed() {
  RadauOptions options = tolerance(1e-12);
  options.fixed_step = true;
  options.newton_stop = 1e-4;
  return options;
}

TEST(Radau, HasOrderFive) {
  // the reference is the method itself with a much smaller step; orders are then free of a common error
  const Vector x0 = Vector::Constant(2, 0.8);
  OdeRun<Circle> reference(fixed());
  ASSERT_EQ(reference.to(1, x0, 1.0 / 256), Outcome::ok);
  std::vector<double> errors;
  for (const int steps : {8, 16, 32}) {
    OdeRun<Circle> run(fixed());
    ASSERT_EQ(run.to(1, x0, 1.0 / steps), Outcome::ok);
    errors.push_back((run.radau.x() - reference.radau.x()).norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 5, 0.3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 5, 0.3);
}

TEST(Radau, DenseOutputHasOrderFourLocally) {
  // the cubic collocation polynomial: error O(h⁴) inside a step from an exact start
  const Vector x0 = Vector::Constant(2, 0.8);
  std::vector<double> errors;
  for (const double h : {0.2, 0.1, 0.05}) {
    OdeRun<Circle> run(fixed());
    ASSERT_EQ(run.to(h, x0, h), Outcome::ok);
    Vector middle(2);
    run.radau.interpolate(0.35 * h, middle);
    OdeRun<Circle> exact(fixed());
    ASSERT_EQ(exact.to(0.35 * h, x0, 0.35 * h / 16), Outcome::ok);
    errors.push_back((middle - exact.radau.x()).norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.4);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4, 0.4);
}

TEST(Radau, VanDerPolMeetsThePublishedReference) {
  // E. Hairer, G. Wanner: vdpol of the test set for IVP solvers, y(2)
  const Vector reference = (Vector(2) << 1.706167732170483, -0.8928097010247975).finished();
  const Vector x0 = (Vector(2) << 2, 0).finished();
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    OdeRun<VanDerPol> run(tolerance(tol));
    ASSERT_EQ(run.to(2, x0, 1e-6), Outcome::ok) << run.radau.failure().message;
    EXPECT_LT((run.radau.x() - reference).norm(), 10 * tol) << tol;
    EXPECT_LT(run.problem.statistics().accepted, 2000);
  }
}

TEST(Radau, ErrorFollowsTheTolerance) {
  const Vector x0 = Vector::Constant(2, 0.8);
  OdeRun<Circle> reference(tolerance(1e-13));
  ASSERT_EQ(reference.to(10, x0, 0), Outcome::ok);
  double previous = 1;
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    OdeRun<Circle> run(tolerance(tol));
    ASSERT_EQ(run.to(10, x0, 0), Outcome::ok);
    const double error = (run.radau.x() - reference.radau.x()).norm();
    EXPECT_LT(error, 100 * tol);
    EXPECT_LT(error, previous);
    previous = error;
  }
}

TEST(Radau, RetreatRepeatsTheStep) {
  OdeRun<Circle> run(tolerance(1e-8));
  const Vector x0 = Vector::Constant(2, 0.8);
  ASSERT_EQ(run.radau.start(0, x0, 1, 0.01), Outcome::ok);
  ASSERT_EQ(run.radau.step(1), Outcome::ok);
  ASSERT_EQ(run.radau.step(1), Outcome::ok);
  const double t_old = run.radau.previous_t(), t_new = run.radau.t();
  const Vector end = run.radau.x();
  const double half = 0.5 * (t_old + t_new);
  run.radau.retreat();
  EXPECT_EQ(run.radau.t(), t_old);
  ASSERT_EQ(run.radau.step(half), Outcome::ok);
  EXPECT_EQ(run.radau.t(), half);
  while (run.radau.t() < t_new) ASSERT_EQ(run.radau.step(t_new), Outcome::ok);
  EXPECT_LT((run.radau.x() - end).norm(), 1e-7);
}

TEST(Radau, OptionsAreChecked) {
  const auto bad = [](auto change) {
    RadauOptions options;
    change(options);
    return static_cast<bool>(options.check(2));
  };
  EXPECT_FALSE(bad([](RadauOptions&) {}));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.tolerances.relative = 0; }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.tolerances.relative = NAN; }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.tolerances.absolute = -1; }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.tolerances.relative_each = Vector::Ones(2) * 1e-3; }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.max_newton_iterations = 0; }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.safety = 1.5; }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.newton_matrix_at = 4; }));
  EXPECT_TRUE(bad([](RadauOptions& o) {
    o.newton_matrix_at = 2;
    o.starting_values = RadauOptions::StartingValues::zero;
  }));
  EXPECT_TRUE(bad([](RadauOptions& o) { o.max_step_factor = 0.5; }));
}

}  // namespace
}  // namespace trammel
