// The lines of a plot: quantities of results over time or against one another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/cli/plot_result.h"
#include "trammel/result/stacked_plot.h"

namespace trammel {

struct PlotSelection {
  std::vector<std::string> quantities;
  std::string against = "t";
  // In time, whatever the quantities are plotted against.
  std::optional<double> from, to;
};

struct PlotLine {
  std::string name, unit;
  const PlotResult* result = nullptr;
  Series series;  // the label has the result's, too, if there are several
};

// The quantities of all the results, the same one of different results side by side. Throws
// std::invalid_argument for what is not there or does not go together.
std::vector<PlotLine> plot_lines(const std::vector<PlotResult>& results, const PlotSelection& selection);

// A panel for each unit.
std::vector<PlotPanel> plot_panels(const std::vector<PlotLine>& lines);

// "t in s", "A.angle in rad".
std::string x_label_of(const std::vector<PlotResult>& results, const PlotSelection& selection);

}  // namespace trammel
