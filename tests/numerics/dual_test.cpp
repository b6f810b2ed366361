// Derivatives of every elementary function and operator, of Dual, of nested Duals and along a curve (Taylor),
// against derivatives known by hand; the first ones also against central differences.
#include "trammel/numerics/dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "trammel/numerics/taylor.h"

namespace trammel {
namespace {

using Dual1 = Dual<double, 1>;
using Nested = Dual<Dual<double, 3>, 2>;

// A few roundings of a value that is not the result of a cancellation.
constexpr double round_off = 1e-13;

void expect_near(double expected, double actual, double tolerance, const std::string& what) {
  EXPECT_NEAR(expected, actual, tolerance * (1 + std::abs(expected))) << what;
}

// x as the variable of the first direction, inside and outside.
Nested nested_variable(double x) {
  Nested result;
  result.value = Dual<double, 3>::variable(x, 0);
  result.derivative[0] = Dual<double, 3>(1.0);
  return result;
}

// f, in any scalar, has the derivatives d1, d2, d3 at these points.
template <class Function, class D1, class D2, class D3>
void expect_derivatives(const std::string& name, const Function& f, const D1& d1, const D2& d2, const D3& d3,
                        const std::vector<double>& points) {
  for (const double x : points) {
    const std::string what = name + " at " + std::to_string(x);

    // the first, by hand and by differences: h² and ε/h are both about 1e-10
    const Dual1 first = f(Dual1::variable(x, 0));
    expect_near(f(x), first.value, round_off, what + ", value");
    expect_near(d1(x), first.derivative[0], round_off, what + ", first");
    const double h = 1e-5;
    expect_near((f(x + h) - f(x - h)) / (2 * h), first.derivative[0], 1e-7, what + ", by differences");

    // the second, by nesting; directions that are not x's stay zero
    const Nested second = f(nested_variable(x));
    expect_near(f(x), second.value.value, round_off, what + ", nested value");
    expect_near(d1(x), second.value.derivative[0], round_off, what + ", inner first");
    expect_near(d1(x), second.derivative[0].value, round_off, what + ", outer first");
    expect_near(d2(x), second.derivative[0].derivative[0], round_off, what + ", nested second");
    EXPECT_EQ(second.derivative[0].derivative[1], 0.0) << what;
    EXPECT_EQ(second.derivative[1].value, 0.0) << what;
    EXPECT_EQ(second.derivative[1].derivative[0], 0.0) << what;

    // along x(τ) = x + v τ + a τ²/2: f' v, f'' v² + f' a
    const double v = 0.7, a = -1.3;
    const Taylor<double> along = f(Taylor<double>(x, v, a));
    expect_near(f(x), along.value, round_off, what + ", Taylor value");
    expect_near(d1(x) * v, along.first, round_off, what + ", Taylor first");
    expect_near(d2(x) * v * v + d1(x) * a, along.second, round_off, what + ", Taylor second");

    // the same, differentiated by x, v and a: third derivatives of f
    using D = Dual<double, 3>;
    const Taylor<D> mixed = f(Taylor<D>(D::variable(x, 0), D::variable(v, 1), D::variable(a, 2)));
    const D value = mixed.value, rate = mixed.first, bend = mixed.second;
    expect_near(d1(x), value.derivative[0], round_off, what + ", ∂f/∂x");
    expect_near(d2(x) * v, rate.derivative[0], round_off, what + ", ∂f'/∂x");
    expect_near(d1(x), rate.derivative[1], round_off, what + ", ∂f'/∂v");
    EXPECT_EQ(rate.derivative[2], 0.0) << what;
    expect_near(d3(x) * v * v + d2(x) * a, bend.derivative[0], round_off, what + ", ∂f''/∂x");
    expect_near(2 * d2(x) * v, bend.derivative[1], round_off, what + ", ∂f''/∂v");
    expect_near(d1(x), bend.derivative[2], round_off, what + ", ∂f''/∂a");
  }
}

double zero(double) { return 0; }

TEST(Derivatives, TrigonometricFunctions) {
  const std::vector<double> points{-4.1, -0.6, 0.0, 0.4, 1.2, 3.0};
  const auto sine = [](double x) { return std::sin(x); };
  const auto cosine = [](double x) { return std::cos(x); };
  const auto minus_sine = [](double x) { return -std::sin(x); };
  const auto minus_cosine = [](double x) { return -std::cos(x); };
  expect_derivatives(
      "sin",
      [](const auto& x) {
        using std::sin;
        return sin(x);
      },
      cosine, minus_sine, minus_cosine, points);
  expect_derivatives(
      "cos",
      [](const auto& x) {
        using std::cos;
        return cos(x);
      },
      minus_sine, minus_cosine, sine, points);
  const auto slope = [](double x) { return 1 + std::tan(x) * std::tan(x); };
  expect_derivatives(
      "tan",
      [](const auto& x) {
        using std::tan;
        return tan(x);
      },
      slope, [&](double x) { return 2 * std::tan(x) * slope(x); },
      [&](double x) { return 2 * slope(x) * slope(x) + 4 * std::pow(std::tan(x), 2) * slope(x); }, points);
}

TEST(Derivatives, InverseTrigonometricFunctions) {
  const std::vector<double> inside{-0.9, -0.3, 0.0, 0.5, 0.8};
  const auto q = [](double x) { return 1 - x * x; };
  expect_derivatives(
      "asin",
      [](const auto& x) {
        using std::asin;
        return asin(x);
      },
      [&](double x) { return std::pow(q(x), -0.5); }, [&](double x) { return x * std::pow(q(x), -1.5); },
      [&](double x) { return (1 + 2 * x * x) * std::pow(q(x), -2.5); }, inside);
  expect_derivatives(
      "acos",
      [](const auto& x) {
        using std::acos;
        return acos(x);
      },
      [&](double x) { return -std::pow(q(x), -0.5); }, [&](double x) { return -x * std::pow(q(x), -1.5); },
      [&](double x) { return -(1 + 2 * x * x) * std::pow(q(x), -2.5); }, inside);
  const auto w = [](double x) { return 1 / (1 + x * x); };
  expect_derivatives(
      "atan",
      [](const auto& x) {
        using std::atan;
        return atan(x);
      },
      w, [&](double x) { return -2 * x * w(x) * w(x); },
      [&](double x) { return (6 * x * x - 2) * w(x) * w(x) * w(x); }, {-5.0, -0.3, 0.0, 0.5, 7.0});
}

TEST(Derivatives, ExponentialsLogarithmAndRoot) {
  const auto exponential = [](double x) { return std::exp(x); };
  expect_derivatives("exp",
                     [](const auto& x) {
                       using std::exp;
                       return exp(x);
                     },
                     exponential, exponential, exponential, {-3.0, 0.0, 1.5});
  expect_derivatives(
      "log",
      [](const auto& x) {
        using std::log;
        return log(x);
      },
      [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); },
      [](double x) { return 2 / (x * x * x); }, {0.2, 1.0, 9.0});
  expect_derivatives(
      "sqrt",
      [](const auto& x) {
        using std::sqrt;
        return sqrt(x);
      },
      [](double x) { return 0.5 / std::sqrt(x); }, [](double x) { return -0.25 * std::pow(x, -1.5); },
      [](double x) { return 0.375 * std::pow(x, -2.5); }, {0.2, 1.0, 9.0});
}

TEST(Derivatives, HyperbolicFunctions) {
  const std::vector<double> points{-2.0, 0.0, 0.7, 1.5};
  const auto hyperbolic_sine = [](double x) { return std::sinh(x); };
  const auto hyperbolic_cosine = [](double x) { return std::cosh(x); };
  expect_derivatives(
      "sinh",
      [](const auto& x) {
        using std::sinh;
        return sinh(x);
      },
      hyperbolic_cosine, hyperbolic_sine, hyperbolic_cosine, points);
  expect_derivatives(
      "cosh",
      [](const auto& x) {
        using std::cosh;
        return cosh(x);
      },
      hyperbolic_sine, hyperbolic_cosine, hyperbolic_sine, points);
  const auto slope = [](double x) { return 1 - std::tanh(x) * std::tanh(x); };
  expect_derivatives(
      "tanh",
      [](const auto& x) {
        using std::tanh;
        return tanh(x);
      },
      slope, [&](double x) { return -2 * std::tanh(x) * slope(x); },
      [&](double x) { return -2 * slope(x) * slope(x) + 4 * std::pow(std::tanh(x), 2) * slope(x); }, points);
}

TEST(Derivatives, AbsoluteValue) {
  expect_derivatives(
      "abs",
      [](const auto& x) {
        using std::abs;
        return abs(x);
      },
      [](double x) { return x < 0 ? -1.0 : 1.0; }, zero, zero, {-2.0, -0.1, 0.1, 3.0});
}

TEST(Derivatives, PowersWithAPlainExponent) {
  for (const double n : {-2.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    std::vector<double> points{0.3, 1.0, 2.2};
    if (n == std::round(n)) points.push_back(-1.7);
    expect_derivatives(
        "pow(x, " + std::to_string(n) + ")",
        [n](const auto& x) {
          using std::pow;
          return pow(x, n);
        },
        [n](double x) { return n * std::pow(x, n - 1); },
        [n](double x) { return n * (n - 1) * std::pow(x, n - 2); },
        [n](double x) { return n * (n - 1) * (n - 2) * std::pow(x, n - 3); }, points);
  }
}

TEST(Derivatives, PowersAtZeroAreFinite) {
  // x⁰, x, x², x³ and their derivatives, where a careless rule gives 0·∞
  const double expected[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 6}};
  for (int n = 0; n <= 3; ++n) {
    SCOPED_TRACE(n);
    const Nested nested = pow(nested_variable(0.0), static_cast<double>(n));
    EXPECT_EQ(nested.value.value, expected[n][0]);
    EXPECT_EQ(nested.derivative[0].value, expected[n][1]);
    EXPECT_EQ(nested.value.derivative[0], expected[n][1]);
    EXPECT_EQ(nested.derivative[0].derivative[0], expected[n][2]);

    // x(τ) = 0 + 2τ + 3τ²/2, and the third derivative by x
    const Taylor<Dual1> along =
        pow(Taylor<Dual1>(Dual1::variable(0.0, 0), Dual1(2.0), Dual1(3.0)), static_cast<double>(n));
    EXPECT_EQ(along.value.value, expected[n][0]);
    EXPECT_EQ(along.first.value, 2 * expected[n][1]);
    EXPECT_EQ(along.second.value, 4 * expected[n][2] + 3 * expected[n][1]);
    EXPECT_EQ(along.second.derivative[0], 4 * expected[n][3] + 3 * expected[n][2]);
  }
}

TEST(Derivatives, PowersWithAVariableExponent) {
  // xʸ: y xʸ⁻¹ and xʸ log x
  using D = Dual<double, 2>;
  const double x = 1.7, y = -0.6;
  const D power = pow(D::variable(x, 0), D::variable(y, 1));
  expect_near(std::pow(x, y), power.value, round_off, "xʸ");
  expect_near(y * std::pow(x, y - 1), power.derivative[0], round_off, "by x");
  expect_near(std::pow(x, y) * std::log(x), power.derivative[1], round_off, "by y");

  // xˣ along a curve: f' = xˣ(log x + 1), f'' = xˣ((log x + 1)² + 1/x)
  const Taylor<double> base(1.3, 0.4, -0.9);
  const double f = std::pow(1.3, 1.3), slope = f * (std::log(1.3) + 1);
  const double curvature = f * (std::pow(std::log(1.3) + 1, 2) + 1 / 1.3);
  const Taylor<double> along = pow(base, base);
  expect_near(f, along.value, round_off, "xˣ");
  expect_near(slope * 0.4, along.first, round_off, "(xˣ)'");
  expect_near(curvature * 0.16 - slope * 0.9, along.second, round_off, "(xˣ)''");
}

// Generic code writes pow(x, T(2.0)): the logarithm of a negative x must not spoil what is a polynomial.
TEST(Derivatives, PowersWithAConstantExponentOfTheSameType) {
  for (const double x : {-1.5, 0.0, 2.0}) {
    SCOPED_TRACE(x);
    const Dual1 square = pow(Dual1::variable(x, 0), Dual1(2.0));
    EXPECT_DOUBLE_EQ(square.value, x * x);
    EXPECT_DOUBLE_EQ(square.derivative[0], 2 * x);

    const Nested cube = pow(nested_variable(x), Nested(3.0));
    EXPECT_DOUBLE_EQ(cube.value.value, x * x * x);
    EXPECT_DOUBLE_EQ(cube.derivative[0].value, 3 * x * x);
    EXPECT_DOUBLE_EQ(cube.derivative[0].derivative[0], 6 * x);

    const Taylor<Dual1> along = pow(Taylor<Dual1>(Dual1::variable(x, 0), 2.0, 3.0), Taylor<Dual1>(2.0));
    EXPECT_DOUBLE_EQ(along.second.value, 8 + 6 * x);
    EXPECT_DOUBLE_EQ(along.second.derivative[0], 6);
  }
}

TEST(Derivatives, Arithmetic) {
  const std::vector<double> points{-2.0, -0.5, 0.7, 3.0};
  expect_derivatives(
      "polynomial", [](const auto& x) { return -(x * x * x) + x * x - x + +x; },
      [](double x) { return -3 * x * x + 2 * x; }, [](double x) { return -6 * x + 2; },
      [](double) { return -6; }, points);
  expect_derivatives(
      "quotient", [](const auto& x) { return (x + 5.0) / (x * x + 1.0); },
      [](double x) {
        const double q = 1 + x * x;
        return 1 / q - 2 * x * (x + 5) / (q * q);
      },
      [](double x) {
        const double q = 1 + x * x;
        return -(6 * x + 10) / (q * q) + 8 * x * x * (x + 5) / (q * q * q);
      },
      [](double x) {
        const double q = 1 + x * x;
        return -6 / (q * q) + (4 * x * (6 * x + 10) + 24 * x * x + 80 * x) / (q * q * q) -
               48 * x * x * x * (x + 5) / (q * q * q * q);
      },
      points);
}

TEST(Derivatives, PlainConstantsOnEitherSide) {
  const std::vector<double> points{-2.0, 0.7, 3.0};
  const auto one = [](double) { return 1.0; };
  const auto minus_one = [](double) { return -1.0; };
  expect_derivatives(
      "x + 2", [](const auto& x) { return x + 2.0; }, one, zero, zero, points);
  expect_derivatives(
      "2 + x", [](const auto& x) { return 2.0 + x; }, one, zero, zero, points);
  expect_derivatives(
      "x - 2", [](const auto& x) { return x - 2.0; }, one, zero, zero, points);
  expect_derivatives(
      "2 - x", [](const auto& x) { return 2.0 - x; }, minus_one, zero, zero, points);
  const auto four = [](double) { return 4.0; };
  expect_derivatives(
      "x * 4", [](const auto& x) { return x * 4.0; }, four, zero, zero, points);
  expect_derivatives(
      "4 * x, whole numbers", [](const auto& x) { return 4 * x; }, four, zero, zero, points);
  expect_derivatives(
      "x / 0.25", [](const auto& x) { return x / 0.25; }, four, zero, zero, points);
  expect_derivatives(
      "4 / x", [](const auto& x) { return 4.0 / x; }, [](double x) { return -4 / (x * x); },
      [](double x) { return 8 / (x * x * x); }, [](double x) { return -24 / (x * x * x * x); }, points);
}

// f(x) computed with a compound assignment; the operand may be x itself.
template <class T>
void expect_compound_assignments(const T& x, const auto& same) {
  T y = x;
  y += x;
  same(y, 2.0 * x);
  y = x;
  y -= 3.0;
  same(y, x - 3.0);
  y = x;
  y *= y;
  same(y, x * x);
  y = x;
  y /= 1.0 + x;
  same(y, x / (1.0 + x));
  y = x;
  const auto& itself = y;
  y += itself;
  same(y, 2.0 * x);
  y -= itself;
  same(y, 0.0 * x);
}

TEST(Derivatives, CompoundAssignment) {
  expect_compound_assignments(Dual1::variable(1.5, 0), [](const Dual1& a, const Dual1& b) {
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.derivative[0], b.derivative[0]);
  });
  expect_compound_assignments(Taylor<double>(1.5, 2.0, -0.5),
                              [](const Taylor<double>& a, const Taylor<double>& b) {
                                EXPECT_EQ(a.value, b.value);
                                EXPECT_EQ(a.first, b.first);
                                EXPECT_EQ(a.second, b.second);
                              });
}

TEST(Dual, ComparesByValueAlone) {
  const Dual1 small = Dual1::variable(1.0, 0), large(2.0);
  EXPECT_TRUE(small < large);
  EXPECT_FALSE(large < small);
  EXPECT_TRUE(large > small);
  EXPECT_TRUE(small <= Dual1(1.0));
  EXPECT_TRUE(small >= 1.0);
  EXPECT_TRUE(small == 1.0);
  EXPECT_FALSE(small != 1.0);
  EXPECT_TRUE(small != large);
  EXPECT_TRUE(nested_variable(1.0) < 1.5);
  EXPECT_FALSE(nested_variable(2.0) <= 1.5);
  EXPECT_FALSE(Dual1(std::nan("")) == Dual1(std::nan("")));

  const Taylor<Dual1> moving(Dual1(1.0), Dual1(5.0), Dual1(0.0));
  EXPECT_TRUE(moving < 2.0);
  EXPECT_TRUE(moving <= 1.0);
  EXPECT_TRUE(moving >= 1.0);
  EXPECT_FALSE(moving > 1.0);
  EXPECT_TRUE(moving == 1.0);
  EXPECT_FALSE(moving != 1.0);
}

TEST(Dual, PlainValueAndFiniteness) {
  EXPECT_EQ(plain(2.5), 2.5);
  EXPECT_EQ(plain(nested_variable(2.5)), 2.5);
  EXPECT_EQ(plain(Taylor<Nested>(nested_variable(2.5))), 2.5);
  EXPECT_TRUE(isfinite(nested_variable(2.5)));
  EXPECT_FALSE(isfinite(Dual1(std::numeric_limits<double>::infinity())));
  // a finite value with an infinite slope
  EXPECT_FALSE(isfinite(sqrt(Dual1::variable(0.0, 0))));
  Nested inner_only = nested_variable(1.0);
  inner_only.derivative[1].derivative[2] = std::nan("");
  EXPECT_FALSE(isfinite(inner_only));
}

// Values that differ in their derivatives in all directions: no direction may be mixed up with another.
TEST(Dual, SecondDerivativesInSeveralDirections) {
  // F = x² y sin z + y / x + exp(x z)
  const double x = 1.2, y = -0.7, z = 0.4;
  Nested X, Y, Z;
  X.value = Dual<double, 3>::variable(x, 0);
  Y.value = Dual<double, 3>::variable(y, 1);
  Z.value = Dual<double, 3>::variable(z, 2);
  X.derivative[0] = 1.0;
  Y.derivative[1] = 1.0;
  const Nested F = X * X * Y * sin(Z) + Y / X + exp(X * Z);

  const double e = std::exp(x * z), s = std::sin(z), c = std::cos(z);
  expect_near(x * x * y * s + y / x + e, F.value.value, round_off, "F");
  const double gradient[] = {2 * x * y * s - y / (x * x) + z * e, x * x * s + 1 / x, x * x * y * c + x * e};
  const double second[2][3] = {
      {2 * y * s + 2 * y / (x * x * x) + z * z * e, 2 * x * s - 1 / (x * x), 2 * x * y * c + (1 + x * z) * e},
      {2 * x * s - 1 / (x * x), 0, x * x * c}};
  for (std::size_t i = 0; i < 2; ++i) {
    expect_near(gradient[i], F.derivative[i].value, round_off, "outer gradient");
    for (std::size_t j = 0; j < 3; ++j) {
      expect_near(gradient[j], F.value.derivative[j], round_off, "inner gradient");
      expect_near(second[i][j], F.derivative[i].derivative[j], round_off,
                  "F_" + std::to_string(i) + std::to_string(j));
    }
  }
}

// The four quadrants and the half axes between them.
const std::vector<std::pair<double, double>> all_around{{1.2, 0.5},   {0.0, 0.8},  {-0.9, 0.4}, {-1.1, 0.0},
                                                        {-0.3, -1.5}, {0.0, -0.6}, {0.8, -0.7}, {1.4, 0.0}};

TEST(Dual, AngleAndDistanceInAllQuadrants) {
  for (const auto& [x, y] : all_around) {
    SCOPED_TRACE(testing::Message() << "x = " << x << ", y = " << y);
    Nested X, Y;
    X.value = Dual<double, 3>::variable(x, 0);
    Y.value = Dual<double, 3>::variable(y, 1);
    X.derivative[0] = 1.0;
    Y.derivative[1] = 1.0;
    const double square = x * x + y * y, r = std::sqrt(square);

    const Nested angle = atan2(Y, X);
    EXPECT_EQ(angle.value.value, std::atan2(y, x));
    const double angle_x = -y / square, angle_y = x / square;
    const double bend = 2 * x * y / (square * square), twist = (y * y - x * x) / (square * square);
    expect_near(angle_x, angle.derivative[0].value, round_off, "θ_x");
    expect_near(angle_y, angle.derivative[1].value, round_off, "θ_y");
    expect_near(bend, angle.derivative[0].derivative[0], round_off, "θ_xx");
    expect_near(-bend, angle.derivative[1].derivative[1], round_off, "θ_yy");
    expect_near(twist, angle.derivative[0].derivative[1], round_off, "θ_xy");
    expect_near(twist, angle.derivative[1].derivative[0], round_off, "θ_yx");

    const Nested distance = hypot(X, Y);
    expect_near(r, distance.value.value, round_off, "r");
    expect_near(x / r, distance.derivative[0].value, round_off, "r_x");
    expect_near(y / r, distance.derivative[1].value, round_off, "r_y");
    expect_near(y * y / (r * square), distance.derivative[0].derivative[0], round_off, "r_xx");
    expect_near(-x * y / (r * square), distance.derivative[0].derivative[1], round_off, "r_xy");
    expect_near(x * x / (r * square), distance.derivative[1].derivative[1], round_off, "r_yy");
  }
}

// A spiral r(τ), θ(τ) in Cartesian coordinates gives its own angle and distance back.
TEST(Taylor, AngleAndDistanceAlongASpiral) {
  for (const auto& [x0, y0] : all_around) {
    SCOPED_TRACE(testing::Message() << "x = " << x0 << ", y = " << y0);
    using T = Taylor<double>;
    const double theta0 = std::atan2(y0, x0);
    const T r(std::sqrt(x0 * x0 + y0 * y0), 0.3, -0.8), theta(theta0, -1.1, 0.6);
    const T x = r * cos(theta), y = r * sin(theta);

    // by hand: the product and chain rules above are not taken on trust
    const double c = std::cos(theta0), s = std::sin(theta0);
    expect_near(r.first * c - r.value * theta.first * s, x.first, round_off, "x'");
    expect_near(r.second * c - 2 * r.first * theta.first * s - r.value * theta.second * s -
                    r.value * theta.first * theta.first * c,
                x.second, round_off, "x''");

    const T angle = atan2(y, x), distance = hypot(x, y);
    expect_near(theta.value, angle.value, round_off, "θ");
    expect_near(theta.first, angle.first, round_off, "θ'");
    expect_near(theta.second, angle.second, round_off, "θ''");
    expect_near(r.value, distance.value, round_off, "r");
    expect_near(r.first, distance.first, round_off, "r'");
    expect_near(r.second, distance.second, round_off, "r''");
  }
}

// x(τ) y(τ)² with every coefficient a variable: mixed third derivatives by hand.
TEST(Taylor, MixedDerivativesInSeveralVariables) {
  using D = Dual<double, 6>;
  const double x = 0.9, x1 = -0.4, x2 = 1.7, y = 1.3, y1 = 0.6, y2 = -0.2;
  const Taylor<D> X(D::variable(x, 0), D::variable(x1, 1), D::variable(x2, 2));
  const Taylor<D> Y(D::variable(y, 3), D::variable(y1, 4), D::variable(y2, 5));
  const D second = (X * Y * Y).second;  // x''y² + 4x'yy' + 2x(y'² + yy'')
  expect_near(x2 * y * y + 4 * x1 * y * y1 + 2 * x * (y1 * y1 + y * y2), second.value, round_off, "second");
  const double expected[] = {2 * (y1 * y1 + y * y2),                 // by x
                             4 * y * y1,                             // by x'
                             y * y,                                  // by x''
                             2 * x2 * y + 4 * x1 * y1 + 2 * x * y2,  // by y
                             4 * x1 * y + 4 * x * y1,                // by y'
                             2 * x * y};                             // by y''
  for (std::size_t i = 0; i < 6; ++i)
    expect_near(expected[i], second.derivative[i], round_off, "derivative " + std::to_string(i));
}

// Functions of two arguments with a plain number as one of them: the same as with a constant of the type.
TEST(Mixed, PlainNumbersAsArguments) {
  using D = Dual<double, 1>;
  using T = Taylor<double>;
  const D x = D::variable(0.7, 0);
  EXPECT_DOUBLE_EQ(atan2(x, 2.0).derivative[0], 2.0 / (0.49 + 4));
  EXPECT_DOUBLE_EQ(atan2(2.0, x).derivative[0], -2.0 / (0.49 + 4));
  EXPECT_DOUBLE_EQ(hypot(x, 2.0).derivative[0], 0.7 / std::hypot(0.7, 2.0));
  EXPECT_DOUBLE_EQ(hypot(2.0, x).derivative[0], 0.7 / std::hypot(0.7, 2.0));
  EXPECT_DOUBLE_EQ(pow(3.0, x).derivative[0], std::log(3.0) * std::pow(3.0, 0.7));
  const T t(0.7, 1, 0);
  EXPECT_DOUBLE_EQ(atan2(t, 2.0).first, 2.0 / (0.49 + 4));
  EXPECT_DOUBLE_EQ(atan2(2.0, t).first, -2.0 / (0.49 + 4));
  EXPECT_DOUBLE_EQ(hypot(t, 2.0).first, 0.7 / std::hypot(0.7, 2.0));
  EXPECT_DOUBLE_EQ(hypot(2.0, t).first, 0.7 / std::hypot(0.7, 2.0));
  EXPECT_DOUBLE_EQ(pow(3.0, t).second, std::log(3.0) * std::log(3.0) * std::pow(3.0, 0.7));
}

}  // namespace
}  // namespace trammel
