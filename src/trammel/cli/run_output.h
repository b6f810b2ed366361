// What a run leaves in its output folder: trajectory.csv, steps.csv, summary.json and index.html to look at.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/problems/builtin.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/summary.h"

namespace trammel {

struct RunDescription {
  std::string title, subtitle;
  // What the summary does not tell: parameters, tolerances, digits.
  std::vector<std::pair<std::string, std::string>> facts;
};

// Writes the files and returns the path of the page. Throws std::runtime_error if the folder cannot be
// written.
std::string write_run_output(const std::string& folder, const ProblemCase& problem,
                             const Trajectory& trajectory, const Summary& summary,
                             const nlohmann::ordered_json& json, const RunDescription& description);

}  // namespace trammel
