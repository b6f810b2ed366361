// Ctrl-C while a run is on its way: the run ends after the present step and keeps what it has.
#pragma once

#include <atomic>

namespace trammel {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Becomes true when the user interrupts.
  static const std::atomic<bool>* flag();
};

}  // namespace trammel
