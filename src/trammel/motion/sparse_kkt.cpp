#include "trammel/motion/sparse_kkt.h"

#include <cmath>

namespace trammel {

bool SparseKkt::factor(const SparseMatrix& W, const SparseMatrix& A, const std::vector<char>& active,
                       double regularization, const SparseMatrix* coupling) {
  upper_ = W.rows();
  lower_ = A.rows();
  active_ = active;
  active_.resize(static_cast<std::size_t>(lower_), active.empty() ? char{1} : char{0});
  if (!analyzed_) matrix_ = AssembledMatrix(upper_ + lower_, upper_ + lower_);
  matrix_.begin();
  for (int col = 0; col < W.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(W, col); entry; ++entry)
      matrix_.add(entry.row(), col, entry.value());
  for (int col = 0; col < A.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(A, col); entry; ++entry) {
      const double value = active_[static_cast<std::size_t>(entry.row())] ? entry.value() : 0.0;
      matrix_.add(upper_ + entry.row(), col, value);
      matrix_.add(col, upper_ + entry.row(), value);
    }
  if (coupling != nullptr)
    for (int col = 0; col < coupling->outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(*coupling, col); entry; ++entry)
        matrix_.add(entry.row(), upper_ + col, active_[static_cast<std::size_t>(col)] ? -entry.value() : 0.0);
  for (Index row = 0; row < lower_; ++row)
    matrix_.add(upper_ + row, upper_ + row, active_[static_cast<std::size_t>(row)] ? -regularization : 1.0);
  matrix_.finish();
  if (!analyzed_) {
    lu_.analyze(matrix_.matrix());
    analyzed_ = true;
    weakest_ = Vector::Ones(lower_);
    work_.resize(upper_ + lower_);
  }
  return lu_.factor(matrix_.matrix());
}

void SparseKkt::solve(Eigen::Ref<Vector> upper, Eigen::Ref<Vector> lower) {
  work_.head(upper_) = upper;
  for (Index row = 0; row < lower_; ++row)
    work_[upper_ + row] = active_[static_cast<std::size_t>(row)] ? lower[row] : 0.0;
  lu_.solve(work_);
  upper = work_.head(upper_);
  lower = work_.tail(lower_);
}

double SparseKkt::smallest_singular_value() {
  if (lower_ == 0) return 1;
  // y ← (A W⁻¹ Aᵀ)⁻¹ y
  Vector &upper = upper_work_, &lower = lower_work_;
  double size = 0;
  if (!(weakest_.norm() > 0) || !weakest_.allFinite()) weakest_.setOnes();
  for (int iteration = 0; iteration < 2; ++iteration) {
    lower = weakest_ / weakest_.norm();
    // something of every direction, so that none is missed for good
    for (Index i = 0; i < lower_; ++i) lower[i] += 1e-3 * std::cos(2.4 * static_cast<double>(i + 1));
    upper.setZero(upper_);
    const double before = lower.norm();
    solve(upper, lower);
    size = lower.norm() / before;
    weakest_ = lower;
  }
  return size > 0 && std::isfinite(size) ? 1 / std::sqrt(size) : 0;
}

}  // namespace trammel
