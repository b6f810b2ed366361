// A problem that is an ordinary differential equation x' = f(x,t), for integrators that know only such:
// explicit ones, and those that solve for x' by a method of their own.
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
};

}  // namespace trammel
