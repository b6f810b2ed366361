// The chain in its angles by extrapolation of the midpoint rule (W. B. Gragg, R. Bulirsch, J. Stoer) in
// extended precision: twelfth order with steps of fixed size. The result with half as many steps must agree.
// It was checked against Trammel's and CVODE's solutions in Cartesian coordinates: see the least errors that
// the contest prints.
#include <Eigen/Cholesky>
#include <array>
#include <stdexcept>

#include "chain.h"

namespace peers {

namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// Angles, then their rates.
Vector rates(const Vector& y) {
  const int rods = static_cast<int>(y.size() / 2);
  Matrix mass(rods, rods);
  Vector force(rods), result(2 * rods);
  for (int i = 0; i < rods; ++i) {
    const Real weight = Real(0.5) + static_cast<Real>(rods - 1 - i);
    force[i] = -weight * static_cast<Real>(chain_gravity) * std::cos(y[i]);
    for (int j = 0; j < rods; ++j) {
      const Real coupling = chain_coupling<Real>(rods, i, j);
      mass(i, j) = coupling * std::cos(y[i] - y[j]);
      force[i] -= coupling * std::sin(y[i] - y[j]) * y[rods + j] * y[rods + j];
    }
  }
  result << y.tail(rods), mass.ldlt().solve(force);
  return result;
}

// One step of Gragg's rule, with so many midpoints.
Vector midpoints(const Vector& y, Real step, int count) {
  const Real h = step / static_cast<Real>(count);
  Vector before = y, now = y + h * rates(y);
  for (int i = 1; i < count; ++i) {
    const Vector next = before + 2 * h * rates(now);
    before = now;
    now = next;
  }
  return (before + now + h * rates(now)) / 2;
}

// Errors of the rule are even in the step size: each column gains two orders.
Vector extrapolated_step(const Vector& y, Real step) {
  constexpr std::array<int, 6> counts = {2, 4, 6, 8, 10, 12};
  std::array<Vector, 6> row;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    row[k] = midpoints(y, step, counts[k]);
    for (std::size_t j = k; j > 0; --j) {
      const Real ratio = static_cast<Real>(counts[k]) / static_cast<Real>(counts[j - 1]);
      row[j - 1] = row[j] + (row[j] - row[j - 1]) / (ratio * ratio - 1);
    }
  }
  return row[0];
}

Vector solution(int rods, int steps) {
  Vector y = Vector::Zero(2 * rods);
  for (int i = 0; i < steps; ++i) y = extrapolated_step(y, Real(chain_end) / static_cast<Real>(steps));
  return y.head(rods);
}

}  // namespace

std::vector<double> chain_angles(int rods) {
  // long chains crack like a whip: they need small steps for an instant
  for (int steps = 50; steps <= 12800; steps *= 2) {
    const Vector coarse = solution(rods, steps), fine = solution(rods, 2 * steps);
    if (!((fine - coarse).lpNorm<Eigen::Infinity>() < Real(1e-13))) continue;
    const Eigen::VectorXd rounded = fine.cast<double>();
    return {rounded.begin(), rounded.end()};
  }
  throw std::runtime_error("the reference solution of the chain does not converge");
}

}  // namespace peers
