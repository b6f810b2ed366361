// Ways of differentiation held against each other on a function of a mechanism: what a Jacobian costs and how exact it is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trammel/derivatives/mechanism_functions.h"

namespace trammel {

struct WayCost {
  std::string way;
  std::string description{};
  std::string failure{};   // why there is nothing more to tell
  double seconds = 0;      // of the processor, for one Jacobian
  double ratio = 0;        // to one evaluation by the library
  double preparation = 0;  // seconds, once: recording, colouring, compiling
  std::size_t bytes = 0;
  int directions = 0;
  std::size_t entries = 0;
  double error = 0;  // the largest, relative to the largest entry of its row in the reference
};

struct WayComparison {
  std::string coordinates;
  int rows = 0, columns = 0;
  JacobianPattern pattern;
  std::size_t operations = 0;    // of the recording
  double library_seconds = 0;    // for one evaluation; zero if the library has none of it alone
  double recorded_seconds = 0;   // of the recording, instruction by instruction
  double generated_seconds = 0;  // of generated code; zero if there is none
  std::string reference;         // what errors are measured against
  std::vector<WayCost> ways;
};

struct ComparisonTiming {
  double seconds = 0.05;  // to measure each way for, at least
  int repetitions = 3;    // of which the fastest counts
};

// At a state. `ways` by their names, "library" for its own slopes; none: all that this build has.
WayComparison compare_ways(FunctionOfMechanism& function, double t, const VectorIn& x,
                           std::vector<std::string> ways = {}, const ComparisonTiming& timing = {});

}  // namespace trammel
