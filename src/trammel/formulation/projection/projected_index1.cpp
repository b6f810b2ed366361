#include "trammel/formulation/projection/projected_index1.h"

#include <algorithm>

namespace trammel {

ProjectedIndex1::ProjectedIndex1(EquationsOfMotion& motion, CoordinateProjectionOptions options)
    : CoordinateProjection(motion, std::move(options)), newton_index_(index_) {
  // an error of multipliers is one of velocities, times the step
  std::fill_n(newton_index_.begin() + layout_.lambda.begin, constraints_, 2);
  projection_.borrow([this](const Vector& residual, Vector& q) {
    if (factored_) system_.solve_constraints(residual, q);
    return factored_;
  });
}

Outcome ProjectedIndex1::start(double t, VectorIn x) {
  factored_ = false;
  const Outcome outcome = CoordinateProjection::start(t, x);
  return outcome == Outcome::ok ? choose_rows(t, x) : outcome;
}

void ProjectedIndex1::patterns_grown() {
  CoordinateProjection::patterns_grown();
  factored_ = false;
}

// On the constraints: rows depend on others only there.
Outcome ProjectedIndex1::choose_rows(double t, VectorIn x) {
  counts_.clear();
  if (state_.redundant()) counts_ = state_.independent();
  held_ = x.segment(layout_.lambda.begin, constraints_);
  doubtful_ = false;
  accepted_t_ = t;
  accepted_x_ = x;
  return Outcome::ok;
}

// Multipliers are those of the step; whoever shows them finds what belongs to the state.
Outcome ProjectedIndex1::accepted(double t, VectorOut x) {
  accepted_t_ = t;
  accepted_x_ = x;
  const Outcome outcome = check_invariants(t, x);
  return outcome == Outcome::ok ? settle(t, x) : outcome;
}

Outcome ProjectedIndex1::residual(double t, VectorIn x, VectorIn xdot, VectorOut out) {
  const Layout& l = layout_;
  ++statistics().evaluations;
  a_ = xdot.segment(l.v.begin, l.v.size);
  const Outcome outcome =
      evaluate(t, x, part::kinematics | part::dynamics | part::mass | part::b | part::acceleration_level);
  if (outcome != Outcome::ok) return outcome;
  out.setZero();
  out.segment(l.p.begin, l.p.size) = values_.kinematics - xdot.segment(l.p.begin, l.p.size);
  out.segment(l.v.begin, l.v.size) = values_.dynamics - tangent_->slopes().mass * a_;
  out.segment(l.r.begin, l.r.size) = values_.b - xdot.segment(l.r.begin, l.r.size);
  out.segment(l.lambda.begin, l.lambda.size) = -values_.gII;
  out.segment(l.mu.begin, l.mu.size) = -values_.hI;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] == 0) {
      const Index row = l.lambda.begin + static_cast<Index>(i);
      out[row] = held_[static_cast<Index>(i)] - x[row];
    }
  return outcome;
}

// With the accelerations and multipliers of the residual before it, which is at the same point.
Outcome ProjectedIndex1::linearize(double t, VectorIn x) {
  ++statistics().jacobians;
  if (doubtful_) {
    const Vector guess = a_;
    if (const Outcome outcome = outcome_of(state_.start(accepted_t_, accepted_x_)); outcome != Outcome::ok)
      return outcome;
    choose_rows(accepted_t_, Vector(accepted_x_));
    a_ = guess;
  }
  linearized_at_ = x;
  factored_ = false;
  const Outcome outcome = differentiate(t, linearized_at_, TangentMotion::everything);
  if (outcome == Outcome::ok) system_.take(tangent_->slopes(), counts_);
  return outcome;
}

Outcome ProjectedIndex1::factor(double shift) {
  const Outcome outcome = CoordinateProjection::factor(shift);
  factored_ = outcome == Outcome::ok;
  projection_.borrow_again();
  return outcome;
}

void ProjectedIndex1::solve(VectorIn residual, VectorOut x) {
  take_residual(residual);
  multipliers_ = residual.segment(layout_.lambda.begin, constraints_);
  system_.solve(real_, multipliers_);
  give_solution(x);
  x.segment(layout_.lambda.begin, constraints_) = multipliers_;
}

}  // namespace trammel
