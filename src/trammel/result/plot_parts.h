// The parts that svg_plot and stacked_plot are put together from: head, legend, and the frame with its axes,
// grid and lines. Places are in CSS pixels, y downwards; what is drawn is returned as SVG.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/result/plot_axis.h"
#include "trammel/result/svg_plot.h"

namespace trammel {

// A plot is as wide as asked for, but not narrower than this.
constexpr double narrowest_plot = 160;

// Text

constexpr double plot_text_size = 12;
constexpr double plot_row_height = 18;

// Near enough to lay out text: the reader's font is not known.
double plot_text_width(std::string_view text);

// As much of the text as has room in that width, "…" at its end if not all of it.
std::string fit_plot_text(std::string_view text, double width, double text_size = plot_text_size);

// A label with its baseline at y; the anchor is "start", "middle" or "end".
std::string draw_plot_text(double x, double y, std::string_view anchor, std::string_view text);

// Values

// How many points it has, drawn or not.
std::size_t series_length(const Series& series);

bool is_drawn(const Series& series, std::size_t point, const PlotOptions& options);

struct PlotRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
  void include(double value);
};

// Of the points that are drawn and, for x, of the gaps: one at an end is seen only if the axis goes on.
struct PlotRanges {
  PlotRange x, y;
  void include(const std::vector<Series>& series, const PlotOptions& options);
};

// Head

// What the title takes at the top, a margin if there is none.
double plot_title_height(const PlotOptions& options);

// The start of the svg element, its style sheet for so many series, and the title.
std::string draw_plot_head(double width, double height, std::size_t series, const PlotOptions& options);

// Legend

struct LegendEntry {
  std::size_t series = 0;
  std::string text;
  double x = 0;
  int row = 0;
};

// Of the series that have a label, in as many rows as a plot of that width needs.
std::vector<LegendEntry> place_legend(const std::vector<Series>& series, double plot_width);
double legend_height(const std::vector<LegendEntry>& legend);
std::string draw_legend(const std::vector<LegendEntry>& legend, const std::vector<Series>& series, double top,
                        bool markers);

// Frame

// The rectangle that the lines are drawn in.
struct PlotFrame {
  double left = 0, right = 0, top = 0, bottom = 0;
  std::optional<PlotAxis> x_axis = {}, y_axis = {};
  bool descending_x = false;

  // With as many ticks as the frame has room for. The range must not be empty.
  void set_x_axis(const PlotRange& range, const PlotOptions& options);
  void set_y_axis(const PlotRange& range, const PlotOptions& options);
  // Where a value lies; the axis must be set.
  double x_pixel(double x) const;
  double y_pixel(double y) const;
};

// Between the frame and the sides of the plot; on the left only until the numbers of the y axis are known.
constexpr double plot_left_margin = 16, plot_right_margin = 14;
// Where the frame begins beside those numbers.
double left_beside_y_numbers(const PlotFrame& frame, double plot_width);

// The grid and the lines need both axes; without an axis there are no numbers along it.
std::string draw_grid(const PlotFrame& frame);
std::string draw_frame(const PlotFrame& frame);
// Instead of lines.
std::string draw_in_middle(const PlotFrame& frame, std::string_view text);
std::string draw_x_numbers(const PlotFrame& frame);
std::string draw_y_numbers(const PlotFrame& frame);
// What an axis says of itself, with the factor of its numbers; nothing if both are empty.
std::string draw_x_label(const PlotFrame& frame, std::string text, double plot_width, double baseline);
std::string draw_y_label(const PlotFrame& frame, std::string text, double plot_width, double baseline);
// Line and lone points of the series with that number. Where there are markers, they show the lone points.
std::string draw_line(const PlotFrame& frame, const Series& series, std::size_t number,
                      const PlotOptions& options);

}  // namespace trammel
