// A timed run of a Simbody system, with the integrators that suit constrained motion.
#pragma once

#include <Simbody.h>

#include <functional>
#include <memory>

#include "contest.h"

namespace peers {

enum class SimbodyIntegrator { merson, cpodes_bdf, cpodes_adams };

struct SimbodyTask {
  const SimTK::MultibodySystem* system = nullptr;
  SimTK::State start;
  SimbodyIntegrator integrator = SimbodyIntegrator::merson;
  double end = 1;
  double accuracy = 1e-5;
  double constraint_tolerance = 0;  // 0: Simbody's own choice, a tenth of the accuracy
  std::function<double(const SimTK::State&)> error;
};

Run run_simbody(const SimbodyTask& task);

}  // namespace peers
