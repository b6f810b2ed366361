// What the commands on models find out, as the JSON that they print: for whoever calls them otherwise than by the
// command line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trammel/model/model.h"

namespace trammel {

// As `trammel check`, `trammel assemble` (with the model as `text`) and `trammel equilibrium`. Throw ModelError.
nlohmann::ordered_json check_report(const Model& model);
nlohmann::ordered_json assembly_report(const Model& model);
nlohmann::ordered_json equilibrium_report(const Model& model, double time, bool allow_unstable);

}  // namespace trammel
