// What is put out between the steps.
#include <algorithm>

#include "trammel/formulation/state_space/coordinate_partitioning.h"

namespace trammel {

namespace {

double largest(const VectorIn& values) { return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

// What is put out must not disturb the steps: they go on from where the last one ended.
Outcome CoordinatePartitioning::project(double t, VectorOut x) {
  if (!disturbed_ && known_x_.size() > 0) {
    disturbed_ = true;
    resume_t_ = known_t_;
    resume_x_ = known_x_;
    resume_a_ = a_;
    resume_multipliers_ = multipliers_;
  }
  Outcome outcome = complete_guess(t, x);
  if (outcome == Outcome::ok) outcome = solve_accelerations(t, x);
  return outcome == Outcome::ok ? show(t, x) : outcome;
}

Outcome CoordinatePartitioning::resume() {
  if (!disturbed_) return Outcome::ok;
  disturbed_ = false;
  a_ = resume_a_;
  multipliers_ = resume_multipliers_;
  known_x_.resize(0);
  return take_jacobian(resume_t_, resume_x_);
}

bool CoordinatePartitioning::measure(double t, VectorIn x, Violation& violation) {
  if (solve_accelerations(t, x) != Outcome::ok) return false;
  if (evaluate(t, x, part::position_level | part::velocity_level | part::acceleration_level | part::e) !=
      Outcome::ok)
    return false;
  violation.position = std::max(largest(values_.g), largest(values_.n));
  violation.velocity = std::max(largest(values_.gI), largest(values_.h));
  violation.acceleration = std::max(largest(values_.gII), largest(values_.hI));
  violation.invariant = largest(values_.e);
  return true;
}

void CoordinatePartitioning::present(VectorOut x) {
  if (!velocities_.redundant()) return;
  jacobian_p_.resize(0);
  if (differentiate(known_t_, x, TangentMotion::jacobian) != Outcome::ok) return;
  minimal_.reduce(tangent_->slopes().jacobian, x.segment(layout_.lambda.begin, constraints_));
}

}  // namespace trammel
