// What is measured as mechanisms grow: a few steps of one program on a chain of rods or on the N-four-bar.
#pragma once

#include <cmath>
#include <ctime>
#include <string>

#include "contest.h"

namespace peers {

enum class Growing { chain, four_bars };

constexpr int scaling_steps = 20;
constexpr double scaling_end = 10;  // later than any method is after so many steps

// A few accepted steps from the start of the motion. The clock runs from the end of the initialisation.
struct ScaledRun {
  double steps = 0;
  double evaluations = 0;  // of accelerations
  double seconds = 0;
};

// Windows of an N-four-bar with about so many bodies; it has 2N + 1.
inline int windows_of(int bodies) { return (bodies - 1) / 2; }

// A program with one growing mechanism, ready to run from the start, as often as one likes.
class ScaledModel {
 public:
  virtual ~ScaledModel() = default;
  virtual ScaledRun run() = 0;
};

}  // namespace peers
