#include "trammel/numerics/grouped_least_change.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trammel {

namespace {

// Dense decompositions cost the square of a group's rows for each of its unknowns.
constexpr std::size_t most_rows = 24;

constexpr double least_damping = 1e-12;
constexpr int refinements = 2;

std::size_t as_size(int index) { return static_cast<std::size_t>(index); }

}  // namespace

void GroupedLeastChange::forget_patterns() {
  known_ = false;
  least_.forget_patterns();
}

// Unknowns are in one group if a row of A or an entry of W has both.
void GroupedLeastChange::find_groups(const SparseMatrix& W, const SparseMatrix& A) {
  std::vector<int> root(as_size(static_cast<int>(W.cols())));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[as_size(i)] != i) i = root[as_size(i)] = root[as_size(root[as_size(i)])];
    return i;
  };
  const auto join = [&](int i, int j) { root[as_size(find(i))] = find(j); };
  for_entries(W, [&](Index i, Index j, double) { join(static_cast<int>(i), static_cast<int>(j)); });
  std::vector<int> first(as_size(static_cast<int>(A.rows())), -1);
  for_entries(A, [&](Index i, Index j, double) {
    int& col = first[at_index(i)];
    if (col < 0) col = static_cast<int>(j);
    join(col, static_cast<int>(j));
  });

  groups_.clear();
  group_of_.assign(root.size(), -1);
  place_of_col_.assign(root.size(), -1);
  place_of_row_.assign(first.size(), -1);
  std::vector<int> number(root.size(), -1);
  for (int row = 0; row < A.rows(); ++row) {
    if (first[as_size(row)] < 0) continue;  // a row without entries asks for nothing
    int& group = number[as_size(find(first[as_size(row)]))];
    if (group < 0) {
      group = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    place_of_row_[as_size(row)] = static_cast<int>(groups_[as_size(group)].rows.size());
    groups_[as_size(group)].rows.push_back(row);
  }
  for (int col = 0; col < W.cols(); ++col) {
    const int group = group_of_[as_size(col)] = number[as_size(find(col))];
    if (group < 0) continue;
    place_of_col_[as_size(col)] = static_cast<int>(groups_[as_size(group)].cols.size());
    groups_[as_size(group)].cols.push_back(col);
  }
  sparse_ = std::any_of(groups_.begin(), groups_.end(),
                        [](const Group& group) { return group.rows.size() > most_rows; });
}

bool GroupedLeastChange::factor_group(const SparseMatrix& W, const SparseMatrix& A, double rank_tolerance,
                                      Group& group) {
  const auto m = static_cast<Index>(group.rows.size()), n = static_cast<Index>(group.cols.size());
  metric_of_group_.setZero(n, n);
  transposed_.setZero(n, m);
  for (const int col : group.cols) {
    const int j = place_of_col_[as_size(col)];
    for (SparseMatrix::InnerIterator entry(W, col); entry; ++entry)
      metric_of_group_(place_of_col_[at_index(entry.row())], j) = entry.value();
    for (SparseMatrix::InnerIterator entry(A, col); entry; ++entry)
      transposed_(j, place_of_row_[at_index(entry.row())]) = entry.value();
  }
  metric_.compute(metric_of_group_);
  if (metric_.info() != Eigen::Success || !transposed_.allFinite()) return false;
  metric_.matrixL().solveInPlace(transposed_);
  right_ = transposed_.colwise().norm();
  for (Index i = 0; i < m; ++i) {
    if (!(right_[i] > 0)) right_[i] = 1;
    transposed_.col(i) /= right_[i];
  }
  decomposition_.setThreshold(rank_tolerance);
  decomposition_.compute(transposed_);
  const Index rank = decomposition_.rank();
  rank_ += rank;

  group.from_b = (decomposition_.colsPermutation().transpose() * Matrix(right_.cwiseInverse().asDiagonal()))
                     .topRows(rank);
  decomposition_.matrixR()
      .topLeftCorner(rank, rank)
      .template triangularView<Eigen::Upper>()
      .transpose()
      .solveInPlace(group.from_b);
  group.to_y = decomposition_.householderQ().setLength(rank) * Matrix::Identity(n, rank);
  group.from_y = group.to_y.transpose() * metric_.matrixU();
  metric_.matrixU().solveInPlace(group.to_y);
  return true;
}

bool GroupedLeastChange::factor(const SparseMatrix& W, const SparseMatrix& A, double rank_tolerance) {
  if (!known_) find_groups(W, A);
  known_ = true;
  rank_ = 0;
  if (!sparse_)
    return std::all_of(groups_.begin(), groups_.end(),
                       [&](Group& group) { return factor_group(W, A, rank_tolerance, group); });
  // rows of length one in the norm of W, so that damping means the same for all
  const Vector diagonal = W.diagonal();
  lengths_.setZero(A.rows());
  for_entries(A, [&](Index i, Index j, double value) { lengths_[i] += value * value / diagonal[j]; });
  lengths_ = lengths_.cwiseSqrt();
  for (double& length : lengths_)
    if (!(length > 0)) length = 1;
  scaled_ = A;
  for (int col = 0; col < scaled_.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(scaled_, col); entry; ++entry)
      entry.valueRef() /= lengths_[entry.row()];
  metric_of_all_ = W;
  return least_.factor(W, scaled_, std::max(least_damping, rank_tolerance * rank_tolerance));
}

void GroupedLeastChange::solve_group(const Group& group, Vector& y, const Vector& b) {
  const auto m = static_cast<Index>(group.rows.size()), n = static_cast<Index>(group.cols.size());
  part_.resize(n);
  for (Index j = 0; j < n; ++j) part_[j] = y[group.cols[at_index(j)]];
  right_.resize(m);
  for (Index i = 0; i < m; ++i) right_[i] = b[group.rows[at_index(i)]];
  small_.noalias() = group.from_b.lazyProduct(right_) - group.from_y.lazyProduct(part_);
  part_.noalias() += group.to_y.lazyProduct(small_);
  for (Index j = 0; j < n; ++j) y[group.cols[at_index(j)]] = part_[j];
}

void GroupedLeastChange::solve(Vector& y, const Vector& b) {
  if (sparse_) {
    part_ = metric_of_all_ * y;
    lower_ = b.cwiseQuotient(lengths_);
    least_.solve(part_, lower_, refinements);
    y = part_;
    return;
  }
  for (const Group& group : groups_) solve_group(group, y, b);
}

}  // namespace trammel
