// Keeps a run in real time at the pace of the clock, while another thread records and writes what it does.
#pragma once

#include "trammel/cli/run_files.h"
#include "trammel/simulation/real_time_run.h"

namespace trammel {

struct PaceReport {
  long overruns = 0;  // steps that ended after the next was due to begin
  double latest = 0;  // by so much at most, s
  long lost = 0;      // samples that could not be taken over in time
};

// Until the end, a failure or a signal. The run has its samples and its summary afterwards.
PaceReport keep_pace(MechanismRun& run, RealTimeRun& steps, RunFiles& files);

}  // namespace trammel
