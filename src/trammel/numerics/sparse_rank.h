// Rank of a sparse rectangular matrix by Gaussian elimination: which rows are independent, which columns can
// be solved for. Rows are constraints, columns velocities; rows may be redundant and outnumber the columns.
//
// Rows are scaled to length one first, so that a rank is not a question of units. A pivot must be a fair part
// of its row, and of the pivots that are, one is taken that costs little (after Markowitz): the work is
// linear for chains, trees and loops in a row. Rows that have become small are left for last, and among them
// size alone counts, as in complete pivoting: there the rank is decided.
//
// Where loops form a grid, to go by cost alone may choose rows from which the others follow with huge
// coefficients only, and round-off passes for rank. That shows in what is left of redundant rows and in the
// condition of the chosen rows and columns. Then the elimination is repeated with pivots that are a fair part
// of their column, too (as in rook pivoting), which costs more.
//
// Of rows that are copies of each other the first is kept. The result does not depend on anything but A, the
// tolerance, the preference and the threshold.
#pragma once

#include <vector>

#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class SparseElimination;

class SparseRank {
 public:
  // A row whose largest entry falls to the tolerance is redundant; its length was one.
  //
  // column_preference: one weight per column, by which an entry is multiplied when a pivot is sought in its
  // row. A column of small weight stays free where another one can be solved for instead. Weights count
  // relative to the largest, and below 1e-3 as that. Where rows are small, weights are ignored. Empty: no
  // preference.
  //
  // False, with rank 0, if an entry is not finite. Throws std::invalid_argument for a preference of wrong
  // size.
  bool factor(const SparseMatrix& A, double tolerance = 1e-9, const Vector& column_preference = Vector());

  // A pivot is at least this part of the largest entry of its row: small for less fill, at most 1. Throws
  // std::invalid_argument outside of (0, 1].
  void set_pivot_threshold(double threshold);

  Index rows() const { return static_cast<Index>(independent_rows_.size() + redundant_rows_.size()); }
  Index cols() const { return static_cast<Index>(pivot_columns_.size() + free_columns_.size()); }
  Index rank() const { return static_cast<Index>(pivot_columns_.size()); }

  // All in ascending order.
  const std::vector<Index>& independent_rows() const { return independent_rows_; }
  const std::vector<Index>& redundant_rows() const { return redundant_rows_; }
  const std::vector<Index>& pivot_columns() const { return pivot_columns_; }
  const std::vector<Index>& free_columns() const { return free_columns_; }

  // The smallest pivot relative to the largest: 0 where the rank is about to drop, 1 without pivots.
  double regularity() const { return regularity_; }
  // What was left of the redundant rows when they were given up. Where the rank is beyond doubt this is
  // round-off, far below the tolerance.
  double largest_rejected() const { return largest_rejected_; }

  // Whether the quick elimination was in doubt and was repeated.
  bool repeated() const { return repeated_; }
  // Entries touched by the elimination, or by both.
  Index work() const { return work_; }

 private:
  void take(const SparseElimination& elimination, const SparseMatrix& A);

  double pivot_threshold_ = 0.3;
  std::vector<Index> independent_rows_, redundant_rows_, pivot_columns_, free_columns_;
  double regularity_ = 1, largest_rejected_ = 0;
  bool repeated_ = false;
  Index work_ = 0;
};

}  // namespace trammel
