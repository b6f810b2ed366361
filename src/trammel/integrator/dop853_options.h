// What can be chosen of DOP853 (dop853.h).
#pragma once

#include "trammel/integrator/step_control.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

struct Dop853Options {
  Tolerances tolerances;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;
  double safety = 0.9;
  // The step size changes at most by these factors.
  double min_step_factor = 1.0 / 3, max_step_factor = 6;
  // Take every step with the initial step size, whatever the error (for convergence studies).
  bool fixed_step = false;

  Failure check(Index n) const;
  StepControl step_control() const;
};

}  // namespace trammel
