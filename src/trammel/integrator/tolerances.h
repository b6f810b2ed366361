// Error tolerances, one for all unknowns or one for each, and the weighted norm they define.
#pragma once

#include <functional>

#include "trammel/numerics/failure.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// The local error of x_i is kept below about relative·|x_i| + absolute, its scale.
struct Tolerances {
  double relative = 1e-6;
  double absolute = 1e-6;
  // One for each unknown of the motion; empty: the scalars hold for all. A relative one may be zero.
  Vector relative_each, absolute_each;
  // What counts of |x_i| at most: a coordinate that goes round has no other size after many turns. Empty: all of it.
  Vector most_each;
  // In place of all these, if set: the scales at a state. Unknowns of the motion come first.
  std::function<void(VectorIn x, VectorOut scale)> own_scales;

  // Whether they make sense for n unknowns (a formulation may append unknowns of its own, which take the last
  // entry).
  Failure check(Index n) const;

  double relative_of(Index i) const;
  double absolute_of(Index i) const;
  // Of unknowns in general, where there is one number for all: the least that is not zero.
  double relative_in_general() const;
  double largest_relative() const { return relative_each.size() == 0 ? relative : relative_each.maxCoeff(); }
  bool is_one_for_all() const { return relative_each.size() + absolute_each.size() == 0 && !own_scales; }

  // Scales at x.
  void fill(VectorIn x, VectorOut scale) const;
};

// sqrt(1/n Σ (x_i / scale_i)²)
double weighted_norm(VectorIn x, VectorIn scale);

}  // namespace trammel
