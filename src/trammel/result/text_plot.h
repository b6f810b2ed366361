// Line plots as text, for a terminal.
//
// Lines are drawn with the dots of braille characters, two across and four down in each, or in plain ASCII
// with a character for each series. Several series have a letter each, which stands behind the last point of
// the line and in the legend; with colours, line and letter share one.
#pragma once

#include <string>
#include <vector>

#include "trammel/result/svg_plot.h"

namespace trammel {

struct TextPlotOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_y = false;
  // The longest line, and the lines of the frame; more lines hold title, axis and legend.
  int columns = 80;
  int rows = 16;
  bool ascii = false;
  // With the escape sequences that colour text on a terminal.
  bool colour = false;
};

// Lines of text, each ended with '\n'. Points that cannot be drawn are gaps, as in svg_plot. The legend has
// the last, lowest and highest finite value of each series.
std::string text_plot(const std::vector<Series>& series, const TextPlotOptions& options);

}  // namespace trammel
