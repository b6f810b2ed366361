// Newton's corrections of coordinate splitting: derivatives with the multipliers that go with them, and
// residuals spread over all velocities and rows.
#include "trammel/formulation/splitting/coordinate_splitting.h"

namespace trammel {

// cs: the force Dᵀs as if s were multipliers. What the turning of P₀ makes of the first row is linear in its
// own s, so that it is what more of these multipliers change; it vanishes on the solution.
Outcome CoordinateSplitting::differentiate_rows(double t, const VectorIn& x, bool exact,
                                                SplittingSystem::Point& point) {
  ++statistics().jacobians;
  set_state(x);
  if (exact) {
    const Vector rates = xdot_;
    if (const Outcome outcome = evaluate_rows(t, x, rates); outcome != Outcome::ok) return outcome;
    state_.segment(layout_.lambda.begin, constraints_) = s_dynamic_;
  }
  constexpr unsigned wanted = TangentMotion::jacobian | TangentMotion::forces;
  a_ = xdot_.segment(layout_.v.begin, layout_.v.size);
  if (const Outcome outcome = differentiate(t, state_, wanted); outcome != Outcome::ok) return outcome;
  system_.take(tangent_->slopes(), point);
  if (!exact || s_kinematic_.isZero(0)) return Outcome::ok;
  state_.segment(layout_.lambda.begin, constraints_) += s_kinematic_;
  const Outcome outcome = differentiate(t, state_, wanted);
  if (outcome == Outcome::ok) system_.turn(tangent_->slopes(), point);
  return outcome;
}

Outcome CoordinateSplitting::linearize(double t, VectorIn x) {
  const Outcome outcome = differentiate_rows(t, x, exact_, system_.here());
  if (outcome != Outcome::ok) return outcome;
  linearized_p_ = x.segment(layout_.p.begin, layout_.p.size);
  system_.form(rows());
  return Outcome::ok;
}

// The part of a residual that belongs to one projector: along the independent velocities, and the constraints.
// Where other rows count in the matrix, these follow from those at hand.
template <class Scalar>
void CoordinateSplitting::lift(SparsePartition& partition, const std::vector<char>& rows,
                               const Eigen::Ref<const ColumnOf<Scalar>>& from, ColumnOf<Scalar>& along,
                               ColumnOf<Scalar>& constraints) const {
  along.setZero(layout_.v.size);
  constraints.setZero(constraints_);
  for (const Index i : partition.independent()) along[i] = from[i];
  for (std::size_t k = 0; k < partition.dependent().size(); ++k)
    constraints[partition.rows()[k]] = from[partition.dependent()[k]];
  if (partition.counts() == rows) return;
  const SparseMatrix& D = tangent_->slopes().jacobian;
  ColumnOf<Scalar> closing = ColumnOf<Scalar>::Zero(layout_.v.size);
  partition.follow(D, constraints, closing);
  constraints = -(D * closing);
}

template <class Scalar>
SplittingSystem::Columns<Scalar> CoordinateSplitting::lifted(
    const Eigen::Ref<const ColumnOf<Scalar>>& residual, const SplittingSystem::Rows& rows) {
  const Index n = layout_.v.size;
  SplittingSystem::Columns<Scalar> columns;
  lift<Scalar>(position_partition(), rows.positions, residual.head(n), columns.positions,
               columns.position_rows);
  lift<Scalar>(velocities_, rows.velocities, residual.segment(n + layout_.normalizations, n),
               columns.velocities, columns.velocity_rows);
  columns.states = residual.tail(layout_.r.size);
  return columns;
}

template <class Scalar>
void CoordinateSplitting::solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual,
                                        Eigen::Ref<ColumnOf<Scalar>> x) {
  const Layout& l = layout_;
  SplittingSystem::Columns<Scalar> columns = lifted<Scalar>(residual, system_.rows());
  system_.solve(columns);
  x.setZero();
  x.segment(l.v.begin, l.v.size) = columns.velocities;
  x.segment(l.r.begin, l.r.size) = columns.states;
  to_positions(linearized_p_, columns.positions,
               ColumnOf<Scalar>(residual.segment(l.v.size, l.normalizations)),
               x.segment(l.p.begin, l.p.size));
}

template class ShiftedSolves<CoordinateSplitting>;

// --- full Newton on the stages

// Stiff forces that turn with their bodies make a matrix of one point useless at another: where the
// simplified iteration fails, each stage gets its own. It is the exact one for cm too: without the terms that
// cm leaves out the iteration on the stages is as slow as the one that failed, and its changes go up and down
// so that none of them tells what is left.
Outcome CoordinateSplitting::linearize_stage(int stage, double t, VectorIn x, VectorIn xdot) {
  if (xdot_ != xdot) {
    xdot_ = xdot;
    known_ = false;
  }
  stage_p_[static_cast<std::size_t>(stage)] = x.segment(layout_.p.begin, layout_.p.size);
  return differentiate_rows(t, x, true, system_.stage(stage));
}

Outcome CoordinateSplitting::factor_stages(const Eigen::Matrix3d& weights) {
  ++statistics().decompositions;
  return system_.factor_stages(rows(), weights) ? Outcome::ok : matrix_singular();
}

void CoordinateSplitting::solve_stages(const std::array<Vector, 3>& residuals,
                                       std::array<Vector, 3>& changes) {
  const Layout& l = layout_;
  std::array<SplittingSystem::Columns<double>, 3> columns;
  for (std::size_t i = 0; i < 3; ++i) columns[i] = lifted<double>(residuals[i], rows());
  system_.solve_stages(columns);
  for (std::size_t i = 0; i < 3; ++i) {
    Vector& x = changes[i];
    x.setZero(unknowns());
    x.segment(l.v.begin, l.v.size) = columns[i].velocities;
    x.segment(l.r.begin, l.r.size) = columns[i].states;
    to_positions(stage_p_[i], columns[i].positions, residuals[i].segment(l.v.size, l.normalizations),
                 x.segment(l.p.begin, l.p.size));
  }
}

}  // namespace trammel
