// The matrices of Newton's iteration in independent coordinates: the systems for dependent positions,
// velocities and accelerations, differentiated.
#include <fmt/format.h>

#include "trammel/formulation/state_space/coordinate_partitioning.h"

namespace trammel {

namespace {

// The derivative by y of what has these slopes by (p, s).
Matrix by_coordinates(const Layout& l, const Matrix& slopes, const Matrix& T) {
  Matrix result = slopes.middleCols(l.p.begin, l.p.size) * T.topRows(l.p.size);
  if (l.s.size > 0) result.noalias() += slopes.middleCols(l.s.begin, l.s.size) * T.bottomRows(l.s.size);
  return result;
}

}  // namespace

// What forces do to themselves: after differentiate(dynamics | d | b).
void CoordinatePartitioning::take_coupling() {
  const Layout& l = layout_;
  const Index m = l.lambda.size + l.mu.size;
  coupling_.resize(l.v.size + l.w.size, m + l.w.size);
  coupling_.topLeftCorner(l.v.size, m) =
      derivatives_.dynamics.middleCols(l.lambda.begin, m) + velocity_jacobian_.transpose();
  coupling_.topRightCorner(l.v.size, l.w.size) = derivatives_.dynamics.middleCols(l.w.begin, l.w.size);
  coupling_.bottomLeftCorner(l.w.size, m) = derivatives_.d.middleCols(l.lambda.begin, m);
  coupling_.bottomRightCorner(l.w.size, l.w.size) = derivatives_.d.middleCols(l.w.begin, l.w.size);
  coupled_ = l.w.size > 0 || !coupling_.isZero(1e-12 * (1 + velocity_jacobian_.norm())) ||
             !derivatives_.b.middleCols(l.lambda.begin, m).isZero(0);
  if (!coupled_) coupling_.setZero();
}

// T = ∂(p,s)/∂y, ∂v/∂w, and ∂v/∂y: velocities turn with the constraints. After differentiate_constraints().
void CoordinatePartitioning::differentiate_velocities(Matrix& T_position, Matrix& T_velocity, Matrix& turn) {
  positions_.tangent(T_position);
  velocities_.tangent(T_velocity);
  rows_.resize(velocity_jacobian_.rows(), positions_.size());
  rows_.topRows(layout_.lambda.size) = by_coordinates(layout_, derivatives_.gI, T_position);
  rows_.bottomRows(layout_.mu.size) = by_coordinates(layout_, derivatives_.h, T_position);
  velocities_.correction(rows_, turn);
}

Outcome CoordinatePartitioning::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  const Layout& l = layout_;
  Vector at = x;
  Outcome outcome = complete(t, at);
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, at);
  if (outcome != Outcome::ok) return outcome;
  const Index m = l.lambda.size + l.mu.size;
  at.segment(l.lambda.begin, m) = found_.head(m);
  at.segment(l.w.begin, l.w.size) = found_.tail(l.w.size);
  outcome = differentiate_constraints(t, at);
  if (outcome == Outcome::ok)
    outcome = differentiate(t, at,
                            part::kinematics | part::dynamics | part::b | part::d | part::acceleration_level);
  if (outcome != Outcome::ok) return outcome;
  if (!positions_.factor(position_jacobian_)) return coordinates_singular(t, positions_);
  if (!velocities_.factor(velocity_jacobian_)) return coordinates_singular(t, velocities_);

  take_coupling();

  ++statistics().predecompositions;
  differentiate_velocities(T_position_, T_velocity_, turn_);
  coordinates_changed_ = false;
  const auto by_position = [&](const Matrix& slopes) { return by_coordinates(l, slopes, T_position_); };
  const auto v_columns = [&](const Matrix& slopes) { return slopes.middleCols(l.v.begin, l.v.size); };
  Matrix rate = by_position(derivatives_.kinematics) + v_columns(derivatives_.kinematics) * turn_;
  rate.conservativeResize(l.p.size + l.s.size, Eigen::NoChange);
  rate.bottomRows(l.s.size).setZero();
  positions_.take_rows(rate, reduced_.rate_by_position);
  rate = v_columns(derivatives_.kinematics) * T_velocity_;
  rate.conservativeResize(l.p.size + l.s.size, Eigen::NoChange);
  rate.bottomRows(l.s.size).setZero();
  positions_.take_rows(rate, reduced_.rate_by_velocity);

  // all that acts on the accelerations: forces, and the rows of gᴵᴵ, hᴵ and d
  const Index nv = l.v.size, y = positions_.size(), w = velocities_.size();
  const auto full = [&](const Matrix& slopes) {
    Matrix result(slopes.rows(), y + w + l.r.size);
    result.leftCols(y) = by_position(slopes);
    result.leftCols(y).noalias() += v_columns(slopes) * turn_;
    result.middleCols(y, w).noalias() = v_columns(slopes) * T_velocity_;
    result.rightCols(l.r.size) = slopes.middleCols(l.r.begin, l.r.size);
    return result;
  };
  driving_.resize(nv + m + l.w.size, y + w + l.r.size);
  driving_.topRows(nv) = full(derivatives_.dynamics);
  driving_.middleRows(nv, l.lambda.size) = -full(derivatives_.gII);
  driving_.middleRows(nv + l.lambda.size, l.mu.size) = -full(derivatives_.hI);
  driving_.bottomRows(l.w.size) = -full(derivatives_.d);
  state_rates_ = full(derivatives_.b);
  if (coupled_) {
    outcome = factor_accelerations(t);
    if (outcome != Outcome::ok) return outcome;
    solve_dynamics();
  } else {
    project_dynamics(values_.M);
  }
  differentiate_states();
  reduced_.finish();
  return Outcome::ok;
}

// M̂ = TᵀMT, M̂J = Tᵀ(F − M L): Tᵀ takes the reactions out, L are the accelerations that gᴵᴵ and hᴵ ask for.
void CoordinatePartitioning::project_dynamics(const Matrix& M) {
  const Index nv = layout_.v.size, m = velocity_jacobian_.rows();
  const Index y = positions_.size(), w = velocities_.size(), r = layout_.r.size;
  velocities_.correction(-driving_.middleRows(nv, m), change_);
  const Matrix projected = T_velocity_.transpose() * (driving_.topRows(nv) - M * change_);
  reduced_.mass.noalias() = T_velocity_.transpose() * M * T_velocity_;
  reduced_.mass_by_position = projected.leftCols(y);
  reduced_.mass_by_velocity = projected.middleCols(y, w);
  reduced_.mass_by_state = projected.rightCols(r);
}

// The same where reactions act on forces: all accelerations and reactions by one system.
void CoordinatePartitioning::solve_dynamics() {
  const Index y = positions_.size(), w = velocities_.size(), r = layout_.r.size;
  for (Index row = 0; row < velocity_jacobian_.rows(); ++row)
    if (!velocities_.counts()[static_cast<std::size_t>(row)]) driving_.row(layout_.v.size + row).setZero();
  if (driving_.cols() > 0) driving_ = accelerations_.solve(driving_);
  Matrix rates;
  velocities_.take_rows(driving_.topRows(layout_.v.size), rates);
  reduced_.mass.setIdentity(w, w);
  reduced_.mass_by_position = rates.leftCols(y);
  reduced_.mass_by_velocity = rates.middleCols(y, w);
  reduced_.mass_by_state = rates.rightCols(r);
}

void CoordinatePartitioning::differentiate_states() {
  const Index y = positions_.size(), w = velocities_.size(), r = layout_.r.size;
  const Index m = velocity_jacobian_.rows();
  if (coupled_ && r > 0) {
    state_rates_.noalias() +=
        derivatives_.b.middleCols(layout_.lambda.begin, m) * driving_.middleRows(layout_.v.size, m);
    state_rates_.noalias() +=
        derivatives_.b.middleCols(layout_.w.begin, layout_.w.size) * driving_.bottomRows(layout_.w.size);
  }
  reduced_.state_by_position = state_rates_.leftCols(y);
  reduced_.state_by_velocity = state_rates_.middleCols(y, w);
  reduced_.state_by_state = state_rates_.rightCols(r);
}

}  // namespace trammel
