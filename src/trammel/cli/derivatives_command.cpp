// trammel derivatives: ways of differentiation held against each other on a model; trammel generate: C code of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/derivatives/model_code.h"
#include "trammel/derivatives/way_comparison.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/page/derivatives_page.h"
#include "trammel/page/page_server.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

namespace {

struct DerivativesArguments : ModelArguments {
  std::vector<std::string> functions{"Q"};
  std::vector<std::string> ways;
  std::string out;
  double seconds = ComparisonTiming().seconds;
};

struct GenerateArguments : ModelArguments {
  std::string out, name;
};

// Joint coordinates unless the model or the user says otherwise: those that a real-time target would have.
std::unique_ptr<MechanismEquations> equations_to_record(const Model& model) {
  const std::string wanted = model.simulation.coordinates.value_or("auto");
  return make_equations(model.mechanism, wanted == "auto" ? "joint" : wanted);
}

// The assembled start.
Vector assembled_start(MechanismEquations& equations) {
  Vector x = equations.initial_state();
  const AssemblyReport report = assemble_mechanism(equations, 0.0, x);
  if (report.failure) throw RecordingError(report.failure.message);
  return x;
}

// What cannot be recorded or assembled is a failure, not a wrong question.
int with_recording(const ModelArguments& arguments, const std::function<int(Model&)>& work) {
  return with_model(arguments, [&](Model& model) {
    try {
      return work(model);
    } catch (const RecordingError& error) {
      if (arguments.json)
        print_json({{"status", "failed"}, {"message", error.what()}, {"model", model.file}});
      else
        print_error(error.what());
      return run_failed;
    }
  });
}

// --- derivatives ------------------------------------------------------------------------------------------

std::string time_text(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string size_text(std::size_t bytes) {
  if (bytes == 0) return "-";
  return bytes < 1024 * 1024 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1024)
                             : fmt::format("{:.1f} MB", static_cast<double>(bytes) / (1024 * 1024));
}

nlohmann::ordered_json comparison_json(const std::string& function, const WayComparison& comparison) {
  nlohmann::ordered_json ways = nlohmann::ordered_json::array();
  for (const WayCost& way : comparison.ways) {
    nlohmann::ordered_json one{{"way", way.way}, {"description", way.description}};
    if (!way.failure.empty()) {
      one["failure"] = way.failure;
    } else {
      one["seconds"] = way.seconds;
      one["ratio"] = way.ratio;
      one["preparation_seconds"] = way.preparation;
      one["bytes"] = way.bytes;
      one["directions"] = way.directions;
      one["entries"] = way.entries;
      one["error"] = number_or_null(way.error);
    }
    ways.push_back(std::move(one));
  }
  return {{"function", function},
          {"rows", comparison.rows},
          {"columns", comparison.columns},
          {"entries", comparison.pattern.entries()},
          {"colours", comparison.rows > 0 ? colour_columns(comparison.pattern).colours : 0},
          {"operations", comparison.operations},
          {"evaluation_seconds",
           {{"library", comparison.library_seconds},
            {"recorded", comparison.recorded_seconds},
            {"generated", comparison.generated_seconds}}},
          {"reference", comparison.reference},
          {"ways", std::move(ways)}};
}

std::string comparison_table(const std::string& function, const WayComparison& comparison) {
  if (comparison.rows == 0) return fmt::format("{}: there is nothing of it\n", function);
  const double full = static_cast<double>(comparison.rows) * static_cast<double>(comparison.columns);
  std::string text = fmt::format(
      "{}: {} rows, {} columns, {} entries ({:.3g} %), {} colours, {} operations\n"
      "one evaluation: library {}, recorded {}, generated {}; errors against {}\n"
      "{:<17} {:>10} {:>9} {:>10} {:>10} {:>10} {:>9}  {}\n",
      function, comparison.rows, comparison.columns, comparison.pattern.entries(),
      100 * static_cast<double>(comparison.pattern.entries()) / full,
      colour_columns(comparison.pattern).colours, comparison.operations,
      time_text(comparison.library_seconds), time_text(comparison.recorded_seconds),
      time_text(comparison.generated_seconds), comparison.reference, "way", "Jacobian", "ratio", "prepared",
      "memory", "directions", "error", "how");
  for (const WayCost& way : comparison.ways) {
    if (way.failure.empty())
      text += fmt::format("{:<17} {:>10} {:>9.3g} {:>10} {:>10} {:>10} {:>9.1e}  {}\n", way.way,
                          time_text(way.seconds), way.ratio, time_text(way.preparation), size_text(way.bytes),
                          way.directions, way.error, way.description);
    else
      text += fmt::format("{:<17} not done: {}\n", way.way, way.failure);
  }
  return text;
}

void check_ways(const std::vector<std::string>& ways) {
  std::vector<std::string> known{"library"};
  for (const DifferentiationWay& way : differentiation_ways()) known.push_back(way.name);
  for (const std::string& wanted : ways) {
    if (std::find(known.begin(), known.end(), wanted) == known.end())
      throw std::invalid_argument(fmt::format("--ways: there is no way '{}'{}; there are {}", wanted,
                                              hint(wanted, known), fmt::join(known, ", ")));
    for (const DifferentiationWay& way : differentiation_ways())
      if (way.name == wanted && !way.is_available)
        throw std::invalid_argument("--ways: " + what_is_missing(way));
  }
}

int compare_on(const DerivativesArguments& arguments, const Model& model) {
  check_ways(arguments.ways);
  if (!(arguments.seconds > 0)) throw std::invalid_argument("--seconds must be positive");
  for (const std::string& name : arguments.functions) mechanism_function(name);
  const std::unique_ptr<MechanismEquations> equations = equations_to_record(model);
  const Vector x = assembled_start(*equations);
  OutputFiles files;
  nlohmann::ordered_json json{{"status", "compared"}, {"message", ""}, {"model", model.file}};
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  std::string text;
  ComparedFunctions compared;
  const std::filesystem::path folder =
      arguments.out.empty() ? std::filesystem::path() : make_output_folder(arguments.out);
  for (const std::string& name : arguments.functions) {
    FunctionOfMechanism function(*equations, mechanism_function(name));
    const WayComparison comparison =
        compare_ways(function, 0.0, x, arguments.ways, {.seconds = arguments.seconds});
    json["coordinates"] = comparison.coordinates;
    functions.push_back(comparison_json(name, comparison));
    text += comparison_table(name, comparison) + '\n';
    if (!folder.empty() && comparison.rows > 0)
      files.write(folder / (name + ".svg"),
                  pattern_svg(comparison.pattern, pattern_title(name, model_name(model.file), comparison)));
    compared.emplace_back(name, comparison);
  }
  json["functions"] = std::move(functions);
  json["message"] = fmt::format("{} in {} coordinates", fmt::join(arguments.functions, ", "),
                                json["coordinates"].get<std::string>());
  if (!folder.empty()) {
    files.write(folder / page_file, derivatives_page(model_name(model.file), compared));
    files.tell(json);
    files.write(folder / "derivatives.json", json_text(json) + '\n');
    files.tell(json);
  }
  files.print_errors();
  if (arguments.json) {
    print_json(json);
    return files.exit_code(0);
  }
  fmt::print("{}: {} coordinates\n{}", model.file, json["coordinates"].get<std::string>(), text);
  if (!files.written().empty()) fmt::print("written: {}\n", fmt::join(files.written(), " "));
  return files.exit_code(0);
}

// --- generate ---------------------------------------------------------------------------------------------

int generate(const GenerateArguments& arguments, const Model& model) {
  if (arguments.out.empty()) throw std::invalid_argument("--out DIR says where the code goes");
  const std::unique_ptr<MechanismEquations> equations = equations_to_record(model);
  const Vector x = assembled_start(*equations);
  const std::string name = arguments.name.empty() ? model_name(model.file) : arguments.name;
  if (!arguments.name.empty() && c_identifier(name) != name)
    throw std::invalid_argument(
        fmt::format("--name '{}' is no name in C; '{}' would be", arguments.name, c_identifier(name)));
  const GeneratedModel generated = generate_model(*equations, name, 0.0, x);
  const std::filesystem::path folder = make_output_folder(arguments.out);
  OutputFiles files;
  for (const GeneratedFile& file : generated.files) files.write(folder / file.name, file.text);

  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const GeneratedModel::Function& function : generated.functions)
    functions.push_back(
        {{"name", function.name}, {"operations", function.operations}, {"results", function.results}});
  nlohmann::ordered_json json{{"status", "generated"},
                              {"message", fmt::format("{} functions", generated.functions.size())},
                              {"model", model.file},
                              {"name", generated.prefix},
                              {"positions", generated.positions},
                              {"velocities", generated.velocities},
                              {"states", generated.states},
                              {"constraints", generated.constraints},
                              {"functions", std::move(functions)}};
  files.tell(json);
  files.print_errors();
  if (arguments.json) {
    print_json(json);
    return files.exit_code(0);
  }
  fmt::print("{}: {} positions, {} velocities, {} states, {} constraints\n", model.file, generated.positions,
             generated.velocities, generated.states, generated.constraints);
  for (const GeneratedModel::Function& function : generated.functions)
    fmt::print("  {:<40} {:>8} operations {:>7} results\n", function.name, function.operations,
               function.results);
  fmt::print("written: {}\n", fmt::join(files.written(), " "));
  return files.exit_code(0);
}

}  // namespace

void add_derivatives_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "derivatives", "Ways of differentiation on a model: time, memory, colours and error of a Jacobian.");
  auto arguments = std::make_shared<DerivativesArguments>();
  add_model_arguments(*command, *arguments);
  const auto add_names = [&](const char* option, std::vector<std::string>& names, const char* description) {
    command->add_option(option, names, description)->allow_extra_args(false)->delimiter(',');
  };
  add_names("--of", arguments->functions,
            "Functions, separated by commas: Q (forces; the default), M (mass matrix), Phi (constraints).");
  add_names("--ways", arguments->ways, "Ways, separated by commas (default: all that this build has).");
  command->add_option("--seconds", arguments->seconds,
                      "How long to measure each way, at least (default 0.05).");
  command->add_option(
      "--out", arguments->out,
      "Write a page with pictures of the patterns, the pictures (SVG) and the figures into this folder.");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_recording(*arguments, [&](Model& model) { return compare_on(*arguments, model); });
  });
}

void add_generate_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "generate", "C code of a model's forces, mass matrix, constraints and their Jacobians.");
  auto arguments = std::make_shared<GenerateArguments>();
  add_model_arguments(*command, *arguments);
  command->add_option("--out", arguments->out,
                      "The folder for source, header, CMake file and a program for checking.");
  command->add_option("--name", arguments->name,
                      "What all names in the code begin with (default: the model's name).");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_recording(*arguments, [&](Model& model) { return generate(*arguments, model); });
  });
}

}  // namespace trammel
