// Splines of degree five through points, with four continuous derivatives: what positions or velocities that were
// sampled are differentiated by. At the ends the first and the last three pieces are one polynomial ("not a knot"), so
// that nothing is assumed there. An error of the second derivative falls with the fourth power of the distance of the
// points. Less than six points: the polynomial through all of them. C. de Boor, A Practical Guide to Splines, 1978.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "trammel/numerics/sparse_lu.h"

namespace trammel {

class InterpolatingSpline {
 public:
  // Several functions over the same points, one column of `values` each. Times ascend strictly and all numbers are
  // finite; otherwise throws std::invalid_argument.
  InterpolatingSpline(std::span<const double> times, const Matrix& values);

  int degree() const { return degree_; }
  // Value, first and second derivative of a function; beyond the ends the polynomial goes on.
  std::array<double, 3> operator()(Index function, double t) const;

 private:
  static constexpr int highest = 5;
  using Local = std::array<double, highest + 1>;

  std::size_t piece_of(double t) const;
  // De Boor's algorithm with the `degree` + 1 coefficients that count in a piece.
  double evaluate(Local local, int degree, std::size_t piece, double t) const;

  int degree_;
  std::vector<double> knots_;
  Matrix coefficients_;
};

}  // namespace trammel
