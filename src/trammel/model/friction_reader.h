// Friction of joints: as a key of a joint, or as a force of its own.
#pragma once

#include "trammel/model/map_reader.h"

namespace trammel {

// The rate at which dry friction is developed, unless the file says it: slow for most mechanisms, and not so
// slow that the equations become needlessly stiff.
inline constexpr double usual_friction_velocity = 0.01;

// Throws ModelError.
Force read_friction(const MapReader& map, const Joint& joint, const std::string& name);

}  // namespace trammel
