#include "trammel/result/plot_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trammel {
namespace {

// The points of [first, last), which share a column.
void append_column(const std::vector<PlotPoint>& points, std::size_t first, std::size_t last,
                   std::vector<PlotPoint>& piece) {
  std::size_t lowest = first, highest = first;
  for (std::size_t i = first; i < last; ++i) {
    if (points[i].y < points[lowest].y) lowest = i;
    if (points[i].y > points[highest].y) highest = i;
  }
  std::size_t kept[] = {first, std::min(lowest, highest), std::max(lowest, highest), last - 1};
  const auto end = std::unique(std::begin(kept), std::end(kept));
  for (auto i = std::begin(kept); i != end; ++i) piece.push_back(points[*i]);
}

bool is_finite(const PlotPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

}  // namespace

std::vector<std::vector<PlotPoint>> visible_pieces(const std::vector<PlotPoint>& points) {
  std::vector<std::vector<PlotPoint>> pieces;
  bool connected = false;
  for (std::size_t first = 0; first < points.size();) {
    if (!is_finite(points[first])) {
      connected = false;
      ++first;
      continue;
    }
    if (!connected) pieces.emplace_back();
    connected = true;

    const double column = std::floor(points[first].x);
    std::size_t last = first + 1;
    while (last < points.size() && is_finite(points[last]) && std::floor(points[last].x) == column) ++last;
    append_column(points, first, last, pieces.back());
    first = last;
  }
  return pieces;
}

}  // namespace trammel
