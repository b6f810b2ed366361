#include "trammel/integrator/state_projection.h"

#include <algorithm>

#include "trammel/integrator/tolerances.h"

namespace trammel {

bool StateProjection::is_due() const {
  return problem_ != nullptr && problem_->has_invariants() && control_.frequency != 0 &&
         unprojected_ + 1 >= control_.frequency;
}

Outcome StateProjection::fail_step(const Failure& why) {
  problem_->projection_failed();
  failure_ = why;
  return Outcome::retry;
}

Outcome StateProjection::project(double t, const Vector& scale, Index n, Vector& x) {
  constexpr double change_allowed = 1e-6;
  Statistics& statistics = problem_->statistics();
  double violation = 0;
  Outcome outcome = problem_->violation(t, x, scale, violation);
  if (outcome == Outcome::ok && violation <= control_.constraint_tolerance) {
    ++statistics.projections_skipped;
    return Outcome::ok;
  }
  moved_ = x;
  if (outcome == Outcome::ok) {
    ++statistics.projections;
    outcome = problem_->project(t, scale, control_.constraint_tolerance, x);
  }
  if (outcome == Outcome::fail) failure_ = problem_->failure();
  if (outcome == Outcome::retry) return fail_step(problem_->failure());
  if (outcome != Outcome::ok) return outcome;
  moved_ -= x;
  const double moved = weighted_norm(moved_, scale);
  if (moved > tolerances_allowed &&
      (moved_.head(n).array().abs() > change_allowed * (1 + x.head(n).array().abs())).any())
    return fail_step({Reason::newton_failed, "the constraints are too far from where the step ended"});
  statistics.largest_projection = std::max(statistics.largest_projection, moved);
  return Outcome::ok;
}

Outcome StateProjection::project_error(double t, const Vector& x, const Vector& scale, Vector& error) {
  const Outcome outcome = problem_->project_error(t, x, scale, error);
  if (outcome == Outcome::fail) failure_ = problem_->failure();
  return outcome == Outcome::retry ? fail_step(problem_->failure()) : outcome;
}

}  // namespace trammel
