// A sparse matrix that is filled again and again by the same sequence of additions. The first time it only
// notes where they go; from then on the n-th addition goes straight to its place.
#pragma once

#include <utility>
#include <vector>

#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class AssembledMatrix {
 public:
  AssembledMatrix() = default;
  AssembledMatrix(Index rows, Index cols) : rows_(rows), cols_(cols) {}

  // Before the first addition of a round.
  void begin();
  void add(Index row, Index col, double value) {
    if (known_)
      matrix_.valuePtr()[slots_[cursor_++]] += value;
    else
      note(row, col, value);
  }
  // After the last one.
  void finish();

  // Before the first round it has no entries, and takes no room until it is looked at: most of the matrices by which motions
  // depend on something are never asked for.
  const SparseMatrix& matrix() const {
    if (matrix_.rows() != rows_ || matrix_.cols() != cols_) matrix_.resize(rows_, cols_);
    return matrix_;
  }
  // Whether there has been a first round.
  bool known() const { return known_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  // Where each addition goes in the array of values, known after the first round.
  const std::vector<int>& slots() const { return slots_; }

 private:
  // The first time; not inline, so that what is called from then on is.
  void note(Index row, Index col, double value);

  mutable SparseMatrix matrix_;
  Index rows_ = 0, cols_ = 0;
  bool known_ = false;
  std::size_t cursor_ = 0;
  std::vector<int> slots_;
  std::vector<std::pair<int, int>> entries_;
  std::vector<double> values_;
};

}  // namespace trammel
