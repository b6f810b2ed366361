// The end of a run: its files are closed, and its checkpoint is kept if it is worth going on from.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "trammel/cli/checkpoints.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/run_files.h"
#include "trammel/simulation/summary.h"

namespace trammel {

struct RunEnd {
  OutputFiles files;
  bool goes_on = false;  // by the command `resume` of the JSON
};

// `json`, which becomes summary.json, is told what is missing, and `resume_command` if the run can go on.
RunEnd end_run(const Summary& summary, const std::string& resume_command, RunFiles& files,
               Checkpoints& checkpoints, nlohmann::ordered_json& json);

}  // namespace trammel
