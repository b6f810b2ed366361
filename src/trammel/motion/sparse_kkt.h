// The one sparse system that accelerations, projections and assembly need:
//
//   [ W  Bᵀ ] [ x ]   [ a ]
//   [ A −εI ] [ y ] = [ b ]
//
// with A the constraint Jacobian, B = A unless forces depend on multipliers, W a mass matrix or weights. Rows
// of A that are not active are left out: y is zero there. ε > 0 lets redundant rows pass, as damped least
// squares.
#pragma once

#include <vector>

#include "trammel/numerics/assembled_matrix.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {

class SparseKkt {
 public:
  // False where the system is singular. The patterns must be those of the first call. `coupling`, if any,
  // is how forces depend on multipliers: Bᵀ = Aᵀ − coupling. Empty `active`: all rows.
  bool factor(const SparseMatrix& W, const SparseMatrix& A, const std::vector<char>& active,
              double regularization = 0, const SparseMatrix* coupling = nullptr);

  // (upper, lower) become (x, y).
  void solve(Eigen::Ref<Vector> upper, Eigen::Ref<Vector> lower);

  // Of the last factor(), as SparseLu's.
  double smallest_pivot_ratio() const { return lu_.smallest_pivot_ratio(); }

  // The smallest singular value of A W^(−1/2) over the active rows, by inverse iteration from the last
  // estimate.
  double smallest_singular_value();

 private:
  AssembledMatrix matrix_;
  bool analyzed_ = false;
  SparseLu<double> lu_;
  std::vector<char> active_;
  Index upper_ = 0, lower_ = 0;
  Vector work_, weakest_, upper_work_, lower_work_;
};

}  // namespace trammel
