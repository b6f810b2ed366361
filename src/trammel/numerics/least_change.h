// The smallest solution of A y = b in the norm √(yᵀ W y), for sparse A with rows of length one or less. Rows
// that depend on others pass as damped least squares:
//
//   [ W  Aᵀ ] [ y ]   [ a ]
//   [ A −εI ] [ z ] = [ b ]
//
// is solved by the decomposition of A W⁻¹ Aᵀ + εI, and refined as if ε were zero, so that only what is nearly
// dependent is damped. W is made of small blocks on its diagonal.
#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class LeastChange {
 public:
  // False where an entry is not finite. The patterns must be those of the first call.
  bool factor(const SparseMatrix& W, const SparseMatrix& A, double damping);

  // The next factor() may have other ones.
  void forget_patterns() { analyzed_ = false; }

  // (upper, lower) = (a, b) become (y, z).
  void solve(Vector& upper, Vector& lower, int refinements) const;

 private:
  void invert_blocks();

  SparseMatrix W_, A_, transposed_, inverse_;
  std::vector<std::vector<int>> blocks_;  // of W, as lists of indices
  Eigen::SimplicialLDLT<SparseMatrix> normal_;
  bool analyzed_ = false;
};

}  // namespace trammel
