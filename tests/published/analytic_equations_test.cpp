// The skate and the circular track: their exact solutions satisfy the equations at every level, and runs meet
// them.
#include <gtest/gtest.h>

#include <cmath>

#include "run_problem.h"

namespace trammel {
namespace {

struct Levels {
  double dynamics, constraint, velocity, acceleration;
};

// How far a state and accelerations are from the equations.
Levels residuals(const ProblemCase& problem, double t, const Vector& x, const Vector& a) {
  MotionValues values(problem.equations->layout());
  problem.equations->evaluate({t, x, a}, part::all, values);
  const auto size = [](const Vector& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0; };
  return {size(values.dynamics - values.M * a), size(values.g), std::max(size(values.gI), size(values.h)),
          std::max(size(values.gII), size(values.hI))};
}

void expect_zero(const Levels& levels, double tolerance, double t) {
  EXPECT_LE(levels.dynamics, tolerance) << t;
  EXPECT_LE(levels.constraint, tolerance) << t;
  EXPECT_LE(levels.velocity, tolerance) << t;
  EXPECT_LE(levels.acceleration, tolerance) << t;
}

TEST(SkateEquations, ExactSolutionSolvesThem) {
  const BuiltinProblem builtin = skate_problem();
  const ProblemCase problem = builtin.make(builtin.values({}));
  const double pull = std::sin(0.8);
  for (const double t : {0.0, 0.7, 3.0, 9.0}) {
    const double s = std::sin(t), c = std::cos(t);
    Vector x(5), a(2);
    x << pull / 2 * s * s, pull / 2 * (t - s * c), pull * s * c, pull * s * s, -2 * pull * s;
    a << pull * (c * c - s * s), 2 * pull * s * c;
    expect_zero(residuals(problem, t, x, a), 1e-14, t);
    EXPECT_GE(problem.digits(t, x).value(), 14) << t;
    x[1] += 1e-5;
    EXPECT_NEAR(problem.error(t, x).value(), 1e-5, 1e-9) << t;
  }
}

TEST(CircularTrackEquations, ExactSolutionSolvesThem) {
  const BuiltinProblem builtin = circular_track_problem();
  const ProblemCase problem = builtin.make(builtin.values({}));
  for (const double t : {1.0, 2.2, 5.0}) {
    const double s = std::sin(t * t), c = std::cos(t * t);
    Vector x(5), a(2);
    x << s, c, 2 * t * c, -2 * t * s, 4 * t * t;
    a << 2 * c - 4 * t * t * s, -2 * s - 4 * t * t * c;
    expect_zero(residuals(problem, t, x, a), 1e-13, t);
    EXPECT_GE(problem.digits(t, x).value(), 14) << t;
    x[3] -= 1e-5;
    EXPECT_NEAR(problem.error(t, x).value(), 1e-5, 1e-9) << t;
  }
}

TEST(Skate, MeetsTheExactSolution) {
  const ProblemRun result = run_problem("skate", 1e-8);
  ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
  EXPECT_GT(*result.digits, 7.5);
}

TEST(CircularTrack, MeetsTheExactSolution) {
  const ProblemRun result = run_problem("circular-track", 1e-10);
  ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
  EXPECT_GT(*result.digits, 7);  // twenty radians, at a speed that has grown to ten
  EXPECT_NEAR(result.summary.final_state[4], 100, 1e-5);
}

// The vibrations of the spring, six milliseconds long, die out in the method: the motion is met all the same.
TEST(StiffSpringPendulum, MeetsItsReference) {
  const ProblemRun result = run_problem("stiff-spring-pendulum", 1e-8, "geoms/radau5");
  ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
  EXPECT_GT(*result.digits, 7.5);
  EXPECT_NEAR(result.summary.final_state[4], 1.7527360472510478, 1e-4);
}

}  // namespace
}  // namespace trammel
