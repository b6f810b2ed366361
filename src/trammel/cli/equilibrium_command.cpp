// trammel equilibrium: where the mechanism comes to rest.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "trammel/analysis/equilibrium.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_reports.h"
#include "trammel/cli/model_state.h"
#include "trammel/cli/output_files.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

namespace {

struct EquilibriumArguments : ModelArguments {
  std::string out;
  double time = 0;
  bool allow_unstable = false;
};

nlohmann::ordered_json result_json(const Model& model, const EquilibriumResult& result) {
  nlohmann::ordered_json json{{"status", result.failure ? "failed" : "found"},
                              {"message", result.failure ? result.failure.message : result.report()}};
  if (result.failure) json["reason"] = name(result.failure.reason);
  json["model"] = model.file;
  json["stability"] = name(result.stability);
  json["softest"] = result.softest;
  json["free_to_move"] = result.free_to_move;
  json["iterations"] = result.iterations;
  json["residual"] = result.residual;
  json["notes"] = result.notes;
  return json;
}

// From the assembled position.
EquilibriumResult search(MechanismEquations& equations, double time, bool allow_unstable) {
  if (!std::isfinite(time)) throw std::invalid_argument("the time must be a finite number");
  Vector x = equations.initial_state();
  EquilibriumResult result;
  if (AssemblyReport report = assemble_mechanism(equations, time, x); report.failure) {
    result.failure = report.failure;
  } else {
    EquilibriumOptions options;
    options.seek_stable = !allow_unstable;
    result = find_equilibrium(equations, time, x, options);
  }
  if (!result.failure) equations.follow(time, result.x);
  return result;
}

int find(const EquilibriumArguments& arguments, const Model& model) {
  const std::unique_ptr<MechanismEquations> made = make_equations(model);
  MechanismEquations& equations = *made;
  const EquilibriumResult result = search(equations, arguments.time, arguments.allow_unstable);
  nlohmann::ordered_json json = result_json(model, result);
  if (result.failure) {
    if (arguments.json)
      print_json(json);
    else
      print_error(result.failure.message);
    return run_failed;
  }

  const Recording recording = snapshot(equations, arguments.time, result.x);
  json.update(snapshot_json(model.mechanism, recording));
  OutputFiles files;
  if (!arguments.out.empty()) {
    files.write(arguments.out, model_text_at(model, equations, arguments.time, result.x, false));
    if (files.complete()) json["file"] = arguments.out;
  }
  files.tell(json);
  files.print_errors();
  if (arguments.json) {
    print_json(json);
    return files.exit_code(0);
  }
  std::string report = result.report();
  if (!report.ends_with('\n')) report += '\n';
  fmt::print("{}\n{}{}", model.file, report, snapshot_report(model.mechanism, recording, true));
  if (!files.written().empty()) fmt::print("written: {}\n", arguments.out);
  return files.exit_code(0);
}

}  // namespace

nlohmann::ordered_json equilibrium_report(const Model& model, double time, bool allow_unstable) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(model);
  const EquilibriumResult result = search(*equations, time, allow_unstable);
  nlohmann::ordered_json json = result_json(model, result);
  if (result.failure) return json;
  json.update(snapshot_json(model.mechanism, snapshot(*equations, time, result.x)));
  json["text"] = model_text_at(model, *equations, time, result.x, false);
  return json;
}

void add_equilibrium_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("equilibrium", "Find the static equilibrium near the initial position.");
  auto arguments = std::make_shared<EquilibriumArguments>();
  add_model_arguments(*command, *arguments);
  command->add_option("--out", arguments->out, "Write the model at its equilibrium into this file.");
  command->add_option("--time", arguments->time, "For drivers and forces that depend on time (default: 0).");
  command->add_flag("--allow-unstable", arguments->allow_unstable,
                    "Stay at an equilibrium that a push would destroy.");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_model(*arguments, [&](Model& model) { return find(*arguments, model); });
  });
}

}  // namespace trammel
