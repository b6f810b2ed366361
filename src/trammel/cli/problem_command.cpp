// trammel problem: run a built-in published problem.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/run_arguments.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/simulation.h"
#include "trammel/version.h"

namespace trammel {

namespace {

struct Arguments : RunArguments {
  std::string name;
};

void list_problems(bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const BuiltinProblem& problem : builtin_problems()) {
      nlohmann::ordered_json entry{{"name", problem.name},
                                   {"summary", problem.summary},
                                   {"source", problem.source},
                                   {"error_is", problem.error_is}};
      for (const ProblemParameter& parameter : problem.parameters)
        entry["parameters"].push_back(
            {{"name", parameter.name}, {"default", parameter.value}, {"description", parameter.description}});
      list.push_back(entry);
    }
    print_json(list);
    return;
  }
  for (const BuiltinProblem& problem : builtin_problems()) {
    fmt::print("{:<18} {}\n{:<18} from {}\n{:<18} error: {}\n", problem.name, problem.summary, "",
               problem.source, "", problem.error_is);
    for (const ProblemParameter& parameter : problem.parameters)
      fmt::print("{:<18}   {} = {}: {}\n", "", parameter.name, parameter.value, parameter.description);
  }
}

struct Run {
  const BuiltinProblem* problem = nullptr;
  ProblemCase instance;
  std::map<std::string, double> values;
  Method method;
  Options options;
  double until = 0;
};

// Everything the user asked for, checked; throws std::invalid_argument.
Run prepare(const Arguments& arguments) {
  Run run;
  run.problem = find_problem(arguments.name);
  if (run.problem == nullptr) {
    std::vector<std::string> names;
    for (const BuiltinProblem& problem : builtin_problems()) names.push_back(problem.name);
    const std::string near = nearest_name(arguments.name, names);
    throw std::invalid_argument(fmt::format("there is no problem '{}'{}. Problems: {}", arguments.name,
                                            near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                                            fmt::join(names, ", ")));
  }
  std::map<std::string, double> changes;
  for (const auto& [key, value] : split_settings(arguments.set, "--set"))
    changes[key] = number_of_setting(key, value);
  run.values = run.problem->values(changes);
  run.instance = run.problem->make(run.values);

  if (Failure failure =
          parse_method(arguments.method.empty() ? run.instance.method : arguments.method, run.method))
    throw std::invalid_argument(failure.message);
  run.instance = run.problem->make_for(run.method.formulation, run.values);
  Options& options = run.options;
  options.tolerances.relative = arguments.rtol.value_or(run.instance.rtol);
  options.tolerances.absolute = arguments.atol.value_or(arguments.rtol ? *arguments.rtol : run.instance.atol);
  options.h0 = arguments.h0.value_or(run.instance.h0);
  options.assembly = run.instance.assembly;
  options.psf.enforce_invariants = run.instance.enforce_invariants;
  for (const auto& [key, value] : run.instance.options)
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
  for (const auto& [key, value] : split_settings(arguments.option, "--option")) {
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
    if (Failure failure = check_option(run.method, key)) throw std::invalid_argument(failure.message);
  }
  run.until = arguments.until.value_or(run.instance.t_end);
  const int samples = arguments.samples.value_or(0);
  if (samples < 0) throw std::invalid_argument("--samples must not be negative");
  if (samples > 0) {
    options.output = Options::Output::at_times;
    for (int i = 0; i <= samples; ++i)
      options.output_times.push_back(run.instance.t_start + (run.until - run.instance.t_start) * i / samples);
  }
  options.interrupt = Interruption::flag();
  return run;
}

int run_problem(const Arguments& arguments) {
  Run run;
  std::filesystem::path folder;
  try {
    run = prepare(arguments);
    // better refused now than after an hour of computing
    if (!arguments.out.empty()) folder = make_output_folder(arguments.out);
  } catch (const std::exception& error) {
    return refuse(arguments.json, error.what(), {{"problem", arguments.name}});
  }

  const Interruption interruption;
  Simulation simulation(*run.instance.equations, run.method, run.options);
  const Summary summary = simulation.run(run.instance.x0, run.instance.t_start, run.until);

  std::optional<double> digits;
  if (run.instance.digits && summary.status == Status::finished)
    digits = run.instance.digits(summary.t, summary.final_state);

  nlohmann::ordered_json json = summary.json();
  json["problem"] = run.problem->name;
  json["parameters"] = run.values;
  json["rtol"] = run.options.tolerances.relative;
  json["atol"] = run.options.tolerances.absolute;
  if (digits) {
    json["digits"] = *digits;
    json["error"] = *run.instance.error(summary.t, summary.final_state);
  }
  json["error_is"] = run.problem->error_is;
  const std::optional<double> energy_drift = run.instance.energy_drift(simulation.trajectory());
  if (energy_drift) json["energy_drift"] = *energy_drift;
  json["version"] = std::string(version);

  OutputFiles files;
  if (!arguments.out.empty()) {
    RunDescription description{
        run.problem->name, run.problem->summary + " (" + run.problem->source + ")", {}};
    for (const auto& [key, value] : run.values) description.facts.emplace_back(key, fmt::format("{}", value));
    description.facts.emplace_back("tolerances",
                                   fmt::format("rtol = {}, atol = {}", run.options.tolerances.relative,
                                               run.options.tolerances.absolute));
    if (digits) {
      description.facts.emplace_back("correct digits", fmt::format("{:.2f}", *digits));
      description.facts.emplace_back(
          "error", fmt::format("{:.3g}: {}", json["error"].get<double>(), run.problem->error_is));
    }
    write_run_output(folder, run.instance, simulation.trajectory(), summary, json, description, files);
  }
  // once more, for summary.json itself
  files.tell(json);

  if (arguments.json) {
    print_json(json);
  } else {
    fmt::print("{}: {}\n{}", run.problem->name, run.problem->summary, summary.full_report());
    if (digits)
      fmt::print("  {:<24} {:.2f}\n  {:<24} {:.3g}: {}\n", "correct digits", *digits, "error",
                 json["error"].get<double>(), run.problem->error_is);
    if (energy_drift) fmt::print("  {:<24} {:.3g} J\n", "drift of the energy", *energy_drift);
    if (!files.written().empty()) fmt::print("written: {}\n", fmt::join(files.written(), " "));
  }
  files.print_errors();
  return files.exit_code(exit_code_of(summary));
}

}  // namespace

void add_problem_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("problem", "Run a built-in published problem, or list them.");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("name", arguments->name, "The problem's name, or 'list'.");
  add_run_arguments(*command, *arguments, "as --rtol", "every step", "nothing is written");
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->set, arguments->name);
    take_last_word(arguments->option, arguments->name);
    if (arguments->name.empty()) throw CLI::RequiredError("the problem's name, or 'list'");
    if (arguments->name == "list")
      list_problems(arguments->json);
    else
      exit_code = run_problem(*arguments);
  });
}

}  // namespace trammel
