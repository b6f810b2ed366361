// A motion inside a step, from what is known at its two ends: positions, velocities and accelerations.
//
//   p: the quintic with p, p', p'' at both ends                error O(h⁶)
//   v: the quartic with v, v' at both ends and Z⁺ p' half way  error O(h⁵)
//   r: the quintic with r, r' at both ends and r' at quarters  error O(h⁵)
//
// Where bodies turn evenly, Euler parameters are less smooth than angular velocities, and the velocities that
// the integrator has half way may be better than Z⁺ p': then they are taken.
//
// The continuous extensions of radau5 and sdirk4 are one order lower than their steps, so that samples
// between steps would be less exact than those at their ends.
#pragma once

#include "trammel/integrator/integrator.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

class StepInterpolant {
 public:
  // Forgets everything.
  void clear() { begin_.known = end_.known = false; }
  // The next step begins at (t, x) with accelerations a; states of the equations solved.
  void begin(double t, const VectorIn& x, const VectorIn& a);
  // It ended; the end of the last step is the beginning of the next.
  void end(double t, const VectorIn& x, const VectorIn& a);

  // Sets p, v and r of x, a state of the integrator at a time inside the last step; false, and x as it was, if
  // not enough is known.
  bool evaluate(TangentMotion& motion, const Integrator& integrator, double t, VectorOut x);

  void carry(Carrier& carried) {
    carried(begin_, end_, next_, middle_, has_middle_, even_, odd_, has_states_);
  }

 private:
  struct End {
    bool known = false, complete = false;
    double t = 0;
    Vector x, a, rate, curvature;  // p' and p''
    Vector states_rate;            // r'

    void carry(Carrier& carried) { carried(known, complete, t, x, a, rate, curvature, states_rate); }
  };
  // `inside` is a time in the step, close to this end of it.
  void complete(TangentMotion& motion, End& end, double inside) const;
  void set_motion(TangentMotion& motion, const Integrator& integrator, double u, VectorOut x);
  void look_at_states(TangentMotion& motion, const Integrator& integrator);

  End begin_, end_, next_;
  Vector middle_;  // the velocities half way
  bool has_middle_ = false;
  Vector even_, odd_;  // what r has beyond the cubic of Hermite: factors of u²(1−u)² and of (2u−1) times that
  bool has_states_ = false;
};

}  // namespace trammel
