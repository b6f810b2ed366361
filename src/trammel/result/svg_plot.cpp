#include "trammel/result/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "trammel/result/markup.h"
#include "trammel/result/plot_parts.h"
#include "trammel/result/plot_style.h"

namespace trammel {
namespace {

constexpr double mark_row = 13, mark_size = 10;

// Writes one plot, from top to bottom: title, legend, label of the y axis, the frame, labels of the x axis.
class Plot {
 public:
  Plot(const std::vector<Series>& series, const PlotOptions& options)
      : series_(series),
        options_(options),
        width_(std::max(narrowest_plot, options.width)),
        height_(std::max(140.0, options.height)) {
    place();
  }

  std::string text() {
    out_ = draw_plot_head(width_, height_, series_.size(), options_);
    if (frame_.x_axis) {
      out_ += draw_grid(frame_);
      marks();
      for (std::size_t i = 0; i < series_.size(); ++i) out_ += draw_line(frame_, series_[i], i, options_);
      for (std::size_t i = 0; i < series_.size() && options_.markers; ++i) markers(i);
    } else {
      out_ += draw_in_middle(frame_, nothing_to_draw());
    }
    out_ += draw_frame(frame_);
    out_ += draw_x_numbers(frame_) + draw_y_numbers(frame_);
    out_ += draw_x_label(frame_, options_.x_label, width_, height_ - 8);
    out_ += draw_y_label(frame_, options_.y_label, width_, y_label_row_ + 14);
    out_ += draw_legend(legend_, series_, legend_row_, options_.markers);
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  void place();
  void find_axes();
  void marks();
  void markers(std::size_t index);
  std::string nothing_to_draw() const;

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  const std::vector<Series>& series_;
  const PlotOptions& options_;
  double width_, height_;
  double legend_row_ = 0, y_label_row_ = 0;
  std::vector<LegendEntry> legend_;
  PlotFrame frame_;  // with both axes or none
  std::string out_;
};

void Plot::place() {
  double y = plot_title_height(options_);
  legend_ = place_legend(series_, width_);
  legend_row_ = y;
  y += legend_height(legend_);
  height_ += legend_height(legend_);
  y_label_row_ = y;
  if (!options_.y_label.empty() || !options_.log_y) y += plot_row_height;
  if (!options_.marks.empty()) y += mark_row;
  frame_.top = y + 6;
  frame_.bottom = height_ - (options_.x_label.empty() ? 24 : 42);
  frame_.left = plot_left_margin;
  frame_.right = width_ - plot_right_margin;
  find_axes();
  if (!frame_.x_axis) return;

  // room for the labels, which are known by now
  if (options_.x_label.empty() && !frame_.x_axis->factor().empty()) frame_.bottom -= plot_row_height;
  frame_.left = left_beside_y_numbers(frame_, width_);
}

void Plot::find_axes() {
  PlotRanges ranges;
  ranges.include(series_, options_);
  if (ranges.y.empty()) return;
  frame_.set_x_axis(ranges.x, options_);
  frame_.set_y_axis(ranges.y, options_);
}

void Plot::marks() {
  std::vector<const PlotMark*> visible;
  for (const PlotMark& mark : options_.marks) {
    if (mark.x >= frame_.x_axis->low() && mark.x <= frame_.x_axis->high()) visible.push_back(&mark);
  }
  std::stable_sort(visible.begin(), visible.end(), [this](const PlotMark* a, const PlotMark* b) {
    return frame_.x_pixel(a->x) < frame_.x_pixel(b->x);
  });

  // one line for each pixel; a label above it where the last one leaves room
  double last_line = -1, label_end = frame_.left - 1;
  for (const PlotMark* mark : visible) {
    const double x = frame_.x_pixel(mark->x);
    if (x - last_line < 1) continue;
    last_line = x;
    put("<path class=\"plot-mark\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".5\" "
        "stroke-dasharray=\"3 3\" d=\"M{:.1f} {:.1f}V{:.1f}\"><title>{}</title></path>\n",
        x, frame_.top - 4, frame_.bottom, escape_markup(mark->label));

    const std::string text = shorten(mark->label, 24);
    const double half = plot_text_width(text) * mark_size / plot_text_size / 2;
    const double center = std::clamp(x, frame_.left + half, std::max(frame_.left + half, width_ - 4 - half));
    if (text.empty() || center - half < label_end) continue;
    put("<text fill-opacity=\".8\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-size=\"{}\">{}</text>\n",
        center, frame_.top - 7, mark_size, escape_markup(text));
    label_end = center + half + 6;
  }
}

void Plot::markers(std::size_t index) {
  const Series& series = series_[index];
  for (std::size_t i = 0; i < series_length(series); ++i) {
    if (!is_drawn(series, i, options_)) continue;
    const bool hollow = i < series.hollow.size() && series.hollow[i];
    put("<path {} d=\"{}\">", marker_attributes(index, hollow),
        marker_path(index, frame_.x_pixel(series.x[i]), frame_.y_pixel(series.y[i])));
    if (i < series.point_labels.size() && !series.point_labels[i].empty())
      put("<title>{}</title>", escape_markup(series.point_labels[i]));
    out_ += "</path>\n";
  }
}

std::string Plot::nothing_to_draw() const {
  for (const Series& series : series_) {
    for (std::size_t i = 0; i < series_length(series); ++i) {
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
