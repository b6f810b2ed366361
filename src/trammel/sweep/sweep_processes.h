// The runs of a sweep on this machine, each in a process of its own: one that crashes costs its own row and nothing else.
#pragma once

#include <atomic>
#include <functional>

#include "trammel/sweep/sweep_table.h"

namespace trammel {

struct SweepProcesses {
  int jobs = 0;                                  // at a time; 0: as many as there are cores
  double timeout = 0;                            // seconds of wall time for each run; 0: no limit
  const std::atomic<bool>* interrupt = nullptr;  // ends all of them
  // Several times a second, with how many rows there are.
  std::function<void(long rows)> on_wait = {};
};

// Makes the runs that are missing in the table. Processes are copies of this one that do nothing but their run; they end
// with it. A failure if a row cannot be written.
Failure run_in_processes(SweepTable& table, const SweepProcesses& processes);

// One run in a process of its own.
SweepRow run_in_process(const Sweep& sweep, long run, double timeout = 0);

}  // namespace trammel
