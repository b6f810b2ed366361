// A motion inside a step, from what is known at its two ends: positions, velocities and accelerations.
//
//   p: the quintic with p, p', p'' at both ends                error O(h⁶)
//   v: the quartic with v, v' at both ends and Z⁺ p' half way  error O(h⁵)
//
// The continuous extensions of radau5 and sdirk4 are one order lower than their steps, so that samples between
// steps would be less exact than those at their ends.
#pragma once

#include "trammel/motion/equations.h"

namespace trammel {

class StepInterpolant {
 public:
  // Forgets everything.
  void clear() { begin_.known = end_.known = false; }
  // The next step begins at (t, x) with accelerations a; states of `equations`.
  void begin(double t, const VectorIn& x, const VectorIn& a);
  // It ended; the end of the last step is the beginning of the next.
  void end(double t, const VectorIn& x, const VectorIn& a);

  // Sets p and v of x at a time inside the last step; false, and x as it was, if that is not known.
  bool evaluate(EquationsOfMotion& equations, double t, VectorOut x);

 private:
  struct End {
    bool known = false, complete = false;
    double t = 0;
    Vector x, a, rate, curvature;  // p' and p''
  };
  void complete(EquationsOfMotion& equations, End& end) const;

  End begin_, end_, next_;
  Vector middle_;  // the velocities half way
  bool has_middle_ = false;
};

}  // namespace trammel
