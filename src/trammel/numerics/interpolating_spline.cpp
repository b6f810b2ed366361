#include "trammel/numerics/interpolating_spline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel {

InterpolatingSpline::InterpolatingSpline(std::span<const double> times, const Matrix& values)
    : degree_(std::min(highest, static_cast<int>(times.size()) - 1)) {
  if (times.empty() || values.rows() != static_cast<Index>(times.size()))
    throw std::invalid_argument("a spline needs a value for each of its points");
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || (i > 0 && times[i] <= times[i - 1]))
      throw std::invalid_argument("the times of a spline must ascend");
  if (!values.allFinite()) throw std::invalid_argument("a value of a spline is not a finite number");

  const std::size_t left_out = static_cast<std::size_t>(degree_ + 1) / 2;
  knots_.assign(static_cast<std::size_t>(degree_ + 1), times.front());
  if (times.size() > static_cast<std::size_t>(degree_ + 1))
    knots_.insert(knots_.end(), times.begin() + static_cast<std::ptrdiff_t>(left_out),
                  times.end() - static_cast<std::ptrdiff_t>(left_out));
  knots_.insert(knots_.end(), static_cast<std::size_t>(degree_ + 1), times.back());

  // each basis function at each point
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t piece = piece_of(times[i]);
    for (int k = 0; k <= degree_; ++k) {
      Local one{};
      one[static_cast<std::size_t>(k)] = 1;
      entries.emplace_back(static_cast<int>(i), static_cast<int>(piece) - degree_ + k,
                           evaluate(one, degree_, piece, times[i]));
    }
  }
  SparseMatrix basis(static_cast<Index>(times.size()), static_cast<Index>(times.size()));
  basis.setFromTriplets(entries.begin(), entries.end());
  SparseLu<double> lu;
  lu.analyze(basis);
  if (!lu.factor(basis)) throw std::invalid_argument("the points of a spline are too near to each other");
  coefficients_ = values;
  lu.solve(coefficients_);
}

std::size_t InterpolatingSpline::piece_of(double t) const {
  const auto first = knots_.begin() + degree_, last = knots_.end() - degree_ - 1;
  const auto above = std::upper_bound(first + 1, last, t);
  return static_cast<std::size_t>(above - knots_.begin()) - 1;
}

double InterpolatingSpline::evaluate(Local local, int degree, std::size_t piece, double t) const {
  for (int r = 1; r <= degree; ++r)
    for (int k = degree; k >= r; --k) {
      const std::size_t left = piece - static_cast<std::size_t>(degree - k);
      const double from = knots_[left], to = knots_[left + static_cast<std::size_t>(degree + 1 - r)];
      const double share = (t - from) / (to - from);
      const auto at = static_cast<std::size_t>(k);
      local[at] = (1 - share) * local[at - 1] + share * local[at];
    }
  return local[static_cast<std::size_t>(degree)];
}

std::array<double, 3> InterpolatingSpline::operator()(Index function, double t) const {
  const std::size_t piece = piece_of(t);
  Local local{};
  for (int k = 0; k <= degree_; ++k)
    local[static_cast<std::size_t>(k)] = coefficients_(static_cast<Index>(piece) - degree_ + k, function);
  std::array<double, 3> result{};
  for (int order = 0; order < 3; ++order) {
    const int degree = degree_ - order;
    if (degree < 0) break;
    result[static_cast<std::size_t>(order)] = evaluate(local, degree, piece, t);
    // coefficients of the derivative
    for (int k = 0; k < degree; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double from = knots_[piece - static_cast<std::size_t>(degree - 1 - k)],
                   to = knots_[piece + at + 1];
      local[at] = degree * (local[at + 1] - local[at]) / (to - from);
    }
  }
  return result;
}

}  // namespace trammel
