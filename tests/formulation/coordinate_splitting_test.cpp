#include "trammel/formulation/splitting/coordinate_splitting.h"

#include <gtest/gtest.h>

#include "trammel/integrator/radau.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

using Iteration = CoordinateSplittingOptions::Iteration;

struct Prepared {
  ProblemCase problem;
  Vector x;
  explicit Prepared(const std::string& name) {
    const BuiltinProblem* builtin = find_problem(name);
    problem = builtin->make(builtin->values({}));
    x = problem.x0;
    AssemblyOptions options = problem.assembly;
    options.meet_invariants = false;
    EXPECT_FALSE(Assembly(*problem.equations, options).run(problem.t_start, x).failure);
  }
};

// Away from the solution, so that all second-order terms show.
struct Displaced {
  Vector x, rate;
  Displaced(const CoordinateSplitting& problem, const Vector& consistent) : x(consistent), rate(x.size()) {
    for (Index i = 0; i < rate.size(); ++i) rate[i] = 0.3 * std::cos(static_cast<double>(3 * i));
    for (Index i = 0; i < problem.equations(); ++i) x[i] += 1e-3 * std::sin(static_cast<double>(i + 1));
  }
};

class SplitProblems : public testing::TestWithParam<std::string> {};

// σE − J against differences of the residual.
TEST_P(SplitProblems, CsHasExactNewtonMatrices) {
  Prepared prepared(GetParam());
  CoordinateSplitting problem(*prepared.problem.equations, {.iteration = Iteration::cs});
  const double t = prepared.problem.t_start;
  ASSERT_EQ(problem.start(t, prepared.x), Outcome::ok) << problem.failure().message;
  const Index n = problem.unknowns(), m = problem.equations();
  const auto& [x, rate] = Displaced(problem, prepared.x);
  Vector plus(m), minus(m);
  ASSERT_EQ(problem.residual(t, x, rate, plus), Outcome::ok);
  ASSERT_EQ(problem.linearize(t, x), Outcome::ok);
  const double shift = 40;
  ASSERT_EQ(problem.factor(shift), Outcome::ok);
  double worst = 0;
  for (Index j = 0; j < m; ++j) {
    Vector rho = Vector::Zero(m), direction(n);
    rho[j] = 1;
    problem.solve(rho, direction);
    // ρ is the difference of σEΔ and JΔ, which are large where forces are stiff
    ASSERT_EQ(problem.residual(t, x, rate, plus), Outcome::ok);
    ASSERT_EQ(problem.residual(t, x, rate + shift * direction, minus), Outcome::ok);
    const double size = std::max(1.0, (plus - minus).lpNorm<Eigen::Infinity>());
    double best = 1;
    for (const double step : {1e-6, 1e-5, 1e-4}) {
      const double h = step / direction.lpNorm<Eigen::Infinity>();
      ASSERT_EQ(problem.residual(t, x + h * direction, rate + h * shift * direction, plus), Outcome::ok);
      ASSERT_EQ(problem.residual(t, x - h * direction, rate - h * shift * direction, minus), Outcome::ok);
      best = std::min(best, (-(plus - minus) / (2 * h) - rho).lpNorm<Eigen::Infinity>() / size);
    }
    worst = std::max(worst, best);
  }
  EXPECT_LT(worst, 1e-5);
}

// The equations as the paper has them, for p' = v and holonomic constraints: P, E and J as dense matrices.
struct DenseSplitting {
  Matrix P, E, J;
  Vector residual;
  DenseSplitting(EquationsOfMotion& equations, const SparsePartition& partition, double t, const Vector& at,
                 const Vector& rate) {
    const Layout& l = equations.layout();
    const Index n = l.v.size, m = partition.rank();
    Vector x = at;
    x.segment(l.lambda.begin, l.lambda.size).setZero();
    const Vector a = rate.segment(l.v.begin, n);
    MotionValues values(l);
    MotionDerivatives slopes(l);
    equations.evaluate({t, x, a}, part::all, values);
    equations.differentiate({t, x, a}, part::all & ~Parts{part::mass}, slopes);
    Matrix X = Matrix::Zero(n, n - m), Y = Matrix::Zero(n, m), G(m, n);
    for (Index k = 0; k < n - m; ++k) X(partition.independent()[static_cast<std::size_t>(k)], k) = 1;
    for (Index k = 0; k < m; ++k) {
      Y(partition.dependent()[static_cast<std::size_t>(k)], k) = 1;
      G.row(k) = slopes.gI.row(partition.rows()[static_cast<std::size_t>(k)]).segment(l.v.begin, n);
    }
    P = X.transpose() - ((G * Y).fullPivLu().solve(G * X)).transpose() * Y.transpose();

    // the same places as in the problem: independent velocities the projected rows, the others constraints
    const auto spread = [&](const Matrix& projected, const Matrix& constraints) -> Matrix {
      Matrix active(m, constraints.cols());
      for (Index k = 0; k < m; ++k)
        active.row(k) = constraints.row(partition.rows()[static_cast<std::size_t>(k)]);
      return X * projected + Y * active;
    };
    const Vector kinematic = values.kinematics - rate.segment(l.p.begin, n);
    const Vector dynamic = values.dynamics - values.M * a;
    const Index size = 2 * n + l.r.size;
    residual.resize(size);
    residual << spread(P * kinematic, values.g), spread(P * dynamic, values.gI),
        values.b - rate.segment(l.r.begin, l.r.size);
    // the projector frozen
    E = Matrix::Zero(size, size);
    J = E;
    E.topLeftCorner(n, n) = X * P;
    E.block(n, n, n, n) = X * P * values.M;
    E.bottomRightCorner(l.r.size, l.r.size).setIdentity();
    J.topRows(n) = spread(P * slopes.kinematics.leftCols(size), slopes.g.leftCols(size));
    J.middleRows(n, n) = spread(P * slopes.dynamics.leftCols(size), slopes.gI.leftCols(size));
    J.bottomRows(l.r.size) = slopes.b.leftCols(size);
  }
};

TEST_P(SplitProblems, ProjectsAndSolvesAsThePaperSays) {
  Prepared prepared(GetParam());
  EquationsOfMotion& equations = *prepared.problem.equations;
  CoordinateSplitting problem(equations, {.iteration = Iteration::cm});
  const double t = prepared.problem.t_start;
  ASSERT_EQ(problem.start(t, prepared.x), Outcome::ok) << problem.failure().message;
  const auto& [x, rate] = Displaced(problem, prepared.x);
  const Index m = problem.equations();
  Vector residual(m);
  ASSERT_EQ(problem.residual(t, x, rate, residual), Outcome::ok);
  const DenseSplitting dense(equations, problem.velocities(), t, x, rate);
  EXPECT_LT((residual - dense.residual).norm(), 1e-12 * dense.residual.norm());

  ASSERT_EQ(problem.linearize(t, x), Outcome::ok);
  const std::complex<double> shift(30, 50);
  ASSERT_EQ(problem.factor(shift.real()), Outcome::ok);
  ASSERT_EQ(problem.factor(shift), Outcome::ok);
  Vector real(m), change(problem.unknowns());
  ComplexVector complex_change(problem.unknowns());
  for (Index i = 0; i < m; ++i) real[i] = std::cos(static_cast<double>(2 * i));
  const ComplexVector b = real.cast<std::complex<double>>() * std::complex<double>(1, -2);
  problem.solve(real, change);
  problem.solve(b, complex_change);
  const Vector expected = (shift.real() * dense.E - dense.J).fullPivLu().solve(real);
  const ComplexVector complex_expected =
      ComplexMatrix(shift * dense.E.cast<std::complex<double>>() - dense.J.cast<std::complex<double>>())
          .fullPivLu()
          .solve(b);
  EXPECT_LT((change.head(m) - expected).norm(), 1e-9 * expected.norm());
  EXPECT_LT((complex_change.head(m) - complex_expected).norm(), 1e-9 * complex_expected.norm());
}

// Three stages, each with the matrices of its own point: the residuals of all of them, along a change.
TEST_P(SplitProblems, StagesHaveExactNewtonMatrices) {
  Prepared prepared(GetParam());
  CoordinateSplitting problem(*prepared.problem.equations, {.iteration = Iteration::cm});
  const double t = prepared.problem.t_start;
  ASSERT_EQ(problem.start(t, prepared.x), Outcome::ok) << problem.failure().message;
  ASSERT_EQ(problem.linearize(t, prepared.x), Outcome::ok);
  ASSERT_EQ(problem.factor(40.0), Outcome::ok);
  const Index n = problem.unknowns(), m = problem.equations();
  Eigen::Matrix3d weights;
  weights << 40, 12, -3, -20, 25, 9, 30, -50, 60;
  std::array<Vector, 3> changes, residuals, plus, minus;
  std::array<Vector, 3> stages;
  for (std::size_t i = 0; i < 3; ++i) {
    stages[i] = Vector::Zero(n);
    for (Index k = 0; k < m; ++k)
      stages[i][k] = 2e-3 * std::sin(static_cast<double>(k + 1) + 2 * static_cast<double>(i));
    for (std::array<Vector, 3>* vectors : {&residuals, &plus, &minus}) (*vectors)[i].resize(m);
    for (Index k = 0; k < m; ++k)
      residuals[i][k] = std::cos(static_cast<double>(3 * k + 5) * (1.0 + static_cast<double>(i)));
  }
  const auto rate = [&](const std::array<Vector, 3>& at, Index i) -> Vector {
    return weights(i, 0) * at[0] + weights(i, 1) * at[1] + weights(i, 2) * at[2];
  };
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(
        problem.linearize_stage(i, t, prepared.x + stages[static_cast<std::size_t>(i)], rate(stages, i)),
        Outcome::ok);
  ASSERT_EQ(problem.factor_stages(weights), Outcome::ok);
  problem.solve_stages(residuals, changes);
  double size = 0;
  for (const Vector& change : changes) size = std::max(size, change.lpNorm<Eigen::Infinity>());
  double best = 1;
  for (const double step : {1e-7, 1e-6, 1e-5}) {
    const double h = step / size;
    double worst = 0, largest = 1;
    for (const double sign : {1.0, -1.0}) {
      std::array<Vector, 3> at;
      for (std::size_t i = 0; i < 3; ++i) at[i] = stages[i] + sign * h * changes[i];
      for (Index i = 0; i < 3; ++i)
        ASSERT_EQ(problem.residual(t, prepared.x + at[static_cast<std::size_t>(i)], rate(at, i),
                                   (sign > 0 ? plus : minus)[static_cast<std::size_t>(i)]),
                  Outcome::ok);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      Vector still(m), moving(m);
      ASSERT_EQ(problem.residual(t, prepared.x + stages[i], Vector::Zero(n), still), Outcome::ok);
      ASSERT_EQ(problem.residual(t, prepared.x + stages[i], rate(changes, static_cast<Index>(i)), moving),
                Outcome::ok);
      largest = std::max(largest, (moving - still).lpNorm<Eigen::Infinity>());
      worst = std::max(worst, (-(plus[i] - minus[i]) / (2 * h) - residuals[i]).lpNorm<Eigen::Infinity>());
    }
    best = std::min(best, worst / largest);
  }
  EXPECT_LT(best, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(CoordinateSplitting, SplitProblems,
                         testing::Values("pendulum", "andrews", "chain", "truck", "bushing"));

TEST(CoordinateSplitting, RadauFollowsAndrewsMechanism) {
  for (const Iteration iteration : {Iteration::cs, Iteration::cm, Iteration::csm}) {
    Prepared prepared("andrews");
    CoordinateSplitting problem(*prepared.problem.equations, {.iteration = iteration});
    RadauOptions options;
    options.tolerances.relative = options.tolerances.absolute = 1e-7;
    Radau radau(problem, options);
    ASSERT_EQ(radau.start(0, prepared.x, 0.03, 0), Outcome::ok) << radau.failure().message;
    const std::unique_ptr<TangentMotion> motion = prepared.problem.equations->tangent();
    ConsistentState state(*motion);
    Violation violation;
    while (radau.t() < 0.03) {
      ASSERT_EQ(radau.step(0.03), Outcome::ok) << radau.failure().message;
      Violation now;
      const Vector* a = problem.accelerations_at(radau.t(), radau.x());
      ASSERT_NE(a, nullptr);
      ASSERT_FALSE(state.measure(radau.t(), radau.x(), *a, now));
      violation.include(now);
    }
    EXPECT_GT(prepared.problem.digits(0.03, radau.x()).value(), 5.5);
    EXPECT_LT(violation.position, 1e-13);
    EXPECT_LT(violation.velocity, 1e-12);
  }
}

// A particle in space with one constraint has two independent coordinates, with two constraints one.
struct Particle {
  int constraints;
  Sizes sizes() const { return {.positions = 3, .holonomic = constraints}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (Index i = 0; i < 3; ++i) M(i, i) = 1.0 + static_cast<double>(i);
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -x.p[1] * x.v[0];
    f[1] = 3.0 * x.p[0] * x.p[2];
    f[2] = -9.81 - x.v[1];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + 2.0 * x.p[1] * x.p[1] + 3.0 * x.p[2] * x.p[2] - 6.0;
    if (constraints > 1) g[1] = x.p[0] * x.p[1] - x.p[2];
  }
};

TEST(CoordinateSplitting, SolvesWithFewOrWithManyConstraints) {
  for (const int constraints : {1, 2}) {
    TemplatedEquations<Particle> equations(Particle{constraints});
    Vector x = Vector::Zero(equations.layout().total);
    x.head(3).setOnes();
    ASSERT_FALSE(Assembly(equations, AssemblyOptions()).run(0, x).failure);
    CoordinateSplitting problem(equations, {.iteration = Iteration::cm});
    ASSERT_EQ(problem.start(0, x), Outcome::ok);
    EXPECT_EQ(problem.velocities().size(), 3 - constraints);
    const Vector rate = Vector::Zero(x.size()), b = Vector::LinSpaced(6, -1, 2);
    Vector residual(6), change(x.size());
    ASSERT_EQ(problem.residual(0, x, rate, residual), Outcome::ok);
    ASSERT_EQ(problem.linearize(0, x), Outcome::ok);
    ASSERT_EQ(problem.factor(20), Outcome::ok);
    problem.solve(b, change);
    const DenseSplitting dense(equations, problem.velocities(), 0, x, rate);
    const Vector expected = (20 * dense.E - dense.J).fullPivLu().solve(b);
    EXPECT_LT((change.head(6) - expected).norm(), 1e-12 * expected.norm());
  }
}

// csm stays with the iteration that converges well, and leaves one that does not.
TEST(CoordinateSplitting, ChoosesTheIterationByItsRate) {
  Prepared prepared("andrews");
  CoordinateSplitting problem(*prepared.problem.equations, {.iteration = Iteration::csm});
  ASSERT_EQ(problem.start(0, prepared.x), Outcome::ok);
  EXPECT_FALSE(problem.uses_exact_iteration());
  problem.newton_converged(0.05);
  EXPECT_FALSE(problem.uses_exact_iteration());
  problem.newton_converged(0.6);
  EXPECT_TRUE(problem.uses_exact_iteration()) << "cm is slow, cs was never tried";
  problem.newton_converged(0.5);
  EXPECT_TRUE(problem.uses_exact_iteration()) << "cs is not much better, but not worse";
  int steps = 0;
  while (problem.uses_exact_iteration() && ++steps < 100) problem.newton_converged(0.5);
  EXPECT_GT(steps, 4);
  EXPECT_LT(steps, 20) << "what was known of cm fades, so that it is tried again";
  problem.newton_failed();
  EXPECT_TRUE(problem.uses_exact_iteration());
  // the others do not change
  CoordinateSplitting frozen(*prepared.problem.equations, {.iteration = Iteration::cm});
  ASSERT_EQ(frozen.start(0, prepared.x), Outcome::ok);
  frozen.newton_failed();
  frozen.newton_converged(0.9);
  EXPECT_FALSE(frozen.uses_exact_iteration());
}

// Contact coordinates follow from the positions, wherever the equations are evaluated.
TEST(CoordinateSplitting, FollowsContacts) {
  Prepared prepared("rolling-contact");
  CoordinateSplitting problem(*prepared.problem.equations, {});
  RadauOptions options;
  options.tolerances.relative = options.tolerances.absolute = 1e-8;
  Radau radau(problem, options);
  const double end = prepared.problem.t_end;
  ASSERT_EQ(radau.start(0, prepared.x, end, 0), Outcome::ok) << radau.failure().message;
  while (radau.t() < end) ASSERT_EQ(radau.step(end), Outcome::ok) << radau.failure().message;
  EXPECT_GT(prepared.problem.digits(end, radau.x()).value(), 5);
}

// The force depends on the reaction of the constraint.
struct Rubbing {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -0.1 * x.v[0] * x.lambda[0];
    f[1] = -9.81;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[1];
  }
};

TEST(CoordinateSplitting, RefusesForcesThatDependOnReactions) {
  TemplatedEquations<Rubbing> equations(Rubbing{});
  CoordinateSplitting problem(equations, {});
  EXPECT_EQ(problem.start(0, Vector::Zero(equations.layout().total)), Outcome::fail);
  EXPECT_EQ(problem.failure().reason, Reason::invalid_options);
  EXPECT_NE(problem.failure().message.find("reactions"), std::string::npos);
}

}  // namespace
}  // namespace trammel
