// A measurement in a process of its own, so that peak memory belongs to it, and so that a program that ends
// itself, or does not end, does no harm.
#pragma once

#include <functional>
#include <string>

#include "scaling.h"

namespace peers {

struct ScalingMeasurement {
  ScaledRun run;
  double total_seconds = 0;   // of CPU, with building the model
  double peak_megabytes = 0;  // of the process, resident
  double base_megabytes = 0;  // before the model was built
  std::string failure;
};

// Runs `measure` in a child that is ended after so many seconds.
ScalingMeasurement measure_in_child(const std::function<ScaledRun()>& measure, int most_seconds);

}  // namespace peers
