#include "trammel/formulation/coordinate_splitting.h"

#include <gtest/gtest.h>

#include "trammel/integrator/radau.h"
#include "trammel/motion/assembly.h"
#include "trammel/problems/builtin.h"

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

class SplitProblems : public testing::TestWithParam<std::string> {};

// σE − J against differences of the residual, away from the solution so that all second-order terms show.
TEST_P(SplitProblems, CsHasExactNewtonMatrices) {
  Prepared prepared(GetParam());
  CoordinateSplitting problem(*prepared.problem.equations, {.iteration = Iteration::cs});
  const double t = prepared.problem.t_start;
  ASSERT_EQ(problem.start(t, prepared.x), Outcome::ok) << problem.failure().message;
  const Index n = problem.unknowns(), m = problem.equations();
  Vector x = prepared.x, rate(n), plus(m), minus(m);
  for (Index i = 0; i < n; ++i) rate[i] = 0.3 * std::cos(static_cast<double>(3 * i));
  for (Index i = 0; i < m; ++i) x[i] += 1e-3 * std::sin(static_cast<double>(i + 1));
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

INSTANTIATE_TEST_SUITE_P(CoordinateSplitting, SplitProblems,
                         testing::Values("pendulum", "andrews", "chain", "truck"));

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

TEST(CoordinateSplitting, RefusesWhatItCannotTreat) {
  Prepared contact("rolling-contact");
  CoordinateSplitting problem(*contact.problem.equations, {});
  EXPECT_EQ(problem.start(0, contact.x), Outcome::fail);
  EXPECT_EQ(problem.failure().reason, Reason::invalid_options);
}

}  // namespace
}  // namespace trammel
