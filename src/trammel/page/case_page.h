// Runs of published cases as the data of their pages.
#pragma once

#include <ostream>
#include <string>

#include "trammel/published/case_run.h"

namespace trammel {

// JSON. While the run is `running` it is what there is so far. A mechanism shows its bodies; equations of another kind are
// drawn if the case says how. The run must have a recording.
void write_viewer_data(const CaseRun& run, bool running, std::ostream& out);
std::string viewer_data(const CaseRun& run, bool running = false);

}  // namespace trammel
