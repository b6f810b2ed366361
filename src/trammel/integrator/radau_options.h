// What can be chosen of Radau IIA (radau.h).
#pragma once

#include "trammel/formulation/projection_control.h"
#include "trammel/integrator/step_control.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

struct RadauOptions {
  using StartingValues = trammel::StartingValues;
  enum class Controller { predictive, classical };

  Tolerances tolerances;
  // Newton iterations allowed per step.
  int max_newton_iterations = 10;
  // Stage values to begin the iteration with: the last collocation polynomial extrapolated, or none.
  StartingValues starting_values = StartingValues::extrapolated;
  long max_steps = 100000;
  Controller controller = Controller::predictive;
  // Where the Newton matrix is taken: 0 = at x_k; 1, 2, 3 = at that stage as extrapolated (2 is often
  // fastest).
  int newton_matrix_at = 0;
  // How often the Newton matrix may be renewed inside one step's iteration before the step is given up.
  int newton_matrix_updates = 0;
  double safety = 0.9;
  // The Jacobian is kept for the next step if Newton converged faster than this; negative: never kept.
  double jacobian_reuse = 0.001;
  // The iteration stops when the remaining error is below this, relative to the tolerance. 0: min(0.03,
  // √rtol'/4), rtol' being the tolerance used inside. (The manual of GEOMS prints MIN(0.03D0,RTOL(1))*0.5D0,
  // which costs twice the iterations that its own tables count; with an exponent as in RADAU5, **0.5D0, the
  // tables come out.)
  double newton_stop = 0;
  // The step size is kept if the proposed one is between these multiples of it.
  double keep_step_above = 1.0, keep_step_below = 1.2;
  // 0: the whole interval.
  double max_step = 0;
  // The step size changes at most by these factors.
  double min_step_factor = 0.2, max_step_factor = 8;
  // Use 0.1·rtol^(2/3) inside, as RADAU5 does: the estimate is of order 3, the solution of order 5.
  bool transform_tolerances = true;
  // Leap over a singular position, where Newton's iteration cannot step across, if the extrapolated state is
  // within the tolerance there.
  bool leap_over_singular = true;
  // Take every step with the initial step size, whatever the error (for convergence studies).
  bool fixed_step = false;
  // Of problems with invariants.
  ProjectionControl projection;

  Failure check(Index n) const;
  StepControl step_control() const;
  NewtonControl newton_control() const;
};

}  // namespace trammel
