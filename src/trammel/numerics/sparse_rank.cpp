// A quick elimination, the question whether it can be trusted, and if not, a strict one.
#include "trammel/numerics/sparse_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/numerics/sparse_elimination.h"

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

// The largest sum of sizes in a column of B⁻¹, estimated from below (Hager 1984, with Higham's last vector), for the rows
// and columns that have pivots.
double inverse_norm(const SparseElimination& elimination, const std::vector<Index>& rows) {
  constexpr int most_passes = 5;
  const auto size = static_cast<double>(rows.size());
  double norm = 0;
  Vector b = Vector::Zero(elimination.rows());
  for (const Index row : rows) b[row] = 1 / size;
  for (int pass = 0; pass < most_passes; ++pass) {
    const Vector x = elimination.solve(b);
    const double found = x.lpNorm<1>();
    if (!std::isfinite(found)) return found;
    if (!(found > norm)) break;
    norm = found;
    const Vector y =
        elimination.solve_transposed(x.unaryExpr([](double value) { return value < 0 ? -1.0 : 1.0; }));
    Index largest = 0;
    if (!(y.cwiseAbs().maxCoeff(&largest) > y.dot(b))) break;
    b.setZero();
    b[largest] = 1;
  }
  for (std::size_t k = 0; k < rows.size(); ++k)
    b[rows[k]] = (k % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(k) / std::max(size - 1, 1.0));
  const double last = 2 * elimination.solve(b).lpNorm<1>() / (3 * size);
  return std::isfinite(last) ? std::max(norm, last) : last;
}

// The condition of A restricted to the rows and columns with pivots, its rows scaled to length one.
double condition_of(const SparseMatrix& A, const SparseElimination& elimination,
                    const std::vector<Index>& rows) {
  if (rows.empty()) return 1;
  Vector length = Vector::Zero(A.rows());
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry)
      length[entry.row()] = std::hypot(length[entry.row()], entry.value());
  double norm = 0;
  for (int j = 0; j < A.outerSize(); ++j) {
    if (!elimination.is_pivot_column(j)) continue;
    double sum = 0;
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry)
      if (elimination.is_pivot_row(entry.row()) && entry.value() != 0)
        sum += std::abs(entry.value()) / length[entry.row()];
    norm = std::max(norm, sum);
  }
  const double condition = norm * inverse_norm(elimination, rows);
  return std::isfinite(condition) ? condition : std::numeric_limits<double>::infinity();
}

}  // namespace

void SparseRank::set_pivot_threshold(double threshold) {
  if (!(threshold > 0 && threshold <= 1)) throw std::invalid_argument("a pivot threshold lies in (0, 1]");
  pivot_threshold_ = threshold;
}

bool SparseRank::factor(const SparseMatrix& A, double tolerance, const Vector& column_preference) {
  if (column_preference.size() != 0 && column_preference.size() != A.cols())
    throw std::invalid_argument("a preference of columns needs one weight for each column");
  double condition = 1;
  const auto run = [&](double column_threshold, bool judged) {
    SparseElimination elimination(A, {std::max(0.0, tolerance), pivot_threshold_, column_threshold});
    elimination.prefer(column_preference);
    const bool finite = elimination.run();
    take(elimination, A);
    if (judged) condition = condition_of(A, elimination, independent_rows_);
    return finite;
  };
  work_ = 0;
  const bool finite = run(0, true);
  repeated_ = largest_rejected_ > rejected_without_doubt || condition > condition_without_doubt;
  if (repeated_) {
    run(strict_column_threshold, false);
  } else if (!redundant_rows_.empty() &&
             condition > condition_of_a_good_choice * static_cast<double>(A.rows())) {
    const SparseRank quick = *this;
    const double condition_of_quick = condition;
    run(strict_column_threshold, true);
    const bool better = rank() == quick.rank() && condition < 0.5 * condition_of_quick;
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
