// Decomposition of a constraint Jacobian A (few rows, many columns) in one of three ways: LU with full
// pivoting, QR with column pivoting, singular values. All give the rank, a solution of A x = b and a basis of
// the kernel; with singular values redundant rows are allowed and the solution is the one of minimal norm.
//
// Rows are scaled to length one first, so that a rank is not a question of units.
#pragma once

#include <vector>

#include "trammel/numerics/full_pivot_lu.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

enum class Decomposition { lu, qr, svd };

class ConstraintDecomposition {
 public:
  // scale_columns: also scale columns, where they stand for unlike quantities (LU and QR only).
  // prescribed_rank: overrules the tolerance where the rank is known (singular values only).
  void factor(const Eigen::Ref<const Matrix>& A, Decomposition kind, double rank_tolerance,
              bool scale_columns = false, Index prescribed_rank = -1);

  Index rows() const { return scaled_.rows(); }
  Index cols() const { return scaled_.cols(); }
  Index rank() const { return rank_; }
  bool full_row_rank() const { return rank_ == rows(); }

  // The last pivot or singular value that counts, relative to the first: 0 where the rank is about to drop.
  double regularity() const { return regularity_; }

  // The dependent columns in ascending order. Empty for singular values, which have no pivots.
  const std::vector<Index>& dependent() const { return dependent_; }

  void solve(const Eigen::Ref<const Matrix>& b, Eigen::Ref<Matrix> x);
  void kernel(Eigen::Ref<Matrix> out) const;

  // An orthonormal basis of the combinations of rows that are independent, rows × rank (singular values), or
  // the identity where the rank is full. In terms of the unscaled rows: multipliers of minimal norm lie in
  // its span.
  void row_basis(Matrix& out) const;

 private:
  Decomposition kind_ = Decomposition::lu;
  Matrix scaled_, work_, coefficients_;
  Vector row_scale_, column_scale_;
  bool columns_scaled_ = false;
  FullPivotLu lu_;
  Eigen::ColPivHouseholderQR<Matrix> qr_;
  Eigen::JacobiSVD<Matrix> svd_;
  std::vector<Index> dependent_;
  Index rank_ = 0;
  double regularity_ = 1;
};

}  // namespace trammel
