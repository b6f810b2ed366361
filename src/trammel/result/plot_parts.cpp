#include "trammel/result/plot_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "trammel/result/markup.h"
#include "trammel/result/plot_line.h"
#include "trammel/result/plot_style.h"

namespace trammel {
namespace {

constexpr double title_size = 14;
constexpr double character_width = 0.58;  // as a part of the text size
constexpr double legend_left = 8, legend_sample = 18, legend_gap = 14;

template <class... Arguments>
void put(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

// tenths of a pixel cannot be told from more
double to_tenths(double pixel) { return std::round(10 * pixel) / 10; }

struct LinePaths {
  std::string lines, dots;
};

LinePaths line_paths(const std::vector<PlotPoint>& points) {
  LinePaths paths;
  for (const std::vector<PlotPoint>& piece : visible_pieces(points)) {
    std::string path = fmt::format("M{} {}", piece[0].x, piece[0].y);
    bool moved = false;
    for (std::size_t i = 1; i < piece.size(); ++i) {
      if (piece[i].x == piece[i - 1].x && piece[i].y == piece[i - 1].y) continue;
      put(path, " {} {}", piece[i].x, piece[i].y);
      moved = true;
    }
    // a point without neighbours is the round end of a line without length
    if (moved)
      paths.lines += path;
    else
      paths.dots += path + "h0";
  }
  return paths;
}

}  // namespace

double plot_text_width(std::string_view text) {
  return character_width * plot_text_size * static_cast<double>(count_characters(text));
}

std::string fit_plot_text(std::string_view text, double width, double text_size) {
  return shorten(text, static_cast<std::size_t>(std::max(4.0, width / (character_width * text_size))));
}

std::string draw_plot_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill-opacity=\".8\">{}</text>\n", x,
                     y, anchor, escape_markup(text));
}

std::size_t series_length(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool is_drawn(const Series& series, std::size_t point, const PlotOptions& options) {
  return can_plot(series.x[point], options.log_x) && can_plot(series.y[point], options.log_y);
}

void PlotRange::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void PlotRanges::include(const std::vector<Series>& all_series, const PlotOptions& options) {
  for (const Series& series : all_series) {
    for (std::size_t i = 0; i < series_length(series); ++i) {
      if (can_plot(series.x[i], options.log_x)) x.include(series.x[i]);
      if (is_drawn(series, i, options)) y.include(series.y[i]);
    }
  }
}

double plot_title_height(const PlotOptions& options) { return options.title.empty() ? 6 : 26; }

std::string draw_plot_head(double width, double height, std::size_t series, const PlotOptions& options) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trammel-plot\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\" "
      "font-family=\"system-ui,sans-serif\" font-size=\"{}\" fill=\"currentColor\">\n",
      width, height, width, height, escape_markup(options.title.empty() ? "plot" : options.title),
      plot_text_size);
  put(out, "<style>{}</style>\n", plot_style_sheet(series, options.markers));
  if (!options.title.empty()) {
    put(out, "<text x=\"8\" y=\"20\" font-size=\"{}\" font-weight=\"600\">{}</text>\n", title_size,
        escape_markup(fit_plot_text(options.title, width - 16, title_size)));
  }
  return out;
}

std::vector<LegendEntry> place_legend(const std::vector<Series>& series, double plot_width) {
  const double available = plot_width - 12;
  std::vector<LegendEntry> legend;
  double x = legend_left;
  int row = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].label.empty()) continue;
    std::string text = fit_plot_text(series[i].label, available - 40);
    const double entry_width = legend_sample + 5 + plot_text_width(text);
    if (x > legend_left && x + entry_width > available) {
      x = legend_left;
      ++row;
    }
    legend.push_back({i, std::move(text), x, row});
    x += entry_width + legend_gap;
  }
  return legend;
}

double legend_height(const std::vector<LegendEntry>& legend) {
  return legend.empty() ? 0 : plot_row_height * (legend.back().row + 1);
}

std::string draw_legend(const std::vector<LegendEntry>& legend, const std::vector<Series>& series, double top,
                        bool markers) {
  std::string out;
  for (const LegendEntry& entry : legend) {
    const double y = top + entry.row * plot_row_height + 13;
    put(out, "<path {} d=\"M{:.1f} {:.1f}h{}\"/>\n", line_attributes(entry.series), entry.x, y - 4,
        legend_sample);
    if (markers) {
      put(out, "<path {} d=\"{}\"/>\n", marker_attributes(entry.series, false),
          marker_path(entry.series, entry.x + legend_sample / 2, y - 4));
    }
    put(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}<title>{}</title></text>\n", entry.x + legend_sample + 5, y,
        escape_markup(entry.text), escape_markup(series[entry.series].label));
  }
  return out;
}

void PlotFrame::set_x_axis(const PlotRange& range, const PlotOptions& options) {
  using Scale = PlotAxis::Scale;
  // a marker on the frame would be cut in half
  const Scale logarithmic = options.markers ? Scale::padded_logarithmic : Scale::logarithmic;
  const Scale plain = options.markers ? Scale::padded : Scale::linear;
  const int columns = static_cast<int>((right - left) / 64);
  x_axis.emplace(range.low, range.high, options.log_x ? logarithmic : plain, std::max(3, columns));
  descending_x = options.descending_x;
}

void PlotFrame::set_y_axis(const PlotRange& range, const PlotOptions& options) {
  using Scale = PlotAxis::Scale;
  const Scale logarithmic = options.markers ? Scale::padded_logarithmic : Scale::logarithmic;
  const int rows = static_cast<int>((bottom - top) / 24);
  y_axis.emplace(range.low, range.high, options.log_y ? logarithmic : Scale::padded, std::max(3, rows));
}

double PlotFrame::x_pixel(double x) const {
  const double fraction = x_axis->fraction(x);
  return left + (descending_x ? 1 - fraction : fraction) * (right - left);
}

double PlotFrame::y_pixel(double y) const { return bottom - y_axis->fraction(y) * (bottom - top); }

double left_beside_y_numbers(const PlotFrame& frame, double plot_width) {
  double widest = 0;
  if (frame.y_axis) {
    for (const PlotAxis::Tick& tick : frame.y_axis->ticks())
      widest = std::max(widest, plot_text_width(tick.label));
  }
  return std::min(12 + widest, plot_width / 2);
}

std::string draw_grid(const PlotFrame& frame) {
  std::string out;
  const auto path = [&](double opacity, const auto& xs, const auto& ys, const auto& value) {
    if (xs.empty() && ys.empty()) return;
    put(out, "<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"{}\" d=\"", opacity);
    for (const auto& x : xs)
      put(out, "M{:.1f} {:.1f}V{:.1f}", frame.x_pixel(value(x)), frame.top, frame.bottom);
    for (const auto& y : ys)
      put(out, "M{:.1f} {:.1f}H{:.1f}", frame.left, frame.y_pixel(value(y)), frame.right);
    out += "\"/>\n";
  };
  path(0.14, frame.x_axis->ticks(), frame.y_axis->ticks(),
       [](const PlotAxis::Tick& tick) { return tick.value; });
  path(0.06, frame.x_axis->minor_ticks(), frame.y_axis->minor_ticks(), [](double value) { return value; });
  return out;
}

std::string draw_frame(const PlotFrame& frame) {
  return fmt::format(
      "<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".55\" "
      "d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n",
      frame.left, frame.top, frame.bottom, frame.right);
}

std::string draw_in_middle(const PlotFrame& frame, std::string_view text) {
  return draw_plot_text((frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2, "middle", text);
}

std::string draw_x_numbers(const PlotFrame& frame) {
  std::string out;
  if (!frame.x_axis) return out;
  for (const PlotAxis::Tick& tick : frame.x_axis->ticks())
    out += draw_plot_text(frame.x_pixel(tick.value), frame.bottom + 16, "middle", tick.label);
  return out;
}

std::string draw_y_numbers(const PlotFrame& frame) {
  std::string out;
  if (!frame.y_axis) return out;
  for (const PlotAxis::Tick& tick : frame.y_axis->ticks())
    out += draw_plot_text(frame.left - 5, frame.y_pixel(tick.value) + 4, "end", tick.label);
  return out;
}

std::string draw_x_label(const PlotFrame& frame, std::string text, double plot_width, double baseline) {
  if (frame.x_axis && !frame.x_axis->factor().empty()) text += " " + frame.x_axis->factor();
  if (text.empty()) return "";
  return draw_plot_text((frame.left + frame.right) / 2, baseline, "middle",
                        fit_plot_text(text, plot_width - 16));
}

std::string draw_y_label(const PlotFrame& frame, std::string text, double plot_width, double baseline) {
  if (frame.y_axis && !frame.y_axis->factor().empty()) text += "  " + frame.y_axis->factor();
  if (text.empty()) return "";
  return draw_plot_text(8, baseline, "start", fit_plot_text(text, plot_width - 16));
}

std::string draw_line(const PlotFrame& frame, const Series& series, std::size_t number,
                      const PlotOptions& options) {
  std::vector<PlotPoint> points(series_length(series), {std::nan(""), std::nan("")});
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_drawn(series, i, options))
      points[i] = {to_tenths(frame.x_pixel(series.x[i])), to_tenths(frame.y_pixel(series.y[i]))};
  }
  const LinePaths paths = line_paths(points);
  const std::string title = escape_markup(series.label);
  std::string out;
  const auto path = [&](const std::string& attributes, const std::string& places) {
    put(out, "<path {} d=\"{}\"><title>{}</title></path>\n", attributes, places, title);
  };
  if (!paths.lines.empty()) path(line_attributes(number), paths.lines);
  if (!paths.dots.empty() && !options.markers) path(dot_attributes(number), paths.dots);
  return out;
}

}  // namespace trammel
