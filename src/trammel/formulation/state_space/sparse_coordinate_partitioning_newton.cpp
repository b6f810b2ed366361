// Newton's corrections in independent coordinates of a large mechanism: by the reduced system, or by one
// sparse system in all coordinates.
#include <fmt/format.h>

#include "trammel/formulation/state_space/sparse_coordinate_partitioning.h"

namespace trammel {

namespace {

template <class Function>
void for_entries(const SparseMatrix& matrix, const Function& function) {
  for (int col = 0; col < matrix.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(matrix, col); entry; ++entry)
      function(entry.row(), col, entry.value());
}

Matrix rows_of(const Matrix& matrix, const std::vector<Index>& rows) {
  Matrix result(static_cast<Index>(rows.size()), matrix.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) result.row(static_cast<Index>(k)) = matrix.row(rows[k]);
  return result;
}

// Where each of `members` stands among them, −1 for the others.
std::vector<Index> places(const std::vector<Index>& members, Index size) {
  std::vector<Index> result(static_cast<std::size_t>(size), -1);
  for (std::size_t k = 0; k < members.size(); ++k)
    result[static_cast<std::size_t>(members[k])] = static_cast<Index>(k);
  return result;
}

}  // namespace

Outcome SparseCoordinatePartitioning::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  Vector at = x;
  Outcome outcome = complete(t, at);
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, at);
  if (outcome != Outcome::ok) return outcome;
  to_state(at);
  // the Jacobian is the same as before, and so are its factors
  outcome = differentiate(t, at, TangentMotion::everything);
  if (outcome != Outcome::ok) return outcome;
  ++statistics().predecompositions;
  const TangentSlopes slopes = tangent_->slopes();
  linearized_p_ = at.segment(layout_.p.begin, layout_.p.size);
  linearized_positions_ = position_partition().independent();
  linearized_velocities_ = velocities_.independent();
  linearized_rows_ = velocities_.rows();
  coordinates_changed_ = false;
  rate_pose_ = slopes.rate_pose;
  if (uses_reduced_system())
    form_reduced_system(slopes);
  else
    form_full_system(slopes);
  return Outcome::ok;
}

void SparseCoordinatePartitioning::form_reduced_system(const TangentSlopes& slopes) {
  const SparseMatrix& D = slopes.jacobian;
  position_partition().tangent(D, T_position_);
  velocities_.tangent(D, T_velocity_);
  velocities_.correct_columns(slopes.rate_pose * T_position_, turn_);
  reduced_.rate_by_position =
      rows_of(turn_ - slopes.kinematics * T_position_, position_partition().independent());
  reduced_.rate_by_velocity = rows_of(T_velocity_, position_partition().independent());

  // derivatives by (y, w, r) of forces, hidden constraints and states
  const Index nv = layout_.v.size, nr = layout_.r.size, y = T_position_.cols(), w = T_velocity_.cols();
  const auto by_all = [&](const SparseMatrix& pose, const SparseMatrix& twist) {
    Matrix result = Matrix::Zero(pose.rows(), y + w + nr);
    result.leftCols(y) = pose * T_position_ + twist * turn_;
    result.middleCols(y, w) = twist * T_velocity_;
    return result;
  };
  Matrix force = by_all(slopes.force_pose, slopes.force_twist);
  force.rightCols(nr) = slopes.force_state;
  Matrix hidden = by_all(slopes.acceleration_pose, slopes.acceleration_twist);
  Matrix state = by_all(slopes.state_pose, slopes.state_twist);
  state.rightCols(nr) = slopes.state_state;
  if (!coupled_) {
    Matrix along;
    velocities_.correct_columns(hidden, along);
    const Matrix projected = T_velocity_.transpose() * (force - slopes.mass * along);
    reduced_.mass.noalias() = T_velocity_.transpose() * (slopes.mass * T_velocity_);
    reduced_.mass_by_position = projected.leftCols(y);
    reduced_.mass_by_velocity = projected.middleCols(y, w);
    reduced_.mass_by_state = projected.rightCols(nr);
  } else {
    // reactions act on forces: all accelerations and reactions, column by column
    kkt_.factor(slopes.mass, D, velocities_.counts(), 0, &slopes.force_multiplier);
    Matrix acceleration(nv, force.cols());
    for (Index j = 0; j < force.cols(); ++j) {
      Vector upper = force.col(j), lower = -hidden.col(j);
      kkt_.solve(upper, lower);
      acceleration.col(j) = upper;
      state.col(j) += slopes.state_multiplier * lower;
    }
    const Matrix rates = rows_of(acceleration, velocities_.independent());
    reduced_.mass.setIdentity(w, w);
    reduced_.mass_by_position = rates.leftCols(y);
    reduced_.mass_by_velocity = rates.middleCols(y, w);
    reduced_.mass_by_state = rates.rightCols(nr);
  }
  reduced_.state_by_position = state.leftCols(y);
  reduced_.state_by_velocity = state.middleCols(y, w);
  reduced_.state_by_state = state.rightCols(nr);
  reduced_.finish();
}

// Unknowns: q, v̂, κ̂, ŷ_p, ŷ_v, r. Rows: kinematics, dynamics, hidden constraints, positions, velocities,
// states.
void SparseCoordinatePartitioning::form_full_system(const TangentSlopes& slopes) {
  const Index nv = layout_.v.size, nr = layout_.r.size;
  const Index m = velocities_.rank(), mp = position_partition().rank();
  const Index v = nv, kappa = 2 * nv, yp = kappa + m, yv = yp + mp, r = yv + m;
  const Index hidden = 2 * nv, positions = hidden + m, velocities = positions + mp;
  if (system_wanted_) system_ = ShiftedMatrix(r + nr);
  const std::vector<Index> row = places(velocities_.rows(), constraints_);
  const std::vector<Index> position_row = places(position_partition().rows(), constraints_);
  const std::vector<Index> dependent = places(velocities_.dependent(), nv);
  const auto place = [](const std::vector<Index>& list, Index i) {
    return list[static_cast<std::size_t>(i)];
  };

  system_.begin();
  const auto put = [&](Index i, Index j, int power, double value) { system_.add(i, j, power, value); };
  for (Index i = 0; i < nv; ++i) {
    put(i, i, 0, 1);
    put(i, v + i, 0, -1);
  }
  for_entries(slopes.kinematics, [&](Index i, Index j, double value) { put(i, j, -1, value); });
  for (Index k = 0; k < mp; ++k)
    put(position_partition().dependent()[static_cast<std::size_t>(k)], yp + k, 0, -1);

  for_entries(slopes.mass, [&](Index i, Index j, double value) {
    put(nv + i, v + j, 0, value);
    if (place(dependent, j) >= 0) put(nv + i, yv + place(dependent, j), 0, -value);
  });
  for_entries(slopes.force_twist, [&](Index i, Index j, double value) { put(nv + i, v + j, -1, -value); });
  for_entries(slopes.force_pose, [&](Index i, Index j, double value) { put(nv + i, j, -2, -value); });
  for_entries(slopes.force_state, [&](Index i, Index j, double value) { put(nv + i, r + j, -2, -value); });
  for_entries(slopes.force_multiplier, [&](Index i, Index j, double value) {
    if (place(row, j) >= 0) put(nv + i, kappa + place(row, j), 0, -value);
  });
  for_entries(slopes.jacobian, [&](Index i, Index j, double value) {
    if (place(position_row, i) >= 0) put(positions + place(position_row, i), j, 0, value);
    const Index k = place(row, i);
    if (k < 0) return;
    put(nv + j, kappa + k, 0, value);
    put(velocities + k, v + j, 0, value);
    put(hidden + k, v + j, 0, value);
    if (place(dependent, j) >= 0) put(hidden + k, yv + place(dependent, j), 0, -value);
  });
  for_entries(slopes.rate_pose, [&](Index i, Index j, double value) {
    if (place(row, i) >= 0) put(velocities + place(row, i), j, -1, value);
  });
  for_entries(slopes.acceleration_twist, [&](Index i, Index j, double value) {
    if (place(row, i) >= 0) put(hidden + place(row, i), v + j, -1, value);
  });
  for_entries(slopes.acceleration_pose, [&](Index i, Index j, double value) {
    if (place(row, i) >= 0) put(hidden + place(row, i), j, -2, value);
  });
  for (Index i = 0; i < nr; ++i) put(r + i, r + i, 0, 1);
  for_entries(slopes.state_state, [&](Index i, Index j, double value) { put(r + i, r + j, -1, -value); });
  for_entries(slopes.state_pose, [&](Index i, Index j, double value) { put(r + i, j, -1, -value); });
  for_entries(slopes.state_twist, [&](Index i, Index j, double value) { put(r + i, v + j, 0, -value); });
  for_entries(slopes.state_multiplier, [&](Index i, Index j, double value) {
    if (place(row, j) >= 0) put(r + i, kappa + place(row, j), 1, -value);
  });
  system_.finish();
  jacobian_ = slopes.jacobian;
  if (!system_wanted_) return;
  real_matrix_ = system_.pattern();
  complex_matrix_ = system_.pattern().cast<std::complex<double>>();
  real_lu_.analyze(real_matrix_);
  complex_lu_.analyze(complex_matrix_);
  system_wanted_ = false;
}

Outcome SparseCoordinatePartitioning::factor(double shift) {
  ++statistics().decompositions;
  real_shift_ = shift;
  bool regular = false;
  if (uses_reduced_system()) {
    regular = reduced_.factor(shift);
  } else {
    system_.evaluate(shift, real_matrix_);
    regular = real_lu_.factor(real_matrix_);
  }
  if (regular) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

Outcome SparseCoordinatePartitioning::factor(std::complex<double> shift) {
  complex_shift_ = shift;
  bool regular = false;
  if (uses_reduced_system()) {
    regular = reduced_.factor(shift);
  } else {
    system_.evaluate(shift, complex_matrix_);
    regular = complex_lu_.factor(complex_matrix_);
  }
  if (regular) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

// The residual on all velocities: zero where they depend, unless other ones were independent when the
// matrices were made; then it is spread as the constraints ask, and what was independent then is taken from
// it. Returns states.
template <class Column>
Column SparseCoordinatePartitioning::spread(const Eigen::Ref<const Column>& residual, Column& positions,
                                            Column& velocities) {
  positions = Column::Zero(layout_.v.size);
  velocities = positions;
  Index row = 0;
  for (const Index i : position_partition().independent()) positions[i] = residual[row++];
  for (const Index i : velocities_.independent()) velocities[i] = residual[row++];
  if (coordinates_changed_) {
    const SparseMatrix& D = tangent_->slopes().jacobian;
    position_partition().follow(D, Column::Zero(constraints_).eval(), positions);
    const Column turned = rate_pose_ * positions;
    velocities_.follow(D, turned, velocities);
  }
  return residual.tail(layout_.r.size);
}

template <class Scalar>
void SparseCoordinatePartitioning::solve_full(Scalar shift, SparseLu<Scalar>& lu,
                                              const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& positions,
                                              const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& velocities,
                                              const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& states,
                                              Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& q,
                                              Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& v,
                                              Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& r) {
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  const Index nv = layout_.v.size, nr = layout_.r.size;
  const Scalar square = shift * shift;
  Column rest = Column::Zero(system_.size());
  rest.head(nv) = positions / shift;
  rest.segment(nv, nv) = tangent_->slopes().mass * velocities / square;
  const Column along = jacobian_ * velocities / square;
  for (std::size_t k = 0; k < linearized_rows_.size(); ++k)
    rest[2 * nv + static_cast<Index>(k)] = along[linearized_rows_[k]];
  rest.tail(nr) = states / shift;
  lu.solve(rest);
  q = rest.head(nv);
  v = shift * rest.segment(nv, nv);
  r = rest.tail(nr);
}

template <class Scalar>
void SparseCoordinatePartitioning::solve_shifted(
    Scalar shift, SparseLu<Scalar>& lu,
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>& residual,
    Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> x) {
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  Column positions, velocities, q, v, r;
  const Column states = spread<Column>(residual, positions, velocities);
  if (uses_reduced_system()) {
    Column reduced(residual.size());
    Index row = 0;
    for (const Index i : linearized_positions_) reduced[row++] = positions[i];
    for (const Index i : linearized_velocities_) reduced[row++] = velocities[i];
    reduced.tail(layout_.r.size) = states;
    reduced_.solve(reduced);
    const Index y = T_position_.cols(), w = T_velocity_.cols();
    q.noalias() = T_position_.cast<Scalar>() * reduced.head(y);
    v.noalias() = T_velocity_.cast<Scalar>() * reduced.segment(y, w);
    v.noalias() += turn_.cast<Scalar>() * reduced.head(y);
    r = reduced.tail(layout_.r.size);
  } else {
    solve_full(shift, lu, positions, velocities, states, q, v, r);
  }
  x.setZero();
  x.segment(layout_.v.begin, layout_.v.size) = v;
  x.segment(layout_.r.begin, layout_.r.size) = r;
  const Vector normalizations = Vector::Zero(layout_.normalizations);
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  if constexpr (std::is_same_v<Scalar, double>) {
    tangent_->displacement_to_positions(linearized_p_, q, normalizations, p);
  } else {
    change_.resize(layout_.p.size);
    tangent_->displacement_to_positions(linearized_p_, Vector(q.real()), normalizations, change_);
    p.real() = change_;
    tangent_->displacement_to_positions(linearized_p_, Vector(q.imag()), normalizations, change_);
    p.imag() = change_;
  }
}

void SparseCoordinatePartitioning::solve(VectorIn residual, VectorOut x) {
  solve_shifted<double>(real_shift_, real_lu_, residual, x);
}

void SparseCoordinatePartitioning::solve(const Eigen::Ref<const ComplexVector>& residual,
                                         Eigen::Ref<ComplexVector> x) {
  solve_shifted<std::complex<double>>(complex_shift_, complex_lu_, residual, x);
}

}  // namespace trammel
