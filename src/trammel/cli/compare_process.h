// Child processes, and the runs of a comparison made by them: so many at a time, none for longer than
// allowed, and none that outlives this one. A child that crashes or hangs costs its own answer and nothing
// else.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/comparison/reference.h"

namespace trammel {

struct ChildAnswer {
  enum class End { exited, killed, timed_out, interrupted, not_started };

  End end = End::not_started;
  int code = 0;  // the exit code, or the signal that killed it
  std::string out, err;

  // "ended by signal 11 (Segmentation fault)"; empty if it exited with 0.
  std::string trouble() const;
};

struct ChildLimits {
  int jobs = 1;
  double timeout = 300;  // seconds of wall time, for each
  // All are ended when this becomes true.
  const std::atomic<bool>* interrupt = nullptr;
};

// Runs commands, each a program's path and its arguments. Before one begins, `wanted` is asked for its number
// and may leave it out. `done` is called once for each other command, in the order in which they end.
void run_children(const std::vector<std::vector<std::string>>& commands, const ChildLimits& limits,
                  const std::function<bool(std::size_t)>& wanted,
                  const std::function<void(std::size_t, ChildAnswer)>& done);

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
