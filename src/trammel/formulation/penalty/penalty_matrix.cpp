#include "trammel/formulation/penalty/penalty_matrix.h"

#include <cmath>

namespace trammel {

void PenaltyMatrix::take_patterns(const TangentSlopes& slopes) {
  velocities_ = slopes.mass.rows();
  size_ = velocities_ + slopes.state_state.rows();
  rows_.assign(at_index(slopes.jacobian.rows()), {});
  int slot = 0;
  for_entries(slopes.jacobian, [&](Index row, int column, double) {
    rows_[at_index(row)].jacobian.push_back({column, slot++});
  });
  slot = 0;
  for_entries(slopes.force_multiplier, [&](Index velocity, int row, double) {
    rows_[at_index(row)].coupling.push_back({static_cast<int>(velocity), slot++});
  });
  is_dense_ = size_ <= dense_size;
  if (is_dense_) {
    dense_.resize(size_, size_);
    swaps_.resize(at_index(size_));
  } else {
    sparse_ = AssembledMatrix(size_, size_);
  }
}

template <class Add>
void PenaltyMatrix::enter(const TangentSlopes& slopes, const SecondOrderWeights& weights,
                          const Vector& penalties, const Add& add) const {
  const double by_displacement = -1 / weights.acceleration;
  const double by_velocity = -weights.velocity / weights.acceleration;
  const auto enter_all = [&](const SparseMatrix& from, Index row, Index column, double factor) {
    for_entries(from, [&](Index i, int j, double value) { add(row + i, column + j, factor * value); });
  };
  enter_all(slopes.mass, 0, 0, 1);
  enter_all(slopes.force_pose, 0, 0, by_displacement);
  enter_all(slopes.force_twist, 0, 0, by_velocity);
  enter_all(slopes.force_state, 0, velocities_, by_displacement);
  enter_all(slopes.state_pose, velocities_, 0, -1);
  enter_all(slopes.state_twist, velocities_, 0, -weights.velocity);
  enter_all(slopes.state_state, velocities_, velocities_, -1);
  for (Index i = velocities_; i < size_; ++i) add(i, i, weights.state_rate);
  const double* const D = slopes.jacobian.valuePtr();
  const double* const coupling = slopes.force_multiplier.valuePtr();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double w = penalties[static_cast<Index>(i)];
    for (const Place& right : rows_[i].jacobian) {
      const double value = w * D[right.slot];
      for (const Place& left : rows_[i].jacobian) add(left.column, right.column, D[left.slot] * value);
      for (const Place& left : rows_[i].coupling)
        add(left.column, right.column, -coupling[left.slot] * value);
    }
  }
}

bool PenaltyMatrix::factor(const TangentSlopes& slopes, const SecondOrderWeights& weights,
                           const Vector& penalties) {
  const bool first = !known_;
  if (first) take_patterns(slopes);
  if (is_dense_) {
    dense_.setZero();
    enter(slopes, weights, penalties,
          [&](Index row, Index column, double value) { dense_(row, column) += value; });
    known_ = true;
    if (!dense_.allFinite()) return false;
    factor_dense();
    for (Index i = 0; i < size_; ++i)
      if (dense_(i, i) == 0) return false;
    return true;
  }
  sparse_.begin();
  enter(slopes, weights, penalties,
        [&](Index row, Index column, double value) { sparse_.add(row, column, value); });
  sparse_.finish();
  known_ = true;
  if (first) lu_.analyze(sparse_.matrix());
  return lu_.factor(sparse_.matrix());
}

// LU with row exchanges in place: Eigen's own takes work space from the heap.
void PenaltyMatrix::factor_dense() {
  for (Index k = 0; k < size_; ++k) {
    Index pivot = k;
    dense_.col(k).tail(size_ - k).cwiseAbs().maxCoeff(&pivot);
    pivot += k;
    swaps_[at_index(k)] = pivot;
    if (pivot != k) dense_.row(k).swap(dense_.row(pivot));
    const Index rest = size_ - k - 1;
    if (rest == 0 || dense_(k, k) == 0) continue;
    dense_.col(k).tail(rest) /= dense_(k, k);
    for (Index j = k + 1; j < size_; ++j)
      if (const double factor = dense_(k, j); factor != 0)
        dense_.col(j).tail(rest) -= factor * dense_.col(k).tail(rest);
  }
}

void PenaltyMatrix::solve(VectorOut unknowns) {
  if (!is_dense_) {
    lu_.solve(unknowns);
    return;
  }
  for (Index k = 0; k < size_; ++k)
    if (const Index pivot = swaps_[at_index(k)]; pivot != k) std::swap(unknowns[k], unknowns[pivot]);
  for (Index k = 0; k < size_; ++k)
    unknowns.tail(size_ - k - 1) -= unknowns[k] * dense_.col(k).tail(size_ - k - 1);
  for (Index k = size_; k-- > 0;) {
    unknowns[k] /= dense_(k, k);
    unknowns.head(k) -= unknowns[k] * dense_.col(k).head(k);
  }
}

}  // namespace trammel
