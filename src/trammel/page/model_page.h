// The page of a run of a model.
#pragma once

#include <string>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// The same run gives the same bytes.
std::string model_page(const Model& model, const MechanismRun& run);

}  // namespace trammel
