// The interpolations of a table, as cubic polynomials from point to point.
#include "trammel/mechanism/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/numerics/differentiation/operation_graph.h"

namespace trammel {
namespace {

using Numbers = std::vector<double>;

void check_points(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    throw std::invalid_argument(
        fmt::format("a table needs as many y as x, but there are {} x and {} y", x.size(), y.size()));
  if (x.size() < 2)
    throw std::invalid_argument(fmt::format("a table needs at least 2 points, but there are {}", x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      throw std::invalid_argument(
          fmt::format("point {} of the table, ({}, {}), is not finite", i + 1, x[i], y[i]));
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!(x[i] > x[i - 1]))
      throw std::invalid_argument(
          fmt::format("the x of a table must ascend, but x = {} is followed by x = {}", x[i - 1], x[i]));
}

// Slopes at the points of the spline with continuous second derivative that is zero at the ends.
Numbers natural_slopes(const Numbers& h, const Numbers& secant) {
  // row i: s[i−1] / h[i−1] + 2 (1 / h[i−1] + 1 / h[i]) s[i] + s[i+1] / h[i] = 3 (secant[i−1] / h[i−1] +
  // secant[i] / h[i]), the ends with the terms that exist; diagonally dominant, so elimination needs no pivot
  const std::size_t points = h.size() + 1;
  Numbers slope(points), diagonal(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double left = i > 0 ? 1 / h[i - 1] : 0, right = i + 1 < points ? 1 / h[i] : 0;
    diagonal[i] = 2 * (left + right);
    slope[i] = (i > 0 ? 3 * secant[i - 1] * left : 0) + (i + 1 < points ? 3 * secant[i] * right : 0);
    if (i > 0) {
      const double factor = left / diagonal[i - 1];
      diagonal[i] -= factor * left;
      slope[i] -= factor * slope[i - 1];
    }
  }
  for (std::size_t i = points; i-- > 0;)
    slope[i] = (slope[i] - (i + 1 < points ? slope[i + 1] / h[i] : 0)) / diagonal[i];
  return slope;
}

// A slope so limited that the cubic beside a secant stays monotone: of the secant's sign, and at most three
// times as steep (Fritsch and Carlson, Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17,
// 1980).
double limited(double slope, double secant) {
  return slope * secant <= 0 ? 0 : std::copysign(std::min(std::abs(slope), 3 * std::abs(secant)), secant);
}

// Slopes of the parabolas through three neighbouring points, limited as Hyman does (Accurate monotonicity
// preserving cubic interpolation, SIAM J. Sci. Stat. Comput. 4, 1983).
Numbers monotone_slopes(const Numbers& h, const Numbers& secant) {
  const std::size_t last = h.size();
  if (last == 1) return {secant[0], secant[0]};
  Numbers slope(last + 1);
  for (std::size_t i = 1; i < last; ++i) {
    const double middle = (h[i] * secant[i - 1] + h[i - 1] * secant[i]) / (h[i - 1] + h[i]);
    slope[i] = limited(limited(middle, secant[i - 1]), secant[i]);
  }
  const auto end_slope = [&](std::size_t end, std::size_t next) {
    const double change = (secant[end] - secant[next]) / (h[end] + h[next]);
    return limited(secant[end] + change * h[end], secant[end]);
  };
  slope[0] = end_slope(0, 1);
  slope[last] = end_slope(last - 1, last - 2);
  return slope;
}

}  // namespace

Table::Table(std::span<const double> x, std::span<const double> y, Interpolation interpolation,
             Outside outside) {
  check_points(x, y);
  const std::size_t intervals = x.size() - 1;
  Numbers h(intervals), secant(intervals);
  for (std::size_t i = 0; i < intervals; ++i) {
    h[i] = x[i + 1] - x[i];
    secant[i] = (y[i + 1] - y[i]) / h[i];
  }
  Numbers slope;
  if (interpolation == Interpolation::cubic) slope = natural_slopes(h, secant);
  if (interpolation == Interpolation::monotone) slope = monotone_slopes(h, secant);

  // from the slopes at both ends of an interval to its polynomial
  std::vector<Piece> result;
  result.reserve(intervals + 2);
  result.push_back({x[0], y[0], 0, 0, 0});
  for (std::size_t i = 0; i < intervals; ++i) {
    const double left = slope.empty() ? secant[i] : slope[i],
                 right = slope.empty() ? secant[i] : slope[i + 1];
    const double bend = (2 * (secant[i] - left) + (secant[i] - right)) / h[i];
    const double twist = ((left - secant[i]) + (right - secant[i])) / h[i] / h[i];
    result.push_back({x[i], y[i], left, bend, twist});
    if (!std::isfinite(h[i]) || !std::isfinite(left) || !std::isfinite(right) || !std::isfinite(bend) ||
        !std::isfinite(twist))
      throw std::invalid_argument(fmt::format(
          "the points of the table at x = {} and x = {} are too close to each other, or too far apart, to be "
          "interpolated",
          x[i], x[i + 1]));
  }
  result.push_back({x[intervals], y[intervals], 0, 0, 0});
  if (outside == Outside::extend) {
    result.front().slope = slope.empty() ? secant.front() : slope.front();
    result.back().slope = slope.empty() ? secant.back() : slope.back();
  }
  pieces_ = std::make_shared<const std::vector<Piece>>(std::move(result));
  weigh_corners();
}

std::size_t Table::piece_at(double x) const {
  // the first piece's start is also the second's: below it, the first piece holds
  const auto after = std::upper_bound(pieces_->begin() + 1, pieces_->end(), x,
                                      [](double value, const Piece& piece) { return value < piece.start; });
  return static_cast<std::size_t>(after - pieces_->begin()) - 1;
}

Derivatives Table::of_piece(std::size_t index, double x) const {
  const Piece& piece = (*pieces_)[index];
  const double u = x - piece.start;
  return {piece.y + u * (piece.slope + u * (piece.bend + u * piece.twist)),
          piece.slope + u * (2 * piece.bend + u * 3 * piece.twist), 2 * piece.bend + u * 6 * piece.twist,
          6 * piece.twist};
}

Derivatives Table::derivatives(double x) const { return of_piece(piece_at(x), x); }

Derivatives Table::derivatives(double x, int index, const Switches& switches) const {
  const auto natural_branch = [&](std::size_t piece) {
    std::size_t first = piece, last = piece;
    while (first > 0 && (*weights_)[first] <= switches.negligible()) --first;
    while (last + 1 < pieces_->size() && (*weights_)[last + 1] <= switches.negligible()) ++last;
    return HeldBranch{static_cast<int>(first), static_cast<int>(last), 0};
  };
  const std::size_t piece = piece_at(x);
  const HeldBranch& held = switches.held(index);
  const auto clamped = [&] {
    if (held.is_free()) return piece;
    return std::clamp(piece, static_cast<std::size_t>(held.branch), static_cast<std::size_t>(held.last));
  };
  if (!switches.are_read()) return of_piece(clamped(), x);

  const HeldBranch natural = natural_branch(piece);
  const HeldBranch& branch = held.is_free() ? natural : held;
  const auto first = static_cast<std::size_t>(branch.branch),
             next = static_cast<std::size_t>(branch.last) + 1;
  const double before = first > 0 ? x - (*pieces_)[first].start : SwitchReading::unknown;
  const double after = next < pieces_->size() ? (*pieces_)[next].start - x : SwitchReading::unknown;
  const auto bends = [&](std::size_t begin) { return begin < bends_->size() && (*bends_)[begin] != 0; };
  const bool at_bend = before < after ? bends(first) : bends(next);
  switches.tell(index, natural, at_bend ? SwitchReading::slope_jumps : SwitchReading::nothing_jumps,
                std::min(before, after));
  return of_piece(clamped(), x);
}

// A bump that is as smooth as can be is a rise and a fall: both are branches, so that neither is stepped over.
void Table::weigh_corners() {
  const std::vector<Piece>& pieces = *pieces_;
  const double range = this->range();
  std::vector<double> weights(pieces.size(), 0.0);
  std::vector<char> bends(pieces.size(), 0);
  if (range > 0) {
    for (const Jump& jump : jumps()) {
      weights[jump.piece] = jump.of_slope / range;
      bends[jump.piece] = weights[jump.piece] > 1e-6;
    }
    // runs of pieces that all rise, all fall or all rest
    const auto rise = [&](std::size_t i) {
      return i + 1 < pieces.size() ? pieces[i + 1].y - pieces[i].y : 0.0;
    };
    const auto direction = [&](std::size_t i) {
      return std::abs(rise(i)) <= 1e-12 * range ? 0 : rise(i) > 0 ? 1 : -1;
    };
    double before = 0;  // how far the run that ends goes
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= pieces.size(); ++i) {
      if (i < pieces.size() && direction(i) == direction(begin)) continue;
      const double here = std::abs(pieces[std::min(i, pieces.size() - 1)].y - pieces[begin].y);
      const double turn = before == 0 || here == 0 ? std::max(before, here) : std::min(before, here);
      weights[begin] = std::max(weights[begin], turn / range);
      before = here;
      begin = i;
    }
    weights[0] = 0;
  }
  weights_ = std::make_shared<const std::vector<double>>(std::move(weights));
  bends_ = std::make_shared<const std::vector<char>>(std::move(bends));
}

std::vector<Table::Jump> Table::jumps() const {
  const std::vector<Piece>& pieces = *pieces_;
  std::vector<Jump> jumps;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const Piece &left = pieces[i - 1], &right = pieces[i];
    const double u = right.start - left.start;
    // the first and the last piece have no length; what a jump amounts to is told by the neighbour's
    const double length = std::max(u, i + 1 < pieces.size() ? pieces[i + 1].start - right.start : u);
    const double slope = right.slope - (left.slope + u * (2 * left.bend + u * 3 * left.twist));
    const double curvature = 2 * right.bend - (2 * left.bend + u * 6 * left.twist);
    jumps.push_back({i, std::abs(slope) * length, std::abs(curvature) * length * length});
  }
  return jumps;
}

std::vector<Table::Corner> Table::corners() const {
  const std::vector<Piece>& pieces = *pieces_;
  const double negligible = 1e-6 * range();
  std::vector<Corner> corners;
  for (const Jump& jump : jumps()) {
    if (jump.of_slope > negligible)
      corners.push_back({pieces[jump.piece].start, 1});
    else if (jump.of_curvature > negligible)
      corners.push_back({pieces[jump.piece].start, 2});
  }
  return corners;
}

double Table::range() const {
  const auto [least, most] = std::minmax_element(pieces_->begin(), pieces_->end(),
                                                 [](const Piece& a, const Piece& b) { return a.y < b.y; });
  return most->y - least->y;
}

std::vector<CubicPiece> Table::cubic_pieces() const {
  std::vector<CubicPiece> pieces;
  for (const Piece& piece : *pieces_)
    pieces.push_back({piece.start, piece.y, piece.slope, piece.bend, piece.twist});
  return pieces;
}

double Table::begin() const { return pieces_->front().start; }
double Table::end() const { return pieces_->back().start; }

}  // namespace trammel
