// Runs of models as the data of their pages, and what pages of runs of all kinds have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/page/viewer_data.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// JSON. While the run is `running` it is what there is so far.
void write_viewer_data(const Model& model, const MechanismRun& run, bool running, std::ostream& out);
std::string viewer_data(const Model& model, const MechanismRun& run, bool running = false);

// All but its subtitle and what moves.
PageContent run_content(const Summary& summary, const Recording& recording, const RunSettings& settings,
                        const std::vector<EventRecord>& events,
                        const std::map<std::string, double>& parameters, bool running);

}  // namespace trammel
