// The projection inside a step (projection_control.h): after the corrector, before the error test. A state that is near
// enough is left alone. One that cannot be projected, or that would be moved too far, is a failure of the step.
#pragma once

#include "trammel/formulation/ode_problem.h"
#include "trammel/formulation/projection_control.h"

namespace trammel {

class StateProjection {
 public:
  // A projection that moves a state by more than so many tolerances, and by more than a millionth of its size, may have
  // put it on another branch.
  static constexpr double tolerances_allowed = 100;

  // Kept by reference; without a problem nothing is ever projected.
  StateProjection(OdeProblem* problem, const ProjectionControl& control)
      : problem_(problem), control_(control) {}

  // Whether the present step is one whose end is projected.
  bool is_due() const;
  // The end x of a step at t; the first n unknowns count. Unless ok, failure() says why; after `retry` the problem has
  // made anew what it had kept.
  Outcome project(double t, const Vector& scale, Index n, Vector& x);
  // Its error, as the projection of states takes it.
  Outcome project_error(double t, const Vector& x, const Vector& scale, Vector& error);
  bool projects_errors() const { return is_due() && control_.project_error; }
  const Failure& failure() const { return failure_; }

  // The step was accepted.
  void step_taken() { unprojected_ = unprojected_ + 1 >= control_.frequency ? 0 : unprojected_ + 1; }
  void restart() { unprojected_ = 0; }
  void carry(Carrier& carried) { carried(unprojected_); }

 private:
  Outcome fail_step(const Failure& why);

  OdeProblem* problem_;
  const ProjectionControl& control_;
  int unprojected_ = 0;  // steps since the last projection
  Failure failure_;
  Vector moved_;
};

}  // namespace trammel
