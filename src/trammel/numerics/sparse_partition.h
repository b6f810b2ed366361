// Independent and dependent velocities: D δ = 0 leaves some velocities free, the others follow with D_u, the
// square part of D for the dependent ones, which is factored by KLU.
#pragma once

#include <vector>

#include "trammel/numerics/sparse_lu.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

class SparsePartition {
 public:
  // Of the first `rows` rows of D, those that determine the others, and the velocities that are to depend:
  // those of large preference first. `careful`: rows that are left out must follow from the others without
  // large factors, which costs a solution for each of them.
  void choose(const SparseMatrix& D, Index rows, const Vector& preference, double rank_tolerance,
              bool careful = false);

  // D elsewhere, of the same pattern. False where D_u is singular.
  bool factor(const SparseMatrix& D);
  // The pattern of D has grown; the choice stays.
  void renew_pattern(const SparseMatrix& D);

  Index size() const { return static_cast<Index>(independent_.size()); }
  Index rank() const { return static_cast<Index>(rows_.size()); }
  bool redundant() const { return rank() < all_rows_; }
  const std::vector<Index>& rows() const { return rows_; }
  // The same as a mark for each row of D.
  const std::vector<char>& counts() const { return counts_; }
  const std::vector<Index>& independent() const { return independent_; }
  const std::vector<Index>& dependent() const { return dependent_; }

  // δ with D δ = −residual and no independent part. Of all rows those that count are taken.
  void correct(const VectorIn& residual, VectorOut change);
  // Adds to a vector whose independent part is given the dependent part with D δ = −residual (may be empty:
  // zero).
  void follow(const SparseMatrix& D, const VectorIn& residual, VectorOut change);
  void follow(const SparseMatrix& D, const ComplexVector& residual, Eigen::Ref<ComplexVector> change);
  // Multipliers of the rows (of all; zero for those that do not count) that do to the dependent velocities
  // what r does: D_uᵀ s = r_u. So r − Dᵀ s is left for the independent ones.
  void multipliers(const VectorIn& r, Vector& s);
  // For many columns: T with D T = 0 and the identity in the independent rows; and corrections.
  void tangent(const SparseMatrix& D, Matrix& T);
  void correct_columns(const Matrix& residual, Matrix& change);

  // ‖D‖ ‖D_u⁻¹‖ at the last factor(), estimated.
  double condition();
  // Whether it has grown by more than this part since the choice, or since it was best.
  bool has_degraded(double growth);
  // Infinite where no choice is good.
  double least_condition() const { return least_condition_; }

 private:
  void exchange(const SparseMatrix& D, const Vector& preference);
  void exchange_rows(const SparseMatrix& D);
  void extract(const SparseMatrix& D);

  Index velocities_ = 0, all_rows_ = 0;
  std::vector<Index> rows_, independent_, dependent_;
  std::vector<char> counts_;
  std::vector<int> source_;  // of each entry of D_u in the array of values of D
  SparseMatrix matrix_;      // D_u
  double size_ = 0;          // ‖D‖₁ of the rows that count
  SparseLu<double> lu_;
  SparseRank rank_;
  double least_condition_ = 1;
  Vector work_;
  Matrix columns_;
};

// Whether some rows of D depend on others; marks those that do not.
bool find_redundant_rows(const SparseMatrix& D, double rank_tolerance, std::vector<char>& independent);

}  // namespace trammel
