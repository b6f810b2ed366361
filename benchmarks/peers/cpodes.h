// CPodes, the multistep integrator with projection inside Simbody, on operators that are given to it: the derivative of an
// ordinary differential equation and the projection of its states and errors. So two integrators can be compared on the same
// equations, whatever Simbody could model.
//
// What crosses the border of the library is plain (simbody_peers.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace peers {

struct CpodesTask {
  bool adams = false;
  double begin = 0, end = 1;
  double tolerance = 1e-5;  // relative and absolute
  double patience = 10;     // s of CPU time
  std::vector<double> start;
  // False: not here, a shorter step may do.
  std::function<bool(double t, const double* y, double* rates)> derivative;
  // Moves y; takes from the error what lies across the invariants.
  std::function<bool(double t, double* y, double* error)> project;
};

struct CpodesResult {
  std::vector<double> state;
  long steps = 0, projections = 0;
  std::string failure;  // empty: it reached the end
};

// False where Simbody was not found.
bool run_cpodes(const CpodesTask& task, CpodesResult& result);

}  // namespace peers
