// A run of a model as the data of its page in a browser (viewer/README.md).
#pragma once

#include <string>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// JSON. While the run is `running` it is what there is so far. Samples are thinned where the page would
// become too large to open; it says so then.
std::string viewer_data(const Model& model, const MechanismRun& run, bool running = false);

}  // namespace trammel
