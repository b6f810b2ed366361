// The motions that constraints leave free: a basis N of the kernel of the Jacobian D, by partition of the
// coordinates. Redundant rows are found and left out; the others determine the coordinates that are not free:
//
//   [ D_active ] q = [ b ]      N: b = 0, y = unit vectors
//   [ E_free   ]     [ y ]
//
// D is sparse and stays so; N has as many columns as there are degrees of freedom, and is computed only if it
// is asked for: of a long chain it is dense and as large as the square of the bodies.
#pragma once

#include <vector>

#include "trammel/numerics/sparse_lu.h"
#include "trammel/numerics/sparse_rank.h"

namespace trammel {

class ConstraintKernel {
 public:
  // False if D is not finite.
  bool factor(const SparseMatrix& D, double rank_tolerance = 1e-9);

  Index rank() const { return rank_.rank(); }
  Index freedom() const { return velocities_ - rank(); }
  const SparseRank& decision() const { return rank_; }
  // One flag for each row of D: whether it is kept.
  const std::vector<char>& active() const { return active_; }

  // N.
  const Matrix& basis();
  // N y, without N.
  Vector motion(const Vector& y);

  // Displacements with D q = b on the active rows (b has all rows of D), zero in the free coordinates.
  Matrix particular(const Matrix& b);

  // λ on the active rows, zero on the others, with Dᵀλ = force where coordinates are not free. If Nᵀ force =
  // 0, everywhere.
  Matrix multipliers(const Matrix& force);

 private:
  SparseRank rank_;
  SparseLu<double> lu_;
  Index velocities_ = 0, rows_ = 0;
  std::vector<char> active_;
  Matrix basis_;
  bool has_basis_ = false;
};

}  // namespace trammel
