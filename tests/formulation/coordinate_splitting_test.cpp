#include "trammel/formulation/splitting/coordinate_splitting.h"

#include <gtest/gtest.h>

#include "trammel/integrator/radau.h"
#include "trammel/motion/assembly.h"
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

// With the system in all coordinates and velocities, and with the reduced one.
class SplitProblems : public testing::TestWithParam<std::tuple<std::string, bool>> {};

// σE − J against differences of the residual, away from the solution so that all second-order terms show.
TEST_P(SplitProblems, CsHasExactNewtonMatrices) {
  const auto& [name, reduced] = GetParam();
  Prepared prepared(name);
  CoordinateSplitting problem(*prepared.problem.equations,
                              {.iteration = Iteration::cs, .reduced_system = reduced});
  const double t = prepared.problem.t_start;
  ASSERT_EQ(problem.start(t, prepared.x), Outcome::ok) << problem.failure().message;
  const Index n = problem.unknowns(), m = problem.equations();
  Vector x = prepared.x, rate(n), plus(m), minus(m);
  for (Index i = 0; i < n; ++i) rate[i] = 0.3 * std::cos(static_cast<double>(3 * i));
  for (Index i = 0; i < m; ++i) x[i] += 1e-3 * std::sin(static_cast<double>(i + 1));
  ASSERT_EQ(problem.residual(t, x, rate, plus), Outcome::ok);
  ASSERT_EQ(problem.linearize(t, x), Outcome::ok);
  EXPECT_EQ(problem.uses_reduced_system(), reduced);
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

// Complex shifts too: Radau's stages.
TEST_P(SplitProblems, SolvesAsTheSystemInAllCoordinates) {
  const auto& [name, reduced] = GetParam();
  if (!reduced) return;
  Prepared prepared(name);
  CoordinateSplitting small(*prepared.problem.equations, {.iteration = Iteration::cs});
  CoordinateSplitting large(*prepared.problem.equations,
                            {.iteration = Iteration::cs, .reduced_system = false});
  const double t = prepared.problem.t_start;
  const std::complex<double> shift(30, 50);
  const Index m = small.equations(), n = small.unknowns();
  Vector real(m);
  for (Index i = 0; i < m; ++i) real[i] = std::cos(static_cast<double>(2 * i));
  const ComplexVector b = real.cast<std::complex<double>>() * std::complex<double>(1, -2);
  std::vector<Vector> changes;
  std::vector<ComplexVector> complex_changes;
  for (CoordinateSplitting* problem : {&small, &large}) {
    ASSERT_EQ(problem->start(t, prepared.x), Outcome::ok);
    ASSERT_EQ(problem->linearize(t, prepared.x), Outcome::ok);
    ASSERT_EQ(problem->factor(shift.real()), Outcome::ok);
    ASSERT_EQ(problem->factor(shift), Outcome::ok);
    Vector change(n);
    ComplexVector complex_change(n);
    problem->solve(real, change);
    problem->solve(b, complex_change);
    changes.push_back(change);
    complex_changes.push_back(complex_change);
  }
  EXPECT_LT((changes[0] - changes[1]).norm(), 1e-9 * changes[1].norm());
  EXPECT_LT((complex_changes[0] - complex_changes[1]).norm(), 1e-9 * complex_changes[1].norm());
}

INSTANTIATE_TEST_SUITE_P(CoordinateSplitting, SplitProblems,
                         testing::Combine(testing::Values("pendulum", "andrews", "chain", "truck", "bushing"),
                                          testing::Bool()));

TEST(CoordinateSplitting, RadauFollowsAndrewsMechanism) {
  for (const Iteration iteration : {Iteration::cs, Iteration::cm, Iteration::csm}) {
    Prepared prepared("andrews");
    CoordinateSplitting problem(*prepared.problem.equations, {.iteration = iteration});
    RadauOptions options;
    options.tolerances.relative = options.tolerances.absolute = 1e-7;
    Radau radau(problem, options);
    ASSERT_EQ(radau.start(0, prepared.x, 0.03, 0), Outcome::ok) << radau.failure().message;
    Violation violation;
    while (radau.t() < 0.03) {
      ASSERT_EQ(radau.step(0.03), Outcome::ok) << radau.failure().message;
      Violation now;
      ASSERT_TRUE(problem.measure(radau.t(), radau.x(), now));
      violation.include(now);
    }
    EXPECT_GT(prepared.problem.digits(0.03, radau.x()).value(), 5.5);
    EXPECT_LT(violation.position, 1e-13);
    EXPECT_LT(violation.velocity, 1e-12);
  }
}

// [P; G] by the smaller of I + QᵀQ and I + QQᵀ: a particle in space with one constraint has two independent
// coordinates, with two constraints one.
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
    AssemblyOptions options;
    ASSERT_FALSE(Assembly(equations, options).run(0, x).failure);
    Vector b = Vector::LinSpaced(6, -1, 2), first(x.size()), second(x.size());
    for (const bool reduced : {true, false}) {
      CoordinateSplitting problem(equations, {.iteration = Iteration::cs, .reduced_system = reduced});
      ASSERT_EQ(problem.start(0, x), Outcome::ok);
      ASSERT_EQ(problem.linearize(0, x), Outcome::ok);
      ASSERT_EQ(problem.factor(20), Outcome::ok);
      EXPECT_EQ(problem.velocities().size(), 3 - constraints);
      problem.solve(b, reduced ? first : second);
    }
    EXPECT_LT((first - second).norm(), 1e-12 * second.norm());
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

TEST(CoordinateSplitting, RefusesWhatItCannotTreat) {
  Prepared contact("rolling-contact");
  CoordinateSplitting problem(*contact.problem.equations, {});
  EXPECT_EQ(problem.start(0, contact.x), Outcome::fail);
  EXPECT_EQ(problem.failure().reason, Reason::invalid_options);
}

}  // namespace
}  // namespace trammel
