// What can be chosen of SDIRK (sdirk.h).
#pragma once

#include "trammel/formulation/projection_control.h"
#include "trammel/integrator/step_control.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

struct SdirkOptions {
  enum class Gamma { four_fifteenths, one_quarter };
  using StartingValues = trammel::StartingValues;

  Tolerances tolerances;
  // The diagonal of the method, which decides all its coefficients.
  Gamma gamma = Gamma::four_fifteenths;
  // Newton iterations allowed per stage.
  int max_newton_iterations = 7;
  // What the first stage begins its iteration with: the last step extrapolated, or the old state. The others
  // begin with what the stages before them predict.
  StartingValues starting_values = StartingValues::extrapolated;
  long max_steps = 100000;
  double safety = 0.9;
  // Where the Jacobian is taken: at the beginning of the step, or midway through it, where the last one leads, which serves
  // stiff directions that turn. `automatic`: midway where a problem puts every state on its constraints by itself; otherwise the
  // middle of a step may be a position whose constraints have another rank beside the motion, which does harm.
  enum class MatrixPlace { automatic, midway, begin };
  MatrixPlace matrix_place = MatrixPlace::automatic;
  // The Jacobian is kept for the next step if Newton converged faster than this; negative: never kept.
  double jacobian_reuse = 0.001;
  // The iteration of a stage stops when the remaining error is below this, relative to the tolerance. 0:
  // min(0.03, √rtol), but not below round-off.
  double newton_stop = 0;
  // The step size is kept, and the factorisation with it, if the proposed one is between these multiples of
  // it.
  double keep_step_above = 1.0, keep_step_below = 1.2;
  // 0: the whole interval.
  double max_step = 0;
  // The step size changes at most by these factors.
  double min_step_factor = 0.25, max_step_factor = 4;
  // Take every step with the initial step size, whatever the error (for convergence studies).
  bool fixed_step = false;
  // Go on from the solution of order 4; otherwise from the embedded one of order 3, to which the estimate of
  // the error belongs.
  bool local_extrapolation = true;
  // Of problems with invariants.
  ProjectionControl projection;

  Failure check(Index n) const;
  StepControl step_control() const;
  NewtonControl newton_control() const;
};

}  // namespace trammel
