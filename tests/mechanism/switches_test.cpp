// Laws that are held on a branch: what they give beyond its end, and how far a state is from it.
#include "trammel/mechanism/switches.h"

#include <gtest/gtest.h>

#include <vector>

#include "trammel/mechanism/expression.h"

namespace trammel {
namespace {

// A law of time, x and y, with switches of its own.
class SwitchedLaw {
 public:
  explicit SwitchedLaw(ExpressionProgram program)
      : expression_(std::move(program)), held(at_index(expression_.switches())), readings(held.size()) {}

  double operator()(double t, double x) {
    const std::vector<double> inputs{t, x};
    readings.assign(held.size(), {});
    return expression_.evaluate<double>(inputs, Switches(held.data(), readings.data(), 1e-4));
  }
  void hold(double t, double x) {
    held.assign(held.size(), {});
    (*this)(t, x);
    for (std::size_t i = 0; i < held.size(); ++i) held[i] = readings[i].natural;
  }

 private:
  Expression expression_;

 public:
  std::vector<HeldBranch> held;
  std::vector<SwitchReading> readings;
};

ExpressionProgram t() { return ExpressionProgram::input(0); }
ExpressionProgram x() { return ExpressionProgram::input(1); }
ExpressionProgram number(double value) { return ExpressionProgram::constant(value); }

TEST(Switches, OfTimeAloneAreNone) {
  EXPECT_EQ(Expression(combine(Operation::absolute, {t()})).switches(), 0);
  EXPECT_EQ(Expression(combine(Operation::absolute, {x()})).switches(), 1);
  EXPECT_EQ(Expression(combine(Operation::less, {t(), x()})).switches(), 1);
  EXPECT_EQ(Expression(choose(combine(Operation::less, {t(), number(1)}), combine(Operation::sign, {x()}),
                              combine(Operation::sign, {t()})))
                .switches(),
            1);
}

TEST(Switches, ABranchGoesOnBeyondItsEnd) {
  SwitchedLaw law(combine(Operation::maximum, {number(0), x()}));
  law.hold(0, 2);
  EXPECT_EQ(law(0, -3), -3);
  EXPECT_EQ(law.readings[0].margin, -3);
  EXPECT_EQ(law.readings[0].natural.branch, 0);
  EXPECT_EQ(law.readings[0].order, SwitchReading::slope_jumps);
  law.hold(0, -3);
  EXPECT_EQ(law(0, 5), 0);
  EXPECT_EQ(law.readings[0].margin, -5);
  // free, it is itself
  law.held[0] = {};
  EXPECT_EQ(law(0, 5), 5);
}

TEST(Switches, APartThatIsNotTakenHasNothingToSay) {
  SwitchedLaw law(
      choose(combine(Operation::greater, {x(), number(1)}), combine(Operation::absolute, {x()}), number(7)));
  ASSERT_EQ(law.held.size(), 2u);
  law.hold(0, 0);
  EXPECT_EQ(law(0, 5), 7);
  EXPECT_EQ(law.readings[0].margin, -4);
  EXPECT_EQ(law.readings[1].margin, SwitchReading::unknown);
  law.hold(0, 5);
  EXPECT_EQ(law(0, -2),
            -2);  // both are held
}

// A comparison that slides is true to a part, and so are the branches behind it.
TEST(Switches, AJumpIsRoundedOffWhereItSlides) {
  SwitchedLaw law(choose(combine(Operation::greater, {x(), number(1)}), number(-2), number(4)));
  law.held[0] = {HeldBranch::free, HeldBranch::free, 0.5};
  EXPECT_DOUBLE_EQ(law(0, 1), 1);
  EXPECT_DOUBLE_EQ(law(0, 1.25), -0.5);
  EXPECT_DOUBLE_EQ(law(0, 1.5), -2);
  EXPECT_DOUBLE_EQ(law(0, 0), 4);
  SwitchedLaw sign(combine(Operation::sign, {x()}));
  sign.held[0] = {HeldBranch::free, HeldBranch::free, 0.5};
  EXPECT_DOUBLE_EQ(sign(0, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(sign(0, -3), -1);
}

TEST(Switches, PiecesOfATableThatBendTogetherAreOneBranch) {
  const std::vector<double> at{0, 1, 2, 3, 4}, values{0, 1, 2, 2, 1};
  SwitchedLaw law(combine(Operation::table, {x()}, {Table(at, values)}));
  law.hold(0, 0.5);
  EXPECT_EQ(law.held[0].branch, 1);
  EXPECT_EQ(law.held[0].last, 2);  // the slope does not change at 1
  EXPECT_DOUBLE_EQ(law(0, 1.5), 1.5);
  EXPECT_DOUBLE_EQ(law.readings[0].margin, 0.5);
  EXPECT_DOUBLE_EQ(law(0, 3), 3);
  EXPECT_DOUBLE_EQ(law.readings[0].margin, -1);
}

// exp(-((x - 5)/width)^2), written in two ways.
ExpressionProgram hill(double width) {
  const ExpressionProgram away = combine(Operation::subtract, {x(), number(5)});
  const ExpressionProgram square =
      combine(Operation::power, {combine(Operation::divide, {away, number(width)}), number(2)});
  return combine(Operation::exponential, {combine(Operation::negate, {square})});
}
ExpressionProgram hill_by_factor(double width) {
  const ExpressionProgram away = combine(Operation::subtract, {x(), number(5)});
  const ExpressionProgram square = combine(Operation::multiply, {away, away});
  return combine(Operation::exponential,
                 {combine(Operation::multiply, {number(-1 / (width * width)), square})});
}

TEST(Switches, ABumpOfASmoothLawIsABranch) {
  for (const double width : {1e-6, 1e-3, 0.1})
    for (const ExpressionProgram& bump :
         {hill(width), hill_by_factor(width),
          combine(Operation::add, {combine(Operation::multiply, {number(-300), x()}), hill(width)})}) {
      SwitchedLaw law(bump);
      ASSERT_EQ(law.held.size(), 2u) << width;  // before its top and behind it
      law.hold(0, 4);
      const double value = law(0, 6);
      EXPECT_LT(law.readings[0].margin, 0);
      EXPECT_EQ(law.readings[0].order, SwitchReading::nothing_jumps);
      EXPECT_LT(law.readings[1].margin, 0);
      // from two to ten widths before its top; its length is the unit
      law(0, 4);
      const double length = 1 / (1 + law.readings[0].margin);
      EXPECT_GT(length, 2 * width);
      EXPECT_LT(length, 10 * width);
      // it is the same law, wherever it is held
      law.held.assign(2, {});
      EXPECT_EQ(law(0, 6), value);
    }
}

// Programs are put together of others that are watched already.
TEST(Switches, ABumpIsWatchedOnce) {
  const Expression law(hill(1e-3));
  EXPECT_EQ(law.switches(), 2);
  EXPECT_EQ(Expression(law.program()).switches(), 2);
  EXPECT_EQ(Expression(combine(Operation::multiply, {number(3), law.program()})).switches(), 2);
}

TEST(Switches, WhatDiffersAtBothEndsOrGoesOnForEverIsNoBump) {
  const ExpressionProgram steep = combine(Operation::multiply, {number(1e4), x()});
  for (const ExpressionProgram& law :
       {steep, combine(Operation::hyperbolic_tangent, {steep}), combine(Operation::sine, {steep}),
        combine(Operation::exponential, {steep}), combine(Operation::multiply, {steep, x()}),
        combine(Operation::divide, {number(1), steep}),
        combine(Operation::square_root,
                {combine(Operation::add, {combine(Operation::multiply, {x(), x()}), number(1e-4)})})})
    EXPECT_EQ(Expression(law).switches(), 0);
  // nor is one over time, whose corners are known before
  EXPECT_EQ(
      Expression(combine(Operation::exponential, {combine(Operation::multiply, {t(), t()})})).switches(), 0);
}

// Of several quantities: where exp() becomes more than nothing.
TEST(Switches, AHillInAPlaneIsWatched) {
  const ExpressionProgram distance = combine(Operation::hypotenuse, {x(), ExpressionProgram::input(2)});
  const Expression law(
      combine(Operation::exponential, {combine(Operation::multiply, {number(-1e4), distance})}));
  ASSERT_EQ(law.switches(), 1);
  HeldBranch held{0, 0, 0};
  SwitchReading reading;
  const std::vector<double> away{0, 3, 4}, near{0, 1e-4, 0};
  law.evaluate<double>(away, Switches(&held, &reading, 1e-4));
  EXPECT_DOUBLE_EQ(reading.margin, (5e4 - 20) / 20);
  law.evaluate<double>(near, Switches(&held, &reading, 1e-4));
  EXPECT_DOUBLE_EQ(reading.margin, (1.0 - 20) / 20);
  EXPECT_EQ(reading.natural.branch, 1);
}

}  // namespace
}  // namespace trammel
