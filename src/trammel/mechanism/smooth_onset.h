// How a law that acts on one side only sets in without a corner, and how dry friction changes its side
// without a jump.
#pragma once

#include <cmath>

#include "trammel/numerics/dual.h"

namespace trammel {

// From 0 to 1 as x goes from 0 to `range`, with two continuous derivatives; a jump if there is no range.
template <class T>
T onset(const T& x, double range) {
  if (plain(x) <= 0) return T(0.0);
  if (plain(x) >= range) return T(1.0);
  const T u = x / range;
  return u * u * u * (10.0 + u * (6.0 * u - 15.0));
}

// x where x ≥ range, 0 where x ≤ 0, and in between x times an onset: it never falls, and never is negative.
template <class T>
T positive_part(const T& x, double range) {
  return plain(x) <= 0 ? T(0.0) : x * onset(x, range);
}

// tanh(√q) / √q: with q = |v|²/v₀², the vector v/v₀ times this has the length tanh(|v|/v₀). Smooth at zero.
template <class T>
T friction_direction(const T& q) {
  // the next term of the series is below round-off
  if (plain(q) < 1e-3) return 1.0 - q * (1.0 / 3 - q * (2.0 / 15 - q * (17.0 / 315 - q * (62.0 / 2835))));
  using std::sqrt, std::tanh;
  const T root = sqrt(q);
  return tanh(root) / root;
}

}  // namespace trammel
