#include "trammel/page/planar_animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/result/plot_axis.h"

namespace trammel {
namespace {

using nlohmann::json;

constexpr double resolution = 65536;
constexpr double moments_per_run = 1e6;
constexpr double event_cells = 2000;

// The state at a time after the start: (1 - weight) of one sample and weight of the next.
struct Frame {
  double elapsed = 0;
  Index sample = 0;
  Index next = 0;
  double weight = 0;
};

// All samples whose time is a number and does not go back. A run may go back in time as a whole.
std::vector<Frame> sample_frames(const Trajectory& trajectory) {
  std::vector<Frame> frames;
  double start = 0, end = 0;
  for (const double t : trajectory.times()) {
    if (std::isfinite(t)) end = t;
  }
  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    const double t = trajectory.time(sample);
    if (!std::isfinite(t)) continue;
    if (frames.empty()) start = t;
    const double elapsed = end < start ? start - t : t - start;
    if (frames.empty() || elapsed >= frames.back().elapsed) frames.push_back({elapsed, sample, sample, 0});
  }
  return frames;
}

std::vector<Frame> chosen_frames(const Trajectory& trajectory, std::size_t most) {
  const std::vector<Frame> all = sample_frames(trajectory);
  most = std::max<std::size_t>(most, 2);
  if (all.size() <= most) return all;
  std::vector<Frame> frames;
  std::size_t after = 1;
  for (std::size_t i = 0; i < most; ++i) {
    const double elapsed = all.back().elapsed * static_cast<double>(i) / static_cast<double>(most - 1);
    while (after + 1 < all.size() && all[after].elapsed < elapsed) ++after;
    const Frame &left = all[after - 1], &right = all[after];
    const double gap = right.elapsed - left.elapsed;
    const double weight = gap > 0 ? std::clamp((elapsed - left.elapsed) / gap, 0.0, 1.0) : 0;
    frames.push_back({elapsed, left.sample, right.sample, weight});
  }
  return frames;
}

// One coordinate of one point through all frames; a single value if it does not move.
using Track = std::vector<double>;

class Animator {
 public:
  Animator(const PlanarDrawing& drawing, const Trajectory& trajectory, std::size_t most_frames)
      : drawing_(drawing), trajectory_(trajectory), frames_(chosen_frames(trajectory, most_frames)) {}

  PlanarAnimation run() {
    for (const PlanarDrawing::Point& point : drawing_.points) {
      Track x = track(point.x_name, point.x), y = track(point.y_name, point.y);
      tracks_.emplace_back(std::move(x), std::move(y));
    }
    const bool anything = measure();
    if (anything) write();
    return std::move(out_);
  }

 private:
  Track track(const std::string& name, double fixed) {
    if (name.empty()) return {fixed};
    const Index column = trajectory_.column(name);
    if (column < 0) {
      problem(fmt::format("A point is not drawn: there is no column “{}”.", name));
      return {std::nan("")};
    }
    Track values;
    for (const Frame& frame : frames_) {
      // an end is taken as it is: the other may be no number
      const double a = trajectory_.value(frame.sample, column), b = trajectory_.value(frame.next, column);
      const double w = frame.weight;
      values.push_back(w == 0 ? a : w == 1 ? b : (1 - w) * a + w * b);
    }
    return values;
  }

  void problem(std::string text) {
    const std::vector<std::string>& known = out_.problems;
    if (std::find(known.begin(), known.end(), text) == known.end()) out_.problems.push_back(std::move(text));
  }

  bool exists(std::size_t point) {
    if (point < drawing_.points.size()) return true;
    problem("A line, circle or trace is not drawn: it refers to a point that does not exist.");
    return false;
  }

  // The box around everything that is drawn at any time.
  bool measure() {
    double low[] = {largest_plotted, largest_plotted}, high[] = {-largest_plotted, -largest_plotted};
    const auto include = [&](const Track& values, int axis, double margin) {
      for (const double value : values) {
        if (!can_plot(value, false)) continue;
        low[axis] = std::min(low[axis], value - margin);
        high[axis] = std::max(high[axis], value + margin);
      }
    };
    std::vector<double> radii(tracks_.size(), 0.0);
    for (const PlanarDrawing::Circle& circle : drawing_.circles) {
      if (exists(circle.point) && can_draw(circle))
        radii[circle.point] = std::max(radii[circle.point], circle.radius);
    }
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      include(tracks_[i].first, 0, radii[i]);
      include(tracks_[i].second, 1, radii[i]);
    }
    if (low[0] > high[0] || low[1] > high[1]) return false;

    // what moves along a line, or not at all, still needs a drawing with an inside
    double longer = std::max(high[0] - low[0], high[1] - low[1]);
    const double largest =
        std::max({std::abs(low[0]), std::abs(high[0]), std::abs(low[1]), std::abs(high[1])});
    if (longer <= 1e-9 * largest || longer < 1 / largest_plotted)
      longer = largest > 1 / largest_plotted ? largest : 1;
    for (const int axis : {0, 1}) {
      const double missing = std::max(0.0, 0.25 * longer - (high[axis] - low[axis]));
      origin_[axis] = low[axis] - missing / 2;
      size_[axis] = high[axis] - low[axis] + missing;
    }
    unit_ = std::max(size_[0], size_[1]) / resolution;
    out_.aspect = size_[1] / size_[0];
    return true;
  }

  static bool can_draw(const PlanarDrawing::Circle& circle) {
    return circle.radius > 0 && circle.radius <= largest_plotted;
  }

  json whole(const Track& values, int axis) const {
    json numbers = json::array();
    for (const double value : values) {
      if (can_plot(value, false)) {
        numbers.push_back(std::llround((value - origin_[axis]) / unit_));
      } else {
        numbers.push_back(nullptr);
      }
    }
    return numbers.size() == 1 ? numbers[0] : numbers;
  }

  void write() {
    const double start = frames_.empty() ? 0 : trajectory_.time(frames_.front().sample);
    const double end = frames_.empty() ? 0 : trajectory_.time(frames_.back().next);
    const double duration = std::abs(end - start);
    json& data = out_.data;
    data["start"] = start;
    data["end"] = end;
    data["origin"] = {origin_[0], origin_[1]};
    data["unit"] = unit_;
    data["size"] = {size_[0] / unit_, size_[1] / unit_};
    data["moments_per_run"] = moments_per_run;

    data["moments"] = json::array();
    for (const Frame& frame : frames_) {
      data["moments"].push_back(duration > 0 ? std::llround(frame.elapsed / duration * moments_per_run) : 0);
    }
    data["points"] = json::array();
    for (const auto& [x, y] : tracks_) data["points"].push_back({{"x", whole(x, 0)}, {"y", whole(y, 1)}});
    data["lines"] = json::array();
    for (const PlanarDrawing::Line& line : drawing_.lines) {
      if (exists(line.from) && exists(line.to)) data["lines"].push_back({line.from, line.to});
    }
    data["circles"] = json::array();
    for (const PlanarDrawing::Circle& circle : drawing_.circles) {
      if (exists(circle.point) && can_draw(circle))
        data["circles"].push_back({circle.point, circle.radius / unit_});
    }
    data["traces"] = json::array();
    for (const std::size_t point : drawing_.traces) {
      if (exists(point)) data["traces"].push_back(point);
    }
    data["events"] = events(start, duration);
  }

  // Of events that follow each other faster than frames could, the last.
  json events(double start, double duration) const {
    json list = json::array();
    double last_cell = -1;
    for (const EventRecord& event : trajectory_.events) {
      const double cell = duration > 0 ? std::floor(std::abs(event.t - start) / duration * event_cells) : 0;
      json entry = {{"t", event.t}, {"name", event.name}};
      if (cell == last_cell) {
        list.back() = std::move(entry);
      } else {
        list.push_back(std::move(entry));
      }
      last_cell = cell;
    }
    return list;
  }

  const PlanarDrawing& drawing_;
  const Trajectory& trajectory_;
  std::vector<Frame> frames_;
  std::vector<std::pair<Track, Track>> tracks_;
  double origin_[2] = {0, 0}, size_[2] = {1, 1};
  double unit_ = 1;
  PlanarAnimation out_;
};

}  // namespace

PlanarAnimation animate(const PlanarDrawing& drawing, const Trajectory& trajectory, std::size_t most_frames) {
  return Animator(drawing, trajectory, most_frames).run();
}

}  // namespace trammel
