// Expressions: what they mean, their derivatives against differences, what is refused and with which words
// and column, and that no text, however damaged, does harm.
#include "trammel/mechanism/expression.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "trammel/mechanism/expression_parser.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

// The inputs x, y and 'odd-name'.rate, a few constants, an expression by name, a function of names, two
// tables.
class Scope : public ExpressionScope {
 public:
  std::map<std::string, ExpressionSymbol> symbols{{"x", 0},
                                                  {"y", 1},
                                                  {"odd-name.rate", 2},
                                                  {"k", 3.0},
                                                  {"zero", 0.0},
                                                  {"crank.position.x", 7.0},
                                                  {"huge", std::numeric_limits<double>::infinity()}};
  std::map<std::string, Table> tables{
      {"spring",
       Table(std::vector<double>{0, 1, 3}, std::vector<double>{0, 2, 3}, Table::Interpolation::cubic)},
      {"cam-2", Table(std::vector<double>{0, 1}, std::vector<double>{5, 6})}};

  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    if (reference.is_call) {
      if (reference.name != "distance") return std::nullopt;
      if (reference.arguments.size() != 2)
        throw ExpressionError("distance is of two points", reference.column);
      return reference.arguments == std::vector<std::string>{"P", "Q-1"}
                 ? std::optional<ExpressionSymbol>(42.0)
                 : std::nullopt;
    }
    const auto found = symbols.find(reference.name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> result{"distance", "spring", "cam-2"};
    for (const auto& [name, symbol] : symbols) result.push_back(name);
    return result;
  }
  const Table* table(const std::string& name) const override {
    const auto found = tables.find(name);
    return found == tables.end() ? nullptr : &found->second;
  }
};

Expression parse(const std::string& text) { return parse_expression(text, Scope()); }

double value(const std::string& text, double x = 0, double y = 0, double z = 0) {
  return parse(text).evaluate<double>(std::array{x, y, z});
}

// "column: message"
std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const ExpressionError& error) {
    return std::to_string(error.column) + ": " + error.what();
  }
  return "accepted";
}

TEST(Expression, follows_the_precedence_of_mathematics) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("2 - 3 - 4"), -5);
  EXPECT_EQ(value("24 / 4 / 2"), 3);
  EXPECT_EQ(value("24 / 4 * 2"), 12);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("2 ** 3 ** 2"), 512);
  EXPECT_EQ(value("-x^2", 3), -9);
  EXPECT_EQ(value("(-x)^2", 3), 9);
  EXPECT_EQ(value("2^-x", 3), 0.125);
  EXPECT_EQ(value("2 * -x", 3), -6);
  EXPECT_EQ(value("- - x", 3), 3);
  EXPECT_EQ(value("+x - +y", 3, 1), 2);
  EXPECT_EQ(value("1 + 2 < 4 and 3 == 3"), 1);
  EXPECT_EQ(value("not 1 > 2"), 1);
  EXPECT_EQ(value("not 0 and 0"), 0);
  EXPECT_EQ(value("1 or 0 and 0"), 1);
  EXPECT_EQ(value("not not 5"), 1);
  EXPECT_EQ(value("x > 1 ? 10 : x > 0 ? 20 : 30", 2), 10);
  EXPECT_EQ(value("x > 1 ? 10 : x > 0 ? 20 : 30", 0.5), 20);
  EXPECT_EQ(value("x > 1 ? 10 : x > 0 ? 20 : 30", -1), 30);
  // operands keep their sides, constant or not
  EXPECT_EQ(value("10 - x", 4), 6);
  EXPECT_EQ(value("x - 10", 4), -6);
  EXPECT_EQ(value("10 / x", 4), 2.5);
  EXPECT_EQ(value("x / 10", 4), 0.4);
  EXPECT_EQ(value("2 ^ x", 4), 16);
  EXPECT_EQ(value("x ^ 2", 4), 16);
  EXPECT_EQ(value("x - y", 4, 1), 3);
  EXPECT_EQ(value("x / y", 4, 8), 0.5);
  EXPECT_EQ(value("x ^ y", 4, 3), 64);
}

TEST(Expression, reads_numbers) {
  EXPECT_EQ(value("1.5e3"), 1500);
  EXPECT_EQ(value("1.5E-3"), 0.0015);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("5."), 5);
  EXPECT_EQ(value("2e+2"), 200);
  EXPECT_EQ(value("  1\t+\n2 "), 3);
  EXPECT_EQ(value("pi"), pi);
  EXPECT_EQ(value("tau"), 2 * pi);
  EXPECT_EQ(value("e"), std::numbers::e);
}

TEST(Expression, compares_and_combines_truths) {
  for (const double x : {-1.0, 0.0, 1.0}) {
    EXPECT_EQ(value("x < 0", x), x < 0);
    EXPECT_EQ(value("x <= 0", x), x <= 0);
    EXPECT_EQ(value("x > 0", x), x > 0);
    EXPECT_EQ(value("x >= 0", x), x >= 0);
    EXPECT_EQ(value("x == 0", x), x == 0);
    EXPECT_EQ(value("x != 0", x), x != 0);
    EXPECT_EQ(value("not x", x), x == 0);
    for (const double y : {0.0, 2.0}) {
      EXPECT_EQ(value("x and y", x, y), x != 0 && y != 0);
      EXPECT_EQ(value("x or y", x, y), x != 0 || y != 0);
    }
  }
}

TEST(Expression, has_the_functions_of_the_manual) {
  const double x = 0.3;
  EXPECT_EQ(value("sin(x)", x), std::sin(x));
  EXPECT_EQ(value("cos(x)", x), std::cos(x));
  EXPECT_EQ(value("tan(x)", x), std::tan(x));
  EXPECT_EQ(value("asin(x)", x), std::asin(x));
  EXPECT_EQ(value("acos(x)", x), std::acos(x));
  EXPECT_EQ(value("atan(x)", x), std::atan(x));
  EXPECT_EQ(value("atan2(x, -1)", x), std::atan2(x, -1));
  EXPECT_EQ(value("sinh(x)", x), std::sinh(x));
  EXPECT_EQ(value("cosh(x)", x), std::cosh(x));
  EXPECT_EQ(value("tanh(x)", x), std::tanh(x));
  EXPECT_EQ(value("exp(x)", x), std::exp(x));
  EXPECT_EQ(value("log(x)", x), std::log(x));
  EXPECT_EQ(value("log10(x)", x), std::log10(x));
  EXPECT_EQ(value("sqrt(x)", x), std::sqrt(x));
  EXPECT_EQ(value("cbrt(x)", -8), -2);
  EXPECT_EQ(value("abs(x)", -8), 8);
  EXPECT_EQ(value("sign(x)", -8) + value("sign(x)", 0) + value("sign(x)", 3), 0);
  EXPECT_EQ(value("sign(x)", 3), 1);
  EXPECT_EQ(value("min(3, x, 2)", 1) + 10 * value("min(x, 2)", 5), 21);
  EXPECT_EQ(value("max(3, x, 2)", 1) + 10 * value("max(x, 2)", 5), 53);
  EXPECT_EQ(value("pow(x, 3)", 2), 8);
  EXPECT_EQ(value("hypot(x, y)", 3, 4), 5);
  EXPECT_EQ(value("floor(x)", -1.5), -2);
  EXPECT_EQ(value("ceil(x)", -1.5), -1);
  EXPECT_EQ(value("round(x)", 1.5), 2);
  EXPECT_EQ(value("mod(x, 360)", -30), 330);
  EXPECT_EQ(value("mod(x, 360)", 750), 30);
  EXPECT_EQ(value("mod(x, -360)", 30), -330);
  EXPECT_EQ(value("mod(x, 360)", -720), 0);
  for (const double at : {-5.0, -1.0, 0.5, 2.0, 7.0}) {
    EXPECT_EQ(value("clamp(x, -1, 2)", at), std::clamp(at, -1.0, 2.0));
    EXPECT_EQ(value("ramp(x, -1, 3)", at), std::clamp((at + 1) / 4, 0.0, 1.0));
  }
  EXPECT_EQ(value("if(x > 0, 10, 20)", 1), 10);
  EXPECT_EQ(value("if(x > 0, 10, 20)", 0), 20);
  EXPECT_EQ(value("table(spring, x)", 2), Scope().tables.at("spring")(2.0));
  EXPECT_EQ(value("table('cam-2', 0.5) + table(spring, 1) * table('cam-2', x)", 0), 5.5 + 2 * 5);
}

TEST(Expression, step_rises_smoothly) {
  const Expression step = parse("step(x, 1, 10, 3, 20)");
  const auto along = [&](double x) {
    return step.evaluate<Taylor<double>>(std::array{Taylor<double>(x, 1, 0)});
  };
  EXPECT_EQ(along(0.5).value, 10);
  EXPECT_EQ(along(1).value, 10);
  EXPECT_NEAR(along(2).value, 15, 1e-14);
  EXPECT_NEAR(along(2).first, 15.0 / 8 * 10 / 2, 1e-13);
  EXPECT_EQ(along(3).value, 20);
  EXPECT_EQ(along(9).value, 20);
  for (const double end : {1.0, 3.0})
    for (const double x : {end - 1e-6, end, end + 1e-6}) {
      EXPECT_NEAR(along(x).first, 0, 1e-9);
      EXPECT_NEAR(along(x).second, 0, 1e-3);
    }
  // the ends may be expressions, also equal ones
  EXPECT_EQ(value("step(x, y, 1, y + 2, 2)", 4, 3), 1.5);
  EXPECT_EQ(value("step(x, y, 1, y, 2)", 2.9, 3), 1);
  EXPECT_EQ(value("step(x, y, 1, y, 2)", 3, 3), 2);
  EXPECT_EQ(value("ramp(x, y, y)", 2.9, 3), 0);
}

TEST(Expression, understands_names) {
  EXPECT_EQ(value("crank.position.x + k"), 10);
  EXPECT_EQ(value("'odd-name'.rate", 1, 2, 3), 3);
  EXPECT_EQ(value("'odd-name.rate'", 1, 2, 3), 3);
  EXPECT_EQ(value("'k' * 'crank'.'position'.x"), 21);
  EXPECT_EQ(value("distance(P, 'Q-1') + 1"), 43);
  EXPECT_EQ(value("distance ( P , 'Q-1' ) mm"), 0.042);

  // a name of the scope goes before a constant, but an unquoted function is the language's own
  Scope scope;
  scope.symbols["e"] = 0.25;
  scope.symbols["θ_2"] = 1.5;
  EXPECT_EQ(parse_expression("e + θ_2", scope).evaluate<double>({}), 1.75);

  // expressions are put in place of their names
  scope.symbols["energy"] = parse("x < 0 ? table(spring, y) : 0.5 * k * x^2");
  const Expression both = parse_expression("table('cam-2', x) - 2 * energy", scope);
  EXPECT_EQ(both.evaluate<double>(std::array{2.0, 0.0}), 6 - 2 * 6);
  EXPECT_EQ(both.evaluate<double>(std::array{-1.0, 1.0}), 5 - 2 * 2);
}

TEST(Expression, multiplies_units) {
  EXPECT_EQ(value("35 mm"), 0.035);
  EXPECT_EQ(value("35mm"), 0.035);
  EXPECT_EQ(value("180 deg"), pi);
  EXPECT_EQ(value("90°"), pi / 2);
  EXPECT_EQ(value("-30 deg"), -pi / 6);
  EXPECT_EQ(value("1 rev"), 2 * pi);
  EXPECT_EQ(value("(2 + 3) mm"), 0.005);
  EXPECT_EQ(value("(x + 3) mm", 2), 0.005);
  EXPECT_NEAR(value("(x) km/h", 36), 10, 1e-14);
  EXPECT_EQ(value("sqrt(4) cm"), 0.02);
  EXPECT_EQ(value("2 m"), 2);
  EXPECT_EQ(value("36 km/h"), 10);
  EXPECT_DOUBLE_EQ(value("60 rpm"), 2 * pi);
  EXPECT_EQ(value("2 N/mm"), 2000);
  EXPECT_EQ(value("7.85 g/cm^3"), 7850);
  EXPECT_EQ(value("5 m/s^2"), 5);
  EXPECT_EQ(value("5 mm^2"), 5e-6);
  EXPECT_EQ(value("5 mm**2"), 5e-6);
  EXPECT_EQ(value("(5 mm)^2"), 0.005 * 0.005);
  EXPECT_EQ(value("5 ms^-1"), 5000);
  EXPECT_EQ(value("5 N*mm"), 0.005);
  EXPECT_EQ(value("3 Ns/mm"), 3000);
  EXPECT_EQ(value("3 N/(mm/s)"), 3000);
  EXPECT_EQ(value("(pi) Nm/deg"), 180);
  EXPECT_EQ(value("2 [N/mm]"), 2000);
  EXPECT_EQ(value("2 [ kg / (m * s^2) ]"), 2);
  EXPECT_EQ(value("2 [1/ms]"), 2000);
  // tighter than any operator, also where that surprises
  EXPECT_EQ(value("1/2 mm"), 500);
  EXPECT_EQ(value("10 N/x", 5), 2);
  EXPECT_EQ(value("10 N / (x + 1)", 4), 2);
  EXPECT_EQ(value("10 N/(x + 1)", 4), 2);
  EXPECT_EQ(value("10 mm/k"), 0.01 / 3);
  EXPECT_EQ(value("3 min < 181 s ? 1 h : 2 h"), 3600);
}

TEST(Expression, tells_units_from_names) {
  Scope scope;
  scope.symbols["m"] = 4.0;  // a mass, say
  const auto with_mass = [&](const std::string& text) {
    return parse_expression(text, scope).evaluate<double>({});
  };
  EXPECT_EQ(with_mass("2 m"), 2);
  EXPECT_EQ(with_mass("2 * m"), 8);
  EXPECT_EQ(with_mass("2 N/s"), 2);
  EXPECT_EQ(with_mass("2 N/m"), 0.5);
  EXPECT_EQ(with_mass("2 N*m"), 8);
  EXPECT_EQ(with_mass("2 [N/m]"), 2);
  EXPECT_EQ(with_mass("8 N/(m)"), 2);
  EXPECT_THROW(with_mass("2 N/(m/s)"), ExpressionError);
}

TEST(Expression, every_unit_has_its_size) {
  const std::vector<std::pair<std::string, double>> sizes{
      {"m", 1},        {"km", 1e3},    {"dm", 0.1},    {"cm", 0.01},   {"mm", 1e-3},      {"um", 1e-6},
      {"µm", 1e-6},    {"in", 0.0254}, {"ft", 0.3048}, {"s", 1},       {"ms", 1e-3},      {"us", 1e-6},
      {"min", 60},     {"h", 3600},    {"rad", 1},     {"mrad", 1e-3}, {"deg", pi / 180}, {"°", pi / 180},
      {"rev", 2 * pi}, {"kg", 1},      {"g", 1e-3},    {"t", 1e3},     {"tonne", 1e3},    {"lb", 0.45359237},
      {"N", 1},        {"mN", 1e-3},   {"kN", 1e3},    {"MN", 1e6},    {"Nm", 1},         {"mNm", 1e-3},
      {"Nmm", 1e-3},   {"kNm", 1e3},   {"Ns", 1},      {"Nms", 1},     {"Pa", 1},         {"kPa", 1e3},
      {"MPa", 1e6},    {"GPa", 1e9},   {"bar", 1e5},   {"J", 1},       {"kJ", 1e3},       {"MJ", 1e6},
      {"W", 1},        {"kW", 1e3},    {"MW", 1e6},    {"Hz", 1},      {"kHz", 1e3},      {"rpm", pi / 30}};
  for (const auto& [unit, size] : sizes) {
    EXPECT_DOUBLE_EQ(value("1 " + unit), size) << unit;
    EXPECT_DOUBLE_EQ(value("(x) " + unit, 7), 7 * size) << unit;
  }
}

TEST(Expression, knows_what_it_depends_on) {
  const Expression both = parse("'odd-name'.rate * x + k");
  EXPECT_EQ(both.inputs(), 3);
  EXPECT_TRUE(both.depends_on(0));
  EXPECT_FALSE(both.depends_on(1));
  EXPECT_TRUE(both.depends_on(2));
  EXPECT_FALSE(both.is_constant());
  EXPECT_THROW(both.evaluate<double>(std::array{1.0, 2.0}), std::invalid_argument);

  const Expression constant = parse("sin(k)^2 + table(spring, 2 * k) - (k > 2 ? k : x)");
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.inputs(), 0);
  EXPECT_EQ(constant.program().code.size(), 1u);

  EXPECT_EQ(Expression().evaluate<double>({}), 0);
  EXPECT_EQ(Expression::constant(4).evaluate<double>({}), 4);
  EXPECT_EQ(Expression::input(1).evaluate<double>(std::array{4.0, 5.0}), 5);
  EXPECT_THROW(Expression::input(-1), std::invalid_argument);
}

// ---- derivatives

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

// ---- refusals

TEST(Expression, says_what_is_wrong_and_where) {
  EXPECT_EQ(refusal(""), "0: the expression is empty");
  EXPECT_EQ(refusal("   "), "0: the expression is empty");
  EXPECT_EQ(refusal("1 + kk"), "4: there is no 'kk' (did you mean 'k'?)");
  EXPECT_EQ(refusal("crank.positon.x"),
            "0: there is no 'crank.positon.x' (did you mean 'crank.position.x'?)");
  EXPECT_EQ(refusal("2 * sine(x)"), "4: there is no function 'sine' (did you mean 'sin'?)");
  EXPECT_EQ(refusal("2 * sqt(x + 1)"), "4: there is no function 'sqt' (did you mean 'sqrt'?)");
  EXPECT_EQ(refusal("distanc(P, 'Q-1')"), "0: there is no function 'distanc' (did you mean 'distance'?)");
  EXPECT_EQ(refusal("1 + distance(P)"), "4: distance is of two points");
  EXPECT_EQ(refusal("distance(P, R)"), "0: 'distance' does not take these arguments");
  EXPECT_EQ(refusal("distance(P, 2)"), "12: this number stands where distance expects a name");
  EXPECT_EQ(refusal("distance(P, x + 1)"), "14: '+' stands where distance expects a name");
  EXPECT_EQ(refusal("k(3)"), "1: 'k' is not a function; an operator is missing before '('");
  EXPECT_EQ(refusal("sin + 1"), "0: there is no 'sin' (the function is written sin(x))");
  EXPECT_EQ(refusal("10 / mm"), "5: there is no 'mm' (a unit follows a number: 1 mm)");
  EXPECT_EQ(refusal("1 + inf"), "4: 'inf' is not a number to calculate with");
  EXPECT_EQ(refusal("nan"), "0: 'nan' is not a number to calculate with");
  EXPECT_EQ(refusal("table(sprin, x)"), "6: there is no table 'sprin' (did you mean 'spring'?)");
  EXPECT_EQ(refusal("table(3, x)"), "6: this number stands where the name of a table is expected");
}

TEST(Expression, counts_arguments) {
  EXPECT_EQ(refusal("1 + sin()"), "4: sin(x) needs 1 argument, not 0");
  EXPECT_EQ(refusal("sin(x, y)"), "0: sin(x) needs 1 argument, not 2");
  EXPECT_EQ(refusal("atan2(x)"), "0: atan2(y, x) needs 2 arguments, not 1");
  EXPECT_EQ(refusal("min(x)"), "0: min(a, b, ...) needs at least 2 arguments, not 1");
  EXPECT_EQ(refusal("if(x, y)"), "0: if(condition, then, otherwise) needs 3 arguments, not 2");
  EXPECT_EQ(refusal("step(x, 1, 2, 3)"), "0: step(x, x0, y0, x1, y1) needs 5 arguments, not 4");
  EXPECT_EQ(refusal("table(spring)"), "0: table(name, x) needs 2 arguments, not 1");
  EXPECT_EQ(refusal("table()"), "0: table(name, x) needs 2 arguments, not 0");
}

TEST(Expression, refuses_bad_grammar) {
  EXPECT_EQ(refusal("1 +"), "3: the expression ends too early");
  EXPECT_EQ(refusal("(1 + 2"), "0: this '(' is not closed");
  EXPECT_EQ(refusal("2 * sin(x"), "7: this '(' is not closed");
  EXPECT_EQ(refusal("1 + 2)"), "5: ')' has no meaning here");
  EXPECT_EQ(refusal("1,5"), "1: ',' has no meaning here; decimals are written with a point");
  EXPECT_EQ(refusal("sin(1,)"), "6: ')' stands where a value is expected");
  EXPECT_EQ(refusal("* 2"), "0: '*' stands where a value is expected");
  EXPECT_EQ(refusal("x y"), "2: an operator is missing before 'y'");
  EXPECT_EQ(refusal("x 2"), "2: an operator is missing before this number");
  EXPECT_EQ(refusal("2 (x)"), "2: an operator is missing before '('");
  EXPECT_EQ(refusal("(x)(y)"), "3: an operator is missing before '('");
  EXPECT_EQ(refusal("2 'x'"), "2: an operator is missing before 'x'");
  EXPECT_EQ(refusal("1.2.3"), "3: an operator is missing before this number");
  EXPECT_EQ(refusal("x < y < 2"), "6: comparisons are not chained; write 'a < b and b < c'");
  EXPECT_EQ(refusal("x = 2"), "2: '=' is not an operator; '==' compares");
  EXPECT_EQ(refusal("x && y"), "2: '&&' is written 'and'");
  EXPECT_EQ(refusal("!x"), "0: '!' is written 'not'");
  EXPECT_EQ(refusal("1 + not x"), "4: 'not' needs parentheses here: (not ...)");
  EXPECT_EQ(refusal("x and or y"), "6: 'or' stands where a value is expected");
  EXPECT_EQ(refusal("x ? 1"), "2: this '?' has no ':'");
  EXPECT_EQ(refusal("x ? 1, 2"), "5: ',' stands where a ':' is expected; decimals are written with a point");
  EXPECT_EQ(refusal("x % 2"), "2: '%' has no meaning here");
  EXPECT_EQ(refusal("'x"), "0: the quote ' is not closed");
  EXPECT_EQ(refusal("''"), "0: a name in quotes is empty");
  EXPECT_EQ(refusal("x. + 1"), "1: a name cannot end with a dot");
  EXPECT_EQ(refusal("x\x01"), "1: there is a control character here");
  EXPECT_EQ(refusal(std::string("x\0", 2)), "1: there is a control character here");
  EXPECT_EQ(refusal("x + \xff"), "4: the text is not UTF-8 from here on");
  EXPECT_EQ(refusal("x + \xc3"), "4: the text is not UTF-8 from here on");
}

TEST(Expression, refuses_bad_units) {
  EXPECT_EQ(refusal("5 mmm"), "2: there is no unit 'mmm' (did you mean 'mm'?)");
  EXPECT_EQ(refusal("5 x"), "2: there is no unit 'x'");
  EXPECT_EQ(refusal("2e"), "1: there is no unit 'e'");
  EXPECT_EQ(refusal("x mm"), "2: a unit follows a number or a parenthesis; write '(x) mm'");
  EXPECT_EQ(refusal("x^2 mm"), "4: an exponent has no unit; write '(x^2) mm'");
  EXPECT_EQ(refusal("x^-2 mm"), "5: an exponent has no unit; write '(x^2) mm'");
  EXPECT_EQ(refusal("5 mm ^ 2"),
            "5: is the unit meant or the whole? Write '5 mm^2' without spaces, or '(5 mm)^2'");
  EXPECT_EQ(refusal("5 mm^x"), "4: the power of a unit is a whole number from 1 to 9");
  EXPECT_EQ(refusal("5 mm^2.5"), "5: the power of a unit is a whole number from 1 to 9");
  EXPECT_EQ(refusal("5 [mm"), "2: this '[' is not closed");
  EXPECT_EQ(refusal("5 [mm)"), "5: ')' stands where a ']' is expected");
  EXPECT_EQ(refusal("5 [3]"), "3: this number stands where a unit is expected");
  EXPECT_EQ(refusal("5 []"), "3: ']' stands where a unit is expected");
  EXPECT_EQ(refusal("5 [N/mmm]"), "5: there is no unit 'mmm' (did you mean 'mm'?)");
}

TEST(Expression, refuses_constants_that_are_not_finite) {
  EXPECT_EQ(refusal("x + 1 / 0"), "6: division by zero");
  EXPECT_EQ(refusal("x / (k - 3)"), "2: division by zero");
  EXPECT_EQ(refusal("mod(x, 0)"), "0: division by zero");
  EXPECT_EQ(refusal("2 * sqrt(-1)"), "4: sqrt(-1) is not a real number");
  EXPECT_EQ(refusal("log(0)"), "0: log(0) is not finite");
  EXPECT_EQ(refusal("(-8)^(1/3)"), "4: -8 ^ 0.3333333333333333 is not a real number");
  EXPECT_EQ(refusal("1e300 * 1e300"), "6: 1e+300 * 1e+300 is not finite");
  EXPECT_EQ(refusal("1e308 km"), "6: 1e+308 * 1000 is not finite");
  EXPECT_EQ(refusal("exp(1000) * 0"), "0: exp(1000) is not finite");
  EXPECT_EQ(refusal("atan(1 / 0)"), "7: division by zero");
  EXPECT_EQ(refusal("1e999"), "0: this number is too large or too small");
  EXPECT_EQ(refusal("huge"), "0: 'huge' is not finite");
  EXPECT_EQ(refusal("clamp(x, 2, 1)"), "0: clamp goes from 2 to 1, which must ascend");
  EXPECT_EQ(refusal("ramp(x, 1, 1)"), "0: ramp goes from 1 to 1, which must ascend");
  EXPECT_EQ(refusal("step(x, 2, 0, 1, 5)"), "0: step goes from 2 to 1, which must ascend");
  // unless they are not used
  EXPECT_EQ(value("zero == 0 ? 7 : 1 / zero"), 7);
  EXPECT_EQ(value("if(zero > 0, ramp(x, 0, zero), 7)"), 7);
  EXPECT_EQ(value("zero != 0 and 1 / zero > 0"), 0);
  EXPECT_EQ(value("zero == 0 or 1 / zero > 0"), 1);
  EXPECT_EQ(refusal("x > 0 ? 1 : 1 / zero"), "14: division by zero");
}

// ---- hostile texts

std::string repeated(const std::string& piece, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += piece;
  return result;
}

TEST(Expression, refuses_what_is_too_deep_or_too_long) {
  EXPECT_EQ(value(repeated("(", 190) + "1" + repeated(")", 190)), 1);
  for (const char* piece : {"(", "-", "sin(", "x^", "2^", "not ", "x ? 1 : ", "x ? ", "1 [m/(", "1 m/(", "[",
                            "'", "if(", "distance(", "min(x, ", "x + (", "1 or 1 and not 1 < 1 + 1 * ("}) {
    const int count = 9900 / static_cast<int>(std::string(piece).size());
    const std::string text = repeated(piece, count) + "1";
    EXPECT_NE(refusal(text), "accepted") << piece;
  }
  EXPECT_EQ(refusal(repeated("(", 300)), "200: the expression is nested more than 200 deep");
  EXPECT_EQ(refusal("1 [" + repeated("m/(", 3000)), "602: the expression is nested more than 200 deep");
  EXPECT_EQ(refusal(repeated("1", 10001)), "10000: the expression is longer than 10000 characters");

  // long but flat is good
  EXPECT_EQ(value("x" + repeated(" + x", 2000), 1), 2001);
  EXPECT_EQ(value("max(x" + repeated(", x", 2000) + ")", 4), 4);

  // the stack has 64 places; a constant on the left needs none
  EXPECT_EQ(value(repeated("x + (", 63) + "x" + repeated(")", 63), 1), 64);
  EXPECT_EQ(refusal(repeated("x + (", 64) + "x" + repeated(")", 64)),
            "2: the expression needs more than 64 intermediate results at a time here");
  EXPECT_EQ(value(repeated("1 + (", 150) + "x" + repeated(")", 150), 1), 151);
}

TEST(Expression, refuses_to_grow_without_bounds) {
  // each name twice the one before
  Scope scope;
  scope.symbols["n0"] = parse("x + y");
  try {
    for (int i = 1; i < 60; ++i) {
      const std::string before = "n" + std::to_string(i - 1);
      scope.symbols["n" + std::to_string(i)] = parse_expression(before + " * " + before, scope);
    }
    FAIL() << "grew to 2^60 terms";
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "the expression is too long once the expressions it names are put in");
  }
}

TEST(Expression, survives_damaged_texts) {
  const std::vector<std::string> texts{
      "0.5 * k * (hypot(x, y) - 120 mm)^2 + table(spring, x * y) / (1 + exp(-3 * y))",
      "if(x > 2 and not y == 3, min(x, y, 4), clamp(x, 0 deg, 90 deg)) - 'odd-name'.rate^2",
      "x < 0 ? sin(2 * pi * x) : y >= 1 or x != y ? 3 N/(mm/s) : 2.5e-3 [kg*m^2/s^2] ** 2",
      "step(x, 0 s, 0, 1.5 s, 30 deg/s) + distance(P, 'Q-1') + mod(atan2(y, x), tau) + crank.position.x"};
  const std::string letters = "0123456789.+-*/^()[]<>=!?:,'& exymksNdn_\t\x01\xc2\xb0\xff";
  std::mt19937 random(20240229);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  int accepted = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = texts[below(texts.size())];
    for (std::size_t damage = 1 + below(2); damage-- > 0 && !text.empty();) {
      const std::size_t at = below(text.size()), length = 1 + below(6);
      switch (below(5)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, 1, letters[below(letters.size())]);
          break;
        case 2:
          text[at] = letters[below(letters.size())];
          break;
        case 3:
          text.insert(below(text.size()), text.substr(at, length));
          break;
        default:
          text.resize(at);
          break;
      }
    }
    try {
      const Expression expression = parse(text);
      const std::array<Taylor<double>, 3> inputs{Taylor<double>(0.5, 1, 0), Taylor<double>(2, 0, 1),
                                                 Taylor<double>(-1)};
      const Taylor<double> result = expression.evaluate<Taylor<double>>(inputs);
      const double plain = expression.evaluate<double>(std::array{0.5, 2.0, -1.0});
      EXPECT_TRUE(result.value == plain || (std::isnan(result.value) && std::isnan(plain))) << text;
      EXPECT_TRUE(!std::isfinite(plain) || (!std::isnan(result.first) && !std::isnan(result.second))) << text;
      ++accepted;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.column, text.size()) << text;
      EXPECT_STRNE(error.what(), "") << text;
      ++refused;
    }
  }
  // both happened, so that both were tested
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace trammel
