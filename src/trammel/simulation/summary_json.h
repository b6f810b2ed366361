// A summary as JSON, with all counts, the energy and the final state by name. Part of the component `files`: the core
// needs no JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trammel/simulation/summary.h"

namespace trammel {

nlohmann::ordered_json to_json(const Summary& summary);

}  // namespace trammel
