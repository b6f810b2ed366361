// DᵀD + ε by Cholesky, for matrices whose columns come in groups with the same rows, as the velocities of bodies do: by small
// dense blocks of one size. Needs no pivots, so the factors are those of D alone, however often others were there before.
#pragma once

#include <memory>

#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class NormalCholesky {
 public:
  virtual ~NormalCholesky() = default;

  // D of the pattern that it was made for; ε is relative to the largest entry of the diagonal of DᵀD. False if the
  // sum is not positive definite to working precision, or not finite.
  virtual bool factor(const SparseMatrix& D, double epsilon) = 0;
  // With the last factors, in place.
  virtual void solve(Vector& x) const = 0;
};

// Analyses the pattern; null if the columns do not come in groups of six or of three.
std::unique_ptr<NormalCholesky> make_normal_cholesky(const SparseMatrix& D);

}  // namespace trammel
