// Forces of a mechanism as elements: from the descriptions (mechanism.h) to kernels (force_kernels.h).
#pragma once

#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/quantity.h"

namespace trammel {

// Joints must have been added before: friction uses their reactions. Throws ModelError.
void add_forces(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler);

}  // namespace trammel
