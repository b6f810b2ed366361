// What can be chosen of the methods of second order (second_order_method.h).
#pragma once

#include "trammel/integrator/step_control.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

struct SecondOrderOptions {
  enum class Kind { trapezoidal, hht, alpha };
  Kind kind = Kind::trapezoidal;
  Tolerances tolerances;
  // What is left of fast oscillations after a step: 1 all (then it is the trapezoidal rule), 0 nothing. hht: 0.5 .. 1.
  double rho = 0.8;
  // Of every step; 0: as the error allows.
  double step = 0;
  long max_steps = 1000000;
  double max_step = 0;  // 0: the whole interval
  double safety = 0.9;
  double min_step_factor = 0.2, max_step_factor = 4;
  int max_newton_iterations = 10;
  // What may be left of the iteration, as a fraction of the tolerance.
  double newton_stop = 0.01;
  // With a fixed step: goes on where the iteration has not converged within its bound (SecondOrderMethod::unconverged).
  bool keep_unconverged = false;

  Failure check(Index n) const;
  StepControl step_control() const;
};

}  // namespace trammel
