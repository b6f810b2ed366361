// The product of two sparse matrices that keep their patterns and change their values: nothing is allocated after the
// first time.
#pragma once

#include <vector>

#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class PatternedProduct {
 public:
  // A B, and S + A B. Patterns may grow, which costs as much as the first call.
  void update(const SparseMatrix& A, const SparseMatrix& B) { update(nullptr, A, B); }
  void update(const SparseMatrix& S, const SparseMatrix& A, const SparseMatrix& B) { update(&S, A, B); }
  const SparseMatrix& matrix() const { return matrix_; }
  SparseMatrix& matrix() { return matrix_; }

 private:
  struct Term {
    int a, b, target;
  };
  void prepare(const SparseMatrix* S, const SparseMatrix& A, const SparseMatrix& B);
  void update(const SparseMatrix* S, const SparseMatrix& A, const SparseMatrix& B);

  Eigen::Index known_ = -1;  // entries of A, B and S
  SparseMatrix matrix_;
  std::vector<Term> terms_;
  std::vector<int> summands_;  // where the entries of S go
};

}  // namespace trammel
