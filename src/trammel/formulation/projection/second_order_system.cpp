#include "trammel/formulation/projection/second_order_system.h"

#include <algorithm>

#include "trammel/motion/acceleration_system.h"

namespace trammel {

namespace {

// A matrix with this part of its entries, and of this size at least, is factored faster densely.
constexpr double full = 0.3;
constexpr Index least_dense = 24;

bool has_same_pattern(const SparseMatrix& one, const SparseMatrix& other) {
  return one.nonZeros() == other.nonZeros() && one.cols() == other.cols() && one.isCompressed() &&
         other.isCompressed() &&
         std::equal(one.outerIndexPtr(), one.outerIndexPtr() + one.cols() + 1, other.outerIndexPtr()) &&
         std::equal(one.innerIndexPtr(), one.innerIndexPtr() + one.nonZeros(), other.innerIndexPtr());
}

}  // namespace

// Rows without entries: a one on the diagonal keeps their multipliers as they are told to be.
void SecondOrderSystem::leave_out(std::span<const char> counts) {
  counts_.assign(counts.begin(), counts.end());
  if (counts_.empty()) return;
  const auto clear = [&](SparseMatrix& matrix) {
    for (int col = 0; col < matrix.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(matrix, col); entry; ++entry)
        if (counts_[at_index(entry.row())] == 0) entry.valueRef() = 0;
  };
  clear(jacobian_);
  clear(acceleration_twist_);
}

void SecondOrderSystem::take(const TangentSlopes& slopes, std::span<const char> counts) {
  velocities_ = slopes.mass.cols();
  constraints_ = slopes.jacobian.rows();
  states_ = slopes.state_state.rows();
  kinematics_ = slopes.kinematics;
  mass_ = slopes.mass;
  jacobian_ = slopes.jacobian;
  force_twist_ = slopes.force_twist;
  acceleration_twist_ = slopes.acceleration_twist;
  state_twist_ = slopes.state_twist;
  leave_out(counts);
  mass_kinematics_.update(mass_, kinematics_);
  force_kinematics_.update(force_twist_, kinematics_);
  jacobian_kinematics_.update(jacobian_, kinematics_);
  acceleration_kinematics_.update(acceleration_twist_, kinematics_);
  state_kinematics_.update(state_twist_, kinematics_);

  const bool first = system_.empty();
  if (first) alike_ = has_same_pattern(mass_, force_twist_);
  const Index size = velocities_ + constraints_ + states_;
  if (first) system_ = ShiftedMatrix(size);
  system_.begin();
  put_dynamics(slopes);
  put_constraints(slopes);
  put_states(slopes);
  system_.finish();
  if (!first) return;
  real_.matrix = system_.pattern();
  complex_.matrix = system_.pattern().cast<std::complex<double>>();
  dense_ = size >= least_dense &&
           static_cast<double>(real_.matrix.nonZeros()) > full * static_cast<double>(size * size);
  if (dense_) return;
  const std::vector<int> order = order_of_all();
  real_.lu.analyze(real_.matrix, order);
  complex_.lu.analyze(complex_.matrix, order);
}

// Multipliers, which have next to nothing on the diagonal, after the last velocity of their rows; states at the end.
std::vector<int> SecondOrderSystem::order_of_all() const {
  if (static_cast<Index>(order_.size()) != velocities_) return {};
  std::vector<int> place(order_.size()), last(at_index(constraints_), 0);
  for (std::size_t i = 0; i < order_.size(); ++i) place[at_index(order_[i])] = static_cast<int>(i);
  for_entries(jacobian_, [&](Index i, Index j, double) {
    last[at_index(i)] = std::max(last[at_index(i)], place[at_index(j)]);
  });
  std::vector<std::vector<int>> multipliers(order_.size());
  for (std::size_t i = 0; i < last.size(); ++i)
    multipliers[at_index(last[i])].push_back(static_cast<int>(velocities_ + static_cast<Index>(i)));
  std::vector<int> order;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    order.push_back(order_[i]);
    order.insert(order.end(), multipliers[i].begin(), multipliers[i].end());
  }
  for (Index i = velocities_ + constraints_; i < system_.size(); ++i) order.push_back(static_cast<int>(i));
  return order;
}

void SecondOrderSystem::put_dynamics(const TangentSlopes& slopes) {
  const Index lambda = velocities_, r = velocities_ + constraints_;
  const auto add = [&](Index column, int power, double sign) {
    return [this, column, power, sign](Index i, Index j, double value) {
      system_.add(i, column + j, power, sign * value);
    };
  };
  for_entries(mass_, add(0, 0, 1));
  for_entries(mass_kinematics_.matrix(), add(0, -1, 1));
  for_entries(force_twist_, add(0, -1, -1));
  for_entries(slopes.force_pose, add(0, -2, -1));
  for_entries(force_kinematics_.matrix(), add(0, -2, -1));
  for_entries(slopes.force_multiplier, add(lambda, 0, -1));
  for_entries(jacobian_, [&](Index i, Index j, double value) { system_.add(j, lambda + i, 0, value); });
  for_entries(slopes.force_state, add(r, -2, -1));
}

void SecondOrderSystem::put_constraints(const TangentSlopes& slopes) {
  const Index lambda = velocities_;
  const auto add = [&](int power) {
    return
        [this, lambda, power](Index i, Index j, double value) { system_.add(lambda + i, j, power, value); };
  };
  for_entries(jacobian_, add(0));
  for_entries(jacobian_kinematics_.matrix(), add(-1));
  for_entries(acceleration_twist_, add(-1));
  const auto counted = [&](Index i) { return counts_.empty() || counts_[at_index(i)] != 0; };
  for_entries(slopes.acceleration_pose, [&](Index i, Index j, double value) {
    system_.add(lambda + i, j, -2, counted(i) ? value : 0.0);
  });
  for_entries(acceleration_kinematics_.matrix(), add(-2));
  const Vector masses = mass_.diagonal();
  const double least = AccelerationSystem::least_mass(masses);
  regularization_.setZero(constraints_);
  for_entries(jacobian_, [&](Index i, Index j, double value) {
    regularization_[i] += value * value / std::max(masses[j], least);
  });
  for (Index i = 0; i < constraints_; ++i)
    system_.add(lambda + i, lambda + i, 0,
                !counted(i) ? 1.0
                            : -AccelerationSystem::regularization *
                                  (regularization_[i] > 0 ? regularization_[i] : 1.0));
}

void SecondOrderSystem::put_states(const TangentSlopes& slopes) {
  const Index lambda = velocities_, r = velocities_ + constraints_;
  const auto add = [&](Index column, int power) {
    return [this, r, column, power](Index i, Index j, double value) {
      system_.add(r + i, column + j, power, -value);
    };
  };
  for (Index i = 0; i < states_; ++i) system_.add(r + i, r + i, 0, 1);
  for_entries(slopes.state_state, add(r, -1));
  for_entries(state_twist_, add(0, 0));
  for_entries(slopes.state_pose, add(0, -1));
  for_entries(state_kinematics_.matrix(), add(0, -1));
  for_entries(slopes.state_multiplier, add(lambda, 1));
}

template <class Scalar>
bool SecondOrderSystem::factor_shifted(Scalar shift, Shifted<Scalar>& at) {
  at.shift = shift;
  system_.evaluate(shift, at.matrix);
  if (!dense_) return at.lu.factor(at.matrix);
  at.dense.compute(Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>(at.matrix));
  return at.dense.matrixLU().allFinite() && (at.dense.matrixLU().diagonal().array() != Scalar(0)).all();
}

// In joint coordinates both have an entry for every pair of joints on a path: they are passed once.
template <class Scalar>
void SecondOrderSystem::multiply_dynamics(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& a,
                                          const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& b,
                                          Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> out) const {
  if (!alike_) {
    out = mass_ * a - force_twist_ * b;
    return;
  }
  out.setZero();
  const int *starts = mass_.outerIndexPtr(), *rows = mass_.innerIndexPtr();
  const double *masses = mass_.valuePtr(), *slopes = force_twist_.valuePtr();
  for (Index col = 0; col < velocities_; ++col) {
    const Scalar by_a = a[col], by_b = b[col];
    for (int k = starts[col]; k < starts[col + 1]; ++k) out[rows[k]] += masses[k] * by_a - slopes[k] * by_b;
  }
}

template <class Scalar>
void SecondOrderSystem::solve_shifted(Shifted<Scalar>& at, Columns<Scalar>& columns) {
  const Scalar shift = at.shift, square = shift * shift;
  auto& b1 = columns.positions;
  at.right.resize(system_.size());
  at.work = columns.velocities + shift * b1;
  multiply_dynamics<Scalar>(at.work, b1, at.right.head(velocities_));
  at.right.head(velocities_) /= square;
  at.right.segment(velocities_, constraints_) = (jacobian_ * at.work + acceleration_twist_ * b1) / square;
  at.right.tail(states_) = (columns.states - state_twist_ * b1) / shift;
  solve_right(at);
  finish(at, columns);
}

template <class Scalar>
void SecondOrderSystem::solve_right(Shifted<Scalar>& at) {
  if (dense_)
    at.right = at.dense.solve(at.right);
  else
    at.lu.solve(at.right);
}

template <class Scalar>
void SecondOrderSystem::finish(Shifted<Scalar>& at, Columns<Scalar>& columns) {
  columns.velocities =
      at.shift * at.right.head(velocities_) + kinematics_ * at.right.head(velocities_) - columns.positions;
  columns.positions = at.right.head(velocities_);
  columns.states = at.right.tail(states_);
}

void SecondOrderSystem::solve(Columns<double>& columns, Vector& constraints) {
  const double shift = real_.shift, square = shift * shift;
  const Vector& b1 = columns.positions;
  Vector& right = real_.right;
  right.resize(system_.size());
  right.head(velocities_) = (columns.velocities + shift * (mass_ * b1) - force_twist_ * b1) / square;
  right.segment(velocities_, constraints_) =
      (constraints + shift * (jacobian_ * b1) + acceleration_twist_ * b1) / square;
  right.tail(states_) = (columns.states - state_twist_ * b1) / shift;
  solve_right(real_);
  finish(real_, columns);
  constraints = square * right.segment(velocities_, constraints_);
}

void SecondOrderSystem::solve_constraints(const Vector& residual, Vector& q) {
  Vector& right = real_.right;
  right.setZero(system_.size());
  right.segment(velocities_, constraints_) = residual;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] == 0) right[velocities_ + static_cast<Index>(i)] = 0;
  solve_right(real_);
  q = right.head(velocities_);
}

template bool SecondOrderSystem::factor_shifted(double, Shifted<double>&);
template bool SecondOrderSystem::factor_shifted(std::complex<double>, Shifted<std::complex<double>>&);
template void SecondOrderSystem::solve_shifted(Shifted<double>&, Columns<double>&);
template void SecondOrderSystem::solve_shifted(Shifted<std::complex<double>>&,
                                               Columns<std::complex<double>>&);

}  // namespace trammel
