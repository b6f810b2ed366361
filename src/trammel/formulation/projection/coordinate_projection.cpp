#include "trammel/formulation/projection/coordinate_projection.h"

#include <algorithm>

namespace trammel {

CoordinateProjection::CoordinateProjection(EquationsOfMotion& motion, CoordinateProjectionOptions options)
    : TangentProblem(motion),
      options_(std::move(options)),
      state_(*tangent_, {.rank_tolerance = options_.rank_tolerance, .tolerance = options_.tolerance}),
      invariants_(*tangent_),
      projection_(*tangent_, options_),
      constraints_(layout_.lambda.size + layout_.mu.size),
      no_residual_(Vector::Zero(layout_.normalizations)) {
  index_.assign(at_index(layout_.total), 1);
  std::fill(index_.begin() + layout_.w.begin, index_.end(), 0);
  if (options_.keeps_invariants) projection_.keep(&invariants_);
  system_.set_order(tangent_->elimination_order());
}

Outcome CoordinateProjection::outcome_of(const Failure& failure) {
  if (!failure) return Outcome::ok;
  return failure.reason == Reason::user_function_failed ? give_up(failure.reason, failure.message)
                                                        : try_again(failure.reason, failure.message);
}

Outcome CoordinateProjection::start(double t, VectorIn x) {
  projection_.forget();
  if (const Outcome outcome = outcome_of(state_.start(t, x)); outcome != Outcome::ok) return outcome;
  if (state_.redundant()) note_redundant(state_.independent());
  if (invariants_.size() == 0)
    if (const Outcome outcome = rebase_invariants(t, x); outcome != Outcome::ok) return outcome;
  return accelerate(t, x);
}

Outcome CoordinateProjection::rebase_invariants(double t, VectorIn x) {
  if (!options_.keeps_invariants) return Outcome::ok;
  const Failure failure = invariants_.start(t, x);
  return failure ? give_up(failure.reason, failure.message) : Outcome::ok;
}

Outcome CoordinateProjection::check_invariants(double t, VectorIn x) {
  if (!options_.keeps_invariants) return Outcome::ok;
  const Failure failure = invariants_.check(t, x);
  return failure ? give_up(failure.reason, failure.message) : Outcome::ok;
}

// Pivots are kept from one factorisation to the next: they too are forgotten.
Outcome CoordinateProjection::resume(double t, VectorIn x, Carrier& carried) {
  invariants_.carry(carried);
  if (carried.is_copying()) return Outcome::ok;
  state_.forget();
  patterns_grown();
  return start(t, x);
}

void CoordinateProjection::patterns_grown() {
  projection_.forget_patterns();
  system_.forget_patterns();
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

// Multipliers are those of the state, or of the last iterate at its time, which differs from it by less than an error.
Outcome CoordinateProjection::accepted(double t, VectorOut x) {
  if (!state_.is_known_at(t))
    if (const Outcome outcome = accelerate(t, x); outcome != Outcome::ok) return outcome;
  x.segment(layout_.lambda.begin, constraints_) = state_.multipliers();
  const Outcome outcome = check_invariants(t, x);
  return outcome == Outcome::ok ? settle(t, x) : outcome;
}

const Vector* CoordinateProjection::accelerations_at(double t, VectorIn x) {
  return state_.accelerate(t, x) ? nullptr : &state_.accelerations();
}

// --- the ordinary differential equation

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
  if (!options_.projects) return Outcome::ok;
  if (options_.project) return put_back_by_own(t, x);
  const ConsistentState::Counts before = state_.counts;
  const Outcome outcome = outcome_of(state_.project(t, x));
  count(before);
  const long done = state_.counts.projections - before.projections;
  statistics().projections += done;
  statistics().projections_skipped += outcome == Outcome::ok && done == 0 && has_invariants() ? 1 : 0;
  return outcome;
}

// As exactly as can be, relative to the state.
Outcome CoordinateProjection::put_back_by_own(double t, VectorOut x) {
  change_ = 1 + x.array().abs();
  if (options_.violation && options_.violation(t, x, change_) <= options_.tolerance) {
    ++statistics().projections_skipped;
    return Outcome::ok;
  }
  ++statistics().projections;
  return options_.project(t, change_, options_.tolerance, x);
}

void CoordinateProjection::count_projection(long iterations, long matrices) {
  statistics().projection_iterations += projection_.iterations - iterations;
  statistics().closing_jacobians += projection_.matrices - matrices;
}

Outcome CoordinateProjection::violation(double t, VectorIn x, VectorIn scale, double& size) {
  if (options_.violation) {
    size = options_.violation(t, x, scale);
    return Outcome::ok;
  }
  const long iterations = projection_.iterations, matrices = projection_.matrices;
  const Outcome outcome = outcome_of(projection_.violation(t, x, scale, size));
  count_projection(iterations, matrices);
  return outcome;
}

Outcome CoordinateProjection::project(double t, VectorIn scale, double tolerance, VectorOut x) {
  if (options_.project) return options_.project(t, scale, tolerance, x);
  const long iterations = projection_.iterations, matrices = projection_.matrices;
  const Outcome outcome = outcome_of(projection_.project(t, scale, tolerance, x));
  count_projection(iterations, matrices);
  return outcome;
}

Outcome CoordinateProjection::project_error(double t, VectorIn x, VectorIn scale, VectorOut error) {
  if (options_.project_error) return options_.project_error(t, x, scale, error);
  return outcome_of(projection_.project_error(t, x, scale, error));
}

// --- the implicit equation

Outcome CoordinateProjection::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  const Outcome outcome = rates(t, x, out);
  out.head(layout_.w.begin) -= xdot.head(layout_.w.begin);
  out.tail(layout_.total - layout_.w.begin).setZero();
  return outcome;
}

Outcome CoordinateProjection::multiply_mass(double /*t*/, VectorIn /*x*/, VectorIn vector, VectorOut out) {
  out = vector;
  out.tail(layout_.total - layout_.w.begin).setZero();
  return Outcome::ok;
}

// With the accelerations and multipliers that belong to the state.
Outcome CoordinateProjection::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  if (const Outcome outcome = accelerate(t, x); outcome != Outcome::ok) return outcome;
  linearized_at_ = x;
  linearized_at_.segment(layout_.lambda.begin, constraints_) = state_.multipliers();
  const Outcome outcome = differentiate(t, linearized_at_, TangentMotion::everything);
  if (outcome == Outcome::ok) system_.take(tangent_->slopes());
  return outcome;
}

Outcome CoordinateProjection::factor(double shift) {
  ++statistics().decompositions;
  if (system_.factor(shift)) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

Outcome CoordinateProjection::factor(std::complex<double> shift) {
  if (system_.factor(shift)) return Outcome::ok;
  return try_again(Reason::differential_singular, "the matrix of Newton's iteration is singular");
}

void CoordinateProjection::take_residual(VectorIn residual) {
  const Layout& l = layout_;
  real_.positions.resize(l.v.size);
  tangent_->rates_to_velocities(linearized_at_.segment(l.p.begin, l.p.size),
                                residual.segment(l.p.begin, l.p.size), real_.positions);
  real_.velocities = residual.segment(l.v.begin, l.v.size);
  real_.states = residual.segment(l.r.begin, l.r.size);
}

void CoordinateProjection::give_solution(VectorOut x) {
  const Layout& l = layout_;
  tangent_->displacement_to_positions(linearized_at_.segment(l.p.begin, l.p.size), real_.positions,
                                      no_residual_, x.segment(l.p.begin, l.p.size));
  x.segment(l.v.begin, l.v.size) = real_.velocities;
  x.segment(l.r.begin, l.r.size) = real_.states;
  x.tail(l.total - l.w.begin).setZero();
}

void CoordinateProjection::solve(VectorIn residual, VectorOut x) {
  take_residual(residual);
  system_.solve(real_);
  give_solution(x);
}

void CoordinateProjection::solve(const Eigen::Ref<const ComplexVector>& residual,
                                 Eigen::Ref<ComplexVector> x) {
  const Layout& l = layout_;
  const auto p = linearized_at_.segment(l.p.begin, l.p.size);
  complex_.positions.resize(l.v.size);
  part_.resize(l.v.size);
  change_ = residual.segment(l.p.begin, l.p.size).real();
  tangent_->rates_to_velocities(p, change_, part_);
  complex_.positions.real() = part_;
  change_ = residual.segment(l.p.begin, l.p.size).imag();
  tangent_->rates_to_velocities(p, change_, part_);
  complex_.positions.imag() = part_;
  complex_.velocities = residual.segment(l.v.begin, l.v.size);
  complex_.states = residual.segment(l.r.begin, l.r.size);
  system_.solve(complex_);
  part_ = complex_.positions.real();
  tangent_->displacement_to_positions(p, part_, no_residual_, change_);
  x.segment(l.p.begin, l.p.size).real() = change_;
  part_ = complex_.positions.imag();
  tangent_->displacement_to_positions(p, part_, no_residual_, change_);
  x.segment(l.p.begin, l.p.size).imag() = change_;
  x.segment(l.v.begin, l.v.size) = complex_.velocities;
  x.segment(l.r.begin, l.r.size) = complex_.states;
  x.tail(l.total - l.w.begin).setZero();
}

}  // namespace trammel
