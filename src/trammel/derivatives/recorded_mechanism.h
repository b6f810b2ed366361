// The functions of a mechanism in joint or Cartesian coordinates, recorded:
//
//   Q(z, ż)   the forces along the velocities, M z'' = Q where nothing is constrained: those of elements and weight, less what
//             the accelerations bring along that are there without z''
//   M(z)      the mass matrix
//   Φ(z)      holonomic constraints; the nonholonomic ones, which depend on ż too, after them
//   b         rates of the mechanism's own states
//
// A position z is moved by displacements q, one for each velocity, as everywhere (motion/tangent_motion.h): z ⊕ q. The functions
// are of (q, v) with the rest held, and are differentiated at q = 0.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/motion/mechanism_motion.h"
#include "trammel/numerics/differentiation/jacobian_pattern.h"
#include "trammel/numerics/differentiation/operation_graph.h"

namespace trammel {

// Where the inputs of all functions are.
struct RecordedInputs {
  int velocities = 0;  // how many: q has as many
  int q = 0, v = 0, t = 0, positions = 0, states = 0, multipliers = 0, nonholonomic_multipliers = 0,
      motions = 0;  // the first of each
  int count = 0;
};

struct RecordedMechanism {
  std::string coordinates;
  RecordedInputs inputs;
  RecordedFunction forces;       // Q
  RecordedFunction mass;         // entries of the pattern below
  JacobianPattern mass_pattern;  // both halves
  RecordedFunction constraints;  // Φ
  RecordedFunction state_rates;  // b
  // In the user's words.
  std::vector<std::string> position_names, velocity_names, constraint_names, state_names;
  std::vector<std::string> motion_names;  // prescribed motions whose values are inputs: given_motions()

  // Displacements of zero, and all the rest as it is in a state of the equations.
  std::vector<double> at(const MechanismEquations& equations, double t, const VectorIn& x) const;
};

// Angles that laws or constraints use and that are no coordinates themselves are taken within half a turn of where the mechanism
// starts. Throws RecordingError, with the name of an element or constraint, if it cannot be recorded, and std::invalid_argument
// for coordinates other than joint and cartesian.
RecordedMechanism record_mechanism(const MechanismEquations& equations);

// A function with q = 0.
RecordedFunction without_displacements(const RecordedFunction& function, const RecordedInputs& inputs);

}  // namespace trammel
