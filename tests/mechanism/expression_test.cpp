// Expressions: what they mean, what is refused and with which words and column, and that no text, however damaged,
// does harm.
#include "trammel/mechanism/expression.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "tests/mechanism/expression_rig.h"
#include "trammel/mechanism/expression_parser.h"

namespace trammel {
namespace {

using namespace expression_rig;

constexpr double pi = std::numbers::pi;

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
