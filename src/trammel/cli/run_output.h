// What a run of a problem leaves in its output folder: trajectory.csv, steps.csv, summary.json and index.html
// to look at; and what all runs share in this.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/problems/builtin.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/summary.h"

namespace trammel {

// The folder, made if it does not exist. Throws std::runtime_error if it cannot be written into.
std::filesystem::path make_output_folder(const std::string& folder);

// Replaces a file as a whole. Throws std::runtime_error if it cannot be written.
void write_output_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& writer);

// How Newton's iteration of every attempt at a step went, as CSV; false, and no file, if that was not
// recorded. Throws std::runtime_error if it cannot be written.
bool write_convergence(const std::filesystem::path& path, const Summary& summary);

// What a page tells of every run.
std::vector<std::pair<std::string, std::string>> summary_facts(const Summary& summary);

// 0, run_failed, or usage_error if the run did not even begin because of what was asked for.
int exit_code_of(const Summary& summary);

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
