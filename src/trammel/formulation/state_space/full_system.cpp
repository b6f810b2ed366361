#include "trammel/formulation/state_space/full_system.h"

namespace trammel {

namespace {

// Where each of `members` stands among them, −1 for the others.
class Places {
 public:
  Places(const std::vector<Index>& members, Index size) : place_(static_cast<std::size_t>(size), -1) {
    for (std::size_t k = 0; k < members.size(); ++k)
      place_[static_cast<std::size_t>(members[k])] = static_cast<Index>(k);
  }
  Index operator[](Index i) const { return place_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Index> place_;
};

}  // namespace

void FullSystem::form(const TangentSlopes& slopes, const SparsePartition& positions,
                      const SparsePartition& velocities) {
  const Index nv = slopes.mass.cols(), m = velocities.rank(), mp = positions.rank();
  at_.v = nv;
  at_.kappa = 2 * nv;
  at_.yp = at_.kappa + m;
  at_.yv = at_.yp + mp;
  at_.r = at_.yv + m;
  at_.dynamics = nv;
  at_.hidden = 2 * nv;
  at_.positions = at_.hidden + m;
  at_.velocities = at_.positions + mp;
  if (!known_) system_ = ShiftedMatrix(at_.r + slopes.state_state.rows());
  system_.begin();
  put_motion(slopes, positions, velocities);
  put_constraints(slopes, positions, velocities);
  put_states(slopes, velocities);
  system_.finish();
  mass_ = slopes.mass;
  jacobian_ = slopes.jacobian;
  rows_ = velocities.rows();
  if (known_) return;
  real_.analyze(system_);
  complex_.analyze(system_);
  known_ = true;
}

// Kinematics and dynamics, but for the reactions.
void FullSystem::put_motion(const TangentSlopes& slopes, const SparsePartition& positions,
                            const SparsePartition& velocities) {
  const Index nv = at_.v;
  for (Index i = 0; i < nv; ++i) {
    system_.add(i, i, 0, 1);
    system_.add(i, at_.v + i, 0, -1);
  }
  for_entries(slopes.kinematics, [&](Index i, Index j, double value) { system_.add(i, j, -1, value); });
  for (Index k = 0; k < positions.rank(); ++k)
    system_.add(positions.dependent()[static_cast<std::size_t>(k)], at_.yp + k, 0, -1);

  const Places dependent(velocities.dependent(), nv);
  const auto put = [&](Index i, Index j, int power, double value) {
    system_.add(at_.dynamics + i, j, power, value);
  };
  for_entries(slopes.mass, [&](Index i, Index j, double value) {
    put(i, at_.v + j, 0, value);
    if (dependent[j] >= 0) put(i, at_.yv + dependent[j], 0, -value);
  });
  for_entries(slopes.force_twist, [&](Index i, Index j, double value) { put(i, at_.v + j, -1, -value); });
  for_entries(slopes.force_pose, [&](Index i, Index j, double value) { put(i, j, -2, -value); });
  for_entries(slopes.force_state, [&](Index i, Index j, double value) { put(i, at_.r + j, -2, -value); });
}

// The three levels of the rows that count, and the reactions.
void FullSystem::put_constraints(const TangentSlopes& slopes, const SparsePartition& positions,
                                 const SparsePartition& velocities) {
  const Index all = slopes.jacobian.rows();
  const Places row(velocities.rows(), all), position_row(positions.rows(), all);
  const Places dependent(velocities.dependent(), at_.v);
  for_entries(slopes.force_multiplier, [&](Index i, Index j, double value) {
    if (row[j] >= 0) system_.add(at_.dynamics + i, at_.kappa + row[j], 0, -value);
  });
  for_entries(slopes.jacobian, [&](Index i, Index j, double value) {
    if (position_row[i] >= 0) system_.add(at_.positions + position_row[i], j, 0, value);
    const Index k = row[i];
    if (k < 0) return;
    system_.add(at_.dynamics + j, at_.kappa + k, 0, value);
    system_.add(at_.velocities + k, at_.v + j, 0, value);
    system_.add(at_.hidden + k, at_.v + j, 0, value);
    if (dependent[j] >= 0) system_.add(at_.hidden + k, at_.yv + dependent[j], 0, -value);
  });
  for_entries(slopes.rate_pose, [&](Index i, Index j, double value) {
    if (row[i] >= 0) system_.add(at_.velocities + row[i], j, -1, value);
  });
  for_entries(slopes.acceleration_twist, [&](Index i, Index j, double value) {
    if (row[i] >= 0) system_.add(at_.hidden + row[i], at_.v + j, -1, value);
  });
  for_entries(slopes.acceleration_pose, [&](Index i, Index j, double value) {
    if (row[i] >= 0) system_.add(at_.hidden + row[i], j, -2, value);
  });
}

void FullSystem::put_states(const TangentSlopes& slopes, const SparsePartition& velocities) {
  const Places row(velocities.rows(), slopes.jacobian.rows());
  const auto put = [&](Index i, Index j, int power, double value) {
    system_.add(at_.r + i, j, power, value);
  };
  for (Index i = 0; i < slopes.state_state.rows(); ++i) put(i, at_.r + i, 0, 1);
  for_entries(slopes.state_state, [&](Index i, Index j, double value) { put(i, at_.r + j, -1, -value); });
  for_entries(slopes.state_pose, [&](Index i, Index j, double value) { put(i, j, -1, -value); });
  for_entries(slopes.state_twist, [&](Index i, Index j, double value) { put(i, at_.v + j, 0, -value); });
  for_entries(slopes.state_multiplier, [&](Index i, Index j, double value) {
    if (row[j] >= 0) put(i, at_.kappa + row[j], 1, -value);
  });
}

template <class Scalar>
void FullSystem::solve_shifted(ShiftedFactors<Scalar>& at, Columns<Scalar>& columns) {
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  const Index nv = at_.v;
  const Scalar square = at.shift * at.shift;
  Column rest = Column::Zero(system_.size());
  rest.head(nv) = columns.positions / at.shift;
  rest.segment(at_.dynamics, nv) = mass_ * columns.velocities / square;
  const Column along = jacobian_ * columns.velocities / square;
  for (std::size_t k = 0; k < rows_.size(); ++k) rest[at_.hidden + static_cast<Index>(k)] = along[rows_[k]];
  rest.tail(columns.states.size()) = columns.states / at.shift;
  at.lu.solve(rest);
  columns.positions = rest.head(nv);
  columns.velocities = at.shift * rest.segment(at_.v, nv);
  columns.states = rest.tail(columns.states.size());
}

template void FullSystem::solve_shifted(ShiftedFactors<double>&, Columns<double>&);
template void FullSystem::solve_shifted(ShiftedFactors<std::complex<double>>&,
                                        Columns<std::complex<double>>&);

}  // namespace trammel
