#include "trammel/numerics/constraint_decomposition.h"

#include <algorithm>

namespace trammel {

void ConstraintDecomposition::factor(const Eigen::Ref<const Matrix>& A, Decomposition kind,
                                     double rank_tolerance, bool scale_columns, Index prescribed_rank) {
  kind_ = kind;
  scaled_ = A;
  columns_scaled_ = scale_columns && kind != Decomposition::svd;
  dependent_.clear();
  rank_ = 0;
  regularity_ = 1;
  column_scale_.setOnes(A.cols());
  row_scale_.resize(A.rows());
  for (Index i = 0; i < A.rows(); ++i) {
    const double length = scaled_.row(i).norm();
    row_scale_[i] = length > 0 ? 1.0 / length : 1.0;
    scaled_.row(i) *= row_scale_[i];
  }
  if (columns_scaled_)
    for (Index j = 0; j < A.cols(); ++j) {
      const double length = scaled_.col(j).norm();
      column_scale_[j] = length > 0 ? 1.0 / length : 1.0;
      scaled_.col(j) *= column_scale_[j];
    }
  if (A.rows() == 0 || A.cols() == 0) return;

  switch (kind) {
    case Decomposition::lu:
      lu_.factor(scaled_, rank_tolerance);
      rank_ = lu_.rank();
      if (rank_ > 0) regularity_ = lu_.pivot(rank_ - 1) / lu_.pivot(0);
      for (Index k = 0; k < rank_; ++k) dependent_.push_back(lu_.pivot_column(k));
      break;
    case Decomposition::qr:
      qr_.setThreshold(rank_tolerance);
      qr_.compute(scaled_);
      rank_ = qr_.rank();
      if (rank_ > 0) regularity_ = std::abs(qr_.matrixQR()(rank_ - 1, rank_ - 1) / qr_.matrixQR()(0, 0));
      for (Index k = 0; k < rank_; ++k) dependent_.push_back(qr_.colsPermutation().indices()[k]);
      break;
    case Decomposition::svd:
      svd_.setThreshold(rank_tolerance);
      svd_.compute(scaled_, Eigen::ComputeFullU | Eigen::ComputeFullV);
      rank_ = prescribed_rank >= 0 ? std::min(prescribed_rank, std::min(A.rows(), A.cols())) : svd_.rank();
      if (rank_ > 0) regularity_ = svd_.singularValues()[rank_ - 1] / svd_.singularValues()[0];
      break;
  }
  std::sort(dependent_.begin(), dependent_.end());
}

void ConstraintDecomposition::solve(const Eigen::Ref<const Matrix>& b, Eigen::Ref<Matrix> x) {
  if (rank_ == 0) {
    x.setZero();
    return;
  }
  // work space only grows, so that right-hand sides of different widths do not allocate in turn
  if (work_.rows() != b.rows() || work_.cols() < b.cols()) work_.resize(b.rows(), b.cols());
  if (coefficients_.rows() != rank_ || coefficients_.cols() < b.cols()) coefficients_.resize(rank_, b.cols());
  auto work = work_.leftCols(b.cols());
  for (Index j = 0; j < b.cols(); ++j)
    for (Index i = 0; i < b.rows(); ++i) work(i, j) = row_scale_[i] * b(i, j);
  switch (kind_) {
    case Decomposition::lu:
      lu_.solve(work, x);
      break;
    case Decomposition::qr: {
      // by hand: Eigen's solve() divides by every pivot above round-off, below the rank tolerance or not
      for (Index k = 0; k < rank_; ++k)
        work.bottomRows(work.rows() - k)
            .applyHouseholderOnTheLeft(qr_.matrixQR().col(k).tail(work.rows() - k - 1), qr_.hCoeffs()[k],
                                       coefficients_.data());
      auto dependent = work.topRows(rank_);
      qr_.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(dependent);
      x.setZero();
      for (Index k = 0; k < rank_; ++k) x.row(qr_.colsPermutation().indices()[k]) = dependent.row(k);
      break;
    }
    case Decomposition::svd: {
      auto coefficients = coefficients_.leftCols(b.cols());
      coefficients.noalias() = svd_.matrixU().leftCols(rank_).transpose() * work;
      for (Index i = 0; i < rank_; ++i) coefficients.row(i) /= svd_.singularValues()[i];
      x.noalias() = svd_.matrixV().leftCols(rank_) * coefficients;
      break;
    }
  }
  if (columns_scaled_)
    for (Index j = 0; j < x.cols(); ++j)
      for (Index i = 0; i < x.rows(); ++i) x(i, j) *= column_scale_[i];
}

void ConstraintDecomposition::kernel(Eigen::Ref<Matrix> out) const {
  const Index free = cols() - rank_;
  if (rank_ == 0) {
    out.setIdentity();
    return;
  }
  if (free == 0) return;
  switch (kind_) {
    case Decomposition::lu:
      lu_.kernel(out);
      break;
    case Decomposition::qr: {
      // R = [R1 R2]: the kernel is [−R1⁻¹R2; I], with the columns put back in place
      const auto R1 = qr_.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
      const Matrix dependent = -R1.solve(qr_.matrixQR().topRightCorner(rank_, free));
      const auto& column = qr_.colsPermutation().indices();
      out.setZero();
      for (Index i = 0; i < rank_; ++i) out.row(column[i]) = dependent.row(i);
      for (Index i = 0; i < free; ++i) out(column[rank_ + i], i) = 1;
      break;
    }
    case Decomposition::svd:
      out = svd_.matrixV().rightCols(free);
      break;
  }
  if (columns_scaled_)
    for (Index i = 0; i < out.rows(); ++i) out.row(i) *= column_scale_[i];
}

void ConstraintDecomposition::row_basis(Matrix& out) const {
  if (kind_ != Decomposition::svd || full_row_rank()) {
    out.setIdentity(rows(), rows());
    return;
  }
  if (rank_ == 0) {
    out.resize(rows(), 0);
    return;
  }
  // The row space of A's rows in unscaled terms: A = D⁻¹ U Σ Vᵀ, range(A) = D⁻¹ U_r; orthonormalise once
  // more.
  const Matrix range = row_scale_.cwiseInverse().asDiagonal() * svd_.matrixU().leftCols(rank_);
  out = Eigen::HouseholderQR<Matrix>(range).householderQ() * Matrix::Identity(rows(), rank_);
}

}  // namespace trammel
