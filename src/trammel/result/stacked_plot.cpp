#include "trammel/result/stacked_plot.h"

#include <algorithm>

#include "trammel/result/plot_parts.h"

namespace trammel {
namespace {

constexpr double lowest_frame = 60;
constexpr double below_frame = 10, below_last_frame = 42;

// A panel with its place: legend, label of the y axis, frame.
struct PlacedPanel {
  const PlotPanel* panel;
  std::vector<LegendEntry> legend = {};
  double legend_row = 0, label_row = 0;
  PlotFrame frame = {};
};

// Of two panels or more.
class StackedPlot {
 public:
  StackedPlot(const std::vector<PlotPanel>& panels, const PlotOptions& options)
      : options_(options), width_(std::max(narrowest_plot, options.width)) {
    for (const PlotPanel& panel : panels) panels_.push_back({&panel});
    find_x_axis();
    place();
  }

  std::string text() const {
    std::size_t most = 0;
    for (const PlacedPanel& panel : panels_) most = std::max(most, panel.panel->series.size());
    std::string out = draw_plot_head(width_, height_, most, options_);
    for (const PlacedPanel& panel : panels_) out += draw(panel);
    // under the last panel, for all
    const PlotFrame& last = panels_.back().frame;
    out += draw_x_numbers(last) + draw_x_label(last, options_.x_label, width_, height_ - 8);
    return out + "</svg>\n";
  }

 private:
  void find_x_axis();
  void place();
  std::string draw(const PlacedPanel& panel) const;

  const PlotOptions& options_;
  double width_, height_ = 0;
  std::vector<PlacedPanel> panels_;
};

// The same for all panels, whose frames get their width.
void StackedPlot::find_x_axis() {
  PlotRanges ranges;
  for (const PlacedPanel& panel : panels_) ranges.include(panel.panel->series, options_);
  for (PlacedPanel& panel : panels_) {
    panel.frame.left = plot_left_margin;
    panel.frame.right = width_ - plot_right_margin;
    if (!ranges.x.empty()) panel.frame.set_x_axis(ranges.x, options_);
  }
}

// The height without legends is shared equally.
void StackedPlot::place() {
  const double title = plot_title_height(options_);
  const auto count = static_cast<double>(panels_.size());
  const double around = plot_row_height + 6 + below_frame;
  const double frame_height =
      std::max(lowest_frame, (options_.height - title - (below_last_frame - below_frame)) / count - around);
  double y = title, left = 0;
  for (PlacedPanel& panel : panels_) {
    PlotFrame& frame = panel.frame;
    panel.legend = place_legend(panel.panel->series, width_);
    panel.legend_row = y;
    panel.label_row = y + legend_height(panel.legend);
    frame.top = panel.label_row + plot_row_height + 6;
    frame.bottom = frame.top + frame_height;
    y = frame.bottom + below_frame;

    PlotRanges ranges;
    ranges.include(panel.panel->series, options_);
    if (!ranges.y.empty()) frame.set_y_axis(ranges.y, options_);
    left = std::max(left, left_beside_y_numbers(frame, width_));
  }
  // the same for all, so that the same x is at the same place
  for (PlacedPanel& panel : panels_) panel.frame.left = left;
  height_ = y + below_last_frame - below_frame;
}

std::string StackedPlot::draw(const PlacedPanel& panel) const {
  const PlotFrame& frame = panel.frame;
  const std::vector<Series>& series = panel.panel->series;
  std::string out;
  if (frame.y_axis) {
    out += draw_grid(frame);
    for (std::size_t i = 0; i < series.size(); ++i) out += draw_line(frame, series[i], i, options_);
  } else {
    out += draw_in_middle(frame, "nothing to draw");
  }
  out += draw_frame(frame) + draw_y_numbers(frame);
  out += draw_y_label(frame, panel.panel->y_label, width_, panel.label_row + 14);
  return out + draw_legend(panel.legend, series, panel.legend_row, options_.markers);
}

}  // namespace

std::string stacked_plot(const std::vector<PlotPanel>& panels, const PlotOptions& options) {
  PlotOptions used = options;
  used.markers = false;
  used.descending_x = false;
  used.marks.clear();
  if (panels.size() > 1) return StackedPlot(panels, used).text();
  used.y_label = panels.empty() ? "" : panels[0].y_label;
  return svg_plot(panels.empty() ? std::vector<Series>{} : panels[0].series, used);
}

}  // namespace trammel
