// Child processes: the one place that starts them. So many at a time, none for longer than allowed, and none
// that outlives this one, unless it is wanted so.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

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

// One command; without a time limit of the caller's, that of ChildLimits.
ChildAnswer run_child(const std::vector<std::string>& command, const ChildLimits& limits = {});

// Starts a program that is found in PATH and leaves it alone: in a session of its own, so that Ctrl-C here does
// not end it too, and with nothing to read or to write to. Whether it works is not known.
void start_alone(const std::string& program, const std::string& argument);

// The path of a program in the folders of PATH; empty if it is in none.
std::string path_of_program(const std::string& name);

}  // namespace trammel
