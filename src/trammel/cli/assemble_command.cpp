// trammel assemble: the model with all joints closed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_reports.h"
#include "trammel/cli/model_state.h"
#include "trammel/result/output_file.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

namespace {

struct AssembleArguments : ModelArguments {
  std::string out;
};

nlohmann::ordered_json report_json(const Model& model, const AssemblyReport& report) {
  nlohmann::ordered_json json{
      {"status", report.failure ? "failed" : "assembled"},
      {"assembled", !report.failure},
      {"message", report.failure ? report.failure.message
                  : report.largest_change.empty()
                      ? "consistent as it is"
                      : "the bodies were moved; largest change: " + report.largest_change}};
  if (report.failure) json["reason"] = name(report.failure.reason);
  json["model"] = model.file;
  json["degrees_of_freedom"] = report.degrees_of_freedom;
  json["redundant"] = report.redundant;
  json["redundant_conditions"] = report.redundant_conditions;
  json["largest_change"] = report.largest_change;
  json["iterations"] = report.iterations;
  return json;
}

int assemble_model(const AssembleArguments& arguments, const Model& model) {
  const std::unique_ptr<MechanismEquations> made = make_equations(model);
  MechanismEquations& equations = *made;
  Vector x = equations.initial_state();
  const AssemblyReport report = assemble_mechanism(equations, 0.0, x);
  nlohmann::ordered_json json = report_json(model, report);
  if (report.failure) {
    if (arguments.json)
      print_json(json);
    else
      print_error(report.failure.message);
    return run_failed;
  }

  const std::string text = model_text_at(model, equations, 0.0, x, true);
  const Recording recording = snapshot(equations, 0.0, x);
  json.update(snapshot_json(model.mechanism, recording));
  if (!arguments.out.empty()) {
    if (Failure failure = write_file(arguments.out, [&](std::ostream& out) { out << text; }))
      throw std::invalid_argument(failure.message);
    json["file"] = arguments.out;
  } else {
    json["text"] = text;
  }

  if (arguments.json) {
    print_json(json);
    return 0;
  }
  // standard output is the model itself, unless it went into a file
  std::FILE* screen = arguments.out.empty() ? stderr : stdout;
  fmt::print(screen, "{}: {}; {} degrees of freedom\n", model.file, json["message"].get<std::string>(),
             report.degrees_of_freedom);
  if (!report.redundant.empty())
    fmt::print(screen, "redundant constraints: {}\n", fmt::join(report.redundant, ", "));
  if (arguments.out.empty())
    fmt::print("{}", text);
  else
    fmt::print("{}written: {}\n", snapshot_report(model.mechanism, recording, false), arguments.out);
  return 0;
}

}  // namespace

nlohmann::ordered_json assembly_report(const Model& model) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(model);
  Vector x = equations->initial_state();
  const AssemblyReport report = assemble_mechanism(*equations, 0.0, x);
  nlohmann::ordered_json json = report_json(model, report);
  if (report.failure) return json;
  json.update(snapshot_json(model.mechanism, snapshot(*equations, 0.0, x)));
  json["text"] = model_text_at(model, *equations, 0.0, x, true);
  return json;
}

void add_assemble_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("assemble", "Write the model with all its joints closed.");
  auto arguments = std::make_shared<AssembleArguments>();
  add_model_arguments(*command, *arguments);
  command->add_option("--out", arguments->out, "The file to write (default: standard output).");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_model(*arguments, [&](Model& model) { return assemble_model(*arguments, model); });
  });
}

}  // namespace trammel
