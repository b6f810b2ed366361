// What the numbers of a key are of. A value with a unit that cannot be meant (`mass: 5 mm`, `stiffness: 100 N`) is refused; numbers
// without a unit are SI, and of expressions nothing is known.
#pragma once

#include <string>

#include "trammel/model/number_scope.h"

namespace trammel {

// Throws ModelError. Of keys that may be anything nothing is demanded.
void check_unit(const ModelNode& node, const NumberScope& scope, const std::string& key);

}  // namespace trammel
