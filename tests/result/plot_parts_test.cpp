#include "trammel/result/plot_parts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

TEST(PlotParts, LegendFillsRowsWithinTheWidth) {
  std::vector<Series> series;
  for (std::size_t i = 0; i < 20; ++i) series.push_back({std::string(1 + 7 * i % 11, 'm'), {}, {}});
  series[4].label.clear();
  series[9].label = std::string(500, 'w');
  const double width = 300;
  const std::vector<LegendEntry> legend = place_legend(series, width);
  ASSERT_EQ(legend.size(), 19u);
  for (std::size_t i = 0; i < legend.size(); ++i) {
    EXPECT_EQ(legend[i].series, i < 4 ? i : i + 1);
    EXPECT_GE(legend[i].x, 0);
    EXPECT_LE(legend[i].x + plot_text_width(legend[i].text), width);
    if (i == 0) continue;
    if (legend[i].row == legend[i - 1].row) {
      EXPECT_GT(legend[i].x, legend[i - 1].x + plot_text_width(legend[i - 1].text));
    } else {
      EXPECT_EQ(legend[i].row, legend[i - 1].row + 1);
      EXPECT_EQ(legend[i].x, legend[0].x);
    }
  }
  // a label that is cut has a row of its own
  EXPECT_LT(legend[8].text.size(), 500u);
  EXPECT_LT(legend[7].row, legend[8].row);
  EXPECT_LT(legend[8].row, legend[9].row);
  EXPECT_EQ(legend_height(legend), plot_row_height * (legend.back().row + 1));
  EXPECT_EQ(place_legend(series, 1e5).back().row, 0);
}

TEST(PlotParts, NoLegendWithoutLabels) {
  const std::vector<LegendEntry> legend = place_legend({{"", {0}, {0}}, {"", {}, {}}}, 640);
  EXPECT_TRUE(legend.empty());
  EXPECT_EQ(legend_height(legend), 0);
}

TEST(PlotParts, RangesHoldTheGapsOfXOnly) {
  const double nan = std::nan("");
  PlotRanges ranges;
  EXPECT_TRUE(ranges.x.empty());
  // y is one longer than x: its last value is no point
  ranges.include({{"", {-3, 1, 2, nan}, {nan, 5, 7, 9, 11}}}, {});
  EXPECT_EQ(ranges.x.low, -3);
  EXPECT_EQ(ranges.x.high, 2);
  EXPECT_EQ(ranges.y.low, 5);
  EXPECT_EQ(ranges.y.high, 7);

  PlotRanges logarithmic;
  logarithmic.include({{"", {1, 2, 3}, {0, -1, 0}}}, {.log_y = true});
  EXPECT_EQ(logarithmic.x.high, 3);
  EXPECT_TRUE(logarithmic.y.empty());
}

}  // namespace
}  // namespace trammel
