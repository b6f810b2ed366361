// Derivatives of expressions, against differences and where they are not smooth.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "tests/mechanism/expression_rig.h"
#include "trammel/mechanism/expression.h"

namespace trammel {
namespace {

using namespace expression_rig;

constexpr double pi = std::numbers::pi;

// Along x = x0 + 0.7 τ − 0.65 τ², y = y0 − 0.4 τ + 0.45 τ².
template <class T>
std::array<Taylor<T>, 2> motion(const T& x, const T& y) {
  return {Taylor<T>(x, T(0.7), T(-1.3)), Taylor<T>(y, T(-0.4), T(0.9))};
}

// Every derivative of an expression of x and y is the central difference of the derivative before.
void expect_derivatives(const std::string& text, double x, double y) {
  SCOPED_TRACE(text + " at " + std::to_string(x) + ", " + std::to_string(y));
  const Expression f = parse(text);
  const double h = 1e-5, tolerance = 2e-7;
  const auto expect_near = [&](double exact, double difference, const char* what) {
    EXPECT_NEAR(exact, difference, tolerance * (1 + std::abs(exact))) << what;
  };
  const auto plain_at = [&](double a, double b) { return f.evaluate<double>(std::array{a, b}); };
  const double by_x = (plain_at(x + h, y) - plain_at(x - h, y)) / (2 * h);
  const double by_y = (plain_at(x, y + h) - plain_at(x, y - h)) / (2 * h);

  // first derivatives
  using D = Dual<double, 24>;
  const std::array wide{Dual<double, 32>::variable(x, 0), Dual<double, 32>::variable(y, 31)};
  const auto dual = f.evaluate<Dual<double, 32>>(wide);
  EXPECT_EQ(dual.value, plain_at(x, y));
  expect_near(dual.derivative[0], by_x, "∂f/∂x");
  expect_near(dual.derivative[31], by_y, "∂f/∂y");
  EXPECT_EQ(dual.derivative[7], 0);

  // second derivatives
  using Inner = Dual<double, 8>;
  const auto slope_at = [&](double a, double b) {
    return f.evaluate<Inner>(std::array{Inner::variable(a, 0), Inner::variable(b, 1)}).derivative;
  };
  std::array<Dual<Inner, 4>, 2> nested_inputs{Dual<Inner, 4>(Inner::variable(x, 0)),
                                              Dual<Inner, 4>(Inner::variable(y, 1))};
  nested_inputs[0].derivative[0] = Inner(1.0);
  nested_inputs[1].derivative[1] = Inner(1.0);
  const auto nested = f.evaluate<Dual<Inner, 4>>(nested_inputs);
  EXPECT_EQ(nested.value.value, plain_at(x, y));
  for (std::size_t i = 0; i < 2; ++i) {
    expect_near(nested.derivative[0].derivative[i], (slope_at(x + h, y)[i] - slope_at(x - h, y)[i]) / (2 * h),
                "∂²f/∂x∂.");
    expect_near(nested.derivative[1].derivative[i], (slope_at(x, y + h)[i] - slope_at(x, y - h)[i]) / (2 * h),
                "∂²f/∂y∂.");
  }

  // along a motion
  const auto motion_at = [&](double a, double b) { return f.evaluate<Taylor<double>>(motion(a, b)); };
  const Taylor<double> taylor = motion_at(x, y);
  EXPECT_EQ(taylor.value, plain_at(x, y));
  expect_near(taylor.first, 0.7 * by_x - 0.4 * by_y, "f'");
  const auto& second = nested.derivative;
  expect_near(taylor.second,
              0.49 * second[0].derivative[0] - 0.56 * second[0].derivative[1] +
                  0.16 * second[1].derivative[1] - 1.3 * dual.derivative[0] + 0.9 * dual.derivative[31],
              "f''");

  // its derivatives: third ones of f
  const auto mixed = f.evaluate<Taylor<D>>(motion(D::variable(x, 0), D::variable(y, 1)));
  EXPECT_EQ(mixed.value.value, plain_at(x, y));
  EXPECT_NEAR(mixed.second.value, taylor.second, 1e-12 * (1 + std::abs(taylor.second)));
  const Taylor<double> step_x = motion_at(x + h, y) - motion_at(x - h, y);
  const Taylor<double> step_y = motion_at(x, y + h) - motion_at(x, y - h);
  expect_near(mixed.first.derivative[0], step_x.first / (2 * h), "∂f'/∂x");
  expect_near(mixed.first.derivative[1], step_y.first / (2 * h), "∂f'/∂y");
  expect_near(mixed.second.derivative[0], step_x.second / (2 * h), "∂f''/∂x");
  expect_near(mixed.second.derivative[1], step_y.second / (2 * h), "∂f''/∂y");
}

TEST(Expression, derivatives_of_functions_of_one_variable) {
  for (const char* function : {"sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "cbrt", "abs",
                               "sign", "floor", "ceil", "round", "asin", "acos"})
    for (const double x : {-0.7, 0.3, 0.6}) expect_derivatives(std::string(function) + "(x)", x, 0);
  for (const char* function : {"log", "log10", "sqrt"})
    for (const double x : {0.4, 1.0, 3.0}) expect_derivatives(std::string(function) + "(x)", x, 0);
  for (const char* text : {"-x", "x + 3", "3 - x", "2.5 * x", "x / 3", "3 / x", "x^2", "x^3", "x^4", "x^-1",
                           "x^-3", "pow(x, 5)", "x^0", "x^1", "not x", "(x) mm", "(x) km/h"})
    for (const double x : {-0.7, 0.3, 1.6}) expect_derivatives(text, x, 0);
  for (const char* text : {"x^0.5", "x^2.5", "2^x", "x^x", "x^-1.5"})
    for (const double x : {0.3, 1.6}) expect_derivatives(text, x, 0);
  for (const char* text :
       {"clamp(x, -1, 1)", "ramp(x, -1, 1)", "step(x, -1, 5, 1, 2)", "table(spring, x)", "table('cam-2', x)",
        "x > 0 ? x^2 : sin(x)", "if(x < 0, exp(x), 3)", "x < 0 and x > -5"})
    for (const double x : {-1.4, -0.7, 0.3, 0.9, 1.6}) expect_derivatives(text, x, 0);
}

TEST(Expression, derivatives_of_functions_of_two_variables) {
  for (const char* text : {"x + y", "x - y", "x * y", "x / y", "atan2(x, y)", "hypot(x, y)", "mod(x, y)",
                           "min(x, y)", "max(x, y)", "x < y", "x <= y", "x == y", "x > y ? x * y : x / y"})
    for (const double x : {-1.3, 0.4, 2.2})
      for (const double y : {-0.9, 0.7}) expect_derivatives(text, x, y);
  for (const double y : {-1.2, 0.7, 2.4}) {
    expect_derivatives("x^y", 0.6, y);
    expect_derivatives("pow(1 + x^2, y)", -0.6, y);
  }
  for (const double x : {1.2, 1.9, 2.6}) {
    expect_derivatives("step(x, y, x * y, y + 2, 3 - y)", x, 0.9);
    expect_derivatives("ramp(x, y, y^2 + 2)", x, 0.9);
    expect_derivatives("clamp(x * y, 1 - y, 2 * y)", x, 0.9);
    expect_derivatives("0.5 * k * (hypot(x, y) - 120 mm)^2 + table(spring, x * y) / (1 + exp(-3 * y))", x,
                       0.9);
  }
}

// Value, first and second derivative of a function of x along x = x0 + τ, and its Dual derivative.
struct Local {
  double value, first, second, dual;
};
Local local(const std::string& text, double x) {
  const Expression f = parse(text);
  const auto t = f.evaluate<Taylor<double>>(std::array{Taylor<double>(x, 1, 0), Taylor<double>(0.0)});
  const auto d =
      f.evaluate<Dual<double, 8>>(std::array{Dual<double, 8>::variable(x, 0), Dual<double, 8>(0.0)});
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(d.derivative[i], 0) << text;
  EXPECT_EQ(d.value, t.value) << text;
  return {t.value, t.first, t.second, d.derivative[0]};
}

TEST(Expression, derivatives_at_zero_are_finite) {
  const auto expect = [](const std::string& text, double x, double value, double first, double second) {
    const Local actual = local(text, x);
    EXPECT_EQ(actual.value, value) << text;
    EXPECT_EQ(actual.first, first) << text;
    EXPECT_EQ(actual.dual, first) << text;
    EXPECT_EQ(actual.second, second) << text;
  };
  // exact where there is a derivative
  expect("x^2", 0, 0, 0, 2);
  expect("x^y", 0, 1, 0, 0);
  expect("x^3", 0, 0, 0, 0);
  expect("x^1", 0, 0, 1, 0);
  expect("x^0", 0, 1, 0, 0);
  expect("x^(y + 2)", 0, 0, 0, 2);
  expect("pow(x, 2)", -3, 9, -6, 2);
  expect("(x^2)^2", 0, 0, 0, 0);
  // the right one of two
  expect("abs(x)", 0, 0, 1, 0);
  expect("x * abs(x)", 0, 0, 0, 2);
  expect("ramp(x, 0, 2)", 0, 0, 0.5, 0);
  expect("table('cam-2', x)", 0, 5, 1, 0);
  // that of the first operand
  expect("min(2 * x, x)", 0, 0, 2, 0);
  expect("max(x^2, -x)", 0, 0, 0, 2);
  expect("clamp(x, 0, 1)", 0, 0, 1, 0);
  // zero where it would be infinite or there is none
  expect("sign(x)", 0, 0, 0, 0);
  expect("sqrt(x)", 0, 0, 0, 0);
  expect("sqrt(x^2)", 0, 0, 0, 0);
  expect("x^0.5", 0, 0, 0, 0);
  expect("x^1.5", 0, 0, 0, 0);
  expect("cbrt(x)", 0, 0, 0, 0);
  expect("hypot(x, y)", 0, 0, 0, 0);
  expect("atan2(x, y)", 0, 0, 0, 0);
  expect("asin(x)", 1, pi / 2, 0, 0);
  expect("acos(x)", -1, pi, 0, 0);
  expect("sqrt(x)", std::numeric_limits<double>::denorm_min(),
         std::sqrt(std::numeric_limits<double>::denorm_min()),
         0.5 / std::sqrt(std::numeric_limits<double>::denorm_min()), 0);
  expect("x > 0", 0, 0, 0, 0);
}

TEST(Expression, branches_not_taken_are_left_alone) {
  for (const char* text : {"x > 0 ? sqrt(x) : 0", "if(x > 0, log(x), 0)", "if(x <= 0, 0, 1 / x)",
                           "x > 0 and 1 / x > 0", "not (x <= 0 or log(x) < 0)"}) {
    const Local actual = local(text, 0);
    EXPECT_EQ(actual.value, 0) << text;
    EXPECT_EQ(actual.first, 0) << text;
    EXPECT_EQ(actual.second, 0) << text;
  }
}

TEST(Expression, not_a_number_is_not_hidden) {
  for (const char* text :
       {"min(x, log(-1 - y))", "max(log(-1 - y), x)", "clamp(log(-1 - y), 0, 1)", "sign(log(-1 - y))"})
    EXPECT_TRUE(std::isnan(value(text, 1, 1))) << text;
}

}  // namespace
}  // namespace trammel
