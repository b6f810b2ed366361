// Values of quantities as they are written on the command line: "A.angle=30 deg,B.angle_rate=2".
#pragma once

#include <string>
#include <vector>

#include "trammel/analysis/chosen_state.h"

namespace trammel {

// Numbers may be expressions with units and with the mechanism's parameters. `option` is for messages. Throws
// std::invalid_argument.
ChosenValues chosen_values(const std::vector<std::string>& texts, const Mechanism& mechanism,
                           const std::string& option);

}  // namespace trammel
