// Line plots one under another that share their x axis, as SVG: for quantities of different units.
//
// Colours and style are those of svg_plot.
#pragma once

#include <string>
#include <vector>

#include "trammel/result/svg_plot.h"

namespace trammel {

struct PlotPanel {
  std::string y_label;
  std::vector<Series> series;
};

// One svg element. Of the options count the title, the label of the x axis, the logarithms, and width and
// height, which is that of all panels together; the rows of their legends are added to it. A single panel is
// an svg_plot.
std::string stacked_plot(const std::vector<PlotPanel>& panels, const PlotOptions& options);

}  // namespace trammel
