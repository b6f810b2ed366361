// How a mechanism can move: degrees of freedom counted and computed, equations that depend on others,
// positions that are singular.
//
// Grübler's count is what a designer expects, velocities less equations. The rank of the constraint Jacobian
// at the assembled position tells what is. Where they differ, equations are redundant: either always (a
// planar linkage in space) or in this position only (a linkage stretched flat), which moving a little tells.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/numerics/failure.h"

namespace trammel {

struct MobilityOptions {
  double rank_tolerance = 1e-9;
  // Below this the constraints are nearly dependent.
  double nearly_singular = 1e-6;
  // How far to move for a look at the rank near by: radians, and metres or parts of the largest position.
  double look_around = 0.01;
  // Each costs a look at the whole mechanism, and nobody reads thousands.
  Index most_dependencies = 200;
  // With more velocities, the coordinates that determine the motion are chosen by their names and a sparse
  // elimination; otherwise by how well they do, which costs the cube of the degrees of freedom.
  Index many_velocities = 600;
};

// A joint, coupler or driver with its equations.
struct ConstraintOwner {
  std::string name;
  std::string kind;  // "revolute", "coupler", "driver", ...
  std::vector<std::string> equations, redundant;
};

// An equation that says what others say together. Which of them is called redundant is a matter of choice.
struct RedundantEquation {
  std::string equation;
  std::vector<std::string> implied_by;  // owners of the equations that imply it
};

struct Mobility {
  Failure failure;
  Index bodies = 0;              // without the ground; 0 if there is no mechanism
  Index velocities = 0;          // six for each body
  Index equations = 0;           // holonomic and nonholonomic
  Index grubler = 0;             // velocities − equations
  Index degrees_of_freedom = 0;  // velocities − rank
  Index position_freedom = 0;    // more than that where something rolls
  double regularity = 1;         // 0 where the rank is about to drop

  std::vector<std::string> redundant;
  std::vector<RedundantEquation> dependencies;  // of the first of them
  Index dependencies_left_out = 0;
  std::vector<std::string> redundant_joints;  // owners of redundant equations
  std::vector<ConstraintOwner> owners;
  // Redundant here, but not near by: a singular position.
  bool singular = false;
  Index degrees_of_freedom_near_by = 0;

  std::vector<std::string> free_coordinates;  // as many joint coordinates or others as determine the motion
  std::vector<std::string> locked;  // joint coordinates that cannot move, though nothing drives them
  std::vector<std::string> warnings;

  std::string report() const;
};

// x must be assembled.
Mobility find_mobility(EquationsOfMotion& equations, double t, const Vector& x,
                       const MobilityOptions& options = {});

}  // namespace trammel
