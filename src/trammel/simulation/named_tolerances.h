// Tolerances of single unknowns, by the names that a user has for them.
#pragma once

#include <vector>

#include "trammel/formulation/projection/coordinate_projection_options.h"
#include "trammel/integrator/tolerances.h"
#include "trammel/mechanism/model.h"
#include "trammel/motion/equations.h"

namespace trammel {

// A name is that of a body, a joint or a state, which stands for all its unknowns, or of one unknown ("rod.x"). Later
// entries have the last word. Throws ModelError if one comes from a file and has no unknown, std::invalid_argument
// otherwise.
void set_named_tolerances(const EquationsOfMotion& equations,
                          const std::vector<SimulationSettings::NamedTolerance>& named,
                          Tolerances& tolerances);

// What the constraints of joints, or single ones ("hinge.x"), may be off by to count as one error that is just tolerated.
// Throws as above if there is no such constraint in these coordinates.
void set_named_closures(const EquationsOfMotion& equations,
                        const std::vector<SimulationSettings::NamedTolerance>& named,
                        CoordinateProjectionOptions& projection);

// In joint coordinates: an angle counts for half a turn at most, however often it went round.
void set_cyclic(const EquationsOfMotion& equations, Tolerances& tolerances);

}  // namespace trammel
