#include "trammel/numerics/full_pivot_lu.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace trammel {

void FullPivotLu::factor(const Eigen::Ref<const Matrix>& A, double tolerance) {
  lu_ = A;
  const Index m = lu_.rows(), n = lu_.cols();
  row_.resize(static_cast<std::size_t>(m));
  column_.resize(static_cast<std::size_t>(n));
  std::iota(row_.begin(), row_.end(), Index{0});
  std::iota(column_.begin(), column_.end(), Index{0});
  work_.resize(m);
  rank_ = 0;
  double first_pivot = 0;
  for (Index k = 0; k < std::min(m, n); ++k) {
    // the largest remaining entry
    Index pivot_row = k, pivot_column = k;
    double largest = 0;
    for (Index j = k; j < n; ++j)
      for (Index i = k; i < m; ++i)
        if (std::abs(lu_(i, j)) > largest) {
          largest = std::abs(lu_(i, j));
          pivot_row = i;
          pivot_column = j;
        }
    if (k == 0) first_pivot = largest;
    if (largest == 0 || largest <= tolerance * first_pivot) return;
    if (pivot_row != k) {
      lu_.row(k).swap(lu_.row(pivot_row));
      std::swap(row_[static_cast<std::size_t>(k)], row_[static_cast<std::size_t>(pivot_row)]);
    }
    if (pivot_column != k) {
      lu_.col(k).swap(lu_.col(pivot_column));
      std::swap(column_[static_cast<std::size_t>(k)], column_[static_cast<std::size_t>(pivot_column)]);
    }
    // eliminate
    const double inverse = 1.0 / lu_(k, k);
    for (Index i = k + 1; i < m; ++i) lu_(i, k) *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      const double factor = lu_(k, j);
      if (factor == 0) continue;
      for (Index i = k + 1; i < m; ++i) lu_(i, j) -= lu_(i, k) * factor;
    }
    ++rank_;
  }
}

void FullPivotLu::solve(const Eigen::Ref<const Matrix>& b, Eigen::Ref<Matrix> x) {
  x.setZero();
  for (Index c = 0; c < b.cols(); ++c) {
    // L y = P b
    for (Index i = 0; i < rank_; ++i) work_[i] = b(row_[static_cast<std::size_t>(i)], c);
    for (Index j = 0; j < rank_; ++j)
      for (Index i = j + 1; i < rank_; ++i) work_[i] -= lu_(i, j) * work_[j];
    // U x = y
    for (Index j = rank_ - 1; j >= 0; --j) {
      work_[j] /= lu_(j, j);
      for (Index i = 0; i < j; ++i) work_[i] -= lu_(i, j) * work_[j];
    }
    for (Index i = 0; i < rank_; ++i) x(pivot_column(i), c) = work_[i];
  }
}

void FullPivotLu::kernel(Eigen::Ref<Matrix> out) const {
  const Index n = cols();
  out.setZero();
  for (Index free = rank_; free < n; ++free) {
    const Index c = free - rank_;
    out(pivot_column(free), c) = 1;
    for (Index i = 0; i < rank_; ++i) out(pivot_column(i), c) = -lu_(i, free);
    for (Index j = rank_ - 1; j >= 0; --j) {
      double& pivot = out(pivot_column(j), c);
      pivot /= lu_(j, j);
      for (Index i = 0; i < j; ++i) out(pivot_column(i), c) -= lu_(i, j) * pivot;
    }
  }
}

}  // namespace trammel
