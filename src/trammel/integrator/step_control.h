// How one-step methods choose their steps and run Newton's iteration, as the options of a method have it.
#pragma once

#include "trammel/numerics/failure.h"

namespace trammel {

// How steps are chosen, as the options of a method have it.
struct StepControl {
  long max_steps = 100000;
  double max_step = 0;  // 0: the whole interval
  double safety = 0.9;
  double min_step_factor = 0.2, max_step_factor = 8;
  bool fixed_step = false;

  Failure check() const;
};

// What Newton's iteration on the stages of a step begins with: the last step extrapolated, or the old state.
enum class StartingValues { extrapolated, zero };

// How the iteration is run, as the options of a method have it.
struct NewtonControl {
  int max_newton_iterations = 10;
  double jacobian_reuse = 0.001;
  double newton_stop = 0;
  double keep_step_above = 1.0, keep_step_below = 1.2;

  Failure check() const;
};

}  // namespace trammel
