// Masses and inertias that are allowed but look like a mistake, usually of units.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

std::vector<std::string> mass_warnings(const Mechanism& mechanism);

}  // namespace trammel
