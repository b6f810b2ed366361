// Accelerations and multipliers of a large mechanism: M a = f − Dᵀλ, gᴵᴵ = 0, hᴵ = 0, by corrections with a
// factorisation of [M Dᵀ; D 0] (sparse_kkt.h). One is enough unless forces depend on multipliers or D was
// taken somewhere near by.
#pragma once

#include <algorithm>
#include <limits>

#include "trammel/motion/equations.h"
#include "trammel/motion/sparse_kkt.h"
#include "trammel/numerics/norms.h"

namespace trammel {

// `upper` and `lower` are work space. evaluate(x) computes dynamics, gᴵᴵ and hᴵ into `values` at x with the accelerations a, and returns whether
// to go on. Multipliers of rows that are not active become zero. False if the corrections do not converge.
template <class Evaluate>
bool solve_accelerations(const Layout& layout, const SparseMatrix& mass, const std::vector<char>& active,
                         SparseKkt& kkt, const MotionValues& values, Vector& x, Vector& a, Vector& upper,
                         Vector& lower, const Evaluate& evaluate) {
  const Index constraints = layout.lambda.size + layout.mu.size;  // λ and μ are neighbours in x
  auto multipliers = x.segment(layout.lambda.begin, constraints);
  for (Index i = 0; i < constraints; ++i)
    if (!active[static_cast<std::size_t>(i)]) multipliers[i] = 0;
  double previous = std::numeric_limits<double>::infinity();
  lower.resize(constraints);
  for (int iteration = 0; iteration < 12; ++iteration) {
    if (!evaluate(x)) return false;
    upper = values.dynamics;
    upper.noalias() -= mass * a;
    lower << -values.gII, -values.hI;
    kkt.solve(upper, lower);
    const double size =
        std::max(largest(upper) / (1 + largest(a)), largest(lower) / (1 + largest(multipliers)));
    if (!(size < previous)) break;
    a += upper;
    multipliers += lower;
    previous = size;
    if (size <= 4e-15) break;
  }
  return previous <= 1e-8;
}

}  // namespace trammel
