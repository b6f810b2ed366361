// trammel modes: small motions about a state, their frequencies and damping, and the matrices A, B, C, D.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "trammel/analysis/equilibrium.h"
#include "trammel/analysis/linearization.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_state.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

namespace {

struct ModesArguments : ModelArguments {
  std::string at = "equilibrium";
  std::string out;
  std::vector<std::string> inputs, outputs;
};

nlohmann::ordered_json matrix_json(const Matrix& matrix) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json modes_json(const std::vector<Mode>& modes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Mode& mode : modes)
    list.push_back({{"frequency_hz", mode.frequency_hz},
                    {"natural_frequency_hz", mode.natural_frequency_hz},
                    {"damping_ratio", mode.damping_ratio},
                    {"time_constant", number_or_null(mode.time_constant)},
                    {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
                    {"stable", mode.is_stable()},
                    {"moves", mode.description}});
  return list;
}

std::string modes_table(const std::vector<Mode>& modes) {
  if (modes.empty()) return "nothing can move\n";
  std::string text = fmt::format("{:>4} {:>14} {:>14} {:>26}  {}\n", "mode", "frequency Hz", "damping ratio",
                                 "eigenvalue 1/s", "what moves");
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    const std::string eigenvalue =
        mode.oscillates()
            ? fmt::format("{:.5g} ± {:.5g} i", mode.eigenvalue.real() + 0.0, mode.eigenvalue.imag())
            : fmt::format("{:.5g}", mode.eigenvalue.real() + 0.0);
    text += fmt::format("{:>4} {:>14} {:>14.5g} {:>26}  {}{}\n", i + 1,
                        mode.oscillates() ? fmt::format("{:.6g}", mode.frequency_hz) : "-",
                        mode.damping_ratio + 0.0, eigenvalue, mode.description,
                        mode.is_stable() ? "" : "  (unstable)");
  }
  return text;
}

// One line for each row, under the names of the columns.
void write_matrix(const std::filesystem::path& path, const Matrix& matrix,
                  const std::vector<std::string>& columns, OutputFiles& files) {
  files.write(path, [&](std::ostream& out) {
    out << fmt::format("{}\n", fmt::join(columns, ","));
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index j = 0; j < matrix.cols(); ++j)
        out << fmt::format("{:.17g}{}", matrix(i, j), j + 1 < matrix.cols() ? ',' : '\n');
  });
}

OutputFiles write_linearization(const std::string& folder, const Linearization& linear,
                                nlohmann::ordered_json& json) {
  OutputFiles files;
  const std::filesystem::path path = make_output_folder(folder);
  write_matrix(path / "A.csv", linear.A, linear.states, files);
  write_matrix(path / "B.csv", linear.B, linear.inputs, files);
  write_matrix(path / "C.csv", linear.C, linear.states, files);
  write_matrix(path / "D.csv", linear.D, linear.inputs, files);
  files.tell(json);
  files.write(path / "modes.json", json_text(json) + '\n');
  files.tell(json);  // once more, for modes.json itself
  return files;
}

// The state to linearise about: a failure, or x.
Failure state_of(const ModesArguments& arguments, MechanismEquations& equations, Vector& x,
                 std::vector<std::string>& notes) {
  x = equations.initial_state();
  if (AssemblyReport report = assemble_mechanism(equations, 0.0, x); report.failure) return report.failure;
  if (arguments.at == "start") return {};
  EquilibriumResult result = find_equilibrium(equations, 0.0, x);
  if (result.failure) {
    result.failure.message += " (modes about the initial position: --at start)";
    return result.failure;
  }
  notes = result.notes;
  x = result.x;
  equations.follow(0.0, x);
  return {};
}

int analyse(const ModesArguments& arguments, const Model& model) {
  const std::unique_ptr<MechanismEquations> made = make_equations(model);
  MechanismEquations& equations = *made;
  Vector x;
  std::vector<std::string> notes;
  Linearization linear;
  linear.failure = state_of(arguments, equations, x, notes);
  if (!linear.failure)
    linear = linearize(equations, 0.0, x, {.inputs = arguments.inputs, .outputs = arguments.outputs});
  nlohmann::ordered_json json{{"status", linear.failure ? "failed" : "linearized"},
                              {"message", linear.failure.message},
                              {"model", model.file},
                              {"at", arguments.at}};
  if (linear.failure) {
    if (linear.failure.reason == Reason::invalid_options) throw std::invalid_argument(linear.failure.message);
    return tell_failure(arguments.json, linear.failure, json);
  }

  const std::vector<Mode> found = modes(linear);
  notes.insert(notes.end(), linear.notes.begin(), linear.notes.end());
  json["message"] = fmt::format("{} modes", found.size());
  json["at_rest"] = linear.at_rest;
  json["notes"] = notes;
  json["modes"] = modes_json(found);
  json["states"] = linear.states;
  json["inputs"] = linear.inputs;
  json["outputs"] = linear.outputs;
  json["A"] = matrix_json(linear.A);
  json["B"] = matrix_json(linear.B);
  json["C"] = matrix_json(linear.C);
  json["D"] = matrix_json(linear.D);
  OutputFiles files;
  if (!arguments.out.empty()) files = write_linearization(arguments.out, linear, json);
  files.print_errors();
  if (arguments.json) {
    print_json(json);
    return files.exit_code(0);
  }
  fmt::print("{}: about {}\n", model.file,
             arguments.at == "start" ? "the initial state" : "the static equilibrium");
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  fmt::print("{}", modes_table(found));
  if (!files.written().empty()) fmt::print("written: {}\n", fmt::join(files.written(), " "));
  return files.exit_code(0);
}

}  // namespace

void add_modes_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("modes", "Frequencies and damping of small motions, and the matrices A, B, C, D.");
  auto arguments = std::make_shared<ModesArguments>();
  add_model_arguments(*command, *arguments);
  command->add_option("--at", arguments->at, "Linearise about: equilibrium (default) or start.")
      ->check(CLI::IsMember({"equilibrium", "start"}));
  const auto add_names = [&](const char* option, std::vector<std::string>& names, const char* description) {
    command->add_option(option, names, description)->allow_extra_args(false)->delimiter(',');
  };
  add_names(
      "--inputs", arguments->inputs,
      "Forces along these: actuators or joint coordinates, separated by commas (default: all actuators).");
  add_names("--outputs", arguments->outputs,
            "What is seen: measures, joint coordinates, separated by commas (default: all).");
  command->add_option("--out", arguments->out, "Write A, B, C, D and the modes into this folder.");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_model(*arguments, [&](Model& model) { return analyse(*arguments, model); });
  });
}

}  // namespace trammel
