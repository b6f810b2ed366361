// Error tolerances, one for all unknowns or one for each, and the weighted norm they define.
#pragma once

#include "trammel/numerics/failure.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// The local error of x_i is kept below about relative·|x_i| + absolute.
struct Tolerances {
  double relative = 1e-6;
  double absolute = 1e-6;
  // One for each unknown of the motion; empty: the scalars hold for all.
  Vector relative_each, absolute_each;

  // Whether they make sense for n unknowns (a formulation may append unknowns of its own, which take the last
  // entry).
  Failure check(Index n) const;

  double relative_of(Index i) const;
  double absolute_of(Index i) const;
};

// sqrt(1/n Σ (x_i / scale_i)²)
double weighted_norm(VectorIn x, VectorIn scale);

}  // namespace trammel
