#include "trammel/formulation/state_space/parametrization.h"

#include <algorithm>
#include <limits>

namespace trammel {

namespace {

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

// J by x alone, the contact coordinates replaced by what their equations say.
Matrix without_contacts(const Matrix& J, Index contacts) {
  const Index columns = J.cols() - contacts;
  Matrix reduced = J.bottomRows(J.rows() - contacts).leftCols(columns);
  if (contacts == 0) return reduced;
  const Matrix follow =
      J.topRightCorner(contacts, contacts).partialPivLu().solve(J.topLeftCorner(contacts, columns));
  reduced.noalias() -= J.bottomRightCorner(J.rows() - contacts, contacts) * follow;
  return reduced;
}

}  // namespace

void Parametrization::choose(const Matrix& J, Kind kind, Index never_free, const Vector& preference,
                             double rank_tolerance, Index least_rank) {
  kind_ = kind;
  columns_ = J.cols();
  all_rows_ = J.rows();
  never_free_ = never_free;
  row_scale_.resize(all_rows_);
  for (Index i = 0; i < all_rows_; ++i) {
    const double length = J.row(i).norm();
    row_scale_[i] = length > 0 ? 1 / length : 1;
  }
  const Matrix scaled = row_scale_.asDiagonal() * J;
  choose_partition(without_contacts(scaled, never_free) * preference.asDiagonal(), rank_tolerance, least_rank,
                   never_free);
  if (!is_partition()) choose_basis(J);
  least_condition_ = factor(J) ? condition_ : std::numeric_limits<double>::infinity();
}

void Parametrization::choose_partition(const Matrix& reduced, double rank_tolerance, Index least_rank,
                                       Index first_rows) {
  pivots_.factor(reduced, rank_tolerance);
  if (pivots_.rank() + first_rows < least_rank) pivots_.factor(reduced, 1e-15);
  rows_.clear();
  dependent_.clear();
  independent_.clear();
  for (Index i = 0; i < first_rows; ++i) rows_.push_back(i);
  std::vector<char> depends(at_index(columns_), 0);
  for (Index k = 0; k < pivots_.rank(); ++k) {
    rows_.push_back(first_rows + pivots_.pivot_row(k));
    depends[at_index(pivots_.pivot_column(k))] = 1;
  }
  std::sort(rows_.begin(), rows_.end());
  counts_.assign(at_index(all_rows_), 0);
  for (const Index row : rows_) counts_[at_index(row)] = 1;
  for (Index i = columns_ - never_free_; i < columns_; ++i) depends[at_index(i)] = 1;
  for (Index i = 0; i < columns_; ++i) (depends[at_index(i)] ? dependent_ : independent_).push_back(i);
  free_ = static_cast<Index>(independent_.size());
}

// An orthonormal basis of the kernel, as a QR decomposition with pivoting of the transposed matrix gives it.
void Parametrization::choose_basis(const Matrix& J) {
  const Index columns = columns_ - never_free_;
  S_.setZero(free_, columns_);
  if (free_ == 0) return;
  if (rank() == never_free_) {
    S_.leftCols(columns).setIdentity();
    return;
  }
  const Matrix reduced = without_contacts(J, never_free_);
  Matrix transposed(columns, rank() - never_free_);
  for (Index k = never_free_; k < rank(); ++k)
    transposed.col(k - never_free_) = reduced.row(rows_[at_index(k)] - never_free_).transpose();
  const Eigen::ColPivHouseholderQR<Matrix> qr(transposed);
  Matrix basis = Matrix::Zero(columns, free_);
  basis.bottomRows(free_).setIdentity();
  basis.applyOnTheLeft(qr.householderQ());
  S_.leftCols(columns) = basis.transpose();
}

void Parametrization::carry(const Matrix& J) {
  if (free_ == 0 || rank() == never_free_) return;
  const Matrix before = S_;
  choose_basis(J);
  // the kernel's basis nearest to the old one: S (the polar factor of S Sᵀ_before)
  const Eigen::JacobiSVD<Matrix> svd(before * S_.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  S_ = (svd.matrixU() * svd.matrixV().transpose()) * S_;
  least_condition_ = factor(J) ? condition_ : std::numeric_limits<double>::infinity();
}

bool Parametrization::factor(const Matrix& J) {
  const Index m = rank();
  if (is_partition()) {
    matrix_.resize(m, m);
    beside_.resize(m, free_);
    for (Index k = 0; k < m; ++k) {
      const Index row = rows_[at_index(k)];
      for (Index j = 0; j < m; ++j) matrix_(k, j) = row_scale_[row] * J(row, dependent_[at_index(j)]);
      for (Index j = 0; j < free_; ++j) beside_(k, j) = row_scale_[row] * J(row, independent_[at_index(j)]);
    }
  } else {
    matrix_.resize(columns_, columns_);
    matrix_.topRows(free_) = S_;
    for (Index k = 0; k < m; ++k) {
      const Index row = rows_[at_index(k)];
      matrix_.row(free_ + k) = row_scale_[row] * J.row(row);
    }
  }
  if (matrix_.rows() == 0) {
    condition_ = 1;
    return true;
  }
  if (!matrix_.allFinite()) return false;
  lu_.compute(matrix_);
  const double reciprocal = lu_.rcond();
  // Φ_u alone has no size of its own: a single equation would always be well-conditioned
  const auto largest_column = [](const Matrix& matrix) {
    return matrix.size() > 0 ? matrix.cwiseAbs().colwise().sum().maxCoeff() : 0.0;
  };
  const double own = largest_column(matrix_);
  const double all = is_partition() ? std::max(own, largest_column(beside_)) : own;
  condition_ = reciprocal * own > 0 ? all / (reciprocal * own) : std::numeric_limits<double>::infinity();
  return condition_ < 1e14;
}

bool Parametrization::has_degraded(double growth) {
  const bool worse = !(condition_ <= (1 + growth) * least_condition_);
  least_condition_ = std::min(least_condition_, condition_);
  return worse;
}

void Parametrization::take_rows(const Matrix& X, Matrix& Y) const {
  Y.resize(free_, X.cols());
  if (is_partition()) {
    for (Index i = 0; i < free_; ++i) Y.row(i) = X.row(independent_[at_index(i)]);
  } else {
    Y.noalias() = S_ * X;
  }
}

void Parametrization::tangent(Matrix& T) const {
  T.setZero(columns_, free_);
  if (is_partition()) {
    for (Index i = 0; i < free_; ++i) T(independent_[at_index(i)], i) = 1;
    if (dependent_.empty() || free_ == 0) return;
    work_.noalias() = -lu_.solve(beside_);
    for (std::size_t k = 0; k < dependent_.size(); ++k)
      T.row(dependent_[k]) = work_.row(static_cast<Index>(k));
  } else if (free_ > 0) {
    work_.setZero(columns_, free_);
    work_.topRows(free_).setIdentity();
    T = lu_.solve(work_);
  }
}

void Parametrization::correction(const Eigen::Ref<const Matrix>& residual, Matrix& change) const {
  const Index m = rank(), cols = residual.cols();
  change.setZero(columns_, cols);
  if (m == 0 || cols == 0) return;
  const Index shift = is_partition() ? 0 : free_;
  work_.setZero(shift + m, cols);
  for (Index k = 0; k < m; ++k) {
    const Index row = rows_[at_index(k)];
    work_.row(shift + k) = -row_scale_[row] * residual.row(row);
  }
  if (is_partition()) {
    const Matrix solved = lu_.solve(work_);
    for (std::size_t k = 0; k < dependent_.size(); ++k)
      change.row(dependent_[k]) = solved.row(static_cast<Index>(k));
  } else {
    change = lu_.solve(work_);
  }
}

void Parametrization::multipliers(const Vector& r, Vector& s) const {
  const Index m = rank();
  s.setZero(all_rows_);
  if (m == 0) return;
  work_.resize(m, 1);
  for (std::size_t k = 0; k < dependent_.size(); ++k) work_(static_cast<Index>(k), 0) = r[dependent_[k]];
  const Vector scaled = lu_.transpose().solve(work_.col(0));
  for (Index k = 0; k < m; ++k) {
    const Index row = rows_[at_index(k)];
    s[row] = row_scale_[row] * scaled[k];
  }
}

}  // namespace trammel
