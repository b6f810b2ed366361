// Static equilibrium: positions p, force states r and multipliers with v = 0 such that
//
//   f − ZᵀGᵀλ − ZᵀHᵀμ = 0,   g = 0,   n = 0,   b = 0   (and c = 0, d = 0),
//
// at a given time, which drivers and forces may depend on. Joints may be redundant. Rolling and driven
// velocities hold what they hold by friction or by their motor: the search rolls, it does not slip.
//
//   trammel::EquilibriumResult rest = trammel::find_equilibrium(equations, 0.0, x);
//   if (rest.failure) std::cerr << rest.failure.message;
//
// The search goes downhill: an equilibrium that a push would destroy is left again, unless told otherwise.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/numerics/failure.h"

namespace trammel {

struct EquilibriumOptions {
  int max_iterations = 500;
  // Forces that are not in balance, relative to the largest one that is.
  double tolerance = 1e-10;
  // Go downhill, and on from unstable equilibria. Otherwise: the equilibrium that Newton's method finds,
  // stable or not, such as the pendulum upright.
  bool seek_stable = true;
  // A search that has led farther than this, relative to 1 + the largest position, finds nothing any more.
  double farthest = 1e4;
  double rank_tolerance = 1e-9;
};

enum class Stability {
  unknown,
  stable,   // every small displacement is driven back
  neutral,  // some displacements meet no force, all others are driven back
  unstable
};
std::string_view name(Stability stability);

struct EquilibriumResult {
  Failure failure;
  Vector x;  // v = 0; on failure the best state found
  int iterations = 0;
  double residual = 0;      // largest force or torque that is not in balance
  double acceleration = 0;  // largest acceleration it would cause
  double largest_displacement = 0;
  std::string largest_displacement_of;  // "crank.rz": what moved most, from the guess
  // Of the forces alone: damping, and forces that follow velocities, are a question for modes().
  Stability stability = Stability::unknown;
  double softest = 0;  // the lowest eigenvalue of stiffness against mass, rad²/s²; negative: unstable
  std::vector<std::string> free_to_move;  // of neutral equilibria: the bodies that are, or the coordinates
  std::vector<std::string> notes;

  std::string report() const;  // a few lines for people
};

// From a guess, which is assembled first.
EquilibriumResult find_equilibrium(EquationsOfMotion& equations, double t, const Vector& guess,
                                   const EquilibriumOptions& options = {});

}  // namespace trammel
