// When states are projected onto the invariants of their equation inside a step (ode_problem.h).
#pragma once

#include "trammel/numerics/failure.h"

namespace trammel {

struct ProjectionControl {
  // What the invariants may be violated by, as a fraction of the error that counts as one. States that are nearer are
  // left alone.
  double constraint_tolerance = 1e-3;
  // In every so many steps; 0: never.
  int frequency = 1;
  // Whether the error test is one of projected errors. An error across the invariants is gone after the
  // projection, so that steps may be longer.
  bool project_error = true;

  Failure check() const {
    const auto bad = [](const char* message) { return Failure{Reason::invalid_options, message}; };
    if (!(constraint_tolerance > 0 && constraint_tolerance <= 1))
      return bad("constraint_tolerance must be above 0 and at most 1, a fraction of the tolerance");
    if (frequency < 0) return bad("projection_frequency must not be negative");
    return {};
  }
};

}  // namespace trammel
