// What can be chosen of coordinate projection (coordinate_projection.h).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/formulation/problem.h"

namespace trammel {

struct CoordinateProjectionOptions {
  // What a projection keeps as small as can be: the change of the unknowns relative to their tolerances, as errors
  // are measured, or the kinetic energy of the change.
  enum class Norm { error, mass };

  // Without it, the form to compare with: positions and velocities drift.
  bool projects = true;
  Norm norm = Norm::error;
  // How the rows of constraints are measured: by the tolerances of their unknowns, so that no unit matters; or as they are
  // written, one tolerance in their own units (m, rad) being one, times `row_scales` if that is set: one for each
  // of (g, h), of all equations that are given.
  enum class Scales { automatic, as_written };
  Scales scales = Scales::automatic;
  Vector row_scales;
  // Of rows by name, or of all that belong to a joint: what counts as one error that is just tolerated, in the row's own units, and
  // of its rate the same per second. They come before the scales above.
  std::vector<std::pair<std::string, double>> closures;
  // Invariants, or the energy where it is kept, are projected too (kept_invariants.h).
  bool keeps_invariants = false;
  double rank_tolerance = 1e-9;
  // For methods that put back the end of a step (dop853): a state is moved if a residual of its constraints is larger,
  // in their units at position level, relative to the largest velocity (or one) at velocity level.
  double tolerance = 1e-12;

  // In place of what is built in, if set: the functions of OdeProblem with the same names, on x = (p, v, r, …).
  std::function<Outcome(double t, VectorIn scale, double tolerance, VectorOut x)> project;
  std::function<Outcome(double t, VectorIn x, VectorIn scale, VectorOut error)> project_error;
  std::function<double(double t, VectorIn x, VectorIn scale)> violation;

  // Of any use only to methods that project inside a step, and of some only for all equations as they are.
  bool measures_rows() const { return row_scales.size() > 0 || !closures.empty(); }
  bool is_for_all_rows() const { return row_scales.size() == 0 && !project && !project_error && !violation; }
};

// Whether a row of this name ("hinge.x") is meant by a name: its own, or that of the joint.
inline bool is_row_of(const std::string& row, const std::string& name) {
  return row == name || (row.size() > name.size() && row.starts_with(name) && row[name.size()] == '.');
}

}  // namespace trammel
