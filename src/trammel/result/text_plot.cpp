#include "trammel/result/text_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "trammel/result/markup.h"
#include "trammel/result/plot_axis.h"
#include "trammel/result/plot_line.h"
#include "trammel/result/terminal_text.h"
#include "trammel/result/text_canvas.h"

namespace trammel {
namespace {

// Behind the frame, for letters of lines that end there.
constexpr int letter_columns = 4;

std::size_t length(const Series& series) { return std::min(series.x.size(), series.y.size()); }

// Where the points are that can be drawn.
struct Extent {
  bool any = false;
  double x_low = std::numeric_limits<double>::infinity(), x_high = -x_low;
  double y_low = x_low, y_high = -x_low, y_last = 0;

  void include(double x, double y) {
    any = true;
    x_low = std::min(x_low, x);
    x_high = std::max(x_high, x);
    y_low = std::min(y_low, y);
    y_high = std::max(y_high, y);
    y_last = y;
  }
  void include(const Extent& other) {
    if (!other.any) return;
    include(other.x_low, other.y_low);
    include(other.x_high, other.y_high);
  }
};

Extent extent_of(const Series& series, bool log_y) {
  Extent extent;
  for (std::size_t i = 0; i < length(series); ++i) {
    // a gap at an end is seen only if the axis goes on
    if (can_plot(series.x[i], false)) {
      extent.x_low = std::min(extent.x_low, series.x[i]);
      extent.x_high = std::max(extent.x_high, series.x[i]);
      if (can_plot(series.y[i], log_y)) extent.include(series.x[i], series.y[i]);
    }
  }
  return extent;
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

std::string right_aligned(const std::string& text, std::size_t width) {
  const std::size_t length = count_characters(text);
  return spaces(width > length ? width - length : 0) + text;
}

std::string left_aligned(const std::string& text, std::size_t width) {
  const std::size_t length = count_characters(text);
  return text + spaces(width > length ? width - length : 0);
}

// Writes one plot, from top to bottom: title, label of the y axis, the frame, the x axis, the legend.
class TextPlot {
 public:
  TextPlot(const std::vector<Series>& series, const TextPlotOptions& options)
      : series_(series),
        options_(options),
        columns_(std::clamp(options.columns, 30, 1000)),
        rows_(std::clamp(options.rows, 4, 500)) {
    for (const Series& one : series_) extents_.push_back(extent_of(one, options_.log_y));
    for (const Extent& extent : extents_) whole_.include(extent);
    place();
  }

  std::string text() {
    const std::size_t fits = static_cast<std::size_t>(columns_);
    if (!options_.title.empty()) put(fitted(options_.title, fits));
    std::string y_label = options_.y_label;
    if (y_axis_ && !y_axis_->factor().empty())
      y_label += (y_label.empty() ? "" : "  ") + number(y_axis_->factor());
    if (!y_label.empty()) put(fitted(y_label, fits));
    frame();
    x_axis();
    legend();
    return std::move(out_);
  }

 private:
  void place();
  void frame();
  void x_axis();
  void legend();
  void draw(TextCanvas& canvas, std::size_t index) const;
  void put_letters(TextCanvas& canvas) const;
  PlotPoint dot_of(const TextCanvas& canvas, double x, double y) const {
    const int across = canvas.width() / canvas_columns() * width_;
    return {x_axis_->fraction(x) * (across - 1), (1 - y_axis_->fraction(y)) * (canvas.height() - 1)};
  }
  int canvas_columns() const { return width_ + letter_columns; }
  int row_of(double y) const {
    return static_cast<int>(std::lround((1 - y_axis_->fraction(y)) * (rows_ - 1)));
  }

  std::string number(const std::string& label) const { return options_.ascii ? ascii_number(label) : label; }
  // A user's text, safe and not too long.
  std::string fitted(const std::string& text, std::size_t characters) const {
    std::string result = shorten(printable(text, options_.ascii), characters);
    const std::string_view left_out = "…";
    if (options_.ascii && result.ends_with(left_out)) {
      result.resize(result.size() - left_out.size());
      result += '~';
    }
    return result;
  }
  const char* drawn(const char* box, const char* ascii) const { return options_.ascii ? ascii : box; }
  void put(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + '\n';
  }

  const std::vector<Series>& series_;
  const TextPlotOptions& options_;
  int columns_, rows_;
  std::vector<Extent> extents_;
  Extent whole_;
  std::optional<PlotAxis> x_axis_, y_axis_;  // both or none
  std::size_t margin_ = 0;                   // for the labels of the y axis
  int width_ = 0;                            // of the frame, in characters
  std::string out_;
};

void TextPlot::place() {
  using Scale = PlotAxis::Scale;
  if (whole_.any) {
    y_axis_.emplace(whole_.y_low, whole_.y_high, options_.log_y ? Scale::logarithmic : Scale::padded,
                    std::max(3, rows_ / 2));
    for (const PlotAxis::Tick& tick : y_axis_->ticks())
      margin_ = std::max(margin_, count_characters(number(tick.label)));
  }
  width_ = std::max(10, columns_ - static_cast<int>(margin_) - 2 - letter_columns);
  if (whole_.any) {
    double low = whole_.x_low, high = whole_.x_high;
    for (const Extent& extent : extents_) {
      low = std::min(low, extent.x_low);
      high = std::max(high, extent.x_high);
    }
    x_axis_.emplace(low, high, Scale::linear, std::max(2, width_ / 10));
  }
}

void TextPlot::draw(TextCanvas& canvas, std::size_t index) const {
  const Series& series = series_[index];
  std::vector<PlotPoint> points(length(series), {std::nan(""), std::nan("")});
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (can_plot(series.x[i], false) && can_plot(series.y[i], options_.log_y))
      points[i] = dot_of(canvas, series.x[i], series.y[i]);
  }
  for (const std::vector<PlotPoint>& piece : visible_pieces(points)) {
    for (std::size_t i = 0; i < piece.size(); ++i) canvas.line(piece[i > 0 ? i - 1 : 0], piece[i], index);
  }
}

// Behind the last point of each line, or as near to it as others leave room.
void TextPlot::put_letters(TextCanvas& canvas) const {
  if (series_.size() < 2) return;
  for (std::size_t index = 0; index < series_.size(); ++index) {
    if (!extents_[index].any) continue;
    const Series& series = series_[index];
    std::size_t last = length(series) - 1;
    while (!can_plot(series.x[last], false) || !can_plot(series.y[last], options_.log_y)) --last;
    const PlotPoint point = dot_of(canvas, series.x[last], series.y[last]);
    const int column = canvas.column_of(static_cast<int>(std::lround(point.x))) + 1;
    const int row = canvas.row_of(static_cast<int>(std::lround(point.y)));
    for (int i = 0; i < letter_columns; ++i)
      if (canvas.letter(column + i, row, series_letter(index), index)) break;
  }
}

void TextPlot::frame() {
  TextCanvas canvas(canvas_columns(), rows_, options_.ascii);
  if (x_axis_) {
    for (std::size_t i = 0; i < series_.size(); ++i) draw(canvas, i);
    put_letters(canvas);
  }
  std::vector<std::string> labels(static_cast<std::size_t>(rows_));
  if (y_axis_) {
    for (const PlotAxis::Tick& tick : y_axis_->ticks())
      labels[static_cast<std::size_t>(row_of(tick.value))] = number(tick.label);
  }
  for (int row = 0; row < rows_; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    std::string line = right_aligned(label, margin_) + " ";
    line += label.empty() ? drawn("│", "|") : drawn("┤", "+");
    if (!x_axis_ && row == rows_ / 2) {
      bool below = false;
      for (const Series& series : series_) below = below || extent_of(series, false).any;
      const std::string nothing = below ? "no value above zero" : "no data";
      const auto space = static_cast<std::size_t>(width_);
      line += spaces(space > nothing.size() ? (space - nothing.size()) / 2 : 0) + nothing;
    }
    put(line + canvas.row_text(row, options_.colour));
  }
}

void TextPlot::x_axis() {
  const auto width = static_cast<std::size_t>(width_);
  std::vector<bool> ticks(width, false);
  std::string labels;
  if (x_axis_) {
    for (const PlotAxis::Tick& tick : x_axis_->ticks()) {
      const auto at = static_cast<std::size_t>(std::lround(x_axis_->fraction(tick.value) * (width_ - 1)));
      const std::string label = number(tick.label);
      const std::size_t half = count_characters(label) / 2, place = margin_ + 2 + at;
      const std::size_t begin = place > half ? place - half : 0, used = count_characters(labels);
      ticks[at] = true;
      // two labels do not touch
      if (used > 0 && begin < used + 1) continue;
      labels += spaces(begin - used) + label;
    }
  }
  std::string line = spaces(margin_ + 1) + drawn("└", "+");
  for (const bool tick : ticks) line += tick ? drawn("┬", "+") : drawn("─", "-");
  put(line);
  if (!labels.empty()) put(labels);

  std::string label = options_.x_label;
  if (x_axis_ && !x_axis_->factor().empty()) label += (label.empty() ? "" : "  ") + number(x_axis_->factor());
  if (label.empty()) return;
  label = fitted(label, width);
  put(spaces(margin_ + 2 + (width - std::min(width, count_characters(label))) / 2) + label);
}

void TextPlot::legend() {
  constexpr std::size_t number_width = 13;
  const bool letters = series_.size() > 1;
  const auto room = static_cast<std::size_t>(columns_);
  const std::size_t before = !letters ? 0 : options_.ascii ? 4 : 3;
  // where there is little room the last value is what counts
  const std::size_t numbers = room < 52 ? 1 : 3;
  std::vector<std::string> names;
  std::size_t widest = 0;
  for (const Series& series : series_) {
    names.push_back(fitted(series.label, room - before - numbers * number_width));
    widest = std::max(widest, count_characters(names.back()));
  }
  if (widest == 0) return;
  std::string head = spaces(before + widest);
  for (std::size_t i = 0; i < numbers; ++i)
    head += right_aligned(i == 0 ? "last" : i == 1 ? "lowest" : "highest", number_width);
  put(head);
  for (std::size_t i = 0; i < series_.size(); ++i) {
    std::string line;
    if (letters) line = std::string(1, series_letter(i)) + " ";
    if (letters && options_.ascii) line += ascii_dot(i);
    if (letters) line += " ";
    line += left_aligned(names[i], widest);
    if (options_.colour) line = in_series_colour(line, i);
    // also of what a logarithmic axis cannot show
    const Extent extent = extent_of(series_[i], false);
    const double values[] = {extent.y_last, extent.y_low, extent.y_high};
    for (std::size_t j = 0; j < numbers && extent.any; ++j)
      line += right_aligned(fmt::format("{:.6g}", values[j]), number_width);
    put(line + (extent.any ? "" : right_aligned("no data", number_width)));
  }
}

}  // namespace

std::string text_plot(const std::vector<Series>& series, const TextPlotOptions& options) {
  return TextPlot(series, options).text();
}

}  // namespace trammel
