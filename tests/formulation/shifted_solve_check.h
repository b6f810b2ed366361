// Whether a problem's shifted solves fit its residual: (σE − J) Δ = ρ is checked with E and J from
// differences of the residual.
#pragma once

#include <gtest/gtest.h>

#include "trammel/formulation/implicit_problem.h"

namespace trammel {

// xdot must be the derivative that belongs to x, because J = ∂(φ − E x')/∂x holds x' there.
inline void expect_shifted_solves_fit(ImplicitProblem& problem, double t, const Vector& x, const Vector& xdot,
                                      double tolerance) {
  ASSERT_EQ(problem.start(t, x), Outcome::ok) << problem.failure().message;
  ASSERT_EQ(problem.linearize(t, x), Outcome::ok) << problem.failure().message;
  const Index n = problem.unknowns(), m = problem.equations();
  Matrix J(m, n), E(m, n);
  Vector plus(m), minus(m);
  for (Index j = 0; j < n; ++j) {
    const double h = 1e-5 * (1 + std::abs(x[j]));
    Vector moved = x;
    moved[j] = x[j] + h;
    ASSERT_EQ(problem.residual(t, moved, xdot, plus), Outcome::ok);
    moved[j] = x[j] - h;
    ASSERT_EQ(problem.residual(t, moved, xdot, minus), Outcome::ok);
    J.col(j) = (plus - minus) / (2 * h);
    Vector rate = xdot;
    rate[j] = xdot[j] + 1;
    ASSERT_EQ(problem.residual(t, x, rate, plus), Outcome::ok);
    rate[j] = xdot[j] - 1;
    ASSERT_EQ(problem.residual(t, x, rate, minus), Outcome::ok);
    E.col(j) = -(plus - minus) / 2;
  }
  const Vector expected = Vector::LinSpaced(n, -1.0, 1.3);
  const double real_shift = 37.0;
  ASSERT_EQ(problem.factor(real_shift), Outcome::ok);
  Vector solution(n);
  problem.solve((real_shift * E - J) * expected, solution);
  EXPECT_LE((solution - expected).cwiseAbs().maxCoeff(), tolerance) << "real shift\n" << solution.transpose();

  const std::complex<double> shift(20.0, 30.0);
  ASSERT_EQ(problem.factor(shift), Outcome::ok);
  ComplexVector complex_expected(n), complex_solution(n);
  for (Index j = 0; j < n; ++j) complex_expected[j] = {expected[j], 0.5 - expected[j] * expected[j]};
  const ComplexVector rhs =
      (shift * E.cast<std::complex<double>>() - J.cast<std::complex<double>>()) * complex_expected;
  problem.solve(rhs, complex_solution);
  EXPECT_LE((complex_solution - complex_expected).cwiseAbs().maxCoeff(), tolerance) << "complex shift";
}

}  // namespace trammel
