// What can be chosen of ARKODE (arkode.h).
#pragma once

#include "trammel/integrator/tolerances.h"

namespace trammel {

struct ArkodeOptions {
  enum class Family { dirk, erk };

  Tolerances tolerances;
  Family family = Family::dirk;
  // dirk: 3, 4 or 5 (ARK3(2)4L[2]SA, ARK4(3)7L[2]SA, ARK5(4)8L[2]SA of Kennedy & Carpenter, implicit part:
  // L-stable, stiffly accurate, stages of order 2); erk: 2 to 8 (ARKODE's default of that order).
  int order = 4;
  // dirk: Newton iterations allowed per stage. They begin at the state before the step.
  int max_newton_iterations = 7;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;

  Failure check(Index n) const;
};

}  // namespace trammel
