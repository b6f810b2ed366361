// A quick elimination, the question whether it can be trusted, and if not, a strict one.
#include "trammel/numerics/sparse_rank.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/numerics/sparse_elimination.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {
namespace {

// In the strict elimination a pivot is at least this part of its column.
constexpr double strict_column_threshold = 0.5;
// The quick elimination is in doubt if it leaves more of the redundant rows than this, or if the rows and
// columns it chose are conditioned worse than this.
constexpr double rejected_without_doubt = 1e-13;
constexpr double condition_without_doubt = 1e10;
// Where some rows are left out, another choice of them may be much better than one that is conditioned like this, for
// each row: long rows of loops are conditioned badly by nature, and no other choice is worth its price there.
constexpr double condition_of_a_good_choice = 1e3;

// The condition of A restricted to these rows and columns, its rows scaled to length one.
double condition_of(const SparseMatrix& A, const std::vector<Index>& rows,
                    const std::vector<Index>& columns) {
  Vector length = Vector::Zero(A.rows());
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry)
      length[entry.row()] = std::hypot(length[entry.row()], entry.value());
  std::vector<int> place(static_cast<std::size_t>(A.rows()), -1);
  for (std::size_t k = 0; k < rows.size(); ++k)
    place[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);

  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (SparseMatrix::InnerIterator entry(A, columns[k]); entry; ++entry) {
      const int row = place[static_cast<std::size_t>(entry.row())];
      if (row < 0 || entry.value() == 0) continue;
      entries.emplace_back(row, static_cast<int>(k), entry.value() / length[entry.row()]);
    }
  SparseMatrix B(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  B.setFromTriplets(entries.begin(), entries.end());
  SparseLu<double> lu;
  lu.analyze(B);
  lu.factor(B);
  return lu.condition_estimate(B);
}

}  // namespace

void SparseRank::set_pivot_threshold(double threshold) {
  if (!(threshold > 0 && threshold <= 1)) throw std::invalid_argument("a pivot threshold lies in (0, 1]");
  pivot_threshold_ = threshold;
}

bool SparseRank::factor(const SparseMatrix& A, double tolerance, const Vector& column_preference) {
  if (column_preference.size() != 0 && column_preference.size() != A.cols())
    throw std::invalid_argument("a preference of columns needs one weight for each column");
  const auto run = [&](double column_threshold) {
    SparseElimination elimination(A, {std::max(0.0, tolerance), pivot_threshold_, column_threshold});
    elimination.prefer(column_preference);
    const bool finite = elimination.run();
    take(elimination, A);
    return finite;
  };
  work_ = 0;
  const bool finite = run(0);
  const double condition = condition_of(A, independent_rows_, pivot_columns_);
  repeated_ = largest_rejected_ > rejected_without_doubt || condition > condition_without_doubt;
  if (repeated_) {
    run(strict_column_threshold);
  } else if (!redundant_rows_.empty() &&
             condition > condition_of_a_good_choice * static_cast<double>(A.rows())) {
    const SparseRank quick = *this;
    run(strict_column_threshold);
    const bool better =
        rank() == quick.rank() && condition_of(A, independent_rows_, pivot_columns_) < 0.5 * condition;
    const Index work = work_;
    if (!better) *this = quick;
    repeated_ = true;
    work_ = work;
  }
  return finite;
}

void SparseRank::take(const SparseElimination& elimination, const SparseMatrix& A) {
  independent_rows_.clear();
  redundant_rows_.clear();
  pivot_columns_.clear();
  free_columns_.clear();
  for (Index i = 0; i < A.rows(); ++i)
    (elimination.is_pivot_row(i) ? independent_rows_ : redundant_rows_).push_back(i);
  for (Index j = 0; j < A.cols(); ++j)
    (elimination.is_pivot_column(j) ? pivot_columns_ : free_columns_).push_back(j);
  regularity_ = rank() == 0 ? 1.0 : elimination.smallest_pivot() / elimination.largest_pivot();
  largest_rejected_ = elimination.largest_rejected();
  work_ += elimination.work();
}

}  // namespace trammel
