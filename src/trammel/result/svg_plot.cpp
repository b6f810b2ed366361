#include "trammel/result/svg_plot.h"

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
constexpr double character_width = 0.58 * text_size;
constexpr double row_height = 18;
constexpr double mark_row = 13, mark_size = 10;
constexpr double legend_sample = 18, legend_gap = 14;

double text_width(std::string_view text) {
  return character_width * static_cast<double>(count_characters(text));
}

std::size_t characters_within(double width, double size) {
  return static_cast<std::size_t>(std::max(4.0, width / (0.58 * size)));
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
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

// Writes one plot, from top to bottom: title, legend, label of the y axis, the frame, labels of the x axis.
class Plot {
 public:
  Plot(const std::vector<Series>& series, const PlotOptions& options)
      : series_(series),
        options_(options),
        width_(std::max(160.0, options.width)),
        height_(std::max(140.0, options.height)) {
    place();
  }

  std::string text() {
    open();
    if (x_axis_) {
      grid();
      marks();
      for (std::size_t i = 0; i < series_.size(); ++i) line(i);
      for (std::size_t i = 0; i < series_.size() && options_.markers; ++i) markers(i);
    } else {
      label((left_ + right_) / 2, (top_ + bottom_) / 2, "middle", nothing_to_draw());
    }
    frame();
    labels();
    legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  // layout
  void place();
  void place_legend();
  void find_axes();
  bool drawn(const Series& series, std::size_t i) const {
    return can_plot(series.x[i], options_.log_x) && can_plot(series.y[i], options_.log_y);
  }
  static std::size_t length(const Series& series) { return std::min(series.x.size(), series.y.size()); }
  double x_pixel(double x) const {
    const double fraction = x_axis_->fraction(x);
    return left_ + (options_.descending_x ? 1 - fraction : fraction) * (right_ - left_);
  }
  double y_pixel(double y) const { return bottom_ - y_axis_->fraction(y) * (bottom_ - top_); }

  // drawing
  void open();
  void grid();
  void frame();
  void marks();
  void line(std::size_t index);
  void markers(std::size_t index);
  void labels();
  void legend();
  std::string nothing_to_draw() const;

  void label(double x, double y, std::string_view anchor, std::string_view text) {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill-opacity=\".8\">{}</text>\n", x, y, anchor,
        escape_markup(text));
  }
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  const std::vector<Series>& series_;
  const PlotOptions& options_;
  double width_, height_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  double y_label_row_ = 0, legend_row_ = 0;
  std::vector<LegendEntry> legend_;
  std::optional<PlotAxis> x_axis_, y_axis_;  // both or none
  std::string out_;
};

void Plot::place() {
  double y = 6;
  if (!options_.title.empty()) y += 20;
  place_legend();
  if (!legend_.empty()) {
    const double rows = legend_.back().row + 1;
    legend_row_ = y;
    y += rows * row_height;
    height_ += rows * row_height;
  }
  y_label_row_ = y;
  if (!options_.y_label.empty() || !options_.log_y) y += row_height;
  if (!options_.marks.empty()) y += mark_row;
  top_ = y + 6;
  bottom_ = height_ - (options_.x_label.empty() ? 24 : 42);
  left_ = 16;
  right_ = width_ - 14;
  find_axes();
  if (!x_axis_) return;

  // room for the labels, which are known by now
  if (options_.x_label.empty() && !x_axis_->factor().empty()) bottom_ -= row_height;
  double widest = 0;
  for (const PlotAxis::Tick& tick : y_axis_->ticks()) widest = std::max(widest, text_width(tick.label));
  left_ = std::min(12 + widest, width_ / 2);
}

void Plot::place_legend() {
  const double available = width_ - 12;
  double x = 8;
  int row = 0;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (series_[i].label.empty()) continue;
    LegendEntry entry{i, shorten(series_[i].label, characters_within(available - 40, text_size))};
    const double entry_width = legend_sample + 5 + text_width(entry.text);
    if (x > 8 && x + entry_width > available) {
      x = 8;
      ++row;
    }
    entry.x = x;
    entry.row = row;
    x += entry_width + legend_gap;
    legend_.push_back(std::move(entry));
  }
}

void Plot::find_axes() {
  Range x, y;
  bool any = false;
  for (const Series& series : series_) {
    for (std::size_t i = 0; i < length(series); ++i) {
      // a gap at an end is seen only if the axis goes on
      if (can_plot(series.x[i], options_.log_x)) x.include(series.x[i]);
      if (!drawn(series, i)) continue;
      y.include(series.y[i]);
      any = true;
    }
  }
  if (!any) return;
  const int columns = static_cast<int>((right_ - left_) / 64), rows = static_cast<int>((bottom_ - top_) / 24);
  using Scale = PlotAxis::Scale;
  // a marker on the frame would be cut in half
  const Scale logarithmic = options_.markers ? Scale::padded_logarithmic : Scale::logarithmic;
  const Scale plain = options_.markers ? Scale::padded : Scale::linear;
  x_axis_.emplace(x.low, x.high, options_.log_x ? logarithmic : plain, std::max(3, columns));
  y_axis_.emplace(y.low, y.high, options_.log_y ? logarithmic : Scale::padded, std::max(3, rows));
}

void Plot::open() {
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trammel-plot\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\" "
      "font-family=\"system-ui,sans-serif\" "
      "font-size=\"{}\" fill=\"currentColor\">\n",
      width_, height_, width_, height_, escape_markup(options_.title.empty() ? "plot" : options_.title),
      text_size);
  put("<style>{}</style>\n", plot_style_sheet(series_.size(), options_.markers));
  if (!options_.title.empty()) {
    put("<text x=\"8\" y=\"20\" font-size=\"{}\" font-weight=\"600\">{}</text>\n", title_size,
        escape_markup(shorten(options_.title, characters_within(width_ - 16, title_size))));
  }
}

void Plot::grid() {
  const auto path = [this](double opacity, const auto& write) {
    out_ += "<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"";
    put("{}\" d=\"", opacity);
    write();
    out_ += "\"/>\n";
  };
  const auto across = [this](double y) { put("M{:.1f} {:.1f}H{:.1f}", left_, y_pixel(y), right_); };
  const auto upright = [this](double x) { put("M{:.1f} {:.1f}V{:.1f}", x_pixel(x), top_, bottom_); };
  path(0.14, [&] {
    for (const PlotAxis::Tick& tick : x_axis_->ticks()) upright(tick.value);
    for (const PlotAxis::Tick& tick : y_axis_->ticks()) across(tick.value);
  });
  if (x_axis_->minor_ticks().empty() && y_axis_->minor_ticks().empty()) return;
  path(0.06, [&] {
    for (const double x : x_axis_->minor_ticks()) upright(x);
    for (const double y : y_axis_->minor_ticks()) across(y);
  });
}

void Plot::frame() {
  put("<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".55\" d=\"M{:.1f} "
      "{:.1f}V{:.1f}H{:.1f}\"/>\n",
      left_, top_, bottom_, right_);
}

void Plot::marks() {
  std::vector<const PlotMark*> visible;
  for (const PlotMark& mark : options_.marks) {
    if (mark.x >= x_axis_->low() && mark.x <= x_axis_->high()) visible.push_back(&mark);
  }
  std::stable_sort(visible.begin(), visible.end(),
                   [this](const PlotMark* a, const PlotMark* b) { return x_pixel(a->x) < x_pixel(b->x); });

  // one line for each pixel; a label above it where the last one leaves room
  double last_line = -1, label_end = left_ - 1;
  for (const PlotMark* mark : visible) {
    const double x = x_pixel(mark->x);
    if (x - last_line < 1) continue;
    last_line = x;
    put("<path class=\"plot-mark\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".5\" "
        "stroke-dasharray=\"3 3\" d=\"M{:.1f} {:.1f}V{:.1f}\"><title>{}</title></path>\n",
        x, top_ - 4, bottom_, escape_markup(mark->label));

    const std::string text = shorten(mark->label, 24);
    const double half = text_width(text) * mark_size / text_size / 2;
    const double center = std::clamp(x, left_ + half, std::max(left_ + half, width_ - 4 - half));
    if (text.empty() || center - half < label_end) continue;
    put("<text fill-opacity=\".8\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-size=\"{}\">{}</text>\n",
        center, top_ - 7, mark_size, escape_markup(text));
    label_end = center + half + 6;
  }
}

void Plot::line(std::size_t index) {
  const Series& series = series_[index];
  std::vector<PlotPoint> points(length(series), {std::nan(""), std::nan("")});
  for (std::size_t i = 0; i < points.size(); ++i) {
    // tenths of a pixel cannot be told from more
    if (drawn(series, i)) {
      points[i] = {std::round(10 * x_pixel(series.x[i])) / 10, std::round(10 * y_pixel(series.y[i])) / 10};
    }
  }

  // where there are markers, they show the points without neighbours
  const bool needs_dots = !options_.markers;
  std::string lines, dots;
  for (const std::vector<PlotPoint>& piece : visible_pieces(points)) {
    std::string path = "M";
    std::size_t count = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (i > 0 && piece[i].x == piece[i - 1].x && piece[i].y == piece[i - 1].y) continue;
      fmt::format_to(std::back_inserter(path), "{}{} {}", count++ > 0 ? " " : "", piece[i].x, piece[i].y);
    }
    // a point without neighbours is the round end of a line without length
    if (count == 1) {
      if (needs_dots) dots += path + "h0";
    } else {
      lines += path;
    }
  }
  if (!lines.empty()) {
    put("<path {} d=\"{}\"><title>{}</title></path>\n", line_attributes(index), lines,
        escape_markup(series.label));
  }
  if (!dots.empty()) {
    put("<path {} d=\"{}\"><title>{}</title></path>\n", dot_attributes(index), dots,
        escape_markup(series.label));
  }
}

void Plot::markers(std::size_t index) {
  const Series& series = series_[index];
  for (std::size_t i = 0; i < length(series); ++i) {
    if (!drawn(series, i)) continue;
    const bool hollow = i < series.hollow.size() && series.hollow[i];
    put("<path {} d=\"{}\">", marker_attributes(index, hollow),
        marker_path(index, x_pixel(series.x[i]), y_pixel(series.y[i])));
    if (i < series.point_labels.size() && !series.point_labels[i].empty())
      put("<title>{}</title>", escape_markup(series.point_labels[i]));
    out_ += "</path>\n";
  }
}

void Plot::labels() {
  std::string x_label = options_.x_label, y_label = options_.y_label;
  if (x_axis_) {
    for (const PlotAxis::Tick& tick : x_axis_->ticks()) {
      label(x_pixel(tick.value), bottom_ + 16, "middle", tick.label);
    }
    for (const PlotAxis::Tick& tick : y_axis_->ticks()) {
      label(left_ - 5, y_pixel(tick.value) + 4, "end", tick.label);
    }
    if (!x_axis_->factor().empty()) x_label += " " + x_axis_->factor();
    if (!y_axis_->factor().empty()) y_label += "  " + y_axis_->factor();
  }
  const std::size_t fits = characters_within(width_ - 16, text_size);
  if (!x_label.empty()) label((left_ + right_) / 2, height_ - 8, "middle", shorten(x_label, fits));
  if (!y_label.empty()) label(8, y_label_row_ + 14, "start", shorten(y_label, fits));
}

void Plot::legend() {
  for (const LegendEntry& entry : legend_) {
    const double y = legend_row_ + entry.row * row_height + 13;
    put("<path {} d=\"M{:.1f} {:.1f}h{}\"/>\n", line_attributes(entry.series), entry.x, y - 4, legend_sample);
    if (options_.markers)
      put("<path {} d=\"{}\"/>\n", marker_attributes(entry.series, false),
          marker_path(entry.series, entry.x + legend_sample / 2, y - 4));
    put("<text x=\"{:.1f}\" y=\"{:.1f}\">{}<title>{}</title></text>\n", entry.x + legend_sample + 5, y,
        escape_markup(entry.text), escape_markup(series_[entry.series].label));
  }
}

std::string Plot::nothing_to_draw() const {
  for (const Series& series : series_) {
    for (std::size_t i = 0; i < length(series); ++i) {
      if (can_plot(series.x[i], false) && can_plot(series.y[i], false)) return "no value above zero";
    }
  }
  return "no data";
}

}  // namespace

std::string svg_plot(const std::vector<Series>& series, const PlotOptions& options) {
  return Plot(series, options).text();
}

}  // namespace trammel
