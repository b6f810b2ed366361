// The times at which laws are not smooth, against what can be told from the text of the law.
#include "trammel/mechanism/time_corners.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "trammel/mechanism/expression_parser.h"

namespace trammel {
namespace {

// t is the time, x something of the motion.
class TimeScope final : public ExpressionScope {
 public:
  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    if (reference.name == "t") return ExpressionSymbol(0);
    if (reference.name == "x") return ExpressionSymbol(1);
    return std::nullopt;
  }
  std::vector<std::string> names() const override { return {"t", "x"}; }
  const Table* table(const std::string& name) const override {
    const auto found = tables.find(name);
    return found == tables.end() ? nullptr : &found->second;
  }

  std::map<std::string, Table> tables;
};

// All of them, asked for as often as it takes.
std::vector<TimeCorner> corners(const std::string& law, double from = 0, double to = 10) {
  TimeScope scope;
  const std::vector<double> x{0, 4.99, 5, 5.01, 10}, y{0, 0, 100, 0, 0};
  scope.tables.emplace("p", Table(x, y));
  const Expression expression = parse_expression(law, scope);
  std::vector<TimeCorner> all;
  for (double until = to; from < to; from = until, until = to) {
    const std::vector<TimeCorner> next = time_corners(expression, from, until);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

struct Known {
  std::string law;
  std::vector<double> times;
  std::vector<int> orders;
};

class TimeCorners : public testing::TestWithParam<Known> {};

TEST_P(TimeCorners, AreFound) {
  const std::vector<TimeCorner> found = corners(GetParam().law);
  ASSERT_EQ(found.size(), GetParam().times.size()) << GetParam().law;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].t, GetParam().times[i], 1e-13 * 10) << GetParam().law;
    EXPECT_EQ(found[i].order, GetParam().orders[i]) << GetParam().law << " at " << found[i].t;
  }
}

constexpr double pi = std::numbers::pi;

INSTANTIATE_TEST_SUITE_P(
    Laws, TimeCorners,
    testing::Values(Known{"3*t + 2", {}, {}}, Known{"sin(t)", {}, {}}, Known{"if(x > 0, 1, 0)", {}, {}},
                    Known{"if(t > 5 and t < 5.01, 100, 0)", {5, 5.01}, {0, 0}},
                    Known{"if(t > 5, 100, 0) + x", {5}, {0}},
                    // two branches that meet, with another slope, another curvature
                    Known{"if(t < 5, 0, t - 5)", {5}, {1}}, Known{"if(t < 5, 0, (t - 5)^2)", {5}, {2}},
                    Known{"abs(t - 2)", {2}, {1}}, Known{"sign(t - 2)", {2}, {0}},
                    Known{"max(0, t - 3)", {3}, {1}}, Known{"min(t, 4)", {4}, {1}},
                    Known{"ramp(t, 1, 2)", {1, 2}, {1, 1}},
                    Known{"step(t, 5, 0, 5.005, 1)", {5, 5.005}, {2, 2}}, Known{"floor(t/4)", {4, 8}, {0, 0}},
                    Known{"mod(t, 4)", {4, 8}, {0, 0}}, Known{"table(p, t)", {4.99, 5, 5.01}, {1, 1, 1}},
                    Known{"if(sin(t) > 0, 1, 0)", {pi, 2 * pi, 3 * pi}, {0, 0, 0}},
                    // zeros in pairs that no grid separates
                    Known{"if((t - 5)^2 < 1e-12, 1e6, 0)", {5 - 1e-6, 5 + 1e-6}, {0, 0}},
                    Known{"if(abs(t - 5) < 1e-7, 1e6, 0)", {5 - 1e-7, 5 + 1e-7}, {0, 0}},
                    // parts of time in a law of more
                    Known{"x*step(t, 1, 0, 2, 1)", {1, 2}, {2, 2}}));

TEST(TimeCorners, AShortSmoothFeatureIsAmongThem) {
  const std::vector<TimeCorner> found = corners("100*exp(-((t - 5)/0.003)^2)");
  ASSERT_GE(found.size(), 3u);
  EXPECT_LT(found.front().t, 5 - 0.003);
  EXPECT_GT(found.back().t, 5 + 0.003);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const TimeCorner& corner) { return std::abs(corner.t - 5) < 2e-3; }));
  for (const TimeCorner& corner : found) EXPECT_EQ(corner.order, no_jump);
}

// However many times a clock ticks: those of ten seconds are 1000, 20,000.
TEST(TimeCorners, ClocksThatTickOften) {
  const std::vector<TimeCorner> hundredth = corners("if(floor(t*100 + 0.3) == 500, 100, 0)");
  ASSERT_EQ(hundredth.size(), 2u);
  EXPECT_NEAR(hundredth[0].t, 4.997, 1e-12);
  EXPECT_NEAR(hundredth[1].t, 5.007, 1e-12);
  const std::vector<TimeCorner> fast = corners("if(mod(t, 0.0005) < 0.0001, 1, 0)");
  ASSERT_EQ(fast.size(), 39999u);
  EXPECT_NEAR(fast[20000].t, 5.0001, 1e-12);
}

// More than anybody would list before a run begins.
TEST(TimeCorners, ClocksThatTickForEver) {
  const std::vector<TimeCorner> found = corners("floor(t/0.005)", 0, 1000);
  ASSERT_EQ(found.size(), 199999u);
  for (const std::size_t i : {0u, 9999u, 10000u, 123455u, 199998u})
    EXPECT_NEAR(found[i].t, 0.005 * static_cast<double>(i + 1), 1e-10) << i;
  // whose rate changes: whole numbers of 500 t² up to 50000
  const std::vector<TimeCorner> chirp = corners("floor(500*t^2)", 0, 10);
  ASSERT_EQ(chirp.size(), 49999u);
  EXPECT_NEAR(chirp[40000].t, std::sqrt(40001.0 / 500), 1e-10);
  // up and down
  EXPECT_EQ(corners("floor(1000.5*sin(t))", 0, 2 * pi - 1e-6).size(), 4001u);
}

// The grid of a run does not tell the periods of these apart, or shows the same point of each.
TEST(TimeCorners, OfFunctionsThatOscillateFast) {
  const std::vector<TimeCorner> found = corners("if(sin(2*pi*819.2*t) > 0.5, 1, 0)");
  ASSERT_EQ(found.size(), 2u * 8192);
  for (const std::size_t i : {0u, 5001u, 16383u})
    EXPECT_NEAR(found[i].t, (static_cast<double>(i / 2) + (i % 2 == 0 ? 1.0 / 12 : 5.0 / 12)) / 819.2, 1e-11)
        << i;
  EXPECT_EQ(corners("if(cos(1e5*t) > 0, 1, 0)", 0, pi).size(), 100000u);
}

// A function that is the same straight line wherever one happens to look has a bump all the same.
TEST(TimeCorners, OfBumpsThatNothingElseShows) {
  const std::vector<TimeCorner> found = corners("if(exp(-((t - 3.0005)/0.001)^2) > 0.5, 1000, 0)");
  ASSERT_GE(found.size(), 2u);
  const double half = 0.001 * std::sqrt(std::log(2.0));
  for (const double time : {3.0005 - half, 3.0005 + half})
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const TimeCorner& corner) {
      return corner.order == 0 && std::abs(corner.t - time) < 1e-12;
    })) << time;
  for (const char* law : {"exp(-((t - 3.0005)/0.001)^2)", "exp(-((t - 3.0005)/1e-6)^2)",
                          "1/cosh((t - 3.0005)/1e-5)", "1/(1 + ((t - 3.0005)/1e-5)^4)"}) {
    const std::vector<TimeCorner> bump = corners(law);
    ASSERT_GE(bump.size(), 3u) << law;
    EXPECT_TRUE(std::any_of(bump.begin(), bump.end(), [](const TimeCorner& corner) {
      return std::abs(corner.t - 3.0005) < 1e-9;
    })) << law;
  }
}

// A thousand times narrower than a cell of the grid, and they come every second.
TEST(TimeCorners, OfBumpsThatComeAgain) {
  for (const char* law : {"exp(-((mod(t, 1) - 0.25)/1e-6)^2)", "1/cosh((mod(t, 1) - 0.25)/1e-6)^2",
                          "1/(1 + ((mod(t, 1) - 0.25)/1e-6)^4)",
                          "exp(-(sin(2*pi*(t - 0.25))/1e-6)^2)*(cos(2*pi*(t - 0.25)) > 0)",
                          "exp(1e9*(cos(2*pi*(t - 0.25)) - 1))", "exp(-((sin(2*pi*t) - 1)/1e-9)^2)",
                          "x*exp(-((mod(t, 1) - 0.25)/1e-6)^2)"}) {
    const std::vector<TimeCorner> found = corners(law);
    for (int period = 0; period < 10; ++period)
      EXPECT_TRUE(
          std::any_of(found.begin(), found.end(),
                      [&](const TimeCorner& corner) { return std::abs(corner.t - period - 0.25) < 5e-5; }))
          << law << ", " << period;
  }
}

TEST(TimeCorners, SmoothLawsHaveNone) {
  for (const char* law : {"exp(-t)", "sin(20*t)", "t^3", "sin(t)^2*cos(3*t)", "1/(1 + t)", "1/(2 + sin(t))",
                          "exp(sin(3*t))", "exp(-3*sin(t)^2)", "1/(1 + cos(t)^2)", "tanh(cos(2*t))"})
    EXPECT_TRUE(corners(law).empty()) << law;
}

}  // namespace
}  // namespace trammel
