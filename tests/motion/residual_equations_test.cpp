// A pendulum with damping written in each of the three ways a user may choose: templates, plain functions, a
// class with derivatives by hand.
#include "trammel/motion/residual_equations.h"

#include <gtest/gtest.h>

#include "trammel/motion/assembly.h"
#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

constexpr double mass = 1.3, length = 0.8, gravity = 9.81, damping = 0.4;

// --- first: templates

struct Pendulum {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1, .invariants = 1}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true, .autonomous = true}; }
  Names names() const { return {.p = {"x", "y"}, .g = {"rod"}}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = -damping * x.v[0];
    f[1] = -damping * x.v[1] - mass * gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * mass * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + mass * gravity * x.p[1];
  }
};

// --- second: plain functions, no derivatives

ResidualFunctions pendulum_functions() {
  using P = Point<double>;
  ResidualFunctions functions;
  functions.sizes = {.positions = 2, .holonomic = 1, .invariants = 1};
  functions.M = [](const P&, MatrixView<double> M) { M(0, 0) = M(1, 1) = mass; };
  functions.f = [](const P& x, std::span<double> f) {
    f[0] = -damping * x.v[0];
    f[1] = -damping * x.v[1] - mass * gravity;
  };
  functions.g = [](const P& x, std::span<double> g) {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  };
  functions.e = [](const P& x, std::span<double> e) {
    e[0] = 0.5 * mass * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + mass * gravity * x.p[1];
  };
  return functions;
}

// --- third: derivatives by hand

class HandWrittenPendulum final : public EquationsOfMotion {
 public:
  HandWrittenPendulum() : EquationsOfMotion({.positions = 2, .holonomic = 1, .invariants = 1}, {}, {}) {}

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override {
    const Vector p = at.x.head(2), v = at.x.segment(2, 2);
    const double lambda = at.x[4];
    if (wanted & part::kinematics) out.kinematics = v;
    if (wanted & part::dynamics) out.dynamics = -damping * v - Vector{{0.0, mass * gravity}} - 2 * lambda * p;
    if (wanted & part::mass) out.M = mass * Matrix::Identity(2, 2);
    if (wanted & part::g) out.g[0] = p.squaredNorm() - length * length;
    if (wanted & part::gI) out.gI[0] = 2 * p.dot(v);
    if (wanted & part::gII) out.gII[0] = 2 * v.squaredNorm() + 2 * p.dot(at.a);
    if (wanted & part::e) out.e[0] = 0.5 * mass * v.squaredNorm() + mass * gravity * p[1];
  }

  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override {
    const auto p = at.x.head(2).transpose(), v = at.x.segment(2, 2).transpose();
    const double lambda = at.x[4];
    if (wanted & part::kinematics) out.kinematics.middleCols(2, 2).setIdentity();
    if (wanted & part::dynamics) {
      out.dynamics.leftCols(2) = -2 * lambda * Matrix::Identity(2, 2);
      out.dynamics.middleCols(2, 2) = -damping * Matrix::Identity(2, 2);
      out.dynamics.col(4) = -2 * p.transpose();
    }
    if (wanted & part::g) out.g.row(0).head(2) = 2 * p;
    if (wanted & part::gI) {
      out.gI.row(0).head(2) = 2 * v;
      out.gI.row(0).segment(2, 2) = 2 * p;
    }
    if (wanted & part::gII) {
      out.gII.row(0).head(2) = 2 * at.a.transpose();
      out.gII.row(0).segment(2, 2) = 4 * v;
    }
    if (wanted & part::e) {
      out.e(0, 1) = mass * gravity;
      out.e.row(0).segment(2, 2) = mass * v;
    }
  }
};

// --- they are one and the same

void expect_near(const Matrix& expected, const Matrix& actual, double tolerance, const char* what) {
  ASSERT_EQ(expected.rows(), actual.rows()) << what;
  ASSERT_EQ(expected.cols(), actual.cols()) << what;
  if (expected.size() == 0) return;
  EXPECT_LE((expected - actual).cwiseAbs().maxCoeff(), tolerance * (1 + expected.cwiseAbs().maxCoeff()))
      << what << "\nexpected\n"
      << expected << "\nactual\n"
      << actual;
}

// Any state: the constraint need not hold for its derivatives to agree.
const Vector state{{0.5, -0.7, 1.1, 0.6, 2.3}};
const Vector accelerations{{-0.4, 1.9}};
const MotionPoint sample{0.3, state, accelerations};

void expect_same_values(EquationsOfMotion& reference, EquationsOfMotion& other, double first, double second) {
  MotionValues a(reference.layout()), b(other.layout());
  reference.evaluate(sample, part::all, a);
  other.evaluate(sample, part::all, b);
  expect_near(a.kinematics, b.kinematics, 1e-15, "kinematics");
  expect_near(a.M, b.M, 1e-15, "M");
  expect_near(a.g, b.g, 1e-15, "g");
  expect_near(a.e, b.e, 1e-15, "e");
  expect_near(a.dynamics, b.dynamics, first, "dynamics");
  expect_near(a.gI, b.gI, first, "gI");
  expect_near(a.gII, b.gII, second, "gII");
}

void expect_same_derivatives(EquationsOfMotion& reference, EquationsOfMotion& other, double plain,
                             double first, double second) {
  MotionDerivatives a(reference.layout()), b(other.layout());
  reference.differentiate(sample, part::all, a);
  other.differentiate(sample, part::all, b);
  expect_near(a.kinematics, b.kinematics, plain, "kinematics");
  expect_near(a.g, b.g, plain, "g");
  expect_near(a.e, b.e, plain, "e");
  expect_near(a.dynamics, b.dynamics, first, "dynamics");
  expect_near(a.gI, b.gI, first, "gI");
  expect_near(a.gII, b.gII, second, "gII");
}

TEST(PendulumThreeWays, TemplatesAgreeWithHandWrittenDerivatives) {
  HandWrittenPendulum by_hand;
  TemplatedEquations<Pendulum> templated{Pendulum{}};
  // both exact: round-off only
  expect_same_values(by_hand, templated, 1e-14, 1e-14);
  expect_same_derivatives(by_hand, templated, 1e-14, 1e-14, 1e-14);
}

TEST(PendulumThreeWays, PlainFunctionsAgreeWithHandWrittenDerivatives) {
  HandWrittenPendulum by_hand;
  ResidualEquations plain(pendulum_functions());
  // eight-point differences are exact for a quadratic; what is left is ε/h and ε/h² with h = 4e-3
  expect_same_values(by_hand, plain, 1e-12, 1e-9);
  // and once more over a step of 6e-6: of exact values, of first and of second time derivatives
  expect_same_derivatives(by_hand, plain, 1e-9, 1e-6, 1e-4);
}

TEST(PendulumThreeWays, AssembleToTheSameState) {
  HandWrittenPendulum by_hand;
  TemplatedEquations<Pendulum> templated{Pendulum{}};
  ResidualEquations plain(pendulum_functions());
  AssemblyOptions options;
  options.meet_invariants = false;
  const auto assembled = [&](EquationsOfMotion& equations) {
    Vector x = state;
    const AssemblyReport report = Assembly(equations, options).run(0.3, x);
    EXPECT_FALSE(report.failure) << report.failure.message;
    EXPECT_EQ(report.degrees_of_freedom, 1);
    Vector all(x.size() + report.accelerations.size());
    all << x, report.accelerations;
    return all;
  };
  const Vector exact = assembled(by_hand);
  EXPECT_NEAR(exact.head(2).norm(), length, 1e-12);
  expect_near(exact, assembled(templated), 1e-11, "templates");
  // as good as the second time derivative by differences
  expect_near(exact, assembled(plain), 1e-9, "plain functions");
}

TEST(PendulumThreeWays, NamesAndStructureArriveWhereTheyAreGiven) {
  HandWrittenPendulum by_hand;
  EXPECT_EQ(by_hand.names().v, (std::vector<std::string>{"v1", "v2"}));
  TemplatedEquations<Pendulum> templated{Pendulum{}};
  EXPECT_EQ(templated.names().v, (std::vector<std::string>{"v_x", "v_y"}));
  EXPECT_EQ(templated.names().lambda, std::vector<std::string>{"lambda_rod"});
  EXPECT_TRUE(templated.structure().diagonal_mass);
  ResidualFunctions functions = pendulum_functions();
  functions.names = Pendulum{}.names();
  functions.structure.constant_mass = true;
  ResidualEquations plain(functions);
  EXPECT_EQ(plain.names().lambda, std::vector<std::string>{"lambda_rod"});
  EXPECT_TRUE(plain.structure().constant_mass);
  EXPECT_FALSE(plain.structure().diagonal_mass);
}

// --- what a user of plain functions may give in addition

TEST(ResidualEquations, HiddenConstraintsGivenByHandAreUsed) {
  // values that no difference of g would give
  ResidualFunctions functions = pendulum_functions();
  functions.gI = [](const Point<double>& x, std::span<const double>, std::span<double> gI) {
    gI[0] = 100 + x.p[0] * x.v[1];
  };
  functions.gII = [](const Point<double>& x, std::span<const double> a, std::span<double> gII) {
    gII[0] = 1000 + x.p[1] * a[1] + x.v[0];
  };
  ResidualEquations equations(functions);
  MotionValues values(equations.layout());
  equations.evaluate(sample, part::all, values);
  EXPECT_EQ(values.gI[0], 100 + state[0] * state[3]);
  EXPECT_EQ(values.gII[0], 1000 + state[1] * accelerations[1] + state[2]);
  // g itself and the constraint force are still those of g
  EXPECT_EQ(values.g[0], state[0] * state[0] + state[1] * state[1] - length * length);
  EXPECT_NEAR(values.dynamics[0], -damping * state[2] - 2 * state[4] * state[0], 1e-11);
  // and they are differentiated
  MotionDerivatives derivatives(equations.layout());
  equations.differentiate(sample, part::gI | part::gII, derivatives);
  EXPECT_NEAR(derivatives.gI(0, 0), state[3], 1e-8);
  EXPECT_NEAR(derivatives.gI(0, 3), state[0], 1e-8);
  EXPECT_NEAR(derivatives.gII(0, 1), accelerations[1], 1e-8);
}

TEST(ResidualEquations, OneHiddenConstraintGivenLeavesTheOtherToDifferences) {
  ResidualFunctions functions = pendulum_functions();
  functions.gI = [](const Point<double>& x, std::span<const double>, std::span<double> gI) {
    gI[0] = 2 * (x.p[0] * x.v[0] + x.p[1] * x.v[1]);
  };
  ResidualEquations equations(functions);
  HandWrittenPendulum by_hand;
  expect_same_values(by_hand, equations, 1e-12, 1e-9);
}

TEST(ResidualEquations, JacobianGivenByHandMakesTheConstraintForce) {
  ResidualFunctions functions = pendulum_functions();
  functions.G = [](const Point<double>& x, MatrixView<double> G) {
    EXPECT_EQ(G.rows(), 1);
    EXPECT_EQ(G.cols(), 2);
    G(0, 0) = 7 * x.p[0];
    G(0, 1) = 50;
  };
  ResidualEquations equations(functions);
  MotionValues values(equations.layout());
  equations.evaluate(sample, part::dynamics, values);
  EXPECT_NEAR(values.dynamics[0], -damping * state[2] - 7 * state[0] * state[4], 1e-14);
  EXPECT_NEAR(values.dynamics[1], -damping * state[3] - mass * gravity - 50 * state[4], 1e-12);
}

TEST(ResidualEquations, NonholonomicTimeDerivativeGivenByHandIsUsed) {
  // a skate: no velocity across its direction
  ResidualFunctions functions;
  functions.sizes = {.positions = 3, .nonholonomic = 1};
  functions.H = [](const Point<double>& x, MatrixView<double> H) {
    H(0, 0) = std::sin(x.p[2]);
    H(0, 1) = -std::cos(x.p[2]);
  };
  Vector x(7), a(3);
  x << 0.1, 0.2, 0.6, 1.0, -0.5, 0.8, 0.3;
  a << 0.2, -0.1, 0.4;
  const MotionPoint at{0, x, a};
  ResidualEquations by_differences(functions);
  MotionValues values(by_differences.layout());
  by_differences.evaluate(at, part::h | part::hI, values);
  const double s = std::sin(0.6), c = std::cos(0.6);
  EXPECT_NEAR(values.h[0], s * 1.0 + c * 0.5, 1e-15);
  // smooth on the scale of the step: accurate to about 1e-11
  EXPECT_NEAR(values.hI[0], s * 0.2 + c * 0.1 + 0.8 * (c * 1.0 + s * -0.5), 1e-10);

  functions.hI = [](const Point<double>& at_x, std::span<const double> at_a, std::span<double> hI) {
    hI[0] = 12 + at_x.v[2] * at_a[0];
  };
  ResidualEquations by_hand(functions);
  by_hand.evaluate(at, part::h | part::hI, values);
  EXPECT_EQ(values.hI[0], 12 + 0.8 * 0.2);
}

TEST(ResidualEquations, NoMassAndNoKinematicsMeansTheIdentity) {
  ResidualFunctions functions;
  functions.sizes = {.positions = 2};
  ResidualEquations equations(functions);
  Vector x(4), a(2);
  x << 1, 2, 3, 4;
  a << 0, 0;
  MotionValues values(equations.layout());
  equations.evaluate({0, x, a}, part::all, values);
  EXPECT_EQ(values.M, Matrix::Identity(2, 2));
  EXPECT_EQ(values.kinematics, (Vector{{3.0, 4.0}}));
  EXPECT_EQ(values.dynamics, Vector::Zero(2));
}

TEST(ResidualEquations, ConstraintsMustNotLookAtVelocities) {
  ResidualFunctions functions = pendulum_functions();
  functions.g = [](const Point<double>& x, std::span<double> g) { g[0] = x.p[0] + x.v[0]; };
  ResidualEquations equations(functions);
  MotionValues values(equations.layout());
  equations.evaluate(sample, part::g, values);
  EXPECT_TRUE(std::isnan(values.g[0]));
  EXPECT_EQ(describe_non_finite(equations.names(), part::g, values), "the constraint 'g1'");
}

// --- slips that are worth a message

void expect_refused(const ResidualFunctions& functions, const std::string& words) {
  try {
    ResidualEquations equations(functions);
    ADD_FAILURE() << "accepted, where an error about '" << words << "' was due";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(ResidualEquations, CountsWithoutFunctions) {
  const auto refused = [](const Sizes& sizes, const std::string& words) {
    ResidualFunctions functions;
    functions.sizes = sizes;
    expect_refused(functions, words);
  };
  refused({.positions = 2, .force_states = 1}, "function b is not given");
  refused({.positions = 2, .auxiliaries = 1}, "function d is not given");
  refused({.positions = 2, .contacts = 1}, "function c is not given");
  refused({.positions = 2, .holonomic = 1}, "function g is not given");
  refused({.positions = 2, .nonholonomic = 1}, "function H is not given");
  refused({.positions = 2, .invariants = 1}, "function e is not given");
  refused({.positions = 2, .normalizations = 1}, "function n is not given");
  refused({.positions = 3, .velocities = 2}, "Z is needed");
  refused({}, "no unknowns");
  refused({.positions = -1}, "negative");
}

TEST(ResidualEquations, FunctionsWithoutCounts) {
  const ResidualFunctions::Fill fill = [](const Point<double>&, std::span<double>) {};
  const ResidualFunctions::FillMatrix matrix = [](const Point<double>&, MatrixView<double>) {};
  const ResidualFunctions::FillLevel level = [](const Point<double>&, std::span<const double>,
                                                std::span<double>) {};
  const auto refused = [](auto member, const auto& function, const std::string& words) {
    ResidualFunctions functions;
    functions.sizes = {.positions = 2};
    functions.*member = function;
    expect_refused(functions, words);
  };
  refused(&ResidualFunctions::b, fill, "function b is given");
  refused(&ResidualFunctions::d, fill, "function d is given");
  refused(&ResidualFunctions::c, fill, "function c is given");
  refused(&ResidualFunctions::g, fill, "function g is given");
  refused(&ResidualFunctions::H, matrix, "function H is given");
  refused(&ResidualFunctions::h, fill, "function h is given");
  refused(&ResidualFunctions::e, fill, "function e is given");
  refused(&ResidualFunctions::n, fill, "function n is given");
  refused(&ResidualFunctions::G, matrix, "function G is given");
  refused(&ResidualFunctions::gI, level, "function gI is given");
  refused(&ResidualFunctions::gII, level, "function gII is given");
  refused(&ResidualFunctions::hI, level, "function hI is given");
}

TEST(ResidualEquations, OtherSlips) {
  ResidualFunctions functions = pendulum_functions();
  functions.difference_step = 0;
  expect_refused(functions, "difference_step");
  functions.difference_step = std::nan("");
  expect_refused(functions, "difference_step");

  functions = pendulum_functions();
  functions.names.p = {"x", "y", "z"};
  expect_refused(functions, "3 names are given for 2");

  functions = {};
  functions.sizes = {.positions = 1, .velocities = 2};
  functions.Z = [](const Point<double>&, MatrixView<double>) {};
  expect_refused(functions, "more velocities (2) than positions (1)");
}

}  // namespace
}  // namespace trammel
