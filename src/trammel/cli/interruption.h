// Ctrl-C (SIGINT), SIGTERM and SIGHUP while a run is on its way: the run ends after the present step and
// keeps what it has. A second signal of the same kind ends the program at once.
#pragma once

#include <atomic>

namespace trammel {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Becomes true when a signal comes.
  static const std::atomic<bool>* flag();
  // What shells give for a program that a signal ended: 128 and its number; 0 if none came.
  static int exit_code();
};

}  // namespace trammel
