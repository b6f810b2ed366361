// The change of y to A y = b that is smallest in the norm √(δᵀ W δ), where the rows of A fall into groups that share no unknowns:
// each is a small problem of its own. Groups are found from the patterns of A and W. A group is solved densely, by a
// QR decomposition with pivots that leaves out rows which depend on others; where one is large all are solved
// sparsely (least_change.h).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <vector>

#include "trammel/numerics/least_change.h"

namespace trammel {

class GroupedLeastChange {
 public:
  // The patterns must be those of the first call; rows of A may have any length. False where an entry is not
  // finite, or W is not positive definite.
  bool factor(const SparseMatrix& W, const SparseMatrix& A, double rank_tolerance);
  void forget_patterns();

  // y becomes the nearest vector with A y = b.
  void solve(Vector& y, const Vector& b);

  Index groups() const { return static_cast<Index>(groups_.size()); }
  // Of A, by groups; of a sparse one it is not known.
  Index rank() const { return rank_; }

 private:
  // With Q R of rows that count, y += L⁻ᵀ Q (R⁻ᵀ b − Qᵀ Lᵀ y): what lies in the range of the rows is replaced by what they ask for.
  struct Group {
    std::vector<int> rows, cols;
    Matrix from_y, from_b, to_y;
  };

  void find_groups(const SparseMatrix& W, const SparseMatrix& A);
  bool factor_group(const SparseMatrix& W, const SparseMatrix& A, double rank_tolerance, Group& group);
  void solve_group(const Group& group, Vector& y, const Vector& b);

  std::vector<Group> groups_;
  std::vector<int> group_of_, place_of_col_, place_of_row_;
  bool known_ = false, sparse_ = false;
  Index rank_ = 0;
  LeastChange least_;
  SparseMatrix scaled_, metric_of_all_;
  Vector lengths_, lower_, right_, part_, small_;
  // of the group at hand
  Matrix metric_of_group_, transposed_;
  Eigen::LLT<Matrix> metric_;
  Eigen::ColPivHouseholderQR<Matrix> decomposition_;  // of (A L⁻ᵀ)ᵀ with rows of length one
};

}  // namespace trammel
