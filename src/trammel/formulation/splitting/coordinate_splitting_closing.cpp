// The end of a step: what Newton's iteration left of the constraints is closed by the dependent coordinates,
// and reactions are found.
#include <limits>

#include "trammel/formulation/splitting/coordinate_splitting.h"
#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

// Corrections shrink by the change of D over a step; at round-off they no longer do.
constexpr double round_off = 4e-16;

}  // namespace

// With the factors at hand, which are of a point near by.
Outcome CoordinateSplitting::close_positions(double t, Vector& x) {
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  double previous = std::numeric_limits<double>::infinity();
  change_.resize(layout_.p.size);
  q_.resize(layout_.v.size);
  for (int iteration = 0; iteration < 8; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::g | part::n); outcome != Outcome::ok) return outcome;
    position_partition().correct(values_.g, q_);
    tangent_->displacement_to_positions(p, q_, values_.n, change_);
    const double size = largest(change_) / (1 + largest(p));
    if (!(size < previous)) break;
    p += change_;
    if (size <= round_off) break;
    previous = size;
  }
  return Outcome::ok;
}

Outcome CoordinateSplitting::close_velocities(double t, Vector& x) {
  auto v = x.segment(layout_.v.begin, layout_.v.size);
  double previous = std::numeric_limits<double>::infinity();
  rows_.resize(constraints_);
  for (int iteration = 0; iteration < 4; ++iteration) {
    if (const Outcome outcome = evaluate(t, x, part::velocity_level); outcome != Outcome::ok) return outcome;
    rows_ << values_.gI, values_.h;
    velocities_.correct(rows_, q_);
    const double size = largest(q_) / (1 + largest(v));
    if (!(size < previous)) break;
    v += q_;
    if (size <= round_off) break;
    previous = size;
  }
  return Outcome::ok;
}

Outcome CoordinateSplitting::close(double t, Vector& x) {
  Outcome outcome = take_jacobian(t, x);
  if (outcome == Outcome::ok) outcome = close_positions(t, x);
  if (outcome == Outcome::ok) outcome = take_jacobian(t, x);
  if (outcome == Outcome::ok) outcome = close_velocities(t, x);
  if (outcome == Outcome::ok) outcome = settle(t, x);
  return outcome;
}

// Accelerations and multipliers that belong to positions and velocities, those of minimal norm.
Outcome CoordinateSplitting::find_reactions(double t, Vector& x) {
  if (const Failure failure = reactions_.accelerate(t, x)) return try_again(failure.reason, failure.message);
  x.segment(layout_.lambda.begin, constraints_) = reactions_.multipliers();
  reactions_.present(t, x);
  return Outcome::ok;
}

Outcome CoordinateSplitting::accepted(double t, VectorOut x) {
  known_ = false;
  ++statistics().closing_jacobians;
  Vector closed = x;
  hold_followers(closed);
  Outcome outcome = close(t, closed);
  if (outcome == Outcome::ok) {
    const long choices = statistics().selectors;
    outcome = renew_coordinates(t, closed);
    // other rows may hold better than those before
    if (outcome == Outcome::ok && statistics().selectors > choices) outcome = close(t, closed);
  } else if (outcome == Outcome::retry && failure().reason == Reason::position_rank) {
    outcome = choose_coordinates(t, false);
    if (outcome == Outcome::ok) outcome = close(t, closed);
  }
  if (outcome == Outcome::ok) outcome = find_reactions(t, closed);
  if (outcome != Outcome::ok) return Outcome::fail;
  held_t_ = t;
  held_ = closed;
  x = closed;
  remember_position(t, x);
  return Outcome::ok;
}

// After the reactions at x.
void CoordinateSplitting::remember_position(double t, const VectorIn& x) {
  if (driven_)
    forecast_.remember(t, x.segment(layout_.p.begin, layout_.p.size), reactions_.values().kinematics);
}

void CoordinateSplitting::amend_error(double t, VectorIn x, VectorIn /*residual*/, VectorOut error) {
  if (driven_)
    forecast_.add_surprise(t, x.segment(layout_.p.begin, layout_.p.size),
                           error.segment(layout_.p.begin, layout_.p.size));
}

// Extrapolated and never corrected, s and w would go astray: they are sought from where they were.
void CoordinateSplitting::hold_followers(VectorOut x) const {
  x.segment(layout_.s.begin, layout_.s.size) = held_.segment(layout_.s.begin, layout_.s.size);
  x.segment(layout_.w.begin, layout_.w.size) = held_.segment(layout_.w.begin, layout_.w.size);
}

void CoordinateSplitting::tidy(VectorOut x) {
  hold_followers(x);
  x.segment(layout_.lambda.begin, constraints_) = held_.segment(layout_.lambda.begin, constraints_);
}

const Vector* CoordinateSplitting::accelerations_at(double t, VectorIn x) {
  const bool here = held_t_ == t && held_.head(layout_.w.begin) == x.head(layout_.w.begin);
  return here ? &reactions_.accelerations() : nullptr;
}

}  // namespace trammel
