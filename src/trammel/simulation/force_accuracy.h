// How well the forces of stiff elements are known. The error of a step is kept below the tolerance in positions
// and velocities; a force is inexact by its stiffness times that. Where this is a part of the force worth
// mentioning, it is stated beside it.
#pragma once

#include <string>
#include <vector>

#include "trammel/integrator/tolerances.h"
#include "trammel/motion/cartesian_equations.h"

namespace trammel {

struct ForceAccuracy {
  std::string channel;  // "beam3.force.x"
  double error = 0;     // what errors of the size of the tolerances change it by
};

// Of all forces and torques of force elements at a state.
std::vector<ForceAccuracy> force_accuracies(CartesianEquations& equations, double t, const Vector& x,
                                            const Tolerances& tolerances);

}  // namespace trammel
