// The entries of a pattern are sorted and freed of duplicates when it is finished.
#include "trammel/numerics/sparse_matrix.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace trammel {

SparsePattern::SparsePattern(Index rows, Index cols) : rows_(rows), cols_(cols) {
  constexpr Index limit = std::numeric_limits<int>::max();
  if (rows < 0 || cols < 0 || rows >= limit || cols >= limit)
    throw std::out_of_range("a sparse matrix cannot have this size");
  column_start_.assign(static_cast<std::size_t>(cols) + 1, 0);
}

void SparsePattern::add(Index row, Index col) {
  if (row < 0 || row >= rows_ || col < 0 || col >= cols_)
    throw std::out_of_range("an entry of a sparse pattern lies outside of the matrix");
  added_.push_back(static_cast<std::uint64_t>(col) << 32 | static_cast<std::uint64_t>(row));
}

void SparsePattern::add_block(Index row, Index col, Index rows, Index cols) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) add(row + i, col + j);
}

void SparsePattern::compress() {
  std::sort(added_.begin(), added_.end());
  added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
  if (added_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::length_error("a sparse pattern has too many entries");

  row_.clear();
  row_.reserve(added_.size());
  column_start_.assign(static_cast<std::size_t>(cols_) + 1, 0);
  for (const std::uint64_t entry : added_) {
    row_.push_back(static_cast<int>(entry & 0xffffffffu));
    ++column_start_[static_cast<std::size_t>(entry >> 32) + 1];
  }
  for (std::size_t j = 1; j < column_start_.size(); ++j) column_start_[j] += column_start_[j - 1];
}

template <class Scalar>
Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> SparsePattern::zeros() const {
  Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> A(rows_, cols_);
  A.resizeNonZeros(entries());
  std::copy(column_start_.begin(), column_start_.end(), A.outerIndexPtr());
  std::copy(row_.begin(), row_.end(), A.innerIndexPtr());
  std::fill_n(A.valuePtr(), entries(), Scalar(0));
  return A;
}

SparseMatrix SparsePattern::finish() {
  compress();
  return zeros<double>();
}

ComplexSparseMatrix SparsePattern::finish_complex() {
  compress();
  return zeros<std::complex<double>>();
}

Index SparsePattern::slot(Index row, Index col) const {
  if (row < 0 || row >= rows_ || col < 0 || col >= cols_) return -1;
  const auto column = row_.begin() + column_start_[static_cast<std::size_t>(col)];
  const auto column_end = row_.begin() + column_start_[static_cast<std::size_t>(col) + 1];
  const auto found = std::lower_bound(column, column_end, static_cast<int>(row));
  return found != column_end && *found == row ? found - row_.begin() : -1;
}

}  // namespace trammel
