// What is told of a run of a model: as JSON, and on the screen.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// How the run went, by what it was asked for and where it ended: the same for the same input.
nlohmann::ordered_json run_json(const Model& model, const MechanismRun& run);

// The same for people, with the time it took.
std::string run_report(const Model& model, const MechanismRun& run);

}  // namespace trammel
