// The arguments of all commands that work on a model file, and reading it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/model/model.h"

// declared only: its header costs seconds in every source
namespace CLI {
class App;
}

namespace trammel {

struct ModelArguments {
  std::string file;
  std::vector<std::string> set;
  bool json = false;
  std::string coordinates;      // empty: as the model says
  bool tells_progress = false;  // of reading, on a terminal
  std::string rods = {};        // empty: as the model says
};

// --coordinates, for commands that work on equations of motion.
void add_coordinates_argument(CLI::App& command, std::string& coordinates);
// --rods, for commands that read a model.
void add_rods_argument(CLI::App& command, std::string& rods);
// The model's name as the first word, --set, --coordinates, --rods and --json.
void add_model_arguments(CLI::App& command, ModelArguments& arguments);
// Finds the model's name if it stands behind settings; throws CLI::RequiredError if there is none.
void complete_model_arguments(ModelArguments& arguments);

// Reads the model and gives it to `work`, whose exit code is returned; says what is wrong with the model or
// the arguments otherwise. `work` may throw ModelError and std::invalid_argument for such.
int with_model(const ModelArguments& arguments, const std::function<int(Model& model)>& work);

// "four-bar" of "models/four-bar.yaml".
std::string model_name(const std::string& file);

}  // namespace trammel
