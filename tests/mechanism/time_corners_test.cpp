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

std::vector<TimeCorner> corners(const std::string& law, double from = 0, double to = 10) {
  TimeScope scope;
  const std::vector<double> x{0, 4.99, 5, 5.01, 10}, y{0, 0, 100, 0, 0};
  scope.tables.emplace("p", Table(x, y));
  return time_corners(parse_expression(law, scope), from, to);
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

TEST(TimeCorners, SmoothLawsHaveNone) {
  for (const char* law : {"exp(-t)", "sin(20*t)", "t^3", "sin(t)^2*cos(3*t)", "1/(1 + t)"})
    EXPECT_TRUE(corners(law).empty()) << law;
}

}  // namespace
}  // namespace trammel
