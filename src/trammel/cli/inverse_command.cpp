// trammel inverse: the forces of motors along a given motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/plot_result.h"
#include "trammel/cli/run_output.h"
#include "trammel/model/model.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/result/recording_csv.h"
#include "trammel/result/recording_hdf5.h"
#include "trammel/simulation/inverse_run.h"

namespace trammel {

namespace {

struct InverseArguments : ModelArguments {
  std::string along, out, model_out;
  std::vector<std::string> forces;
};

// A result of a run, or a table that somebody wrote: that one may end without the end of a line.
Recording read_motion(const std::string& path) {
  if (!path.ends_with(".csv")) return read_plot_result(path).recording;
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(fmt::format("cannot read '{}'", path));
  std::ostringstream text;
  text << file.rdbuf();
  std::istringstream lines(text.str() + "\n");
  Recording recording;
  if (Failure failure = read_csv(lines, recording))
    throw std::invalid_argument(fmt::format("{}: {}", path, failure.message));
  return recording;
}

// Least and largest of the motors' forces.
nlohmann::ordered_json forces_json(const Recording& recording, const std::vector<std::string>& channels) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const std::string& name : channels) {
    const Channel* channel = recording.find(name);
    if (channel == nullptr || channel->values.empty()) continue;
    const auto [least, largest] = std::minmax_element(channel->values.begin(), channel->values.end());
    json[name] = {{"unit", channel->unit},
                  {"lowest", *least},
                  {"highest", *largest},
                  {"first", channel->values.front()},
                  {"last", channel->values.back()}};
  }
  return json;
}

void write_driven_model(const InverseRun& inverse, const std::string& path, OutputFiles& files) {
  const Model model = inverse.driven();
  // it begins where the motion does
  std::vector<Frame> frames(1);
  for (std::size_t i = 1; i < model.mechanism.bodies.size(); ++i) {
    const std::string& body = model.mechanism.bodies[i].name;
    const auto first = [&](const std::string& name) {
      return inverse.recording().find(body + "." + name)->values.front();
    };
    Frame frame;
    frame.origin = {first("position.x"), first("position.y"), first("position.z")};
    frame.axes = rotation_matrix(Quaternion<double>{first("quaternion.w"), first("quaternion.x"),
                                                    first("quaternion.y"), first("quaternion.z")});
    frames.push_back(frame);
  }
  files.write(path, write_model(model, frames));
}

int find_forces(const InverseArguments& arguments, const Model& model) {
  if (arguments.coordinates == "cartesian" || arguments.coordinates == "cartesian-parameters")
    throw std::invalid_argument("this is done in joint coordinates: leave --coordinates away");
  const Recording along = read_motion(arguments.along);
  InverseRun inverse(model, along, {.coordinates = arguments.forces});
  const Failure failure = inverse.run();
  nlohmann::ordered_json json{{"status", failure ? "failed" : "finished"},
                              {"message", failure.message},
                              {"model", model.file},
                              {"along", arguments.along},
                              {"motion", inverse.source()},
                              {"notes", inverse.notes()},
                              {"samples", inverse.recording().times().size()}};
  if (failure) {
    if (failure.reason == Reason::invalid_options) throw std::invalid_argument(failure.message);
    return tell_failure(arguments.json, failure, json);
  }
  json["forces"] = forces_json(inverse.recording(), inverse.channels());
  OutputFiles files;
  if (!arguments.out.empty()) {
    const std::filesystem::path folder = make_output_folder(arguments.out);
    files.note(folder / "results.csv", write_csv(folder / "results.csv", inverse.recording()));
    files.note(folder / "results.h5", write_hdf5(folder / "results.h5", inverse.recording()));
  }
  if (!arguments.model_out.empty()) write_driven_model(inverse, arguments.model_out, files);
  files.tell(json);
  files.print_errors();
  if (arguments.json) {
    print_json(json);
    return files.exit_code(0);
  }
  fmt::print("{}: inverse dynamics along {}, {} samples\n  motion: {}\n", model.file, arguments.along,
             inverse.recording().times().size(), inverse.source());
  for (const std::string& note : inverse.notes()) fmt::print("  note: {}\n", note);
  for (const auto& [name, force] : json["forces"].items())
    fmt::print("  {:<24} from {:.6g} to {:.6g} {}\n", name, force["lowest"].get<double>(),
               force["highest"].get<double>(), force["unit"].get<std::string>());
  if (!files.written().empty()) fmt::print("written: {}\n", fmt::join(files.written(), " "));
  return files.exit_code(0);
}

}  // namespace

void add_inverse_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("inverse", "The forces of motors that a given motion needs.");
  auto arguments = std::make_shared<InverseArguments>();
  add_model_arguments(*command, *arguments);
  command
      ->add_option(
          "--along", arguments->along,
          "The motion: the folder of a run, its results.h5 or results.csv, or a table (CSV) of t and joint "
          "coordinates.")
      ->required();
  command
      ->add_option("--forces", arguments->forces,
                   "Joint coordinates along which motors act, with commas between (default: those of the "
                   "model's actuators "
                   "and drivers, or else all).")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option("--out", arguments->out, "Write results.csv and results.h5 into this folder.");
  command->add_option(
      "--model-out", arguments->model_out,
      "Write the model with these forces as tables over time, which moves like this when it is run.");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_model(*arguments, [&](Model& model) { return find_forces(*arguments, model); });
  });
}

}  // namespace trammel
