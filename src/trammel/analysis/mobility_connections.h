// What of a mechanism hangs together, by joints and by forces.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

// A sentence for each body that nothing acts on, and for each group that nothing connects to the ground.
std::vector<std::string> unconnected_bodies(const MechanismEquations& equations);

}  // namespace trammel
