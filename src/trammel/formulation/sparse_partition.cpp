#include "trammel/formulation/sparse_partition.h"

#include <algorithm>
#include <limits>

namespace trammel {

namespace {

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void SparsePartition::choose(const SparseMatrix& D, Index rows, const Vector& preference,
                             double rank_tolerance) {
  velocities_ = D.cols();
  all_rows_ = rows;
  rank_.factor(D.topRows(rows), rank_tolerance, preference);
  rows_ = rank_.independent_rows();
  dependent_ = rank_.pivot_columns();
  independent_ = rank_.free_columns();

  std::vector<int> place(at_index(D.rows()), -1);
  for (std::size_t k = 0; k < rows_.size(); ++k) place[at_index(rows_[k])] = static_cast<int>(k);
  std::vector<Eigen::Triplet<int, int>> entries;
  for (std::size_t k = 0; k < dependent_.size(); ++k) {
    const Index col = dependent_[k];
    for (int slot = D.outerIndexPtr()[col]; slot < D.outerIndexPtr()[col + 1]; ++slot) {
      const int row = place[at_index(D.innerIndexPtr()[slot])];
      if (row >= 0) entries.emplace_back(row, static_cast<int>(k), slot);
    }
  }
  Eigen::SparseMatrix<int, Eigen::ColMajor, int> slots(rank(), rank());
  slots.setFromTriplets(entries.begin(), entries.end());
  source_.assign(slots.valuePtr(), slots.valuePtr() + slots.nonZeros());
  matrix_ = slots.cast<double>();
  if (rank() > 0) lu_.analyze(matrix_);
  condition_at_choice_ = factor(D) ? (rank() > 0 ? condition() : 1) : std::numeric_limits<double>::infinity();
}

bool SparsePartition::factor(const SparseMatrix& D) {
  for (std::size_t k = 0; k < source_.size(); ++k) matrix_.valuePtr()[k] = D.valuePtr()[source_[k]];
  return rank() == 0 || lu_.factor(matrix_);
}

void SparsePartition::correct(const VectorIn& residual, VectorOut change) {
  change.setZero();
  if (rank() == 0) return;
  work_.resize(rank());
  for (std::size_t k = 0; k < rows_.size(); ++k) work_[static_cast<Index>(k)] = -residual[rows_[k]];
  lu_.solve(work_);
  for (std::size_t k = 0; k < dependent_.size(); ++k) change[dependent_[k]] = work_[static_cast<Index>(k)];
}

void SparsePartition::follow(const SparseMatrix& D, const VectorIn& residual, VectorOut change) {
  for (const Index i : dependent_) change[i] = 0;
  Vector rest = D * change;
  if (residual.size() > 0) rest += residual;
  Vector correction(velocities_);
  correct(rest, correction);
  change += correction;
}

void SparsePartition::follow(const SparseMatrix& D, const ComplexVector& residual,
                             Eigen::Ref<ComplexVector> change) {
  Vector part = change.real();
  follow(D, Vector(residual.real()), part);
  Vector imaginary = change.imag();
  follow(D, Vector(residual.imag()), imaginary);
  change.real() = part;
  change.imag() = imaginary;
}

void SparsePartition::correct_columns(const Matrix& residual, Matrix& change) {
  change.setZero(velocities_, residual.cols());
  if (rank() == 0 || residual.cols() == 0) return;
  columns_.resize(rank(), residual.cols());
  for (std::size_t k = 0; k < rows_.size(); ++k)
    columns_.row(static_cast<Index>(k)) = -residual.row(rows_[k]);
  lu_.solve(columns_);
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    change.row(dependent_[k]) = columns_.row(static_cast<Index>(k));
}

void SparsePartition::tangent(const SparseMatrix& D, Matrix& T) {
  Matrix unit = Matrix::Zero(velocities_, size());
  for (Index k = 0; k < size(); ++k) unit(independent_[at_index(k)], k) = 1;
  correct_columns(D * unit, T);
  T += unit;
}

}  // namespace trammel
