#include "trammel/result/plot_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trammel {
namespace {

using Scale = PlotAxis::Scale;

std::vector<std::string> labels(const PlotAxis& axis) {
  std::vector<std::string> texts;
  for (const PlotAxis::Tick& tick : axis.ticks()) texts.push_back(tick.label);
  return texts;
}

TEST(PlotAxis, TicksAreOneTwoFive) {
  EXPECT_EQ(nice_ticks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(0, 10, 5), (std::vector<double>{0, 5, 10}));
  EXPECT_EQ(nice_ticks(0, 1, 11), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}));
  EXPECT_EQ(nice_ticks(-0.07, 0.13, 5), (std::vector<double>{-0.05, 0, 0.05, 0.1}));
  EXPECT_EQ(nice_ticks(1234, 5678, 5), (std::vector<double>{2000, 3000, 4000, 5000}));
}

TEST(PlotAxis, NeverMoreTicksThanAskedFor) {
  for (int at_most = 2; at_most < 15; ++at_most) {
    for (double high = 1e-7; high < 1e9; high *= 1.37) {
      const auto count = nice_ticks(-0.3 * high, high, at_most).size();
      EXPECT_LE(count, static_cast<std::size_t>(at_most)) << high;
      EXPECT_GE(count, 1u) << high;
    }
  }
}

TEST(PlotAxis, ImpossibleRangesHaveNoTicks) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(2, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(-inf, inf, 5).empty());
  EXPECT_TRUE(nice_ticks(0, std::nan(""), 5).empty());
  EXPECT_TRUE(nice_ticks(0, 5e-324, 5).empty());
  EXPECT_TRUE(decade_ticks(0, 1, 5).empty());
}

TEST(PlotAxis, DecadesAreThinnedEvenly) {
  EXPECT_EQ(decade_ticks(1e-3, 1, 6), (std::vector<double>{1e-3, 1e-2, 1e-1, 1}));
  const std::vector<double> thin = decade_ticks(1e-16, 1e-2, 8);
  ASSERT_EQ(thin.size(), 8u);
  for (std::size_t i = 1; i < thin.size(); ++i) EXPECT_NEAR(std::log10(thin[i] / thin[i - 1]), 2, 1e-9);
  EXPECT_LE(decade_ticks(1e-300, 1e300, 7).size(), 7u);
}

TEST(PlotAxis, LabelsHaveTheDigitsOfTheStep) {
  EXPECT_EQ(labels(PlotAxis(0, 1, Scale::linear, 6)),
            (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(PlotAxis(-10, 10, Scale::linear, 5)),
            (std::vector<std::string>{"−10", "−5", "0", "5", "10"}));
}

TEST(PlotAxis, LargeAndSmallNumbersShareAFactor) {
  const PlotAxis small(0, 3e-6, Scale::linear, 4);
  EXPECT_EQ(labels(small), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(small.factor(), "×10⁻⁶");
  EXPECT_EQ(PlotAxis(0, 2.5e7, Scale::linear, 4).factor(), "×10⁷");
  EXPECT_EQ(PlotAxis(0, 10, Scale::linear, 4).factor(), "");
}

TEST(PlotAxis, LogarithmicAxisEndsAtDecades) {
  const PlotAxis axis(3e-5, 0.2, Scale::logarithmic, 8);
  EXPECT_DOUBLE_EQ(axis.low(), 1e-5);
  EXPECT_DOUBLE_EQ(axis.high(), 1);
  EXPECT_EQ(labels(axis), (std::vector<std::string>{"10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"}));
  EXPECT_NEAR(axis.fraction(1e-3), 0.4, 1e-12);
  EXPECT_FALSE(PlotAxis(0.02, 0.03, Scale::logarithmic, 8).minor_ticks().empty());
}

TEST(PlotAxis, PaddedLogarithmicAxisStaysNearItsValues) {
  const PlotAxis axis(2e-3, 0.3, Scale::padded_logarithmic, 8);
  EXPECT_GT(axis.low(), 1e-3);
  EXPECT_LT(axis.low(), 2e-3);
  EXPECT_GT(axis.high(), 0.3);
  EXPECT_LT(axis.high(), 0.5);
  // two decades alone would say little
  EXPECT_EQ(labels(axis),
            (std::vector<std::string>{"10⁻²", "10⁻¹", "2·10⁻³", "5·10⁻³", "2·10⁻²", "5·10⁻²", "2·10⁻¹"}));
  EXPECT_FALSE(axis.minor_ticks().empty());
  for (double low = 1e-7; low < 1e3; low *= 1.7) {
    for (const double width : {1.0, 1.5, 4.0, 30.0, 1e5}) {
      const PlotAxis any(low, width * low, Scale::padded_logarithmic, 8);
      EXPECT_GE(any.ticks().size(), 1u) << low << " " << width;
      EXPECT_LE(any.ticks().size(), 8u) << low << " " << width;
      EXPECT_GE(any.fraction(low), 0);
      EXPECT_LE(any.fraction(width * low), 1);
    }
  }
  const PlotAxis widest(1 / largest_plotted, largest_plotted, Scale::padded_logarithmic, 6);
  EXPECT_TRUE(std::isfinite(widest.fraction(1)));
}

TEST(PlotAxis, EveryRangeIsAnAxis) {
  for (const double size : {0.0, 5e-324, 1e-310, 1e-300, 1e-9, 9.81, 1e5, 1e299, largest_plotted}) {
    for (const double low : {-size, 0.0, size}) {
      for (const Scale scale : {Scale::linear, Scale::padded}) {
        const PlotAxis axis(low, size, scale, 6);
        EXPECT_LT(axis.low(), axis.high());
        EXPECT_TRUE(std::isfinite(axis.fraction(size)));
        EXPECT_GE(axis.ticks().size(), 1u) << low << " to " << size;
        EXPECT_LE(axis.ticks().size(), 6u) << low << " to " << size;
      }
    }
  }
  const PlotAxis wide(1e-300, 1e300, Scale::logarithmic, 6);
  EXPECT_NEAR(wide.fraction(1), 0.5, 1e-12);
  const PlotAxis constant(1e-3, 1e-3, Scale::logarithmic, 6);
  EXPECT_NEAR(constant.fraction(1e-3), 0.5, 1e-12);
}

}  // namespace
}  // namespace trammel
