#include "trammel/numerics/sparse_partition.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

void SparsePartition::choose(const SparseMatrix& D, Index rows, const Vector& preference,
                             double rank_tolerance, bool careful) {
  velocities_ = D.cols();
  all_rows_ = rows;
  rank_.factor(D.topRows(rows), rank_tolerance, preference);
  rows_ = rank_.independent_rows();
  dependent_ = rank_.pivot_columns();
  independent_ = rank_.free_columns();
  extract(D);
  exchange(D, preference);
  if (careful && redundant()) exchange_rows(D);
}

// The elimination goes by cost, too. Pairs are exchanged until no dependent velocity follows an independent
// one with a large factor, measured in units of their preference: D_u is then nearly of largest volume.
void SparsePartition::exchange(const SparseMatrix& D, const Vector& preference) {
  constexpr double large = 2, too_many = 1e7;
  const Index m = rank(), free = size();
  if (m == 0 || free == 0 || !std::isfinite(least_condition_) ||
      static_cast<double>(m) * static_cast<double>(free) > too_many)
    return;
  Matrix T, follow(m, free);
  tangent(D, T);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < free; ++j)
      follow(i, j) = T(dependent_[at_index(i)], j) * preference[independent_[at_index(j)]] /
                     preference[dependent_[at_index(i)]];
  bool exchanged = false;
  for (Index count = 0; count < 2 * (m + free); ++count) {
    Index i = 0, j = 0;
    if (!(follow.cwiseAbs().maxCoeff(&i, &j) > large)) break;
    // solve the row of i for j
    const double pivot = follow(i, j);
    Vector column = follow.col(j) / pivot;
    Eigen::RowVectorXd row = follow.row(i);
    row[j] = -1;
    column[i] = 0;
    follow.col(j).setZero();
    follow.noalias() -= column * row;
    follow.row(i) = -row / pivot;
    std::swap(dependent_[at_index(i)], independent_[at_index(j)]);
    exchanged = true;
  }
  if (!exchanged) return;
  std::sort(dependent_.begin(), dependent_.end());
  std::sort(independent_.begin(), independent_.end());
  extract(D);
}

// The same for rows of length one: a row that is left out is Σ c_i of those that count, and an error in these
// comes back c_i times in it.
void SparsePartition::exchange_rows(const SparseMatrix& D) {
  constexpr double large = 2;
  constexpr int at_most = 30;
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> by_rows = D;
  std::vector<int> place(at_index(velocities_), -1);
  for (std::size_t k = 0; k < dependent_.size(); ++k) place[at_index(dependent_[k])] = static_cast<int>(k);
  const auto length = [&](Index row) { return std::max(by_rows.row(static_cast<int>(row)).norm(), 1e-300); };
  for (int count = 0; count < at_most; ++count) {
    double worst = large;
    Index out = -1, in = -1;
    for (Index row = 0; row < all_rows_; ++row) {
      if (counts_[at_index(row)] != 0) continue;
      Vector factors = Vector::Zero(rank());
      for (decltype(by_rows)::InnerIterator entry(by_rows, static_cast<int>(row)); entry; ++entry)
        if (place[at_index(entry.col())] >= 0) factors[place[at_index(entry.col())]] = entry.value();
      lu_.solve_transposed(factors);
      for (Index i = 0; i < rank(); ++i) {
        const double factor = std::abs(factors[i]) * length(rows_[at_index(i)]) / length(row);
        if (factor > worst) {
          worst = factor;
          out = i;
          in = row;
        }
      }
    }
    if (out < 0) return;
    rows_[at_index(out)] = in;
    std::sort(rows_.begin(), rows_.end());
    extract(D);
    if (!std::isfinite(least_condition_)) return;
  }
}

bool SparsePartition::has_degraded(double growth) {
  const double now = condition();
  const bool worse = !(now <= (1 + growth) * least_condition_);
  least_condition_ = std::min(least_condition_, now);
  return worse;
}

// D_u for the choice at hand, with a pattern of its own.
void SparsePartition::extract(const SparseMatrix& D) {
  std::vector<int> place(at_index(D.rows()), -1);
  counts_.assign(at_index(D.rows()), 0);
  for (const Index row : rows_) counts_[at_index(row)] = 1;
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
  least_condition_ = factor(D) ? condition() : std::numeric_limits<double>::infinity();
}

void SparsePartition::renew_pattern(const SparseMatrix& D) {
  const double least = least_condition_;
  extract(D);
  least_condition_ = least;
}

// D_u alone has no size of its own: a single equation would always be well-conditioned.
double SparsePartition::condition() {
  if (rank() == 0) return 1;
  double own = 0;
  for (int col = 0; col < matrix_.outerSize(); ++col) {
    double sum = 0;
    for (SparseMatrix::InnerIterator entry(matrix_, col); entry; ++entry) sum += std::abs(entry.value());
    own = std::max(own, sum);
  }
  return own > 0 ? lu_.condition_estimate(matrix_) * std::max(1.0, size_ / own)
                 : std::numeric_limits<double>::infinity();
}

bool SparsePartition::factor(const SparseMatrix& D) {
  size_ = 0;
  for (int col = 0; col < D.outerSize(); ++col) {
    double sum = 0;
    for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry)
      if (counts_[at_index(entry.row())] != 0) sum += std::abs(entry.value());
    size_ = std::max(size_, sum);
  }
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

void SparsePartition::multipliers(const VectorIn& r, Vector& s) {
  s.setZero(static_cast<Index>(counts_.size()));
  if (rank() == 0) return;
  work_.resize(rank());
  for (std::size_t k = 0; k < dependent_.size(); ++k) work_[static_cast<Index>(k)] = r[dependent_[k]];
  lu_.solve_transposed(work_);
  for (std::size_t k = 0; k < rows_.size(); ++k) s[rows_[k]] = work_[static_cast<Index>(k)];
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
  T.setZero(velocities_, size());
  for (Index k = 0; k < size(); ++k) T(independent_[at_index(k)], k) = 1;
  if (rank() == 0 || size() == 0) return;
  columns_.setZero(rank(), size());
  std::vector<Index> place(counts_.size(), -1);
  for (std::size_t k = 0; k < rows_.size(); ++k) place[at_index(rows_[k])] = static_cast<Index>(k);
  for (Index k = 0; k < size(); ++k)
    for (SparseMatrix::InnerIterator entry(D, static_cast<int>(independent_[at_index(k)])); entry; ++entry)
      if (const Index row = place[at_index(entry.row())]; row >= 0) columns_(row, k) = -entry.value();
  lu_.solve(columns_);
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    T.row(dependent_[k]) = columns_.row(static_cast<Index>(k));
}

bool find_redundant_rows(const SparseMatrix& D, double rank_tolerance, std::vector<char>& independent) {
  SparsePartition partition;
  partition.choose(D, D.rows(), Vector::Ones(D.cols()), rank_tolerance);
  independent = partition.counts();
  return partition.redundant();
}

}  // namespace trammel
