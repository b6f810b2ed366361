#include "trammel/formulation/projection/coordinate_projection.h"

#include <algorithm>

namespace trammel {

CoordinateProjection::CoordinateProjection(EquationsOfMotion& motion, CoordinateProjectionOptions options)
    : TangentProblem(motion),
      state_(*tangent_, options),
      constraints_(layout_.lambda.size + layout_.mu.size) {
  index_.assign(static_cast<std::size_t>(layout_.total), 1);
  std::fill(index_.begin() + layout_.w.begin, index_.end(), 0);
}

Outcome CoordinateProjection::outcome_of(const Failure& failure) {
  if (!failure) return Outcome::ok;
  return failure.reason == Reason::user_function_failed ? give_up(failure.reason, failure.message)
                                                        : try_again(failure.reason, failure.message);
}

Outcome CoordinateProjection::start(double t, VectorIn x) {
  if (const Outcome outcome = outcome_of(state_.start(t, x)); outcome != Outcome::ok) return outcome;
  if (state_.redundant()) note_redundant(state_.independent());
  return accelerate(t, x);
}

// Pivots are kept from one factorisation to the next: they too are forgotten.
Outcome CoordinateProjection::resume(double t, VectorIn x, Carrier& carried) {
  if (carried.is_copying()) return Outcome::ok;
  state_.forget();
  return start(t, x);
}

Outcome CoordinateProjection::accelerate(double t, const VectorIn& x) {
  const ConsistentState::Counts before = state_.counts;
  const Outcome outcome = outcome_of(state_.accelerate(t, x));
  count(before);
  a_ = state_.accelerations();
  return outcome;
}

void CoordinateProjection::count(const ConsistentState::Counts& before) {
  statistics().decompositions += state_.counts.factorizations - before.factorizations;
  statistics().backsubstitutions += state_.counts.solutions - before.solutions;
  statistics().closing_jacobians += state_.counts.projections - before.projections;
}

Outcome CoordinateProjection::rates(double t, VectorIn x, VectorOut xdot) {
  ++statistics().evaluations;
  if (const Outcome outcome = accelerate(t, x); outcome != Outcome::ok) return outcome;
  const Layout& l = layout_;
  xdot.tail(l.total - l.w.begin).setZero();
  xdot.segment(l.p.begin, l.p.size) = state_.values().kinematics;
  xdot.segment(l.v.begin, l.v.size) = a_;
  xdot.segment(l.r.begin, l.r.size) = state_.values().b;
  return Outcome::ok;
}

Outcome CoordinateProjection::put_back(double t, VectorOut x) {
  const ConsistentState::Counts before = state_.counts;
  const Outcome outcome = outcome_of(state_.project(t, x));
  count(before);
  return outcome;
}

Outcome CoordinateProjection::accepted(double t, VectorOut x) {
  if (const Outcome outcome = accelerate(t, x); outcome != Outcome::ok) return outcome;
  x.segment(layout_.lambda.begin, constraints_) = state_.multipliers();
  return settle(t, x);
}

const Vector* CoordinateProjection::accelerations_at(double t, VectorIn x) {
  return state_.accelerate(t, x) ? nullptr : &state_.accelerations();
}

}  // namespace trammel
