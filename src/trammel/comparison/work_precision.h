// What an error costs: the curve of a method through its runs at several tolerances, read between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trammel {

// One run that finished.
struct WorkPoint {
  double rtol = 0;
  double error = 0;
  double seconds = 0;
  double evaluations = 0;
  double position_violation = 0;
};

// What a method needs for an error.
struct Cost {
  double seconds = 0;
  double evaluations = 0;
  double rtol = 0;  // that gives this error
  double position_violation = 0;
  // The mildest tolerance that was tried gives less error than wanted: it may cost less still.
  bool at_most = false;
};

// The first tolerance from which on no run has a larger error than wanted, interpolated between it and the
// milder one before it, all in logarithms. Nothing if the curve does not reach so far. A run that is more
// accurate by luck than those at tighter tolerances does not count.
std::optional<Cost> cost_of_error(std::vector<WorkPoint> points, double wanted);

struct MethodCost {
  std::string method;
  Cost cost;
};

// Which method needs least time for an error, and what the others need, fastest first.
struct Recommendation {
  double wanted = 0;
  std::vector<MethodCost> ranking;
  std::string problem;  // why there is none

  // "fastest to 1e-6: psf/radau5, 3.2 ms at rtol 2e-5; then ggl/radau5, 4.1 ms"
  std::string sentence() const;
};

}  // namespace trammel
