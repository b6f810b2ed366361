// What happens at the end of a step: positions, velocities and accelerations closed to round-off with one
// factorisation of [M Dᵀ; D 0], by corrections that are minimal in the norm of the mass matrix.
#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/formulation/psf/projected_strangeness_free.h"
#include "trammel/motion/sparse_accelerations.h"
#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

constexpr double round_off = 4e-16;

}  // namespace

// Corrections shrink by the change of D over a step; at round-off they no longer do.
Outcome ProjectedStrangenessFree::close_positions(double t, Vector& x) {
  SparseKkt* kkt = &kkt_;
  const TangentSlopes slopes = tangent_->slopes();
  if (constraints_ > holonomic_) {
    if (!position_kkt_.factor(metric_, slopes.jacobian, position_rows()))
      return try_again(Reason::position_rank, "the position constraints are singular");
    kkt = &position_kkt_;
  }
  double previous = std::numeric_limits<double>::infinity();
  change_.resize(positions_);
  for (int iteration = 0; iteration < 6; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::g | part::n); outcome != Outcome::ok) return outcome;
    upper_ = Vector::Zero(velocities_);
    lower_ = Vector::Zero(constraints_);
    lower_.head(holonomic_) = -values_.g;
    kkt->solve(upper_, lower_);
    const auto p = x.segment(layout_.p.begin, positions_);
    tangent_->displacement_to_positions(p, upper_, values_.n, change_);
    const double size = largest(change_) / (1 + largest(p));
    if (!(size < previous)) break;
    x.segment(layout_.p.begin, positions_) += change_;
    if (size <= round_off) break;
    previous = size;
  }
  return Outcome::ok;
}

Outcome ProjectedStrangenessFree::close_velocities(double t, Vector& x) {
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 4; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::velocity_level); outcome != Outcome::ok) return outcome;
    upper_ = Vector::Zero(velocities_);
    lower_.resize(constraints_);
    lower_ << -values_.gI, -values_.h;
    kkt_.solve(upper_, lower_);
    const double size = largest(upper_) / (1 + largest(x.segment(layout_.v.begin, velocities_)));
    if (!(size < previous)) break;
    x.segment(layout_.v.begin, velocities_) += upper_;
    if (size <= round_off) break;
    previous = size;
  }
  return Outcome::ok;
}

// Along the constraints, by the smallest change of positions and velocities that meets the invariants; then
// back on the constraints. After close_positions() and close_velocities(), whose factors serve.
Outcome ProjectedStrangenessFree::close_invariants(double t, Vector& x) {
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 8; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::e); outcome != Outcome::ok) return outcome;
    const Vector residual = values_.e - invariant_base_;
    Matrix displacement(velocities_, invariants_), change(velocities_, invariants_);
    SparseKkt& kkt = constraints_ > holonomic_ ? position_kkt_ : kkt_;
    for (Index i = 0; i < invariants_; ++i) {
      upper_ = here_.invariant_pose.row(i).transpose();
      lower_ = Vector::Zero(constraints_);
      kkt.solve(upper_, lower_);
      displacement.col(i) = upper_;
      upper_ = here_.invariant_twist.row(i).transpose();
      lower_ = Vector::Zero(constraints_);
      kkt_.solve(upper_, lower_);
      change.col(i) = upper_;
    }
    const Matrix answer = here_.invariant_pose * displacement + here_.invariant_twist * change;
    const Vector nu = -answer.completeOrthogonalDecomposition().solve(residual);
    const Vector q = displacement * nu, dv = change * nu;
    const double size = std::max(largest(q) / (1 + largest(x.segment(layout_.p.begin, positions_))),
                                 largest(dv) / (1 + largest(x.segment(layout_.v.begin, velocities_))));
    if (!(size < previous)) break;
    change_.resize(positions_);
    tangent_->displacement_to_positions(x.segment(layout_.p.begin, positions_), q,
                                        Vector::Zero(normalizations_), change_);
    x.segment(layout_.p.begin, positions_) += change_;
    x.segment(layout_.v.begin, velocities_) += dv;
    Outcome outcome = close_positions(t, x);
    if (outcome == Outcome::ok) outcome = close_velocities(t, x);
    if (outcome != Outcome::ok) return outcome;
    if (size <= round_off) break;
    previous = size;
  }
  return Outcome::ok;
}

Outcome ProjectedStrangenessFree::close_accelerations(double t, Vector& x) {
  Outcome outcome = Outcome::ok;
  const bool found = solve_accelerations(
      layout_, tangent_->slopes().mass, rows_.active, kkt_, values_, x, a_, upper_, lower_,
      [&](const Vector& state) {
        outcome = evaluate(t, state, part::dynamics | part::acceleration_level | part::mass);
        return outcome == Outcome::ok;
      });
  if (outcome == Outcome::ok && !found)
    outcome = try_again(Reason::acceleration_rank,
                        fmt::format("the accelerations cannot be found at t = {:.10g}", t));
  known_t_ = t;
  known_x_ = x.head(layout_.w.begin);
  return outcome;
}

// p' = Z v, v' = a, r' = b: without η, and with λ in the place of κ.
void ProjectedStrangenessFree::improve_rates(double t, VectorIn x, VectorOut rates) {
  if (!is_complete()) return;
  work_ = x;
  if (differentiate(t, work_, TangentMotion::jacobian) != Outcome::ok) return;
  const TangentSlopes slopes = tangent_->slopes();
  if (!kkt_.factor(slopes.mass, slopes.jacobian, rows_.active, 0, &slopes.force_multiplier)) return;
  // a_ belongs to the beginning of the step, which may have to be tried again
  stage_accelerations_ = a_;
  if (close_accelerations(t, work_) == Outcome::ok &&
      evaluate(t, work_, part::kinematics | part::b) == Outcome::ok) {
    rates.segment(layout_.p.begin, positions_) = values_.kinematics;
    rates.segment(layout_.v.begin, velocities_) = a_;
    rates.segment(layout_.r.begin, states_) = values_.b;
  }
  a_ = stage_accelerations_;
  known_x_.resize(0);
}

Outcome ProjectedStrangenessFree::close(double t, VectorOut x) {
  work_ = x;
  if (const Outcome outcome = differentiate(t, work_, TangentMotion::jacobian); outcome != Outcome::ok)
    return outcome;
  const TangentSlopes slopes = tangent_->slopes();
  if (!kkt_.factor(slopes.mass, slopes.jacobian, rows_.active, 0, &slopes.force_multiplier))
    return try_again(Reason::position_rank, "the constraints are singular");
  Outcome outcome = close_positions(t, work_);
  if (outcome == Outcome::ok) outcome = close_velocities(t, work_);
  if (outcome == Outcome::ok && invariants_ > 0) outcome = close_invariants(t, work_);
  if (outcome == Outcome::ok && is_complete()) outcome = close_accelerations(t, work_);
  if (outcome != Outcome::ok) return outcome;
  if (!work_.allFinite()) return try_again(Reason::not_finite, "the closing of the constraints failed");
  work_.tail(holonomic_ + invariants_).setZero();
  if (const Outcome settled = settle(t, work_); settled != Outcome::ok) return settled;
  x = work_;
  return Outcome::ok;
}

// Multipliers extrapolated for other rows are of no use: those that belong to the state are.
void ProjectedStrangenessFree::tidy(VectorOut x) {
  x.segment(layout_.w.begin, followers_) = held_;
  if (!rows_changed_) {
    for (Index i = 0; i < constraints_; ++i)
      if (!rows_[i]) x[layout_.lambda.begin + i] = 0;
    return;
  }
  Vector state = x;
  if (!state.allFinite() || differentiate(linearized_t_, state, TangentMotion::jacobian) != Outcome::ok)
    return;
  const TangentSlopes slopes = tangent_->slopes();
  if (!kkt_.factor(slopes.mass, slopes.jacobian, rows_.active, 0, &slopes.force_multiplier)) return;
  if (close_accelerations(linearized_t_, state) == Outcome::ok) x = state;
}

Outcome ProjectedStrangenessFree::accepted(double t, VectorOut x) {
  ++statistics().closing_jacobians;
  rows_changed_ = false;
  if (rows_.redundant && regularity_ < 0.3) {
    if (differentiate(t, x, TangentMotion::jacobian) == Outcome::ok) improve_rows();
  }
  const Outcome outcome = close(t, x);
  if (outcome == Outcome::fail) return outcome;
  held_ = x.segment(layout_.w.begin, followers_);
  remember_position(t, x);
  if (outcome == Outcome::retry || !rows_.redundant) return Outcome::ok;
  // rows that were left out follow from the others; if not, the choice is no longer good
  if (evaluate(t, x, part::g | part::velocity_level) != Outcome::ok) return Outcome::ok;
  if (largest(values_.g) > 1e-10 || largest(values_.gI) > 1e-8 || largest(values_.h) > 1e-8)
    rows_wanted_ = true;
  return Outcome::ok;
}

void ProjectedStrangenessFree::remember_position(double t, const VectorIn& x) {
  if (determined_ && evaluate(t, x, part::kinematics) == Outcome::ok)
    forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), values_.kinematics);
}

void ProjectedStrangenessFree::amend_error(double t, VectorIn x, VectorIn residual, VectorOut error) {
  add_error_across(residual, error);
  if (determined_)
    forecast_.add_surprise(t, x.segment(layout_.p.begin, layout_.p.size),
                           error.segment(layout_.p.begin, layout_.p.size));
}

bool ProjectedStrangenessFree::is_known(double t, const VectorIn& x) const {
  return known_t_ == t && known_x_.size() > 0 && known_x_ == x.head(known_x_.size());
}

const Vector* ProjectedStrangenessFree::accelerations_at(double t, VectorIn x) {
  if (is_known(t, x)) return &a_;
  if (is_complete() || evaluate(t, x, part::dynamics) != Outcome::ok) return nullptr;
  // those that its own multipliers give
  own_accelerations_ = values_.dynamics;
  metric_lu_.solve(own_accelerations_);
  return &own_accelerations_;
}

}  // namespace trammel
