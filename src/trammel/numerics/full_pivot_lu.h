// LU decomposition with full pivoting of a rectangular matrix: rank, a basic solution, a basis of the kernel.
//
// Eigen's FullPivLU allocates in solve() and does not keep the pivot columns apart; a step must not allocate,
// and the pivot columns decide about selectors and partitions.
#pragma once

#include <cmath>
#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class FullPivotLu {
 public:
  // A pivot below tolerance × the first pivot ends the elimination: the rank is found.
  void factor(const Eigen::Ref<const Matrix>& A, double tolerance);

  Index rank() const { return rank_; }
  Index rows() const { return lu_.rows(); }
  Index cols() const { return lu_.cols(); }

  // The column of A that pivot k came from; the first rank() are the dependent variables.
  Index pivot_column(Index k) const { return column_[static_cast<std::size_t>(k)]; }
  Index pivot_row(Index k) const { return row_[static_cast<std::size_t>(k)]; }
  // The size of pivot k.
  double pivot(Index k) const { return std::abs(lu_(k, k)); }

  // A solution of A x = b with zeros at the free variables (consistent b, or the pivot rows' part of it).
  // b and x may have several columns.
  void solve(const Eigen::Ref<const Matrix>& b, Eigen::Ref<Matrix> x);

  // cols × (cols − rank): identity at the free variables.
  void kernel(Eigen::Ref<Matrix> out) const;

 private:
  Matrix lu_;
  Vector work_;
  std::vector<Index> row_, column_;
  Index rank_ = 0;
};

}  // namespace trammel
