// Coordinates on the solutions of constraints: which combinations y = S x of the unknowns x are free, and how
// x follows from them where Φ(x) = 0. With A = [S; Φ_x],
//
//   ∂x/∂y = T,  A T = [I; 0];      a correction of the residual that leaves y alone:  A δ = [0; −Φ].
//
// Three choices of S:
//
//   partition  rows of the identity: some unknowns are independent, the others follow (Φ_u is factored).
//              Chosen by elimination with full pivoting (R. A. Wehage, E. J. Haug, 1982).
//   tangent    an orthonormal basis of the kernel of Φ_x at the point of choice: coordinates in the tangent
//              plane there (N. K. Mani, E. J. Haug, K. E. Atkinson, 1985).
//   nullspace  the same, carried along: after every step the basis is the old one put into the new kernel and
//              made orthonormal again. It is a differentiable function of the position as long as the rank is
//              constant (C. G. Liang, G. M. Lance, 1987) and never grows ill-conditioned.
#pragma once

#include <vector>

#include "trammel/numerics/full_pivot_lu.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class Parametrization {
 public:
  enum class Kind { partition, tangent, nullspace };

  // Chooses independent rows of J and the coordinates S. The last `never_free` columns, and that many of the
  // first rows, belong together (contact coordinates and the equations they follow from): these columns are
  // never independent. `preference`: a weight for each other column, by which its entries are multiplied when
  // pivots are sought; those of small weight stay independent where others can depend. `least_rank`: rows
  // that count even if they are small, for positions near a singular one.
  void choose(const Matrix& J, Kind kind, Index never_free, const Vector& preference, double rank_tolerance,
              Index least_rank = 0);

  // Moves the basis into the kernel of J (kind nullspace only).
  void carry(const Matrix& J);

  // At another point. False where the coordinates are not good for it (A is singular).
  bool factor(const Matrix& J);

  Index size() const { return free_; }
  Index rank() const { return static_cast<Index>(rows_.size()); }
  Index unknowns() const { return columns_; }
  bool redundant() const { return rank() < all_rows_; }
  const std::vector<Index>& rows() const { return rows_; }
  // The same as a mark for each row of J.
  const std::vector<char>& counts() const { return counts_; }
  bool is_partition() const { return kind_ == Kind::partition; }
  // Ascending; of a partition only.
  const std::vector<Index>& independent() const { return independent_; }

  // y = S x
  template <class In, class Out>
  void take(const In& x, Out&& y) const {
    if (is_partition()) {
      for (Index i = 0; i < free_; ++i) y[i] = x[independent_[static_cast<std::size_t>(i)]];
    } else {
      y.noalias() = S_ * x;
    }
  }
  // S X, for several columns.
  void take_rows(const Matrix& X, Matrix& Y) const;

  // After factor(): T, and x changes by −A⁻¹ [0; residual] for the rows of J (all of them are given).
  void tangent(Matrix& T) const;
  void correction(const Eigen::Ref<const Matrix>& residual, Matrix& change) const;

  // The multipliers of the rows (of all; zero where they are left out) whose combination is the given vector
  // in the dependent columns: Φ_uᵀ s = r_u. Of a partition only.
  void multipliers(const Vector& r, Vector& s) const;

  // How far A is from a singular matrix: ‖Φ_x‖ ‖Φ_u⁻¹‖, or the condition number of A, at the last factor().
  double condition() const { return condition_; }
  // Whether it has grown by more than this part since the choice, or since it was best.
  bool has_degraded(double growth);

 private:
  void choose_partition(const Matrix& reduced, double rank_tolerance, Index least_rank, Index first_rows);
  void choose_basis(const Matrix& J);

  Kind kind_ = Kind::partition;
  Index columns_ = 0, all_rows_ = 0, free_ = 0, never_free_ = 0;
  std::vector<Index> rows_, independent_, dependent_;
  std::vector<char> counts_;
  Matrix S_;
  Vector row_scale_;
  Eigen::PartialPivLU<Matrix> lu_;  // of Φ_u with scaled rows, or of A
  Matrix matrix_, beside_;          // what lu_ is of; Φ_v
  mutable Matrix work_;
  FullPivotLu pivots_;
  double condition_ = 1, least_condition_ = 1;
};

}  // namespace trammel
