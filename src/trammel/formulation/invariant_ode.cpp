#include "trammel/formulation/invariant_ode.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel {

InvariantOdeProblem::InvariantOdeProblem(InvariantOde& ode)
    : ode_(ode), index_(static_cast<std::size_t>(ode.unknowns()), 1) {}

// What a user's operation says, or throws, in words.
template <class Operation>
Outcome InvariantOdeProblem::call(double t, const char* name, const Operation& operation) {
  Outcome outcome = Outcome::fail;
  std::string what = "it failed";
  try {
    outcome = operation();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "something that is not an exception was thrown";
  }
  if (outcome == Outcome::ok) return outcome;
  if (outcome == Outcome::retry)
    return try_again(Reason::newton_failed, fmt::format("the {} is not possible at t = {:.10g}", name, t));
  return give_up(Reason::user_function_failed, fmt::format("the {} at t = {:.10g}: {}", name, t, what));
}

Outcome InvariantOdeProblem::start(double t, VectorIn y) {
  rates_.resize(unknowns());
  if (y.allFinite()) return Outcome::ok;
  return give_up(Reason::not_finite, fmt::format("the state to begin with at t = {} is not finite", t));
}

Outcome InvariantOdeProblem::rates(double t, VectorIn y, VectorOut rates) {
  ++statistics().evaluations;
  const Outcome outcome = call(t, "derivative", [&] { return ode_.derivative(t, y, rates); });
  if (outcome != Outcome::ok || rates.allFinite()) return outcome;
  return try_again(Reason::not_finite, fmt::format("the derivative is not finite at t = {:.10g}", t));
}

Outcome InvariantOdeProblem::violation(double t, VectorIn y, VectorIn scale, double& size) {
  const Outcome outcome = call(t, "violation", [&] {
    size = ode_.violation(t, y, scale);
    return Outcome::ok;
  });
  if (outcome != Outcome::ok || std::isfinite(size)) return outcome;
  return try_again(Reason::not_finite, fmt::format("the violation is not finite at t = {:.10g}", t));
}

Outcome InvariantOdeProblem::project(double t, VectorIn scale, double tolerance, VectorOut y) {
  ++statistics().projection_iterations;
  const Outcome outcome = call(t, "projection", [&] { return ode_.project(t, scale, tolerance, y); });
  if (outcome != Outcome::ok || y.allFinite()) return outcome;
  return try_again(Reason::not_finite, fmt::format("the projected state is not finite at t = {:.10g}", t));
}

// For methods that know no scale where they end a step (dop853): round-off, relative to the state, with a little to spare.
Outcome InvariantOdeProblem::put_back(double t, VectorOut y) {
  constexpr double tolerance = 1e-12;
  unit_ = 1 + y.array().abs();
  double size = 0;
  if (const Outcome outcome = violation(t, y, unit_, size); outcome != Outcome::ok) return outcome;
  if (size <= tolerance) {
    ++statistics().projections_skipped;
    return Outcome::ok;
  }
  ++statistics().projections;
  return project(t, unit_, tolerance, y);
}

Outcome InvariantOdeProblem::project_error(double t, VectorIn y, VectorIn scale, VectorOut error) {
  return call(t, "projection of the error", [&] { return ode_.project_error(t, y, scale, error); });
}

Outcome InvariantOdeProblem::residual(double t, VectorIn y, VectorIn rates, VectorOut out) {
  const Outcome outcome = this->rates(t, y, out);
  out -= rates;
  return outcome;
}

Outcome InvariantOdeProblem::linearize(double t, VectorIn y) {
  ++statistics().jacobians;
  const Index n = unknowns();
  jacobian_.resize(n, n);
  bool known = false;
  const Outcome outcome = call(t, "Jacobian", [&] {
    known = ode_.jacobian(t, y, jacobian_);
    return Outcome::ok;
  });
  return outcome != Outcome::ok || known ? outcome : difference(t, y);
}

Outcome InvariantOdeProblem::difference(double t, VectorIn y) {
  shifted_ = y;
  other_.resize(y.size());
  if (const Outcome outcome = rates(t, y, rates_); outcome != Outcome::ok) return outcome;
  for (Index i = 0; i < y.size(); ++i) {
    const double step = 1e-8 * (1 + std::abs(y[i]));
    shifted_[i] = y[i] + step;
    Outcome outcome = rates(t, shifted_, other_);
    if (outcome == Outcome::retry) {  // perhaps on the other side
      shifted_[i] = y[i] - step;
      outcome = rates(t, shifted_, other_);
    }
    if (outcome != Outcome::ok) return outcome;
    jacobian_.col(i) = (other_ - rates_) / (shifted_[i] - y[i]);
    shifted_[i] = y[i];
  }
  return Outcome::ok;
}

Outcome InvariantOdeProblem::factor(double shift) {
  ++statistics().decompositions;
  lu_.compute(shift * Matrix::Identity(unknowns(), unknowns()) - jacobian_);
  return Outcome::ok;
}

Outcome InvariantOdeProblem::factor(std::complex<double> shift) {
  complex_lu_.compute(shift * ComplexMatrix::Identity(unknowns(), unknowns()) - jacobian_);
  return Outcome::ok;
}

void InvariantOdeProblem::solve(VectorIn residual, VectorOut y) { y = lu_.solve(residual); }

void InvariantOdeProblem::solve(const Eigen::Ref<const ComplexVector>& residual,
                                Eigen::Ref<ComplexVector> y) {
  y = complex_lu_.solve(residual);
}

Outcome InvariantOdeProblem::multiply_mass(double /*t*/, VectorIn /*y*/, VectorIn vector, VectorOut out) {
  out = vector;
  return Outcome::ok;
}

}  // namespace trammel
