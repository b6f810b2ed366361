// The runs of a comparison, each made by a process of its own. One that crashes or hangs costs its own answer
// and nothing else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/cli/child_process.h"
#include "trammel/comparison/reference.h"

namespace trammel {

// What a child that makes a trial has measured: it prints that as JSON.
Measurement measurement_of(const ChildAnswer& answer, double timeout);

// Makes trials in processes, and tells on a terminal how far it is. What took too long at a milder tolerance
// is not tried at a tighter one.
class TrialProcesses {
 public:
  using Command = std::function<std::vector<std::string>(const Trial& trial)>;
  TrialProcesses(Command command_of, ChildLimits limits, bool show_progress);
  ~TrialProcesses();
  TrialProcesses(const TrialProcesses&) = delete;
  TrialProcesses& operator=(const TrialProcesses&) = delete;

  void run(const std::vector<Trial>& trials, const TrialDone& done);

 private:
  void show(const std::vector<Trial>& trials, std::size_t finished, const std::string& now);

  Command command_of_;
  ChildLimits limits_;
  bool shown_, on_screen_ = false;
};

}  // namespace trammel
