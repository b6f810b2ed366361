#include "trammel/result/stacked_plot.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <sstream>

#include "tag_balance.h"

namespace trammel {
namespace {

const double nan = std::nan("");

std::vector<PlotPanel> two_panels() {
  return {{"rad", {{"angle", {0, 1, 2}, {0, 1, 0}}}},
          {"m/s", {{"fast", {0, 1, 2, 4}, {10000, 20000, 0, 5}}, {"slow", {1, 2}, {1, 2}}}}};
}

// The numbers of the paths that have this attribute.
std::vector<std::vector<double>> path_numbers(const std::string& svg, const std::string& attribute) {
  std::vector<std::vector<double>> paths;
  for (std::size_t at = 0; (at = svg.find(attribute, at)) != std::string::npos;) {
    const std::string begin = " d=\"";
    const std::size_t first = svg.find(begin, at) + begin.size();
    at = svg.find('"', first);
    std::string text = svg.substr(first, at - first);
    for (char& c : text)
      if (std::isalpha(static_cast<unsigned char>(c))) c = ' ';
    std::istringstream in(text);
    paths.emplace_back();
    for (double number; in >> number;) paths.back().push_back(number);
  }
  return paths;
}

TEST(StackedPlot, OnePanelIsAPlot) {
  const std::vector<PlotPanel> panels{{"rad", {{"angle", {0, 1, 2}, {0, 1, 0}}}}};
  PlotOptions options{.title = "T", .x_label = "t"};
  const std::string stacked = stacked_plot(panels, options);
  options.y_label = "rad";
  EXPECT_EQ(stacked, svg_plot(panels[0].series, options));
  EXPECT_NE(stacked_plot({}, {}).find("no data"), std::string::npos);
}

TEST(StackedPlot, PanelsShareTheirAxis) {
  const std::string svg = stacked_plot(two_panels(), {.title = "T", .x_label = "t in s", .height = 400});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "<svg"), 1u);
  EXPECT_EQ(occurrences(svg, ">t in s<"), 1u);
  EXPECT_EQ(occurrences(svg, ">rad<"), 1u);
  EXPECT_NE(svg.find(">m/s"), std::string::npos);
  // left, top, bottom, right: the frames begin and end at the same places, one under the other
  const std::vector<std::vector<double>> frames = path_numbers(svg, "stroke-opacity=\".55\"");
  ASSERT_EQ(frames.size(), 2u);
  for (const std::vector<double>& frame : frames) ASSERT_EQ(frame.size(), 4u);
  EXPECT_EQ(frames[0][0], frames[1][0]);
  EXPECT_EQ(frames[0][3], frames[1][3]);
  EXPECT_GT(frames[1][1], frames[0][2]);
  // t = 1 is a quarter of the range in both, though the first panel ends at 2
  const double left = frames[0][0], right = frames[0][3];
  int lines = 0;
  for (const std::vector<double>& line : path_numbers(svg, "class=\"plot-line plot-1\"")) {
    if (line.size() < 6) continue;  // of a legend
    EXPECT_NEAR(line[0], left, 0.11);
    EXPECT_NEAR(line[2], left + (right - left) / 4, 0.11);
    ++lines;
  }
  EXPECT_EQ(lines, 2);
}

TEST(StackedPlot, IsAsHighAsAskedForAndItsLegends) {
  const std::string svg = stacked_plot(two_panels(), {.width = 700, .height = 500});
  EXPECT_NE(svg.find("width=\"700\" height=\"536\""), std::string::npos) << svg.substr(0, 300);
  // too low for its panels: they keep a height at which something is seen
  const std::vector<PlotPanel> many(12, two_panels()[0]);
  EXPECT_EQ(tag_fault(stacked_plot(many, {.height = 100})), "");
  EXPECT_EQ(occurrences(stacked_plot(many, {.height = 100}), "stroke-opacity=\".55\""), 12u);
}

TEST(StackedPlot, NothingToDrawAndLonePoints) {
  std::vector<PlotPanel> panels = two_panels();
  panels.push_back({"N", {{"gone", {0, 1}, {nan, nan}}}});
  panels.push_back({"J", {{"point", {1}, {2}}}});
  const std::string svg = stacked_plot(panels, {});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_NE(svg.find("nothing to draw"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "class=\"plot-dot"), 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::string empty = stacked_plot({{"a", {}}, {"b", {{"x", {}, {}}}}}, {});
  EXPECT_EQ(occurrences(empty, "nothing to draw"), 2u);
  const std::string logarithmic =
      stacked_plot({{"a", {{"x", {0, 1}, {1, 1e-6}}}}, {"b", {{"y", {0, 1}, {0, -1}}}}}, {.log_y = true});
  EXPECT_NE(logarithmic.find("10⁻⁶"), std::string::npos);
  EXPECT_EQ(occurrences(logarithmic, "nothing to draw"), 1u);
}

TEST(StackedPlot, TextIsEscaped) {
  const std::string bad = "</svg><script>\"&'\x01";
  const std::string svg = stacked_plot({{bad, {{bad, {0, 1}, {0, 1}}}}, {bad + "2", {{bad, {0}, {0}}}}},
                                       {.title = bad, .x_label = bad});
  EXPECT_EQ(tag_fault(svg), "");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
}

TEST(StackedPlot, LongSeriesAreThinned) {
  Series series{"long", {}, {}};
  for (int i = 0; i < 200000; ++i) {
    series.x.push_back(i);
    series.y.push_back(std::sin(0.1 * i));
  }
  EXPECT_LT(stacked_plot({{"a", {series}}, {"b", {series}}}, {}).size(), 120000u);
}

}  // namespace
}  // namespace trammel
