// What can be chosen of CVODES (cvodes.h).
#pragma once

#include "trammel/integrator/tolerances.h"

namespace trammel {

struct CvodesOptions {
  enum class Family { bdf, adams };

  Tolerances tolerances;
  Family family = Family::bdf;
  // The highest order to use. 0: that of the family, 5 or 12.
  int max_order = 0;
  // Iterations allowed per attempt, of Newton or of the fixed point.
  int max_newton_iterations = 3;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;
  // bdf: lower the order where orders 3 to 5 are unstable, near the imaginary axis (lightly damped, fast
  // oscillations).
  bool detect_stability_limit = false;

  Failure check(Index n) const;
};

}  // namespace trammel
