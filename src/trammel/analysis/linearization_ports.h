// Inputs and outputs of a linearised system, by their names: forces that act, and quantities that are seen.
#pragma once

#include <string>
#include <vector>

#include "trammel/analysis/linearization_chart.h"
#include "trammel/numerics/failure.h"

namespace trammel {

struct InputColumns {
  std::vector<std::string> names;
  Matrix force;  // on the velocities, one column for each input
};

// Derivatives of each output by displacements, velocities, force states and multipliers.
struct OutputRows {
  std::vector<std::string> names;
  SparseMatrix pose, twist, state, multiplier;
};

struct Ports {
  EquationsOfMotion& equations;
  const MechanismEquations* mechanism;  // or none
  const MechanismMotion* motion;        // of the mechanism, at the state
  const MeasuredSlopes& measured;       // of the mechanism
  const TangentSlopes& slopes;
  const PositionSlopes& own_positions;  // of other equations
  double t;

  Failure inputs(const std::vector<std::string>& wanted, InputColumns& columns) const;
  Failure outputs(const std::vector<std::string>& wanted, OutputRows& rows) const;
};

}  // namespace trammel
