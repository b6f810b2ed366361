// Sparse matrices, column by column, and the builder of their patterns.
//
// A pattern is made once per mechanism; afterwards values are scattered into the matrix by their slots, the
// positions in its array of values, without searching and without allocating:
//
//   SparsePattern pattern(rows, cols);
//   for (...) pattern.add(row, col);                // entries may be named more than once
//   SparseMatrix A = pattern.finish();              // all zeros, compressed
//   const Index slot = pattern.slot(row, col);      // once
//   A.valuePtr()[slot] += x;                        // in every evaluation
#pragma once

#include <Eigen/SparseCore>
#include <complex>
#include <cstdint>
#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using ComplexSparseMatrix = Eigen::SparseMatrix<std::complex<double>, Eigen::ColMajor, int>;

// function(row, column, value) of every entry, column by column.
template <class Function>
void for_entries(const SparseMatrix& matrix, const Function& function) {
  for (int col = 0; col < matrix.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(matrix, col); entry; ++entry)
      function(entry.row(), col, entry.value());
}

class SparsePattern {
 public:
  SparsePattern() = default;
  SparsePattern(Index rows, Index cols);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  // Throw std::out_of_range for a place outside of the matrix.
  void add(Index row, Index col);
  // All entries of a block whose upper left corner is at (row, col).
  void add_block(Index row, Index col, Index rows, Index cols);

  // The matrix of zeros with these entries. The complex one has the same slots. More entries may be added
  // afterwards and the pattern finished again; slots asked for before are void then.
  SparseMatrix finish();
  ComplexSparseMatrix finish_complex();

  // Of the finished pattern: the number of entries, and where in the array of values an entry is kept.
  // −1 for an entry that the pattern does not have.
  Index entries() const { return static_cast<Index>(row_.size()); }
  Index slot(Index row, Index col) const;

 private:
  void compress();
  template <class Scalar>
  Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> zeros() const;

  Index rows_ = 0, cols_ = 0;
  std::vector<std::uint64_t> added_;     // column and row in one number, which sorts as the matrix is stored
  std::vector<int> column_start_ = {0};  // of the finished pattern
  std::vector<int> row_;
};

}  // namespace trammel
