// What can be chosen of the multistep integrator (multistep.h).
#pragma once

#include "trammel/formulation/projection_control.h"
#include "trammel/integrator/multistep_formula.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

struct MultistepOptions {
  Tolerances tolerances;
  MultistepFamily family = MultistepFamily::adams;
  // The highest order to use. 0: that of the family, 5 or 12.
  int max_order = 0;
  // Iterations allowed per attempt, of Newton or of the fixed point.
  int max_iterations = 3;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;
  ProjectionControl projection;

  Failure check(Index n) const;
};

}  // namespace trammel
