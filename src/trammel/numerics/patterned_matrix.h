// A sparse matrix that takes its values from a dense one. Its pattern has every entry that was ever not zero:
// it grows, and never shrinks.
#pragma once

#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class PatternedMatrix {
 public:
  // Whether the pattern has grown. Entries of at most `negligible` count as zero.
  bool assign(const Eigen::Ref<const Matrix>& dense, double negligible = 0);

  const SparseMatrix& matrix() const { return matrix_; }

 private:
  SparseMatrix matrix_;
};

}  // namespace trammel
