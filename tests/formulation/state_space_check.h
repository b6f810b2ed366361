// Whether the shifted solves of a state-space problem fit its residual: along a solution Δ of (σE − J) Δ = ρ
// the residual, with all that follows computed anew, must fall by ρ to first order.
#pragma once

#include <gtest/gtest.h>

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"

namespace trammel {

// x must be consistent. Returns the largest deviation over real and complex shifts, relative to σEΔ and JΔ,
// which make up ρ: in a stiff system they are large and cancel.
inline double shifted_solve_deviation(ImplicitProblem& problem, double t, const Vector& x, double shift,
                                      double step) {
  const auto ok = [&](Outcome outcome) {
    EXPECT_EQ(outcome, Outcome::ok) << problem.failure().message;
    return outcome == Outcome::ok;
  };
  const Index n = problem.unknowns();
  Vector rate(n);
  if (!ok(problem.start(t, x)) || !ok(problem.linearize(t, x)) || !ok(problem.ode()->rates(t, x, rate)))
    return 1;
  const Index m = problem.equations();
  if (!ok(problem.factor(shift))) return 1;
  const std::complex<double> complex_shift(0.6 * shift, 0.8 * shift);
  if (!ok(problem.factor(complex_shift))) return 1;

  // −d(residual) along a direction, by differences of order four
  const auto fall = [&](const Vector& direction, const Vector& rate_direction, Vector& out) {
    const double h = step / std::max(direction.lpNorm<Eigen::Infinity>(), 1e-300);
    out.setZero(m);
    Vector value(m);
    for (const auto& [place, weight] : {std::pair{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
      Vector moved = x + place * h * direction;
      if (!ok(problem.complete(t, moved)) ||
          !ok(problem.residual(t, moved, rate + place * h * rate_direction, value)))
        return false;
      out -= weight / (12 * h) * value;
    }
    return true;
  };
  const auto parts = [&](const Vector& direction, double factor) {
    Vector product(m);
    if (!ok(problem.multiply_mass(t, x, factor * direction, product))) return 0.0;
    return std::max(1.0, product.lpNorm<Eigen::Infinity>());
  };
  double worst = 0;
  for (Index j = 0; j < m; ++j) {
    Vector rho = Vector::Zero(m), direction(n), got(m);
    rho[j] = 1;
    problem.solve(rho, direction);
    if (!fall(direction, shift * direction, got)) return 1;
    const double size = parts(direction, shift);
    worst = std::max(worst, (got - rho).lpNorm<Eigen::Infinity>() / size);

    ComplexVector solution(n);
    problem.solve(rho.cast<std::complex<double>>(), solution);
    const ComplexVector rate_direction = complex_shift * solution;
    Vector real(m), imaginary(m);
    if (!fall(solution.real(), rate_direction.real(), real) ||
        !fall(solution.imag(), rate_direction.imag(), imaginary))
      return 1;
    const double complex_size = std::max(parts(solution.real(), shift), parts(solution.imag(), shift));
    worst = std::max({worst, (real - rho).lpNorm<Eigen::Infinity>() / complex_size,
                      imaginary.lpNorm<Eigen::Infinity>() / complex_size});
  }
  return worst;
}

// Differences are spoilt by truncation where a mechanism is small or forces are curved, by round-off where it
// is stiff: of three step sizes the one counts that is nearest to the exact derivative.
inline double shifted_solve_deviation(ImplicitProblem& problem, double t, const Vector& x, double shift) {
  double best = 1;
  for (const double step : {1e-5, 1e-4, 1e-3})
    best = std::min(best, shifted_solve_deviation(problem, t, x, shift, step));
  return best;
}

}  // namespace trammel
