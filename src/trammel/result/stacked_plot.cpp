#include "trammel/result/stacked_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "trammel/result/markup.h"
#include "trammel/result/plot_axis.h"
#include "trammel/result/plot_line.h"
#include "trammel/result/plot_style.h"

namespace trammel {
namespace {

constexpr double text_size = 12, title_size = 14;
constexpr double row_height = 18;
constexpr double legend_sample = 18, legend_gap = 14;
constexpr double lowest_frame = 60;
constexpr double below_frame = 10, below_last_frame = 42;

double text_width(std::string_view text) {
  return 0.58 * text_size * static_cast<double>(count_characters(text));
}

std::size_t characters_within(double width, double size) {
  return static_cast<std::size_t>(std::max(4.0, width / (0.58 * size)));
}

std::size_t length(const Series& series) { return std::min(series.x.size(), series.y.size()); }

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct LegendEntry {
  std::size_t series;
  std::string text;
  double x = 0;
  int row = 0;
};

// A panel with its place: legend, label of the y axis, frame.
struct PlacedPanel {
  const PlotPanel* panel;
  std::vector<LegendEntry> legend = {};
  double legend_row = 0, label_row = 0, top = 0, bottom = 0;
  std::optional<PlotAxis> y_axis = {};
};

class StackedPlot {
 public:
  StackedPlot(const std::vector<PlotPanel>& panels, const PlotOptions& options)
      : options_(options), width_(std::max(160.0, options.width)) {
    for (const PlotPanel& panel : panels) panels_.push_back({&panel});
    find_x_axis();
    place();
  }

  std::string text() {
    open();
    for (const PlacedPanel& panel : panels_) {
      if (panel.y_axis) {
        grid(panel);
        for (std::size_t i = 0; i < panel.panel->series.size(); ++i) line(panel, i);
      } else {
        label((left_ + right_) / 2, (panel.top + panel.bottom) / 2, "middle", "nothing to draw");
      }
      frame(panel);
      legend(panel);
    }
    x_labels();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  void find_x_axis();
  void find_y_axis(PlacedPanel& panel) const;
  void place();
  void place_legend(PlacedPanel& panel) const;
  bool drawn(const Series& series, std::size_t i) const {
    return can_plot(series.x[i], options_.log_x) && can_plot(series.y[i], options_.log_y);
  }
  double x_pixel(double x) const { return left_ + x_axis_->fraction(x) * (right_ - left_); }
  static double y_pixel(const PlacedPanel& panel, double y) {
    return panel.bottom - panel.y_axis->fraction(y) * (panel.bottom - panel.top);
  }

  void open();
  void grid(const PlacedPanel& panel);
  void line(const PlacedPanel& panel, std::size_t index);
  void frame(const PlacedPanel& panel);
  void legend(const PlacedPanel& panel);
  void x_labels();

  void label(double x, double y, std::string_view anchor, std::string_view text) {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill-opacity=\".8\">{}</text>\n", x, y, anchor,
        escape_markup(text));
  }
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  const PlotOptions& options_;
  double width_, height_ = 0;
  double left_ = 16, right_ = 0;
  std::vector<PlacedPanel> panels_;
  std::optional<PlotAxis> x_axis_;
  std::string out_;
};

void StackedPlot::find_x_axis() {
  right_ = width_ - 14;
  Range x;
  for (const PlacedPanel& panel : panels_)
    for (const Series& series : panel.panel->series)
      for (std::size_t i = 0; i < length(series); ++i)
        if (can_plot(series.x[i], options_.log_x)) x.include(series.x[i]);
  if (x.empty()) return;
  const int columns = static_cast<int>((right_ - left_) / 64);
  x_axis_.emplace(x.low, x.high, options_.log_x ? PlotAxis::Scale::logarithmic : PlotAxis::Scale::linear,
                  std::max(3, columns));
}

void StackedPlot::find_y_axis(PlacedPanel& panel) const {
  Range y;
  for (const Series& series : panel.panel->series)
    for (std::size_t i = 0; i < length(series); ++i)
      if (drawn(series, i)) y.include(series.y[i]);
  if (y.empty()) return;
  const int rows = static_cast<int>((panel.bottom - panel.top) / 24);
  panel.y_axis.emplace(y.low, y.high, options_.log_y ? PlotAxis::Scale::logarithmic : PlotAxis::Scale::padded,
                       std::max(3, rows));
}

// The height without legends is shared equally.
void StackedPlot::place() {
  const double title = options_.title.empty() ? 6 : 26;
  const auto count = static_cast<double>(panels_.size());
  const double around = row_height + 6 + below_frame;
  const double frame =
      std::max(lowest_frame,
               (options_.height - title - (below_last_frame - below_frame)) / std::max(1.0, count) - around);
  double y = title, widest = 0;
  for (PlacedPanel& panel : panels_) {
    place_legend(panel);
    panel.legend_row = y;
    if (!panel.legend.empty()) y += row_height * (panel.legend.back().row + 1);
    panel.label_row = y;
    panel.top = y + row_height + 6;
    panel.bottom = panel.top + frame;
    y = panel.bottom + below_frame;
    find_y_axis(panel);
    if (!panel.y_axis) continue;
    for (const PlotAxis::Tick& tick : panel.y_axis->ticks())
      widest = std::max(widest, text_width(tick.label));
  }
  // the same for all, so that the same x is at the same place
  left_ = std::min(12 + widest, width_ / 2);
  height_ = y + below_last_frame - below_frame;
}

void StackedPlot::place_legend(PlacedPanel& panel) const {
  const double available = width_ - 12;
  double x = 8;
  int row = 0;
  for (std::size_t i = 0; i < panel.panel->series.size(); ++i) {
    const std::string& name = panel.panel->series[i].label;
    if (name.empty()) continue;
    LegendEntry entry{i, shorten(name, characters_within(available - 40, text_size))};
    const double entry_width = legend_sample + 5 + text_width(entry.text);
    if (x > 8 && x + entry_width > available) {
      x = 8;
      ++row;
    }
    entry.x = x;
    entry.row = row;
    x += entry_width + legend_gap;
    panel.legend.push_back(std::move(entry));
  }
}

void StackedPlot::open() {
  std::size_t most = 0;
  for (const PlacedPanel& panel : panels_) most = std::max(most, panel.panel->series.size());
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trammel-plot\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\" "
      "font-family=\"system-ui,sans-serif\" font-size=\"{}\" fill=\"currentColor\">\n",
      width_, height_, width_, height_, escape_markup(options_.title.empty() ? "plot" : options_.title),
      text_size);
  put("<style>{}</style>\n", plot_style_sheet(most));
  if (options_.title.empty()) return;
  put("<text x=\"8\" y=\"20\" font-size=\"{}\" font-weight=\"600\">{}</text>\n", title_size,
      escape_markup(shorten(options_.title, characters_within(width_ - 16, title_size))));
}

void StackedPlot::grid(const PlacedPanel& panel) {
  const auto path = [&](double opacity, const auto& xs, const auto& ys, const auto& value) {
    if (xs.empty() && ys.empty()) return;
    put("<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"{}\" d=\"", opacity);
    for (const auto& x : xs) put("M{:.1f} {:.1f}V{:.1f}", x_pixel(value(x)), panel.top, panel.bottom);
    for (const auto& y : ys) put("M{:.1f} {:.1f}H{:.1f}", left_, y_pixel(panel, value(y)), right_);
    out_ += "\"/>\n";
  };
  path(0.14, x_axis_->ticks(), panel.y_axis->ticks(), [](const PlotAxis::Tick& tick) { return tick.value; });
  path(0.06, x_axis_->minor_ticks(), panel.y_axis->minor_ticks(), [](double value) { return value; });
}

void StackedPlot::line(const PlacedPanel& panel, std::size_t index) {
  const Series& series = panel.panel->series[index];
  std::vector<PlotPoint> points(length(series), {std::nan(""), std::nan("")});
  for (std::size_t i = 0; i < points.size(); ++i) {
    // tenths of a pixel cannot be told from more
    if (drawn(series, i))
      points[i] = {std::round(10 * x_pixel(series.x[i])) / 10,
                   std::round(10 * y_pixel(panel, series.y[i])) / 10};
  }
  std::string lines, dots;
  for (const std::vector<PlotPoint>& piece : visible_pieces(points)) {
    std::string path = fmt::format("M{} {}", piece[0].x, piece[0].y);
    bool moved = false;
    for (std::size_t i = 1; i < piece.size(); ++i) {
      if (piece[i].x == piece[i - 1].x && piece[i].y == piece[i - 1].y) continue;
      fmt::format_to(std::back_inserter(path), " {} {}", piece[i].x, piece[i].y);
      moved = true;
    }
    // a point without neighbours is the round end of a line without length
    if (moved)
      lines += path;
    else
      dots += path + "h0";
  }
  const std::string title = escape_markup(series.label);
  if (!lines.empty())
    put("<path {} d=\"{}\"><title>{}</title></path>\n", line_attributes(index), lines, title);
  if (!dots.empty()) put("<path {} d=\"{}\"><title>{}</title></path>\n", dot_attributes(index), dots, title);
}

void StackedPlot::frame(const PlacedPanel& panel) {
  put("<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".55\" "
      "d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n",
      left_, panel.top, panel.bottom, right_);
  std::string y_label = panel.panel->y_label;
  if (panel.y_axis) {
    for (const PlotAxis::Tick& tick : panel.y_axis->ticks())
      label(left_ - 5, y_pixel(panel, tick.value) + 4, "end", tick.label);
    if (!panel.y_axis->factor().empty()) y_label += "  " + panel.y_axis->factor();
  }
  if (!y_label.empty())
    label(8, panel.label_row + 14, "start", shorten(y_label, characters_within(width_ - 16, text_size)));
}

void StackedPlot::legend(const PlacedPanel& panel) {
  for (const LegendEntry& entry : panel.legend) {
    const double y = panel.legend_row + entry.row * row_height + 13;
    put("<path {} d=\"M{:.1f} {:.1f}h{}\"/>\n", line_attributes(entry.series), entry.x, y - 4, legend_sample);
    put("<text x=\"{:.1f}\" y=\"{:.1f}\">{}<title>{}</title></text>\n", entry.x + legend_sample + 5, y,
        escape_markup(entry.text), escape_markup(panel.panel->series[entry.series].label));
  }
}

// Under the last panel, for all.
void StackedPlot::x_labels() {
  std::string x_label = options_.x_label;
  if (x_axis_ && !panels_.empty()) {
    for (const PlotAxis::Tick& tick : x_axis_->ticks())
      label(x_pixel(tick.value), panels_.back().bottom + 16, "middle", tick.label);
    if (!x_axis_->factor().empty()) x_label += " " + x_axis_->factor();
  }
  if (!x_label.empty())
    label((left_ + right_) / 2, height_ - 8, "middle",
          shorten(x_label, characters_within(width_ - 16, text_size)));
}

}  // namespace

std::string stacked_plot(const std::vector<PlotPanel>& panels, const PlotOptions& options) {
  if (panels.size() > 1) return StackedPlot(panels, options).text();
  PlotOptions single = options;
  single.y_label = panels.empty() ? "" : panels[0].y_label;
  single.markers = false;
  single.descending_x = false;
  single.marks.clear();
  return svg_plot(panels.empty() ? std::vector<Series>{} : panels[0].series, single);
}

}  // namespace trammel
