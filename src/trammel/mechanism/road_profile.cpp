#include "trammel/mechanism/road_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

namespace {

// The polynomial of degree five in s = x/width that starts with value, slope and curvature `begin` and ends
// at s = 1 with all three zero.
Derivatives fade(double x, double width, const std::array<double, 3>& begin) {
  const double s = x / width;
  // in s
  const double p0 = begin[0], p1 = begin[1] * width, p2 = 0.5 * begin[2] * width * width;
  const double p3 = -10 * p0 - 6 * p1 - 3 * p2;
  const double p4 = 15 * p0 + 8 * p1 + 3 * p2;
  const double p5 = -6 * p0 - 3 * p1 - p2;
  return {p0 + s * (p1 + s * (p2 + s * (p3 + s * (p4 + s * p5)))),
          (p1 + s * (2 * p2 + s * (3 * p3 + s * (4 * p4 + s * 5 * p5)))) / width,
          (2 * p2 + s * (6 * p3 + s * (12 * p4 + s * 20 * p5))) / (width * width),
          (6 * p3 + s * (24 * p4 + s * 60 * p5)) / (width * width * width)};
}

Derivatives circle(double x, double radius) {
  const double h = std::sqrt(radius * radius - x * x), h3 = h * h * h;
  return {h, -x / h, -radius * radius / h3, -3 * radius * radius * x / (h3 * h * h)};
}

Derivatives half_cylinder(double x, double radius, double blend) {
  const double u = std::abs(x);
  if (u >= radius + blend) return {};
  if (u <= radius - blend) return circle(x, radius);
  const Derivatives end = circle(radius - blend, radius);
  Derivatives h = fade(u - (radius - blend), 2 * blend, {end[0], end[1], end[2]});
  if (x < 0) {
    h[1] = -h[1];
    h[3] = -h[3];
  }
  return h;
}

Derivatives step(double x, double height, double width) {
  if (x <= 0) return {};
  if (x >= width) return {height, 0, 0, 0};
  Derivatives h = fade(x, width, {-height, 0, 0});
  h[0] += height;
  return h;
}

Derivatives sine(double x, double amplitude, double wavelength) {
  const double k = 2 * std::numbers::pi / wavelength;
  const double s = amplitude * std::sin(k * x), c = amplitude * std::cos(k * x);
  return {s, k * c, -k * k * s, -k * k * k * c};
}

}  // namespace

RoadProfile::RoadProfile(const Road& road, const std::map<std::string, Table>& tables)
    : kind_(road.kind), start_(road.start), height_(road.height), length_(road.length) {
  const auto demand = [&](bool condition, const std::string& what) {
    if (!condition) throw ModelError(road.place, fmt::format("road '{}': {}", road.name, what));
  };
  demand(std::isfinite(start_) && std::isfinite(height_) && std::isfinite(length_),
         "its numbers must be finite");
  switch (kind_) {
    case Road::Kind::flat:
      break;
    case Road::Kind::half_cylinder:
      demand(height_ > 0, "the radius of a half cylinder must be positive");
      if (length_ == 0) length_ = height_ / 10;
      demand(length_ > 0 && length_ < height_,
             "the ends of a half cylinder can be rounded over a positive length below its radius");
      break;
    case Road::Kind::step:
      demand(length_ > 0, "the length over which a step rises must be positive");
      break;
    case Road::Kind::sine:
      demand(length_ > 0, "the wavelength must be positive");
      break;
    case Road::Kind::table: {
      const auto found = tables.find(road.table);
      demand(found != tables.end(), fmt::format("there is no table '{}'", road.table));
      table_ = found->second;
      break;
    }
  }
}

Derivatives RoadProfile::derivatives(double x, int index, const Switches& switches) const {
  switch (kind_) {
    case Road::Kind::flat:
      break;
    case Road::Kind::half_cylinder: {
      // what is beyond an end of the circle cannot be held: its slope is infinite
      const std::array<double, 4> ends{-height_ - length_, length_ - height_, height_ - length_,
                                       height_ + length_};
      const int part = part_of(ends, x - start_, index, switches);
      return part == 0 || part == 4 ? Derivatives{} : half_cylinder(x - start_, height_, length_);
    }
    case Road::Kind::step: {
      const std::array<double, 2> ends{0, length_};
      const int part = part_of(ends, x - start_, index, switches);
      return step(part == 0 ? ends[0] : part == 2 ? ends[1] : x - start_, height_, length_);
    }
    case Road::Kind::sine:
      return sine(x - start_, height_, length_);
    case Road::Kind::table:
      return switches.are_free() ? table_->derivatives(x - start_)
                                 : table_->derivatives(x - start_, index, switches);
  }
  return {};
}

// An obstacle is as smooth where its parts join as anything the steps need; the switch is for its being seen.
template <std::size_t N>
int RoadProfile::part_of(const std::array<double, N>& ends, double x, int index, const Switches& switches) {
  const auto margin = [&](int part) {
    const auto i = static_cast<std::size_t>(part);
    const double before = i > 0 ? x - ends[i - 1] : SwitchReading::unknown;
    const double after = i < N ? ends[i] - x : SwitchReading::unknown;
    return std::min(before, after);
  };
  const auto natural = std::upper_bound(ends.begin(), ends.end(), x) - ends.begin();
  return switches.choose(index, static_cast<int>(natural), SwitchReading::nothing_jumps, margin);
}

}  // namespace trammel
