// What happens at the end of a step: constraints closed to round-off, multipliers of minimal norm.

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/formulation/geoms/geoms.h"

namespace trammel {

// Newton on the algebraic equations with given decompositions; true if it reached round-off.
Outcome Geoms::close_with(TwoStageSolve& solver, int iterations, double t, VectorOut x, bool& closed) {
  double previous = std::numeric_limits<double>::infinity();
  closed = false;
  for (int iteration = 0; !closed; ++iteration) {
    if (iteration >= 2 && iteration >= iterations) break;
    const Outcome outcome = evaluate_algebraic(t, x, 0);
    if (outcome != Outcome::ok) return outcome;
    collect_algebraic(algebraic_residual_);
    solver.solve_algebraic(algebraic_residual_, internal_);
    double change = 0;
    for (Index i = 0; i < layout_.total; ++i) {
      const double size = 1 + std::abs(x[order_[static_cast<std::size_t>(i)]]);
      change = std::max(change, std::abs(internal_[i]) / size);
    }
    if (!(change < previous)) {
      closed = change < 1e-12;  // round-off, or no convergence
      break;
    }
    for (Index i = 0; i < layout_.total; ++i) x[order_[static_cast<std::size_t>(i)]] += internal_[i];
    closed = change <= 1e-14;
    // how many more at this rate? Stop early if new decompositions are cheaper
    const double rate = change / previous;
    if (!closed && rate > 0 && iteration + 1 + std::log(1e-14 / change) / std::log(rate) > iterations) break;
    previous = change;
  }
  return Outcome::ok;
}

// Closes the constraints to round-off at the end of a step, so that Newton's iteration on the stages may stop
// at what the error control needs. The decompositions at hand are from the beginning of the step: each
// correction with them gains a factor of the order of the step size. Where that is slow, new ones at the end
// are worth their cost.
Outcome Geoms::close_constraints(double t, VectorOut x) {
  bool closed = false;
  Outcome outcome = close_with(solver_, 8, t, x, closed);
  if (outcome != Outcome::ok || closed) return outcome;
  if (is_complete()) {
    outcome = accelerate(t, x, 0);
    if (outcome != Outcome::ok) return outcome;
  }
  ++statistics().closing_jacobians;
  outcome = differentiate(t, x, part::all & ~Parts{part::mass | part::kinematics | part::b});
  if (outcome != Outcome::ok) return outcome;
  if (is_complete()) follow_accelerations();
  assemble_algebraic(closing_J_a_);
  closing_.set_algebraic(closing_J_a_);
  Ranks found;
  decompose_groups(closing_, found);
  if (!(found == ranks_)) return Outcome::ok;  // a singular position: leave it to the step
  return close_with(closing_, 12, t, x, closed);
}

Outcome Geoms::accepted(double t, VectorOut x) {
  if (options_.close_constraints && algebraic_rows_ > 0) {
    const Outcome outcome = close_constraints(t, x);
    if (outcome != Outcome::ok) return outcome;
  }
  return algebraic_ == Decomposition::svd ? minimize_multipliers(t, x) : Outcome::ok;
}

// To the constraints only: near a turning point no velocity is right for the energy.
Outcome Geoms::land(double t, VectorOut x) {
  if (!landing_) {
    AssemblyOptions options;
    options.meet_invariants = false;
    landing_ = std::make_unique<Assembly>(motion_, options);
  }
  const Failure failure = landing_->project(t, x.head(layout_.total));
  return failure ? try_again(failure.reason, failure.message) : Outcome::ok;
}

void Geoms::keep_span(const Matrix& basis, VectorOut x) const {
  auto multipliers =
      x.segment(layout_.lambda.begin, layout_.lambda.size + layout_.mu.size);  // neighbours in x
  multipliers = basis * (basis.transpose() * multipliers).eval();
}

void Geoms::tidy(VectorOut x) {
  if (multiplier_basis_.size() > 0) keep_span(multiplier_basis_, x);
}

// Multipliers of redundant constraints: only their part in the span of the constraints acts on the motion.
Outcome Geoms::minimize_multipliers(double t, VectorOut x) {
  if (multiplier_basis_.size() == 0) return Outcome::ok;
  const Outcome outcome = differentiate(t, x, part::gI | part::h);
  if (outcome != Outcome::ok) return outcome;
  Matrix basis;
  multiplier_span(basis);
  keep_span(basis, x);
  return Outcome::ok;
}

// After differentiate(gI | h): an orthonormal basis of the range of [GZ; HZ].
void Geoms::multiplier_span(Matrix& basis) const {
  Matrix C(layout_.lambda.size + layout_.mu.size, layout_.v.size);
  velocity_jacobian(C);
  ConstraintDecomposition rows;
  rows.factor(C, algebraic_, options_.rank_tolerance);
  rows.row_basis(basis);
}

}  // namespace trammel
