// How a run went, as a page tells it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/simulation/summary.h"

namespace trammel {

// Names and values.
std::vector<std::pair<std::string, std::string>> summary_facts(const Summary& summary);

}  // namespace trammel
