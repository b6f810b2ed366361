#include <gtest/gtest.h>

#include <cmath>

#include "trammel/formulation/penalty/penalty_motion.h"
#include "trammel/formulation/psf/projected_strangeness_free.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/second_order_method.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

using Form = PenaltyOptions::Form;
using Kind = SecondOrderOptions::Kind;

// A mass on a spring, and a state that follows it: x'' = −ω² x, r' = x − r.
struct Oscillator {
  double omega = 2;

  Sizes sizes() const { return {.positions = 1, .force_states = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -omega * omega * x.p[0];
  }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = x.p[0] - x.r[0];
  }
};

SecondOrderOptions tight(Kind kind, double rho, double step) {
  SecondOrderOptions options;
  options.kind = kind;
  options.rho = rho;
  options.step = step;
  options.tolerances.relative = options.tolerances.absolute = 1e-11;
  return options;
}

// To t_end with a fixed step; x as it was assembled.
Vector run(EquationsOfMotion& equations, const Vector& x, double t_end, const PenaltyOptions& penalty,
           const SecondOrderOptions& options) {
  PenaltyMotion problem(equations, penalty);
  SecondOrderMethod method(problem, options);
  EXPECT_EQ(method.start(0, x, t_end, 0), Outcome::ok) << method.failure().message;
  while (method.t() < t_end)
    if (method.step(t_end) != Outcome::ok) {
      ADD_FAILURE() << method.failure().message;
      break;
    }
  return method.x();
}

struct Named {
  const char* name;
  Kind kind;
  double rho;
};
inline void PrintTo(const Named& one, std::ostream* out) { *out << one.name; }

class SecondOrderOf : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Methods, SecondOrderOf,
                         testing::Values(Named{"trapezoidal", Kind::trapezoidal, 1},
                                         Named{"hht", Kind::hht, 0.6}, Named{"alpha", Kind::alpha, 0.5},
                                         Named{"alpha 0", Kind::alpha, 0}));

TEST_P(SecondOrderOf, FreeMotionAndStatesHaveOrderTwo) {
  const auto [name, kind, rho] = GetParam();
  TemplatedEquations<Oscillator> equations{Oscillator{}};
  Vector x(3);
  x << 1, 0.5, 0.2;
  const double w = 2, t = 3;
  // x = cos wt + 0.25 sin wt, and r by hand: A cos + B sin + C e^−t
  const double A = (1 - w * 0.25) / (1 + w * w), B = (0.25 + w) / (1 + w * w), C = 0.2 - A;
  Vector exact(3);
  exact << std::cos(w * t) + 0.25 * std::sin(w * t), -w * std::sin(w * t) + 0.25 * w * std::cos(w * t),
      A * std::cos(w * t) + B * std::sin(w * t) + C * std::exp(-t);
  Vector error[2];
  for (int i : {0, 1}) error[i] = run(equations, x, t, {}, tight(kind, rho, 0.02 / (1 + i))) - exact;
  for (Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(std::log2(std::abs(error[0][k] / error[1][k])), 2, 0.1) << name << " unknown " << k;
    EXPECT_LT(std::abs(error[1][k]), 3e-3);
  }
}

// A pendulum far slower than the step is kept; oscillations far faster than it are damped by rho a step.
TEST_P(SecondOrderOf, FastOscillationsAreDampedByRho) {
  const auto [name, kind, rho] = GetParam();
  TemplatedEquations<Oscillator> equations{Oscillator{1e7}};
  PenaltyMotion problem(equations, {});
  SecondOrderMethod method(problem, tight(kind, rho, 0.01));
  Vector x(3);
  x << 1, 0, 0;
  ASSERT_EQ(method.start(0, x, 10, 0), Outcome::ok);
  double before = 0;
  for (int i = 0; i < 41; ++i) {
    if (i == 40) before = std::abs(method.x()[0]);
    ASSERT_EQ(method.step(10), Outcome::ok);
  }
  if (rho > 0) {
    EXPECT_NEAR(std::abs(method.x()[0]) / before, rho, 0.06) << name;
  } else {
    EXPECT_LT(std::abs(method.x()[0]), 1e-9);
  }
}

// The trapezoidal rule keeps the energy of a linear oscillator, whatever the step; the others lose some of it.
TEST_P(SecondOrderOf, EnergyIsKeptByTheTrapezoidalRuleAlone) {
  const auto [name, kind, rho] = GetParam();
  TemplatedEquations<Oscillator> equations{Oscillator{}};
  Vector x(3);
  x << 1, 0, 0;
  const auto energy = [](const Vector& at) { return 0.5 * at[1] * at[1] + 2 * at[0] * at[0]; };
  const double lost = energy(x) - energy(run(equations, x, 1000, {}, tight(kind, rho, 0.1)));
  if (kind == Kind::trapezoidal)
    EXPECT_NEAR(lost / energy(x), 0, 1e-8);
  else
    EXPECT_GT(lost / energy(x), 0.1) << name;
}

// A pendulum, q'' = −sin q.
struct Swing {
  Sizes sizes() const { return {.positions = 1}; }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::sin;
    f[0] = -sin(x.p[0]);
  }
};

// Of a nonlinear oscillator the trapezoidal rule does not keep the energy, but what it conserves differs from it by h²/12 times a
// function of the state (it is the implicit midpoint rule between other points, which is symplectic): the error has no drift.
TEST(SecondOrderMethod, EnergyOfTheTrapezoidalRuleOscillatesWithoutDrift) {
  TemplatedEquations<Swing> equations{Swing{}};
  Vector start(2);
  start << 2, 0;
  const auto energy = [](const Vector& at) { return 0.5 * at[1] * at[1] - std::cos(at[0]); };
  // the largest errors within the first and within the last tenth of 5000 s, about 560 swings
  const auto errors = [&](Kind kind, double step) {
    PenaltyMotion problem(equations, {});
    SecondOrderMethod method(problem, tight(kind, kind == Kind::trapezoidal ? 1 : 0.5, step));
    EXPECT_EQ(method.start(0, start, 5000, 0), Outcome::ok);
    std::array<double, 2> largest{};
    while (method.t() < 5000 - step / 2) {
      if (method.step(5000) != Outcome::ok) {
        ADD_FAILURE() << method.failure().message;
        break;
      }
      const double error = std::abs(energy(method.x()) - energy(start));
      if (method.t() < 500) largest[0] = std::max(largest[0], error);
      if (method.t() > 4500) largest[1] = std::max(largest[1], error);
    }
    return largest;
  };
  const std::array<double, 2> coarse = errors(Kind::trapezoidal, 0.1), fine = errors(Kind::trapezoidal, 0.05),
                              damped = errors(Kind::alpha, 0.1);
  EXPECT_NEAR(coarse[1] / coarse[0], 1, 0.01);
  EXPECT_NEAR(fine[1] / fine[0], 1, 0.01);
  EXPECT_NEAR(coarse[1] / fine[1], 4, 0.1);
  EXPECT_GT(damped[1], 2 * damped[0]);  // what is lost stays lost
}

// --- a loop with redundant constraints

struct Loop {
  ProblemCase problem;
  Vector x;
  Vector exact;  // at 0.5
  Vector forces;

  Loop() {
    const BuiltinProblem* builtin = find_problem("four-bar");
    problem = builtin->make(builtin->values({}));
    x = problem.x0;
    AssemblyOptions options = problem.assembly;
    options.meet_invariants = false;
    EXPECT_FALSE(Assembly(*problem.equations, options).run(0, x).failure);
    ProjectedStrangenessFree psf(*problem.equations, {});
    RadauOptions radau_options;
    radau_options.tolerances.relative = radau_options.tolerances.absolute = 1e-12;
    Radau radau(psf, radau_options);
    Vector full = Vector::Zero(psf.unknowns());
    full.head(x.size()) = x;
    EXPECT_EQ(radau.start(0, full, 0.5, 0), Outcome::ok);
    while (radau.t() < 0.5) {
      if (radau.step(0.5) != Outcome::ok) {
        ADD_FAILURE() << radau.failure().message;
        return;
      }
    }
    exact = radau.x().head(x.size());
    forces = constraint_forces(exact);
  }

  // Dᵀλ, which redundant constraints leave determined.
  Vector constraint_forces(const Vector& at) const {
    const std::unique_ptr<TangentMotion> tangent = problem.equations->tangent();
    const Vector a = Vector::Zero(problem.equations->layout().v.size);
    EXPECT_EQ(tangent->differentiate({0.5, at, a}, TangentMotion::jacobian), "");
    const Layout& l = problem.equations->layout();
    return tangent->slopes().jacobian.transpose() * at.segment(l.lambda.begin, l.lambda.size);
  }

  // Errors of positions, velocities and constraint forces at 0.5.
  std::array<double, 3> errors(const Vector& at) const {
    const Layout& l = problem.equations->layout();
    const Vector difference = at - exact;
    return {difference.segment(l.p.begin, l.p.size).lpNorm<Eigen::Infinity>(),
            difference.segment(l.v.begin, l.v.size).lpNorm<Eigen::Infinity>(),
            (constraint_forces(at) - forces).lpNorm<Eigen::Infinity>()};
  }
};

const Loop& loop() {
  static const Loop instance;
  return instance;
}

struct LoopMethod {
  const char* name;
  Form form;
  Kind kind;
  double rho;
  bool multipliers_converge = true;
};
inline void PrintTo(const LoopMethod& one, std::ostream* out) { *out << one.name; }

class LoopOrder : public testing::TestWithParam<LoopMethod> {};
INSTANTIATE_TEST_SUITE_P(
    Methods, LoopOrder,
    testing::Values(LoopMethod{"penalty/trapezoidal", Form::penalty, Kind::trapezoidal, 1},
                    LoopMethod{"penalty/hht", Form::penalty, Kind::hht, 0.6},
                    LoopMethod{"penalty/alpha", Form::penalty, Kind::alpha, 0.6},
                    LoopMethod{"augmented/trapezoidal", Form::augmented, Kind::trapezoidal, 1},
                    LoopMethod{"augmented/hht", Form::augmented, Kind::hht, 0.6},
                    LoopMethod{"augmented/alpha", Form::augmented, Kind::alpha, 0.6},
                    LoopMethod{"index3/hht", Form::index3, Kind::hht, 0.6},
                    LoopMethod{"index3/alpha", Form::index3, Kind::alpha, 0.6},
                    LoopMethod{"ggl/trapezoidal", Form::ggl, Kind::trapezoidal, 1, false},
                    LoopMethod{"ggl/hht", Form::ggl, Kind::hht, 0.6},
                    LoopMethod{"ggl/alpha", Form::ggl, Kind::alpha, 0.6}));

TEST_P(LoopOrder, IsTwoInPositionsVelocitiesAndForces) {
  const LoopMethod& tested = GetParam();
  PenaltyOptions penalty;
  penalty.form = tested.form;
  penalty.factor = 1e12;  // its own error is far below that of the steps
  std::array<std::array<double, 3>, 2> errors;
  for (std::size_t i : {0U, 1U})
    errors[i] = loop().errors(run(*loop().problem.equations, loop().x, 0.5, penalty,
                                  tight(tested.kind, tested.rho, i == 0 ? 0.5 / 250 : 0.5 / 500)));
  for (std::size_t k = 0; k < (tested.multipliers_converge ? 3U : 2U); ++k)
    EXPECT_NEAR(std::log2(errors[0][k] / errors[1][k]), 2, 0.3) << tested.name
                                                                << (k == 0   ? " positions "
                                                                    : k == 1 ? " velocities "
                                                                             : " forces ")
                                                                << errors[0][k] << " " << errors[1][k];
}

// Why there is no index3/trapezoidal: with positions constrained alone, nothing damps what velocities violate, and halving the
// steps does not help; with velocities constrained too, or with a damping, it does.
TEST(SecondOrderMethod, PositionsConstrainedAloneWantDamping) {
  PenaltyOptions penalty;
  penalty.form = Form::index3;
  const auto errors = [&](Kind kind, double rho, double h) {
    PenaltyMotion problem(*loop().problem.equations, penalty);
    SecondOrderMethod method(problem, tight(kind, rho, h));
    EXPECT_EQ(method.start(0, loop().x, 0.5, 0), Outcome::ok);
    while (method.t() < 0.5)
      if (method.step(0.5) != Outcome::ok) return std::array<double, 3>{INFINITY, INFINITY, INFINITY};
    return loop().errors(method.x());
  };
  const std::array<double, 3> damped = errors(Kind::hht, 0.6, 1e-3),
                              undamped = errors(Kind::trapezoidal, 1, 1e-3),
                              finer = errors(Kind::trapezoidal, 1, 5e-4);
  EXPECT_GT(undamped[2], 100 * damped[2]) << "forces";
  EXPECT_GT(finer[2], 0.5 * undamped[2]);
}

// The error that is asked for and the error that comes out go together.
TEST(SecondOrderMethod, StepsAsTheErrorAllowsFollowTheTolerance) {
  for (const Form form : {Form::penalty, Form::augmented, Form::ggl})
    for (const Kind kind : {Kind::trapezoidal, Kind::hht, Kind::alpha}) {
      PenaltyOptions penalty;
      penalty.form = form;
      penalty.factor = 1e11;
      double error[2];
      long steps[2];
      for (const int i : {0, 1}) {
        SecondOrderOptions options = tight(kind, kind == Kind::trapezoidal ? 1 : 0.7, 0);
        options.tolerances.relative = options.tolerances.absolute = i == 0 ? 1e-4 : 1e-6;
        PenaltyMotion problem(*loop().problem.equations, penalty);
        SecondOrderMethod method(problem, options);
        ASSERT_EQ(method.start(0, loop().x, 0.5, 0), Outcome::ok);
        while (method.t() < 0.5) ASSERT_EQ(method.step(0.5), Outcome::ok) << method.failure().message;
        error[i] = loop().errors(method.x())[0];
        steps[i] = problem.statistics().accepted;
      }
      // of order two with an estimate of h³: a hundredth of the tolerance is 4.6 times the steps and a twentieth of the error
      EXPECT_LT(error[0], 1e-2) << static_cast<int>(form) << static_cast<int>(kind);
      EXPECT_LT(error[1], 0.2 * error[0]) << static_cast<int>(form) << static_cast<int>(kind);
      EXPECT_GT(steps[1], 3 * steps[0]);
      EXPECT_LT(steps[1], 7 * steps[0]);
    }
}

// With steps as the error allows: a run that is saved, and one that goes on from the copy, are the same to the last bit.
TEST(SecondOrderMethod, GoesOnFromACopyToTheLastBit) {
  for (const Form form : {Form::penalty, Form::augmented, Form::ggl}) {
    PenaltyOptions penalty;
    penalty.form = form;
    SecondOrderOptions options = tight(Kind::alpha, 0.7, 0);
    options.tolerances.relative = options.tolerances.absolute = 1e-5;
    PenaltyMotion first(*loop().problem.equations, penalty), second(*loop().problem.equations, penalty);
    SecondOrderMethod one(first, options), other(second, options);
    ASSERT_EQ(one.start(0, loop().x, 0.5, 0), Outcome::ok);
    while (one.t() < 0.1) ASSERT_EQ(one.step(0.5), Outcome::ok);
    Snapshot snapshot;
    ASSERT_EQ(one.save(snapshot), Outcome::ok);
    ASSERT_EQ(other.restore(snapshot), Outcome::ok);
    while (one.t() < 0.5) {
      ASSERT_EQ(one.step(0.5), Outcome::ok);
      ASSERT_EQ(other.step(0.5), Outcome::ok);
      ASSERT_EQ(one.t(), other.t());
      ASSERT_EQ(one.x(), other.x());
    }
    // the error is of the size that was asked for
    EXPECT_LT(loop().errors(one.x())[0], 3e-3);
    EXPECT_LT(first.statistics().accepted, 2000);
  }
}

// After going back, a step of the same size is the same step.
TEST(SecondOrderMethod, GoesBackToTheBeginningOfAStep) {
  PenaltyOptions penalty;
  penalty.form = Form::ggl;
  PenaltyMotion problem(*loop().problem.equations, penalty);
  SecondOrderMethod method(problem, tight(Kind::hht, 0.7, 1e-3));
  ASSERT_EQ(method.start(0, loop().x, 0.5, 0), Outcome::ok);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(method.step(0.5), Outcome::ok);
  const Vector reached = method.x();
  const double t = method.t();
  method.retreat();
  EXPECT_LT(method.t(), t);
  ASSERT_EQ(method.step(t), Outcome::ok);
  EXPECT_LT((method.x() - reached).head(18).lpNorm<Eigen::Infinity>(), 1e-11);
  // inside of it the state is between both ends, to fourth order
  Vector between(reached.size());
  method.interpolate(method.previous_t(), between);
  EXPECT_LT((method.x() - between).head(9).lpNorm<Eigen::Infinity>(), 0.1);
}

}  // namespace
}  // namespace trammel
