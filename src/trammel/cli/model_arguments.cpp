#include "trammel/cli/model_arguments.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>

#include "trammel/cli/messages.h"
#include "trammel/cli/progress.h"
#include "trammel/cli/settings.h"
#include "trammel/motion/mechanism_motion.h"

namespace trammel {

void add_coordinates_argument(CLI::App& command, std::string& coordinates) {
  command.add_option(
      "--coordinates", coordinates,
      "In which the equations of motion are: cartesian, joint or auto. Default: as the model says, or auto.");
}

void add_rods_argument(CLI::App& command, std::string& rods) {
  command
      .add_option("--rods", rods,
                  "What rods between two ball joints are: bodies, or distances, with their mass at their "
                  "ends. Default: as the model says, or bodies.")
      ->check(CLI::IsMember({"bodies", "distances"}));
}

void add_model_arguments(CLI::App& command, ModelArguments& arguments) {
  command.add_option("model", arguments.file, "The model file (YAML), or a robot (URDF).");
  command.add_option("--set", arguments.set, "Parameters with other values: name=value ...");
  add_coordinates_argument(command, arguments.coordinates);
  add_rods_argument(command, arguments.rods);
  command.add_flag("--json", arguments.json, "Exactly one JSON object on standard output.");
}

void complete_model_arguments(ModelArguments& arguments) {
  take_last_word(arguments.set, arguments.file);
  if (arguments.file.empty()) throw CLI::RequiredError("the model file");
}

int with_model(const ModelArguments& arguments, const std::function<int(Model& model)>& work) {
  try {
    ModelOverrides overrides{split_settings(arguments.set, "--set"), {}};
    if (!arguments.rods.empty()) overrides.rods = arguments.rods;
    ProgressStage stage(arguments.tells_progress);
    stage.begin("reading " + arguments.file);
    Model model = read_model(arguments.file, overrides);
    stage.end();
    for (const std::string& warning : model.warnings) print_warning(warning);
    if (!arguments.coordinates.empty()) {
      check_coordinates(arguments.coordinates);
      model.simulation.coordinates = arguments.coordinates;
    }
    return work(model);
  } catch (const ModelError& error) {
    return refuse(arguments.json, error);
  } catch (const std::invalid_argument& error) {
    return refuse(arguments.json, error.what(), {{"model", arguments.file}});
  }
}

std::string model_name(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.empty() ? "model" : stem;
}

}  // namespace trammel
