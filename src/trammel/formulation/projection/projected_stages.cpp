#include "trammel/formulation/projection/projected_stages.h"

#include <utility>

namespace trammel {

ProjectedStages::ProjectedStages(EquationsOfMotion& motion, CoordinateProjectionOptions options)
    : CoordinateProjection(motion, std::move(options)),
      stages_(*tangent_, options_),
      unit_(Vector::Ones(layout_.total)) {
  stages_.keep_factors();
}

Outcome ProjectedStages::start(double t, VectorIn x) {
  stages_.forget();
  accepted_t_ = t;
  accepted_ = x;
  begins_ = true;
  failures_ = fixed_points_ = trusting_ = 0;
  without_matrix_ = false;
  return CoordinateProjection::start(t, x);
}

Outcome ProjectedStages::resume(double t, VectorIn x, Carrier& carried) {
  int fixed_points = fixed_points_, trusting = trusting_;
  carried(fixed_points, trusting);
  const Outcome outcome = CoordinateProjection::resume(t, x, carried);
  fixed_points_ = fixed_points;
  trusting_ = trusting;
  return outcome;
}

void ProjectedStages::patterns_grown() {
  CoordinateProjection::patterns_grown();
  stages_.forget_patterns();
}

Outcome ProjectedStages::can_accept(double t, VectorIn x) {
  stage_ = x;
  take_what_follows(stage_);
  return CoordinateProjection::can_accept(t, stage_);
}

Outcome ProjectedStages::accepted(double t, VectorOut x) {
  take_what_follows(x);
  const Outcome outcome = CoordinateProjection::accepted(t, x);
  accepted_t_ = t;
  accepted_ = x;
  begins_ = true;
  failures_ = 0;
  if (fixed_points_ > 0) --fixed_points_;
  if (trusting_ > 0) --trusting_;
  return outcome;
}

void ProjectedStages::take_what_follows(VectorOut x) const {
  const Index count = layout_.total - layout_.w.begin;
  x.tail(count) = accepted_.tail(count);
}

void ProjectedStages::do_without_matrix() {
  constexpr int steps_of_care = 6;
  fixed_points_ = steps_of_care;
  without_matrix_ = true;
}

// A matrix that does not serve may be that of a step which is too long. Fixed points are tried where shorter ones do not help.
void ProjectedStages::newton_failed() {
  constexpr int patience = 3, steps_of_trust = 10;
  if (++failures_ % patience != 0) return;
  if (fixed_points_ > 0) {
    fixed_points_ = 0;
    trusting_ = steps_of_trust;
  } else if (trusting_ == 0) {
    do_without_matrix();
  }
}

// An integrator knows nothing of unknowns that follow from others: they are sought from where they were. Constraints are met as exactly
// as Newton's iteration wants its residuals, by the same π in all stages of a step, or else early ones, which are far from the
// constraints, would cost an order; or, where that cannot be, as well as by the state that the step begins with.
Outcome ProjectedStages::take_stage(double t, const VectorIn& x) {
  constexpr double tolerance = 1e-12;
  stage_ = x;
  take_what_follows(stage_);
  if (!projects_stages()) return Outcome::ok;
  if (std::exchange(begins_, false)) {
    stages_.forget();
    along_.setZero(layout_.total);
    if (const Failure failure = stages_.project_error(accepted_t_, accepted_, unit_, along_))
      return outcome_of(failure);
  }
  const Failure failure = stages_.project(t, unit_, tolerance, stage_);
  if (!failure) return Outcome::ok;
  double here = 0, before = 0;
  if (!stages_.violation(t, stage_, unit_, here) &&
      !stages_.violation(accepted_t_, accepted_, unit_, before) && here <= 2 * before)
    return Outcome::ok;
  return outcome_of(failure);
}

Outcome ProjectedStages::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  if (const Outcome outcome = take_stage(t, x); outcome != Outcome::ok) return outcome;
  const Outcome outcome = rates(t, stage_, out);
  out.head(layout_.w.begin) -= xdot.head(layout_.w.begin);
  out.tail(layout_.total - layout_.w.begin).setZero();
  return outcome;
}

Outcome ProjectedStages::linearize(double t, VectorIn x) {
  without_matrix_ = fixed_points_ > 0;
  if (without_matrix_) return Outcome::ok;
  if (const Outcome outcome = take_stage(t, x); outcome != Outcome::ok) return outcome;
  linearized_t_ = t;
  return CoordinateProjection::linearize(t, stage_);
}

Outcome ProjectedStages::factor(double shift) {
  shift_ = shift;
  if (without_matrix_ || CoordinateProjection::factor(shift) == Outcome::ok) return Outcome::ok;
  do_without_matrix();
  return Outcome::ok;
}

Outcome ProjectedStages::factor(std::complex<double> shift) {
  complex_shift_ = shift;
  if (without_matrix_ || CoordinateProjection::factor(shift) == Outcome::ok) return Outcome::ok;
  do_without_matrix();
  return Outcome::ok;
}

void ProjectedStages::split(Vector& along, Vector& across) {
  across.setZero(along.size());
  if (!projects_stages()) return;
  across = along;
  const bool projected = !stages_.project_error(linearized_t_, linearized_at_, unit_, along);
  if (!projected) along = across;
  across -= along;
}

// The rates of Euler parameters are at right angles to these, and turn with them.
void ProjectedStages::add_turned_rates(const VectorIn& displaced, Vector& across) {
  const Layout& l = layout_;
  if (l.normalizations == 0) return;
  const auto p = linearized_at_.segment(l.p.begin, l.p.size), v = linearized_at_.segment(l.v.begin, l.v.size);
  turned_.resize(l.p.size);
  work_q_.resize(l.v.size);
  beside_ = p + displaced;
  to_positions(beside_, v, no_residual_, turned_);
  across.head(l.p.size) += turned_;
  to_positions(p, v, no_residual_, beside_);
  across.head(l.p.size) -= beside_;
  turned_ -= beside_;
  tangent_->rates_to_velocities(p, turned_, work_q_);
  to_positions(p, work_q_, no_residual_, turned_);
  across.head(l.p.size) -= turned_;
}

void ProjectedStages::solve(VectorIn residual, VectorOut x) {
  if (without_matrix_) {
    x = residual / shift_;
    return;
  }
  along_ = residual;
  split(along_, across_);
  CoordinateProjection::solve(along_, x);
  add_turned_rates(x.segment(layout_.p.begin, layout_.p.size), across_);
  x += across_ / shift_;
}

void ProjectedStages::solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) {
  if (without_matrix_) {
    x = residual / complex_shift_;
    return;
  }
  along_ = residual.real();
  other_along_ = residual.imag();
  split(along_, across_);
  split(other_along_, other_across_);
  complex_along_ = along_ + std::complex<double>(0, 1) * other_along_;
  CoordinateProjection::solve(complex_along_, x);
  const auto p = x.segment(layout_.p.begin, layout_.p.size);
  add_turned_rates(p.real(), across_);
  add_turned_rates(p.imag(), other_across_);
  x += (across_ + std::complex<double>(0, 1) * other_across_) / complex_shift_;
}

}  // namespace trammel
