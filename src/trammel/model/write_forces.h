// Forces as entries of a model file.
#pragma once

#include <string>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

// The map of one force, on one line. Throws ModelError for what a model file cannot say.
std::string yaml_force(const Mechanism& mechanism, const Force& force);

}  // namespace trammel
