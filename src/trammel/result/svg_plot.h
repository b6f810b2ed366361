// Line plots as SVG.
//
// The drawing follows the colour scheme of the reader. Inside a page, text and axes take the page's text
// colour and the lines the CSS variables --plot-1 to --plot-8 if the page sets them; a file of its own brings
// its background along.
#pragma once

#include <string>
#include <vector>

namespace trammel {

// A line through the points (x, y). It has gaps where a value is not finite, and on a logarithmic axis where
// it is not positive. If x and y differ in length the shorter counts.
struct Series {
  std::string label;
  std::vector<double> x, y;
  // Of the points, where markers are drawn: what is said of one that is pointed at, and whether it is an
  // outline only. Missing ones are empty and solid.
  std::vector<std::string> point_labels = {};
  std::vector<bool> hollow = {};
};

// A vertical line, for an event.
struct PlotMark {
  double x = 0;
  std::string label;
};

struct PlotOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_x = false;
  bool log_y = false;
  // Small x to the right: for errors, where small is good.
  bool descending_x = false;
  // A marker at every point, of a shape that goes with the series. For few points: none is left out.
  bool markers = false;
  // In CSS pixels; the rows of the legend are added to the height.
  double width = 640;
  double height = 360;
  // Those outside the range of the series are left out.
  std::vector<PlotMark> marks = {};
};

// An svg element, to stand in a page or as a file. Long series are thinned to what can be seen, so that the
// size depends on the width and not on the number of samples as long as x is monotone.
std::string svg_plot(const std::vector<Series>& series, const PlotOptions& options);

}  // namespace trammel
