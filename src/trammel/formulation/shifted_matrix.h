// A sparse matrix that is a polynomial in a shift and its inverse, X(σ) = σ X₁ + X₀ + X₋₁/σ + X₋₂/σ², on one
// pattern; filled again and again by the same sequence of additions (assembled_matrix.h).
#pragma once

#include <array>
#include <complex>

#include "trammel/numerics/assembled_matrix.h"

namespace trammel {

class ShiftedMatrix {
 public:
  ShiftedMatrix() = default;
  explicit ShiftedMatrix(Index size) : pattern_(size, size) {}

  bool empty() const { return pattern_.rows() == 0; }
  Index size() const { return pattern_.rows(); }

  void begin();
  // power: 1, 0, −1 or −2.
  void add(Index row, Index col, int power, double value) {
    if (cursor_ < slots_.size())
      values_[static_cast<std::size_t>(power + 2)][static_cast<std::size_t>(slots_[cursor_])] += value;
    else
      pending_.push_back({row, col, power, value});
    ++cursor_;
  }
  void finish();

  // The matrix with all its entries, to begin with.
  const SparseMatrix& pattern() const { return pattern_.matrix(); }
  // `out` has that pattern.
  template <class Scalar>
  void evaluate(Scalar shift, Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>& out) const {
    const Scalar inverse = 1.0 / shift, square = inverse * inverse;
    Scalar* entries = out.valuePtr();
    const std::size_t count = values_[0].size();
    for (std::size_t i = 0; i < count; ++i)
      entries[i] = shift * values_[3][i] + values_[2][i] + inverse * values_[1][i] + square * values_[0][i];
  }

 private:
  struct Addition {
    Index row, col;
    int power;
    double value;
  };

  AssembledMatrix pattern_;
  std::vector<int> slots_;
  std::size_t cursor_ = 0;
  std::array<std::vector<double>, 4> values_;  // powers −2, −1, 0, 1
  std::vector<Addition> pending_;
};

}  // namespace trammel
