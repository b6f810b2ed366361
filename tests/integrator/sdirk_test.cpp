// SDIRK with five stages: its coefficients, its order, stiff problems, DAEs, state-space forms, and how it
// fails.
#include "trammel/integrator/sdirk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/formulation/classical/index_reduction.h"
#include "trammel/formulation/geoms/geoms.h"
#include "trammel/integrator/sdirk_coefficients.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

using Gamma = SdirkOptions::Gamma;

// ---------------------------------------------------------------------------------------- the coefficients

class Tableau : public testing::TestWithParam<Gamma> {
 protected:
  const sdirk::Coefficients& method =
      GetParam() == Gamma::one_quarter ? sdirk::one_quarter : sdirk::four_fifteenths;
  Matrix A = Matrix::Zero(5, 5);
  Vector one = Vector::Ones(5), c = Vector::Zero(5), b = Vector::Zero(5);

  void SetUp() override {
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) A(i, j) = method.A[i][j];
    for (int i = 0; i < 5; ++i) c[i] = method.c[i];
    b = A.row(4);
  }
  Vector weights(const sdirk::Row& row) const { return Vector::Map(row.data(), 5); }
  Vector power(int k) const { return c.array().pow(k); }
  // what rounding leaves of sums of numbers up to 10
  static constexpr double zero = 3e-14;
};

TEST_P(Tableau, IsSinglyDiagonalWithConsistentNodes) {
  const double gamma = GetParam() == Gamma::one_quarter ? 0.25 : 4.0 / 15;
  EXPECT_EQ(method.gamma(), gamma);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(A(i, i), gamma);
    for (int j = i + 1; j < 5; ++j) EXPECT_EQ(A(i, j), 0);
  }
  EXPECT_LT((A * one - c).lpNorm<Eigen::Infinity>(), zero);
  EXPECT_EQ(c[4], 1);
}

TEST_P(Tableau, HasOrderFourAndAnEmbeddedOrderThree) {
  const Vector Ac = A * c;
  EXPECT_NEAR(b.sum(), 1, zero);
  EXPECT_NEAR(b.dot(c), 1.0 / 2, zero);
  EXPECT_NEAR(b.dot(power(2)), 1.0 / 3, zero);
  EXPECT_NEAR(b.dot(Ac), 1.0 / 6, zero);
  EXPECT_NEAR(b.dot(power(3)), 1.0 / 4, zero);
  EXPECT_NEAR(b.dot(c.cwiseProduct(Ac)), 1.0 / 8, zero);
  EXPECT_NEAR(b.dot(A * power(2)), 1.0 / 12, zero);
  EXPECT_NEAR(b.dot(A * Ac), 1.0 / 24, zero);

  const Vector embedded = weights(method.embedded);
  EXPECT_NEAR(embedded.sum(), 1, zero);
  EXPECT_NEAR(embedded.dot(c), 1.0 / 2, zero);
  EXPECT_NEAR(embedded.dot(power(2)), 1.0 / 3, zero);
  EXPECT_NEAR(embedded.dot(Ac), 1.0 / 6, zero);
  EXPECT_GT(std::abs(embedded.dot(power(3)) - 1.0 / 4), 1e-3);  // otherwise there would be no estimate
}

TEST_P(Tableau, IsLStable) {
  // R(∞) = 1 − bᵀA⁻¹1, and |R| ≤ 1 on the imaginary axis
  EXPECT_NEAR(1 - b.dot(A.partialPivLu().solve(one)), 0, zero);
  const ComplexMatrix I = ComplexMatrix::Identity(5, 5), complex_A = A.cast<std::complex<double>>();
  for (double y = 0.01; y < 1e4; y *= 1.05) {
    const std::complex<double> z(0, y);
    const ComplexVector stages = (I - z * complex_A).partialPivLu().solve(one.cast<std::complex<double>>());
    EXPECT_LE(std::abs(1.0 + z * (b.transpose() * stages)(0)), 1 + 1e-12) << y;
  }
}

TEST_P(Tableau, TransformedCoefficientsFollow) {
  Matrix alpha(5, 5), predictor(5, 5);
  for (int i = 0; i < 5; ++i) {
    alpha.row(i) = weights(method.alpha[i]);
    predictor.row(i) = weights(method.predictor[i]);
  }
  EXPECT_LT((method.gamma() * A.inverse() + alpha - Matrix::Identity(5, 5)).cwiseAbs().maxCoeff(), 1e-12);
  for (int i = 1; i < 5; ++i) EXPECT_NEAR(predictor.row(i) * c, c[i], 1e-12) << i;
  for (int i = 2; i < 5; ++i) EXPECT_NEAR(predictor.row(i) * A * c, A.row(i) * c, 1e-12) << i;
  if (GetParam() == Gamma::one_quarter) return;
  // as published
  EXPECT_NEAR(alpha(1, 0), 15.0 / 8, 1e-14);
  EXPECT_NEAR(alpha(4, 3), -69863904375173.0 / 6212571137048.0, 1e-12);
  EXPECT_NEAR(predictor(2, 0), 0.9838473040915402, 1e-13);
  EXPECT_NEAR(predictor(3, 2), 0.3372498196189311, 1e-13);
  EXPECT_NEAR(predictor(4, 0), 7752107607.0 / 11393456128.0, 1e-13);
  EXPECT_NEAR(predictor(4, 3), -96203066666797.0 / 6212571137048.0, 1e-12);
}

TEST_P(Tableau, ContinuousExtensionHasOrderThreeAndEndsInTheStep) {
  for (const double s : {0.2, 0.7, 1.0, 1.3}) {
    Vector integrated = Vector::Zero(5), dependent = Vector::Zero(5);
    for (int k = 0; k < 4; ++k) {
      integrated += weights(method.dense[k]) * std::pow(s, k + 1);
      dependent += weights(method.dense_dependent[k]) * std::pow(s, k + 1);
    }
    for (const Vector* w : {&integrated, &dependent}) {
      EXPECT_NEAR(w->sum(), s, 1e-12);
      EXPECT_NEAR(w->dot(c), s * s / 2, 1e-12);
      EXPECT_NEAR(w->dot(power(2)), std::pow(s, 3) / 3, 1e-12);
      EXPECT_NEAR(w->dot(A * c), std::pow(s, 3) / 6, 1e-12);
    }
    EXPECT_NEAR(integrated.dot(power(3)), std::pow(s, 4) / 4, 1e-12);
    EXPECT_NEAR(dependent.dot(A.inverse() * power(2)), s * s, 1e-11);
    if (s != 1) continue;
    EXPECT_LT((integrated - b).lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LT((dependent - b).lpNorm<Eigen::Infinity>(), 1e-11);
  }
}

std::string gamma_name(const testing::TestParamInfo<Gamma>& info) {
  return info.param == Gamma::one_quarter ? "OneQuarter" : "FourFifteenths";
}
INSTANTIATE_TEST_SUITE_P(Gammas, Tableau, testing::Values(Gamma::four_fifteenths, Gamma::one_quarter),
                         gamma_name);

// ------------------------------------------------------------------- ordinary differential equations

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

// A. Prothero, A. Robinson (1974): x' = λ (x − cos t) − sin t, with the solution cos t however stiff.
struct ProtheroRobinson {
  Sizes sizes() const { return {.force_states = 1}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    using std::cos;
    using std::sin;
    b[0] = -1e6 * (x.r[0] - cos(x.t)) - sin(x.t);
  }
};

// x' = 1 up to t = 0.5, where the equations end.
struct Ending {
  Sizes sizes() const { return {.force_states = 1}; }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    using std::sqrt;
    b[0] = 1.0 + 0.0 * sqrt(0.5 - x.r[0]);
  }
};

template <class System>
struct OdeRun {
  TemplatedEquations<System> equations{System{}};
  IndexReduction problem{equations, {.form = IndexReductionOptions::Form::ode}};
  Sdirk sdirk;
  explicit OdeRun(const SdirkOptions& options) : sdirk(problem, options) {}
  Outcome to(double t_end, const Vector& x0, double h0) {
    Outcome outcome = sdirk.start(0, x0, t_end, h0);
    while (outcome == Outcome::ok && sdirk.t() < t_end) outcome = sdirk.step(t_end);
    return outcome;
  }
};

SdirkOptions tolerance(double tolerance, Gamma gamma = Gamma::four_fifteenths) {
  SdirkOptions options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.gamma = gamma;
  return options;
}

SdirkOptions fixed(Gamma gamma) {
  SdirkOptions options = tolerance(1e-9, gamma);
  options.fixed_step = true;
  options.newton_stop = 1e-4;
  options.max_newton_iterations = 40;
  return options;
}

class SdirkOf : public testing::TestWithParam<Gamma> {};
INSTANTIATE_TEST_SUITE_P(Gammas, SdirkOf, testing::Values(Gamma::four_fifteenths, Gamma::one_quarter),
                         gamma_name);

TEST_P(SdirkOf, HasOrderFour) {
  const Vector x0 = Vector::Constant(2, 0.8);
  OdeRun<Circle> reference(fixed(GetParam()));
  ASSERT_EQ(reference.to(1, x0, 1.0 / 512), Outcome::ok);
  std::vector<double> errors;
  for (const int steps : {8, 16, 32}) {
    OdeRun<Circle> run(fixed(GetParam()));
    ASSERT_EQ(run.to(1, x0, 1.0 / steps), Outcome::ok);
    EXPECT_EQ(run.problem.statistics().accepted, steps);
    errors.push_back((run.sdirk.x() - reference.sdirk.x()).norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4, 0.3);
}

TEST_P(SdirkOf, DenseOutputHasOrderThree) {
  // error O(h⁴) inside a step from an exact start
  const Vector x0 = Vector::Constant(2, 0.8);
  std::vector<double> errors;
  for (const double h : {0.1, 0.05, 0.025}) {
    OdeRun<Circle> run(fixed(GetParam()));
    ASSERT_EQ(run.to(h, x0, h), Outcome::ok);
    Vector middle(2), end(2);
    run.sdirk.interpolate(0.35 * h, middle);
    run.sdirk.interpolate(h, end);
    EXPECT_LT((end - run.sdirk.x()).norm(), 1e-13);
    run.sdirk.interpolate(0, end);
    EXPECT_EQ(end, x0);
    OdeRun<Circle> exact(fixed(GetParam()));
    ASSERT_EQ(exact.to(0.35 * h, x0, 0.35 * h / 32), Outcome::ok);
    errors.push_back((middle - exact.sdirk.x()).norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.4);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4, 0.4);
}

TEST_P(SdirkOf, VanDerPolMeetsThePublishedReference) {
  const Vector reference = (Vector(2) << 1.706167732170483, -0.8928097010247975).finished();
  const Vector x0 = (Vector(2) << 2, 0).finished();
  for (const auto& [tol, steps] : {std::pair{1e-4, 400}, std::pair{1e-6, 1700}}) {
    OdeRun<VanDerPol> run(tolerance(tol, GetParam()));
    ASSERT_EQ(run.to(2, x0, 1e-6), Outcome::ok) << run.sdirk.failure().message;
    EXPECT_LT((run.sdirk.x() - reference).norm(), 10 * tol) << tol;
    EXPECT_LT(run.problem.statistics().accepted, steps);  // without stiff stability some 1e6
  }
}

TEST_P(SdirkOf, ProtheroAndRobinsonNeedsFewSteps) {
  for (const double tol : {1e-3, 1e-6}) {
    OdeRun<ProtheroRobinson> run(tolerance(tol, GetParam()));
    ASSERT_EQ(run.to(10, Vector::Ones(1), 0), Outcome::ok) << run.sdirk.failure().message;
    EXPECT_NEAR(run.sdirk.x()[0], std::cos(10), tol);
    // an explicit method of its kind would take some 3e6
    EXPECT_LT(run.problem.statistics().steps, 400);
  }
}

TEST_P(SdirkOf, ErrorFollowsTheTolerance) {
  const Vector x0 = Vector::Constant(2, 0.8);
  OdeRun<Circle> reference(tolerance(1e-12, GetParam()));
  ASSERT_EQ(reference.to(10, x0, 0), Outcome::ok);
  double previous = 1;
  for (const double tol : {1e-3, 1e-5, 1e-7, 1e-9}) {
    OdeRun<Circle> run(tolerance(tol, GetParam()));
    ASSERT_EQ(run.to(10, x0, 0), Outcome::ok);
    const Statistics& s = run.problem.statistics();
    EXPECT_EQ(s.steps, s.accepted + s.rejected_error + s.rejected_convergence);
    const double error = (run.sdirk.x() - reference.sdirk.x()).norm();
    EXPECT_LT(error, 30 * tol);
    EXPECT_LT(error, 0.1 * previous);
    previous = error;
  }
}

TEST(Sdirk, RetreatRepeatsTheStep) {
  OdeRun<Circle> run(tolerance(1e-8));
  const Vector x0 = Vector::Constant(2, 0.8);
  ASSERT_EQ(run.sdirk.start(0, x0, 1, 0.01), Outcome::ok);
  ASSERT_EQ(run.sdirk.step(1), Outcome::ok);
  const Vector begin = run.sdirk.x();
  ASSERT_EQ(run.sdirk.step(1), Outcome::ok);
  const double t_old = run.sdirk.previous_t(), t_new = run.sdirk.t();
  EXPECT_NEAR(run.sdirk.last_step(), t_new - t_old, 1e-15);
  const Vector end = run.sdirk.x();
  const double half = 0.5 * (t_old + t_new);
  run.sdirk.retreat();
  EXPECT_EQ(run.sdirk.t(), t_old);
  EXPECT_EQ(run.sdirk.x(), begin);
  ASSERT_EQ(run.sdirk.step(half), Outcome::ok);
  EXPECT_EQ(run.sdirk.t(), half);
  while (run.sdirk.t() < t_new) ASSERT_EQ(run.sdirk.step(t_new), Outcome::ok);
  EXPECT_LT((run.sdirk.x() - end).norm(), 1e-7);
}

TEST(Sdirk, KeepsTheWantedStepOverABound) {
  OdeRun<Circle> run(tolerance(1e-4));
  ASSERT_EQ(run.sdirk.start(0, Vector::Constant(2, 0.8), 10, 0.05), Outcome::ok);
  while (run.sdirk.t() < 1) ASSERT_EQ(run.sdirk.step(10), Outcome::ok);
  const double wanted = run.sdirk.next_step();
  ASSERT_EQ(run.sdirk.step(run.sdirk.t() + 1e-6), Outcome::ok);
  EXPECT_GE(run.sdirk.next_step(), wanted);
}

// --------------------------------------------------------------------------------------------- failures

TEST(Sdirk, NamesTheFunctionThatIsNotFinite) {
  OdeRun<Ending> run(tolerance(1e-6));
  EXPECT_EQ(run.to(1, Vector::Zero(1), 0.01), Outcome::fail);
  EXPECT_EQ(run.sdirk.failure().reason, Reason::not_finite) << run.sdirk.failure().message;
  EXPECT_NE(run.sdirk.failure().message.find("smaller steps did not help"), std::string::npos);
  EXPECT_NEAR(run.sdirk.t(), 0.5, 1e-6);
  EXPECT_TRUE(run.sdirk.x().allFinite());
}

TEST(Sdirk, StopsAfterTooManySteps) {
  SdirkOptions options = tolerance(1e-8);
  options.max_steps = 10;
  OdeRun<Circle> run(options);
  EXPECT_EQ(run.to(10, Vector::Constant(2, 0.8), 0), Outcome::fail);
  EXPECT_EQ(run.sdirk.failure().reason, Reason::too_many_steps);
  EXPECT_EQ(run.problem.statistics().steps, 10);
}

TEST(Sdirk, AcceptsNoFixedStepThatNewtonDidNotSolve) {
  SdirkOptions options = fixed(Gamma::four_fifteenths);
  options.max_newton_iterations = 1;
  OdeRun<Circle> run(options);
  EXPECT_EQ(run.to(1, Vector::Constant(2, 0.8), 0.5), Outcome::fail);
  EXPECT_EQ(run.sdirk.failure().reason, Reason::newton_failed);
  EXPECT_EQ(run.sdirk.t(), 0);
  EXPECT_EQ(run.problem.statistics().accepted, 0);
}

TEST(Sdirk, RefusesATimeOrStepThatMakesNoSense) {
  const Vector x0 = Vector::Ones(2);
  OdeRun<Circle> run(tolerance(1e-6));
  EXPECT_EQ(run.sdirk.start(1, x0, 0, 0), Outcome::fail);
  EXPECT_EQ(run.sdirk.failure().reason, Reason::end_before_start);
  EXPECT_EQ(run.sdirk.start(0, x0, 1, -1), Outcome::fail);
  EXPECT_EQ(run.sdirk.start(0, x0, NAN, 0), Outcome::fail);
}

TEST(Sdirk, OptionsAreChecked) {
  const auto bad = [](auto change) {
    SdirkOptions options;
    change(options);
    return static_cast<bool>(options.check(2));
  };
  EXPECT_FALSE(bad([](SdirkOptions&) {}));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.tolerances.relative = 0; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.max_newton_iterations = 0; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.max_steps = 0; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.safety = 1.5; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.jacobian_reuse = 1; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.newton_stop = NAN; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.keep_step_above = 1.1; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.keep_step_below = 0.9; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.max_step = -1; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.min_step_factor = 1; }));
  EXPECT_TRUE(bad([](SdirkOptions& o) { o.max_step_factor = 0.5; }));
}

// ------------------------------------------------------------------ constraints and state-space forms

struct Pendulum {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = -13.75;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
  }
};

struct PendulumRun {
  TemplatedEquations<Pendulum> equations{Pendulum{}};
  Geoms problem{equations};
  Sdirk sdirk;
  // let go at 45 degrees: λ = 13.75 cos(45°) / 2
  Vector x0 = (Vector(5) << std::sqrt(0.5), -std::sqrt(0.5), 0, 0, 13.75 * std::sqrt(0.5) / 2).finished();
  explicit PendulumRun(const SdirkOptions& options) : sdirk(problem, options) {}
};

TEST_P(SdirkOf, HasOrderFourForAllUnknownsOfAPendulum) {
  // the largest error over common times: at a single time one of them may happen to vanish
  const auto solve = [&](int steps) {
    PendulumRun run(fixed(GetParam()));
    std::vector<Vector> states;
    EXPECT_EQ(run.sdirk.start(0, run.x0, 1, 1.0 / steps), Outcome::ok);
    for (int k = 1; k <= steps; ++k) {
      EXPECT_EQ(run.sdirk.step(1), Outcome::ok) << run.sdirk.failure().message;
      if (k % (steps / 16) == 0) states.push_back(run.sdirk.x());
    }
    return states;
  };
  const std::vector<Vector> reference = solve(1024);
  const auto error = [&](int steps, Index begin, Index size) {
    const std::vector<Vector> states = solve(steps);
    double largest = 0;
    for (std::size_t k = 0; k < states.size(); ++k)
      largest = std::max(largest, (states[k] - reference[k]).segment(begin, size).norm());
    return largest;
  };
  EXPECT_NEAR(std::log2(error(32, 0, 2) / error(64, 0, 2)), 4, 0.4);
  EXPECT_NEAR(std::log2(error(32, 2, 2) / error(64, 2, 2)), 4, 0.4);
  EXPECT_NEAR(std::log2(error(32, 4, 1) / error(64, 4, 1)), 4, 0.4);
}

TEST(Sdirk, KeepsTheConstraintsOfAPendulum) {
  for (const double tol : {1e-3, 1e-6}) {
    PendulumRun run(tolerance(tol));
    ASSERT_EQ(run.sdirk.start(0, run.x0, 10, 0), Outcome::ok);
    double energy = 0;
    while (run.sdirk.t() < 10) {
      ASSERT_EQ(run.sdirk.step(10), Outcome::ok) << run.sdirk.failure().message;
      const Vector& x = run.sdirk.x();
      EXPECT_NEAR(x.head(2).squaredNorm(), 1, 1e-13);
      EXPECT_NEAR(x.head(2).dot(x.segment(2, 2)), 0, 1e-12);
      energy = 0.5 * x.segment(2, 2).squaredNorm() + 13.75 * (x[1] - run.x0[1]);
    }
    EXPECT_LT(std::abs(energy), 300 * tol);
  }
}

TEST(Sdirk, DenseOutputOfAPendulumHasOrderTwoOrMore) {
  std::vector<double> errors;
  for (const double h : {0.08, 0.04, 0.02}) {
    const double middle = 0.3 + 0.35 * h;
    PendulumRun run(fixed(Gamma::four_fifteenths)), exact(fixed(Gamma::four_fifteenths));
    ASSERT_EQ(exact.sdirk.start(0, exact.x0, middle, middle / 400), Outcome::ok);
    while (exact.sdirk.t() < middle) ASSERT_EQ(exact.sdirk.step(middle), Outcome::ok);
    ASSERT_EQ(run.sdirk.start(0, run.x0, 0.3 + h, 0.3 / 200), Outcome::ok);
    while (run.sdirk.t() < 0.3) ASSERT_EQ(run.sdirk.step(0.3), Outcome::ok);
    PendulumRun last(fixed(Gamma::four_fifteenths));
    ASSERT_EQ(last.sdirk.start(0.3, run.sdirk.x(), 0.3 + h, h), Outcome::ok);
    ASSERT_EQ(last.sdirk.step(0.3 + h), Outcome::ok);
    Vector x(5);
    last.sdirk.interpolate(middle, x);
    errors.push_back((x - exact.sdirk.x()).norm());
  }
  EXPECT_GT(std::log2(errors[0] / errors[1]), 2.7);
  EXPECT_GT(std::log2(errors[1] / errors[2]), 2.7);
}

// v' = −u v with u = 1 + v², which follows from v at every point: exact for v.
class Following final : public OdeProblem, public ImplicitProblem {
 public:
  Index unknowns() const override { return 2; }
  Index equations() const override { return 1; }
  Index counted() const override { return 1; }
  const std::vector<int>& variable_index() const override { return index_; }
  Outcome start(double, VectorIn) override { return Outcome::ok; }
  Outcome residual(double, VectorIn x, VectorIn xdot, VectorOut out) override {
    EXPECT_EQ(x[1], 1 + x[0] * x[0]) << "an incomplete guess";
    out[0] = -x[1] * x[0] - xdot[0];
    return Outcome::ok;
  }
  Outcome linearize(double, VectorIn x) override {
    EXPECT_EQ(x[1], 1 + x[0] * x[0]) << "an incomplete state";
    ++statistics().jacobians;
    v_ = x[0];
    return Outcome::ok;
  }
  Outcome factor(double shift) override {
    pivot_ = shift + 1 + 3 * v_ * v_;
    return Outcome::ok;
  }
  Outcome factor(std::complex<double>) override { return Outcome::ok; }
  void solve(VectorIn residual, VectorOut x) override {
    x[0] = residual[0] / pivot_;
    x[1] = 2 * v_ * x[0];
  }
  void solve(const Eigen::Ref<const ComplexVector>&, Eigen::Ref<ComplexVector>) override {}
  bool completes() const override { return true; }
  Outcome complete(double, VectorOut x) override {
    x[1] = 1 + x[0] * x[0];
    return Outcome::ok;
  }
  Outcome rates(double, VectorIn x, VectorOut xdot) override {
    xdot[0] = -x[1] * x[0];
    xdot[1] = 2 * x[0] * xdot[0];
    return Outcome::ok;
  }
  Outcome accepted(double t, VectorOut x) override { return complete(t, x); }

  // from v/√(1+v²) = C e⁻ᵗ
  static double exact(double v0, double t) {
    const double w = v0 / std::sqrt(1 + v0 * v0) * std::exp(-t);
    return w / std::sqrt(1 - w * w);
  }

 private:
  std::vector<int> index_ = {1, 0};
  double v_ = 0, pivot_ = 1;
};

TEST_P(SdirkOf, HandsEveryGuessOverToAStateSpaceForm) {
  const Vector x0 = (Vector(2) << 1.5, 3.25).finished();
  std::vector<double> errors;
  for (const int steps : {16, 32, 64}) {
    Following problem;
    Sdirk sdirk(problem, fixed(GetParam()));
    ASSERT_EQ(sdirk.start(0, x0, 2, 2.0 / steps), Outcome::ok);
    while (sdirk.t() < 2) ASSERT_EQ(sdirk.step(2), Outcome::ok);
    errors.push_back(std::abs(sdirk.x()[0] - Following::exact(1.5, 2)));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.4);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4, 0.4);
}

TEST(Sdirk, CountsOnlyTheUnknownsThatAreIntegrated) {
  // the same number of steps as without the second unknown, whose tolerance is then of no importance
  const auto steps = [](double tolerance_of_u) {
    SdirkOptions options;
    options.tolerances.relative_each = options.tolerances.absolute_each =
        (Vector(2) << 1e-6, tolerance_of_u).finished();
    Following problem;
    Sdirk sdirk(problem, options);
    EXPECT_EQ(sdirk.start(0, (Vector(2) << 1.5, 3.25).finished(), 2, 0), Outcome::ok);
    while (sdirk.t() < 2) EXPECT_EQ(sdirk.step(2), Outcome::ok);
    EXPECT_NEAR(sdirk.x()[0], Following::exact(1.5, 2), 1e-6);
    return problem.statistics().accepted;
  };
  EXPECT_EQ(steps(1e-12), steps(0.1));
}

}  // namespace
}  // namespace trammel
