// Newton's corrections in independent coordinates: the systems for dependent positions, velocities and
// accelerations, differentiated.
#include "trammel/formulation/state_space/coordinate_partitioning.h"

namespace trammel {

namespace {

Matrix taken(const Selection& selection, const Matrix& all) {
  Matrix result(selection.size(), all.cols());
  selection.take(all, result);
  return result;
}

// Whether so much of a matrix is zero that it pays to look for the rest: what depends on an independent coordinate is near by in
// the tree of joints.
template <class Any>
bool is_thin(const Any& matrix) {
  return 4 * (matrix.array() != 0).count() <= matrix.size();
}

// to += factor · matrix · right. Matrices of a small tree of joints are nearly full: they are multiplied as dense ones, for
// which there is `room`, unless `right` has few entries.
template <class Right, class To>
void add_product(const SparseMatrix& matrix, double factor, const Right& right, Matrix& room, To&& to) {
  if (is_thin(right)) {
    for (Index col = 0; col < right.cols(); ++col)
      for (Index k = 0; k < right.rows(); ++k) {
        if (right(k, col) == 0) continue;
        const double weight = factor * right(k, col);
        for (SparseMatrix::InnerIterator entry(matrix, static_cast<int>(k)); entry; ++entry)
          to(entry.row(), col) += weight * entry.value();
      }
    return;
  }
  constexpr double full = 0.1;
  if (static_cast<double>(matrix.nonZeros()) <= full * static_cast<double>(matrix.rows() * matrix.cols())) {
    to += factor * (matrix * right);
    return;
  }
  room = matrix;
  to.noalias() += factor * (room * right);
}

// to = Tᵀ · right
void multiply_transposed(const Matrix& T, const Matrix& right, Matrix& to) {
  if (!is_thin(T)) {
    to.noalias() = T.transpose() * right;
    return;
  }
  to.setZero(T.cols(), right.cols());
  for (Index row = 0; row < T.cols(); ++row)
    for (Index k = 0; k < T.rows(); ++k)
      if (T(k, row) != 0) to.row(row) += T(k, row) * right.row(k);
}

}  // namespace

Outcome CoordinatePartitioning::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  Vector at = x;
  Outcome outcome = complete(t, at);
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, at);
  if (outcome != Outcome::ok) return outcome;
  at.segment(layout_.lambda.begin, constraints_) = multipliers_;
  // the Jacobian is the same as before, and so are its factors
  outcome = differentiate(t, at, TangentMotion::everything);
  if (outcome != Outcome::ok) return outcome;
  ++statistics().predecompositions;
  const TangentSlopes slopes = tangent_->slopes();
  linearized_p_ = at.segment(layout_.p.begin, layout_.p.size);
  linearized_positions_ = positions().selection();
  linearized_velocities_ = velocities_.selection();
  coordinates_changed_ = false;
  rate_pose_ = slopes.rate_pose;
  if (uses_reduced_system())
    form_reduced_system(slopes);
  else
    full_.form(slopes, positions().partition(), velocities_.partition());
  return Outcome::ok;
}

void CoordinatePartitioning::form_reduced_system(const TangentSlopes& slopes) {
  velocities_.tangent(slopes.jacobian, T_velocity_);
  if (constraints_ > holonomic_)
    positions().tangent(slopes.jacobian, T_position_);
  else
    T_position_ = T_velocity_;
  const Index nr = layout_.r.size, y = T_position_.cols(), w = T_velocity_.cols();
  hidden_.setZero(constraints_, y);
  add_product(slopes.rate_pose, 1, T_position_, room_, hidden_);
  velocities_.correct_columns(hidden_, turn_);
  along_ = turn_;
  if (slopes.kinematics.nonZeros() > 0) along_ -= slopes.kinematics * T_position_;
  reduced_.rate_by_position = taken(positions().selection(), along_);
  reduced_.rate_by_velocity = taken(positions().selection(), T_velocity_);

  // derivatives by (y, w, r) of forces, hidden constraints and states
  const auto by_all = [&](const SparseMatrix& pose, const SparseMatrix& twist, Matrix& result) {
    result.setZero(pose.rows(), y + w + nr);
    add_product(pose, 1, T_position_, room_, result.leftCols(y));
    add_product(twist, 1, turn_, room_, result.leftCols(y));
    add_product(twist, 1, T_velocity_, room_, result.middleCols(y, w));
  };
  by_all(slopes.force_pose, slopes.force_twist, force_);
  by_all(slopes.acceleration_pose, slopes.acceleration_twist, hidden_);
  Matrix state;
  by_all(slopes.state_pose, slopes.state_twist, state);
  if (nr > 0) {
    force_.rightCols(nr) = slopes.force_state;
    state.rightCols(nr) = slopes.state_state;
  }
  if (coupled_)
    solve_dynamics(slopes, state);
  else
    project_dynamics(slopes);
  reduced_.state_by_position = state.leftCols(y);
  reduced_.state_by_velocity = state.middleCols(y, w);
  reduced_.state_by_state = state.rightCols(nr);
  reduced_.finish();
}

// M̂ = TᵀMT, M̂J = Tᵀ(F − M L): Tᵀ takes the reactions out, L are the accelerations that gᴵᴵ and hᴵ ask for.
void CoordinatePartitioning::project_dynamics(const TangentSlopes& slopes) {
  velocities_.correct_columns(hidden_, along_);
  add_product(slopes.mass, -1, along_, room_, force_);
  along_.setZero(layout_.v.size, T_velocity_.cols());
  add_product(slopes.mass, 1, T_velocity_, room_, along_);
  multiply_transposed(T_velocity_, along_, reduced_.mass);
  multiply_transposed(T_velocity_, force_, along_);
  set_dynamics(along_);
}

// The same where reactions act on forces: all accelerations and reactions, column by column.
void CoordinatePartitioning::solve_dynamics(const TangentSlopes& slopes, Matrix& state) {
  kkt_.factor(slopes.mass, slopes.jacobian, velocities_.counts(), 0, &slopes.force_multiplier);
  Matrix accelerations(layout_.v.size, force_.cols());
  for (Index j = 0; j < force_.cols(); ++j) {
    upper_ = force_.col(j);
    lower_ = -hidden_.col(j);
    kkt_.solve(upper_, lower_);
    accelerations.col(j) = upper_;
    state.col(j) += slopes.state_multiplier * lower_;
  }
  reduced_.mass.setIdentity(T_velocity_.cols(), T_velocity_.cols());
  set_dynamics(taken(velocities_.selection(), accelerations));
}

void CoordinatePartitioning::set_dynamics(const Matrix& by_all) {
  const Index y = T_position_.cols(), w = T_velocity_.cols();
  reduced_.mass_by_position = by_all.leftCols(y);
  reduced_.mass_by_velocity = by_all.middleCols(y, w);
  reduced_.mass_by_state = by_all.rightCols(layout_.r.size);
}

// A residual on all displacements and velocities: zero where they depend, unless other coordinates were
// independent when the matrices were made; then it is spread as the constraints ask.
template <class Column>
void CoordinatePartitioning::spread(const Eigen::Ref<const Column>& residual, Column& displacements,
                                    Column& twists) {
  const Column y = residual.head(positions().size());
  const Column w = residual.segment(y.size(), velocities_.size());
  if (!coordinates_changed_) {
    positions().put(y, displacements);
    velocities_.put(w, twists);
    return;
  }
  const SparseMatrix& D = tangent_->slopes().jacobian;
  positions().spread(D, y, Column(), displacements);
  velocities_.spread(D, w, Column(rate_pose_ * displacements), twists);
}

template <class Scalar>
void CoordinatePartitioning::solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual,
                                           Eigen::Ref<ColumnOf<Scalar>> x) {
  using Column = ColumnOf<Scalar>;
  FullSystem::Columns<Scalar> all;
  if (coordinates_changed_ || !uses_reduced_system()) spread<Column>(residual, all.positions, all.velocities);
  if (uses_reduced_system()) {
    Column reduced = residual;
    const Index y = T_position_.cols(), w = T_velocity_.cols();
    if (coordinates_changed_) {
      // in the coordinates of then
      linearized_positions_.take(all.positions, reduced.head(y));
      linearized_velocities_.take(all.velocities, reduced.segment(y, w));
    }
    reduced_.solve(reduced);
    all.positions.noalias() = T_position_.template cast<Scalar>() * reduced.head(y);
    all.velocities.noalias() = T_velocity_.template cast<Scalar>() * reduced.segment(y, w);
    all.velocities.noalias() += turn_.template cast<Scalar>() * reduced.head(y);
    all.states = reduced.tail(layout_.r.size);
  } else {
    all.states = residual.tail(layout_.r.size);
    full_.solve(all);
  }
  x.setZero();
  to_positions(linearized_p_, all.positions, Column(Column::Zero(layout_.normalizations)),
               x.segment(layout_.p.begin, layout_.p.size));
  x.segment(layout_.v.begin, layout_.v.size) = all.velocities;
  x.segment(layout_.r.begin, layout_.r.size) = all.states;
}

template class ShiftedSolves<CoordinatePartitioning>;

}  // namespace trammel
