// What can be chosen of IDAS (ida.h).
#pragma once

#include "trammel/formulation/projection_control.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

struct IdaOptions {
  Tolerances tolerances;
  // The highest order to use.
  int max_order = 5;
  // Iterations allowed per attempt.
  int max_newton_iterations = 4;
  // Newton's iteration ends when its error is below this part of the tolerance; 0: 0.03. IDAS has 0.33 unless
  // told; the error estimates of high orders, which are differences of several steps, then see more of the
  // iteration than of the motion, and constrained motion takes up to twice the steps.
  double newton_stop = 0;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;
  // No error test: every step of the first one's size, or shorter where Newton's iteration does not converge.
  bool fixed_step = false;
  // Of problems that are ordinary differential equations with invariants.
  ProjectionControl projection;

  Failure check(Index n) const;
};

}  // namespace trammel
