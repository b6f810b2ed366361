#include "trammel/result/svg_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tag_balance.h"
#include "trammel/result/plot_line.h"

namespace trammel {
namespace {

const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();

TEST(PlotLine, KeepsThePeakOfEveryColumn) {
  // ten columns with a thousand points each
  std::vector<PlotPoint> points;
  for (int i = 0; i < 10000; ++i) points.push_back({i / 1000.0, std::sin(0.37 * i)});
  points[4321].y = 50;
  points[7777].y = -60;

  const auto pieces = visible_pieces(points);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_LE(pieces[0].size(), 40u);
  EXPECT_EQ(pieces[0].front().x, points.front().x);
  EXPECT_EQ(pieces[0].back().x, points.back().x);
  double low = 0, high = 0;
  for (std::size_t i = 0; i < pieces[0].size(); ++i) {
    low = std::min(low, pieces[0][i].y);
    high = std::max(high, pieces[0][i].y);
    EXPECT_GE(pieces[0][i].x, pieces[0][i > 0 ? i - 1 : 0].x);
  }
  EXPECT_EQ(high, 50);
  EXPECT_EQ(low, -60);
}

TEST(PlotLine, LeavesShortLinesAlone) {
  const auto pieces = visible_pieces({{0, 1}, {10, 2}, {20, 1}, {15, 3}});
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].size(), 4u);
}

TEST(PlotLine, BreaksWhereThereIsNoNumber) {
  const auto pieces =
      visible_pieces({{nan, 1}, {0, 1}, {0.1, 2}, {0.2, nan}, {0.3, inf}, {0.4, 3}, {5, -inf}});
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].size(), 2u);
  EXPECT_EQ(pieces[1].size(), 1u);
  EXPECT_TRUE(visible_pieces({}).empty());
}

TEST(SvgPlot, AHundredThousandSamplesMakeASmallFile) {
  Series series{"noise", {}, {}};
  for (int i = 0; i < 100000; ++i) {
    series.x.push_back(1e-4 * i);
    series.y.push_back(std::sin(1.7 * i) + std::sin(0.001 * i));
  }
  const std::string svg = svg_plot({series}, {.title = "noise"});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_LT(svg.size(), 40000u);
}

TEST(SvgPlot, APeakOfOneSampleReachesTheTopOfTheAxis) {
  Series series{"", {}, {}};
  for (int i = 0; i <= 100000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 33333 ? 1000 : 0);
  }
  // the peak is drawn at the grid line of its value
  const std::string svg = svg_plot({series}, {});
  const std::size_t line = svg.find(">1000</text>");
  ASSERT_NE(line, std::string::npos);
  const std::size_t y = svg.rfind(" y=\"", line) + 4;
  const double label = std::stod(svg.substr(y));
  const std::size_t path = svg.find("class=\"plot-line");
  double top = 1e9, x = 0, value = 0;
  const char* at = svg.c_str() + svg.find(" d=\"M", path) + 5;
  for (int used = 0; std::sscanf(at, "%lf %lf%n", &x, &value, &used) == 2; at += used)
    top = std::min(top, value);
  EXPECT_NEAR(top, label - 4, 0.11);
}

TEST(SvgPlot, TicksAreAtTheirValues) {
  const std::string svg = svg_plot({{"", {0, 10}, {0, 1}}}, {});
  const auto position = [&](const std::string& label) {
    const std::size_t end = svg.find(" text-anchor=\"middle\" fill-opacity=\".8\">" + label + "</text>");
    EXPECT_NE(end, std::string::npos) << label;
    return std::stod(svg.substr(svg.rfind(" x=\"", end) + 4));
  };
  const double zero = position("0"), ten = position("10");
  EXPECT_GT(ten - zero, 400);
  for (int i = 2; i < 10; i += 2)
    EXPECT_NEAR(position(std::to_string(i)), zero + i * (ten - zero) / 10, 0.11);
}

TEST(SvgPlot, HasGapsAndDots) {
  const std::string svg = svg_plot({{"", {0, 1, 2, 3, 4, 5}, {0, 1, nan, 2, inf, 3}}}, {});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"plot-line"), 1u);
  EXPECT_EQ(occurrences(svg, "class=\"plot-dot"), 1u);
  EXPECT_EQ(occurrences(svg, "h0"), 2u);
  // the axis shows that something is missing at the end
  EXPECT_NE(svg_plot({{"", {0, 1, 77}, {0, 1, nan}}}, {}).find(">70<"), std::string::npos);
}

TEST(SvgPlot, DrawsNothingWhereALogarithmHasNoValue) {
  const PlotOptions options{.log_y = true};
  const std::string some = svg_plot({{"", {0, 1, 2, 3, 4}, {1e-3, 1e-2, 0, -1, 1e-5}}}, options);
  EXPECT_EQ(tag_fault(some), "");
  EXPECT_NE(some.find("10⁻⁵"), std::string::npos);
  EXPECT_EQ(occurrences(some, "class=\"plot-dot"), 1u);
  const std::string none = svg_plot({{"", {0, 1}, {0, -1}}}, options);
  EXPECT_EQ(tag_fault(none), "");
  EXPECT_NE(none.find("no value above zero"), std::string::npos);
}

TEST(SvgPlot, TextCannotBecomeMarkup) {
  const std::string nasty = "</text><script>alert('\"')</script>&\x01\xFF";
  const std::string svg =
      svg_plot({{nasty, {0, 1}, {0, 1}}},
               {.title = nasty, .x_label = nasty, .y_label = nasty, .marks = {{0.5, nasty}}});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(svg.find('\xFF'), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
}

TEST(SvgPlot, MarksInsideTheRangeAreLines) {
  PlotOptions options;
  options.marks = {{0.5, "impact"}, {7, "outside"}, {nan, "never"}};
  const std::string svg = svg_plot({{"", {0, 1}, {0, 1}}}, options);
  EXPECT_EQ(occurrences(svg, "plot-mark"), 1u);
  EXPECT_NE(svg.find("impact"), std::string::npos);
  EXPECT_EQ(svg.find("outside"), std::string::npos);

  // so many that they would cover the plot: at most one for each pixel
  options.marks.clear();
  for (int i = 0; i < 50000; ++i) options.marks.push_back({i / 50000.0, "impact"});
  const std::string many = svg_plot({{"", {0, 1}, {0, 1}}}, options);
  EXPECT_LE(occurrences(many, "plot-mark"), 640u);
  EXPECT_EQ(tag_fault(many), "");
}

TEST(SvgPlot, WorksWithHardlyAnything) {
  const std::vector<std::vector<Series>> cases = {
      {},
      {{"empty", {}, {}}},
      {{"all NaN", {0, 1, 2}, {nan, nan, nan}}},
      {{"no x", {nan, inf}, {1, 2}}},
      {{"point", {3}, {4}}},
      {{"zero", {0}, {0}}},
      {{"constant", {0, 1, 2}, {9.81, 9.81, 9.81}}},
      {{"nearly constant", {0, 1}, {9.81, 9.81 + 2e-15}}},
      {{"same time", {1, 1, 1}, {1, 2, 3}}},
      {{"huge", {0, 1}, {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()}}},
      {{"large", {0, 1}, {-1e300, 1e300}}},
      {{"tiny", {0, 5e-324}, {5e-324, 1e-310}}},
      {{"uneven", {0, 1, 2}, {1}}},
      {{"", {0, 1}, {0, 1}}, {"second", {}, {}}, {"third", {5}, {nan}}},
  };
  for (const int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
    for (const auto& series : cases) {
      const std::string svg = svg_plot(series, {.title = "t",
                                                .x_label = "x",
                                                .y_label = "y",
                                                .log_x = (kind & 1) != 0,
                                                .log_y = (kind & 2) != 0,
                                                .markers = (kind & 4) != 0});
      const std::string name = series.empty() ? "none" : series[0].label;
      EXPECT_EQ(tag_fault(svg), "") << name;
      EXPECT_EQ(svg.find("nan\""), std::string::npos) << name;
      EXPECT_EQ(svg.find("inf\""), std::string::npos) << name;
    }
  }
  EXPECT_EQ(tag_fault(svg_plot(cases[6], {.width = 0, .height = -5})), "");
  EXPECT_NE(svg_plot({}, {}).find("no data"), std::string::npos);
}

TEST(SvgPlot, ManySeriesDifferInColourOrDash) {
  std::vector<Series> series;
  for (int i = 0; i < 30; ++i) series.push_back({"body " + std::to_string(i), {0, 1}, {0.0, 1.0 * i}});
  const std::string svg = svg_plot(series, {});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_NE(svg.find("body 29"), std::string::npos);
  EXPECT_GE(occurrences(svg, "stroke-dasharray=\"6 4\""), 8u);
}

// The places of the markers of all series, in their order.
std::vector<PlotPoint> marker_starts(const std::string& svg) {
  std::vector<PlotPoint> places;
  for (std::size_t at = 0; (at = svg.find("class=\"plot-marker", at)) != std::string::npos; ++at) {
    PlotPoint place;
    std::sscanf(svg.c_str() + svg.find(" d=\"M", at) + 5, "%lf %lf", &place.x, &place.y);
    places.push_back(place);
  }
  return places;
}

TEST(SvgPlot, LogarithmicXSpacesDecadesEvenly) {
  const std::string svg =
      svg_plot({{"", {1e-6, 1e-4, 1e-2}, {1, 10, 100}}}, {.log_x = true, .log_y = true, .markers = true});
  EXPECT_EQ(tag_fault(svg), "");
  const auto places = marker_starts(svg);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_GT(places[1].x, places[0].x + 100);
  EXPECT_NEAR(places[2].x - places[1].x, places[1].x - places[0].x, 0.21);
  EXPECT_NEAR(places[2].y - places[1].y, places[1].y - places[0].y, 0.21);
  EXPECT_NE(svg.find("10⁻⁵"), std::string::npos);
}

TEST(SvgPlot, DescendingXHasSmallValuesOnTheRight) {
  const std::string svg =
      svg_plot({{"", {1e-6, 1e-2}, {1, 10}}}, {.log_x = true, .descending_x = true, .markers = true});
  const auto places = marker_starts(svg);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_GT(places[0].x, places[1].x + 100);
  // marks go along
  const std::string marked =
      svg_plot({{"", {0, 10}, {0, 1}}}, {.descending_x = true, .marks = {{1, "right"}, {9, "left"}}});
  EXPECT_LT(marked.find(">left</text>"), marked.find(">right</text>"));
}

TEST(SvgPlot, LeavesOutWhatHasNoLogarithmInX) {
  const std::string svg =
      svg_plot({{"", {0, -1, 1e-3, 1e-1}, {1, 1, 2, 3}}}, {.log_x = true, .markers = true});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_EQ(marker_starts(svg).size(), 2u);
  EXPECT_NE(svg_plot({{"", {0, -1}, {1, 2}}}, {.log_x = true}).find("no value above zero"),
            std::string::npos);
}

TEST(SvgPlot, MarkersHaveShapesLabelsAndOutlines) {
  std::vector<Series> series;
  for (int i = 0; i < 6; ++i)
    series.push_back({"", {0, 1}, {0.0, 1.0 * i}, {"<first>", ""}, {false, i == 0}});
  const std::string svg = svg_plot(series, {.markers = true});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"plot-marker plot-solid"), 11u);
  EXPECT_EQ(occurrences(svg, "class=\"plot-marker plot-hollow"), 1u);
  EXPECT_EQ(occurrences(svg, "<title>&lt;first&gt;</title>"), 6u);
  // a lone point is a marker, not a dot
  EXPECT_EQ(occurrences(svg_plot({{"", {3}, {4}}}, {.markers = true}), "class=\"plot-dot"), 0u);
  // without them nothing is said of them
  EXPECT_EQ(svg_plot(series, {}).find("marker"), std::string::npos);
}

}  // namespace
}  // namespace trammel
