// Products with constant matrices on both sides, of a sparse matrix that changes its values only.
#pragma once

#include <vector>

#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

// T = L S R for a matrix S of fixed pattern that changes its values, L and R constant.
class ConstantProduct {
 public:
  // L and R by rows of S and columns of S: where an entry goes, and with which factor.
  struct Share {
    Index to;
    double factor;
  };
  using Shares = std::vector<std::vector<Share>>;

  void prepare(const SparseMatrix& S, const Shares& rows, Index row_count, const Shares& columns,
               Index column_count);
  void update(const SparseMatrix& S);
  const SparseMatrix& matrix() const { return matrix_; }

 private:
  struct Term {
    int source, target;
    double factor;
  };
  SparseMatrix matrix_;
  std::vector<Term> terms_;
};

}  // namespace trammel
