// What a run of a problem leaves in its output folder: trajectory.csv, steps.csv, summary.json and index.html
// to look at; and what all runs share in this.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trammel/cli/output_files.h"
#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/summary.h"

namespace trammel {

// The folder, made if it does not exist. Throws std::runtime_error if it cannot be written into.
std::filesystem::path make_output_folder(const std::string& folder);

// How Newton's iteration of every attempt at a step went, as CSV; no file if that was not recorded.
void write_convergence(const std::filesystem::path& path, const Summary& summary, OutputFiles& files);

// 0, run_failed, usage_error if the run did not even begin because of what was asked for, or 128 and the
// number of the signal that interrupted it.
int exit_code_of(const Summary& summary);

struct RunDescription {
  std::string title, subtitle;
  // What the summary does not tell: parameters, tolerances, digits.
  std::vector<std::pair<std::string, std::string>> facts;
};

// The JSON is told which of the others could not be written before it is written itself.
void write_run_output(const std::filesystem::path& folder, const ProblemCase& problem,
                      const Trajectory& trajectory, const Summary& summary, nlohmann::ordered_json& json,
                      const RunDescription& description, OutputFiles& files);

}  // namespace trammel
