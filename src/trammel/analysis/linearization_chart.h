// Coordinates for the states of a linearised mechanism: which functions of positions and velocities are
// independent, and how they and their rates vary.
//
// Joint coordinates are taken first: they stay meaningful while the mechanism moves (the tilt of a spinning
// wheel's fork, not that of the wheel). What they leave open is filled with the translations of bodies and
// their rotations about world axes. Equations that are not those of a mechanism have their own positions and
// velocities.
#pragma once

#include <string>
#include <vector>

#include "trammel/analysis/displaced_motion.h"
#include "trammel/motion/mechanism_motion.h"

namespace trammel {

// Rows y of position coordinates: by displacements; and their rates, by displacements and velocities.
struct PositionRows {
  std::vector<std::string> names;
  SparseMatrix pose;
  SparseMatrix rate_pose, rate_twist;
};

// Rows u of velocity coordinates: by displacements and velocities; and their rates, by accelerations too.
struct VelocityRows {
  std::vector<std::string> names;
  SparseMatrix pose, twist;
  SparseMatrix rate_pose, rate_twist, rate_acceleration;
};

struct ChartCandidates {
  PositionRows positions;
  VelocityRows velocities;
  // How much better than others a row is: one number for each.
  Vector position_preference, velocity_preference;
};
// `motion` is at the state.
ChartCandidates mechanism_candidates(const MechanismEquations& equations, const MechanismMotion& motion,
                                     const MeasuredSlopes& measured);
ChartCandidates plain_candidates(const EquationsOfMotion& equations, const PositionSlopes& slopes);

// As many rows as there are columns of the basis (of the free motions, orthonormal in the mass): independent
// on it, well conditioned, preferred ones first where there is a choice. Ascending. Fewer if there are none.
std::vector<Index> independent_rows(const SparseMatrix& rows, const Vector& preference, const Matrix& basis);

PositionRows select(const PositionRows& rows, const std::vector<Index>& chosen);
VelocityRows select(const VelocityRows& rows, const std::vector<Index>& chosen);

}  // namespace trammel
