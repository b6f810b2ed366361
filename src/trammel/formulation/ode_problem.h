// A problem that is an ordinary differential equation x' = f(x,t), for integrators that know only such:
// explicit ones, and those that solve for x' by a method of their own.
//
// Its solutions may keep invariants c(x,t) = 0, which a step keeps only nearly (has_invariants()). What an
// integrator then asks for needs no matrix: to measure how far a state is off, to project it, and to project an
// error. `scale` has the error that counts as one for each unknown (infinite where none counts); the norm is that
// of an error test, the root of the mean square of x_i / scale_i.
#pragma once

#include "trammel/formulation/problem.h"

namespace trammel {

class OdeProblem : public virtual Problem {
 public:
  OdeProblem* ode() override { return this; }

  virtual Outcome rates(double t, VectorIn x, VectorOut xdot) = 0;

  // Puts the end of a step, or a stage that is suspected of being off, on the constraints that the motion
  // keeps but a step only nearly: by the smallest change of the unknowns that count.
  virtual Outcome put_back(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }

  // Before accepted(), while the step can still be repeated, where rates were not asked for at its end: whether everything
  // that follows from x can be had there.
  virtual Outcome can_accept(double /*t*/, VectorIn /*x*/) { return Outcome::ok; }

  // Whether steps keep, or are known not to keep, invariants: then a multistep method is one that can project.
  virtual bool steps_project() const { return has_invariants(); }
  // Whether there are any to be kept.
  virtual bool has_invariants() const { return false; }
  // How far x is from the invariants, in the same multiples of the tolerance as errors.
  virtual Outcome violation(double /*t*/, VectorIn /*x*/, VectorIn /*scale*/, double& size) {
    size = 0;
    return Outcome::ok;
  }
  // Moves x until the violation is at most `tolerance`. `retry`: not from here; x is as it was.
  virtual Outcome project(double /*t*/, VectorIn /*scale*/, double /*tolerance*/, VectorOut /*x*/) {
    return Outcome::ok;
  }
  // Takes from an error of x, which is projected, what a projection takes from states.
  virtual Outcome project_error(double /*t*/, VectorIn /*x*/, VectorIn /*scale*/, VectorOut /*error*/) {
    return Outcome::ok;
  }
  // A step was given up because of project(): whatever was kept from earlier ones is to be made anew.
  virtual void projection_failed() {}
};

}  // namespace trammel
