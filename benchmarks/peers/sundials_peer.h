// SUNDIALS used by hand on a ConstrainedSystem. The libraries are CVODES and IDAS, which without
// sensitivities do what CVODE and IDA do.
#pragma once

#include <functional>

#include "constrained_system.h"
#include "contest.h"

namespace peers {

struct SundialsTask {
  const ConstrainedSystem* system = nullptr;
  VectorXd q, v;  // consistent initial values
  double end = 1;
  double tolerance = 1e-6;              // relative and absolute
  double constraint_tolerance = 1e-10;  // of the projections
  std::function<double(const VectorXd& q, const VectorXd& v)> error;
};

enum class Formula { bdf, adams };

// CVODE on v' from the equations differentiated twice, with coordinate projection. BDF projects after every
// step, by CVODE's own hook (which exists for BDF only). Adams evaluates its right-hand side at the projected
// state instead, so that the drift does not feed back, and projects the final state. Without constraints both
// are plain CVODE.
Run run_cvode(const SundialsTask& task, Formula formula);

// IDA on the form of Gear, Gupta and Leimkuhler, with the multipliers left out of the error test, as its
// manual recommends for index 2.
Run run_ida(const SundialsTask& task);

}  // namespace peers
