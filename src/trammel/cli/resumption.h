// A run that goes on from a checkpoint is the run that was begun: with the same model, parameters, method,
// options, times and files. What it was begun with is kept with the checkpoint, and held against what is there
// and what is asked for when it is to go on.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trammel/cli/run_arguments.h"
#include "trammel/mechanism/model.h"

namespace trammel {

// The arguments of `trammel run`.
struct RunCommandArguments : RunArguments {
  std::string file;
  std::optional<double> output_interval;
  std::string coordinates, rods;  // empty: as the model says
  std::optional<int> threads;     // whatever their number, results are the same
  bool real_time = false;
  std::optional<double> rate;  // of steps, in real time
};

// The arguments of `trammel problem`.
struct ProblemArguments : RunArguments {
  std::string name;
};

// What a run was begun with: arguments, files of the model with their checksums, settings that came of them.
// Throws std::invalid_argument if a file of the model cannot be read any more.
nlohmann::ordered_json facts_of_run(const RunCommandArguments& arguments, const Model& model,
                                    const RunSettings& settings);
// The same of a built-in problem.
nlohmann::ordered_json facts_of_problem(const ProblemArguments& arguments, const RunSettings& settings);

// The arguments that the run in the folder was begun with, with `json` and `quiet` of those at hand, and the
// model's file where it is now. Throws std::invalid_argument if the others at hand differ, or if there is no
// such model.
RunCommandArguments resumed_arguments(const RunCommandArguments& at_hand,
                                      const nlohmann::ordered_json& facts);
ProblemArguments resumed_arguments(const ProblemArguments& at_hand, const nlohmann::ordered_json& facts);

// Throws std::invalid_argument that says what differs.
void check_resumed_model(const Model& model, const nlohmann::ordered_json& facts);
void check_resumed_settings(const RunSettings& settings, const nlohmann::ordered_json& facts);

// "trammel run --resume 'the folder'", `command` being "run".
std::string resume_command(const std::string& command, const std::string& folder);

}  // namespace trammel
