// Derivatives and hidden constraints three ways: exact, by hand, by differences.
#include <gtest/gtest.h>

#include "everything_system.h"
#include "trammel/motion/difference_derivatives.h"
#include "trammel/motion/residual_equations.h"

namespace trammel {
namespace {

// A wrapper that turns a templated system into plain functions.
template <class System>
ResidualFunctions plain_functions(const System& system) {
  ResidualFunctions functions;
  functions.sizes = system.sizes();
  functions.M = [system](const auto& x, auto out) { system.M(x, out); };
  functions.Z = [system](const auto& x, auto out) { system.Z(x, out); };
  functions.H = [system](const auto& x, auto out) { system.H(x, out); };
  functions.f = [system](const auto& x, auto out) { system.f(x, out); };
  functions.b = [system](const auto& x, auto out) { system.b(x, out); };
  functions.d = [system](const auto& x, auto out) { system.d(x, out); };
  functions.c = [system](const auto& x, auto out) { system.c(x, out); };
  functions.g = [system](const auto& x, auto out) { system.g(x, out); };
  functions.h = [system](const auto& x, auto out) { system.h(x, out); };
  functions.e = [system](const auto& x, auto out) { system.e(x, out); };
  functions.n = [system](const auto& x, auto out) { system.n(x, out); };
  return functions;
}

struct Sample {
  double t = 0.7;
  Vector x, a;
  MotionPoint point() const { return {t, x, a}; }
};

// Any state will do, except that s must satisfy c(p, s, t) = 0: gᴵ differentiates along it.
Sample sample_state(EquationsOfMotion& equations) {
  Sample sample;
  const Layout& l = equations.layout();
  sample.x.resize(l.total);
  for (Index i = 0; i < l.total; ++i) sample.x[i] = 0.4 + 0.3 * std::sin(1.7 * static_cast<double>(i) + 0.4);
  sample.a = Vector::LinSpaced(l.v.size, -0.6, 0.9);
  MotionValues values(l);
  MotionDerivatives derivatives(l);
  for (int i = 0; i < 30; ++i) {
    equations.evaluate(sample.point(), part::c, values);
    equations.differentiate(sample.point(), part::c, derivatives);
    sample.x.segment(l.s.begin, l.s.size) -=
        derivatives.c.middleCols(l.s.begin, l.s.size).fullPivLu().solve(values.c);
  }
  return sample;
}

void expect_near(const Matrix& exact, const Matrix& other, double tolerance, const char* what) {
  ASSERT_EQ(exact.rows(), other.rows()) << what;
  ASSERT_EQ(exact.cols(), other.cols()) << what;
  EXPECT_LE((exact - other).cwiseAbs().maxCoeff(), tolerance * (1 + exact.cwiseAbs().maxCoeff()))
      << what << "\nexact\n"
      << exact << "\nother\n"
      << other;
}

void expect_near(const MotionDerivatives& exact, const MotionDerivatives& other, double tolerance,
                 double hidden_tolerance) {
  expect_near(exact.kinematics, other.kinematics, tolerance, "kinematics");
  expect_near(exact.dynamics, other.dynamics, tolerance, "dynamics");
  expect_near(exact.b, other.b, tolerance, "b");
  expect_near(exact.d, other.d, tolerance, "d");
  expect_near(exact.c, other.c, tolerance, "c");
  expect_near(exact.g, other.g, tolerance, "g");
  expect_near(exact.gI, other.gI, tolerance, "gI");
  expect_near(exact.gII, other.gII, hidden_tolerance, "gII");
  expect_near(exact.h, other.h, tolerance, "h");
  expect_near(exact.hI, other.hI, hidden_tolerance, "hI");
  expect_near(exact.e, other.e, tolerance, "e");
  expect_near(exact.n, other.n, tolerance, "n");
}

TEST(TemplatedEquations, DerivativesAgreeWithDifferencesOfItsOwnValues) {
  TemplatedEquations<EverythingSystem> equations{EverythingSystem{}};
  const Sample sample = sample_state(equations);
  MotionDerivatives exact(equations.layout()), differences(equations.layout());
  equations.differentiate(sample.point(), part::all, exact);
  DifferenceDerivatives(equations.layout()).compute(equations, sample.point(), part::all, differences);
  expect_near(exact, differences, 1e-8, 1e-8);
}

TEST(TemplatedEquations, HiddenConstraintsAgreeWithDifferencesAlongTheMotion) {
  TemplatedEquations<EverythingSystem> exact{EverythingSystem{}};
  ResidualEquations plain(plain_functions(EverythingSystem{}));
  const Sample sample = sample_state(exact);
  MotionValues a(exact.layout()), b(exact.layout());
  exact.evaluate(sample.point(), part::all, a);
  plain.evaluate(sample.point(), part::all, b);
  expect_near(a.g, b.g, 1e-14, "g");
  expect_near(a.gI, b.gI, 1e-11, "gI");
  expect_near(a.gII, b.gII, 1e-8, "gII");
  expect_near(a.h, b.h, 1e-14, "h");
  expect_near(a.hI, b.hI, 1e-10, "hI");
  expect_near(a.dynamics, b.dynamics, 1e-11, "dynamics");
  expect_near(a.M, b.M, 1e-15, "M");
}

TEST(ResidualEquations, DerivativesAgreeWithTheExactOnes) {
  TemplatedEquations<EverythingSystem> exact{EverythingSystem{}};
  ResidualEquations plain(plain_functions(EverythingSystem{}));
  const Sample sample = sample_state(exact);
  MotionDerivatives a(exact.layout()), b(exact.layout());
  exact.differentiate(sample.point(), part::all, a);
  plain.differentiate(sample.point(), part::all, b);
  // differences of differences: most digits are lost at the second time derivative
  expect_near(a, b, 1e-6, 1e-4);
}

TEST(TemplatedEquations, CountAndFunctionMustAgree) {
  struct NoConstraintFunction {
    Sizes sizes() const { return {.positions = 1, .holonomic = 1}; }
  };
  EXPECT_THROW(TemplatedEquations<NoConstraintFunction>{NoConstraintFunction{}}, std::invalid_argument);
  struct NegativeSize {
    Sizes sizes() const { return {.positions = -2}; }
  };
  EXPECT_THROW(TemplatedEquations<NegativeSize>{NegativeSize{}}, std::invalid_argument);
  struct Empty {
    Sizes sizes() const { return {}; }
  };
  EXPECT_THROW(TemplatedEquations<Empty>{Empty{}}, std::invalid_argument);
}

}  // namespace
}  // namespace trammel
