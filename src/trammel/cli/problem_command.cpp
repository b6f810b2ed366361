// trammel problem: run a built-in published problem.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "trammel/cli/commands.h"
#include "trammel/cli/run_output.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/problems/builtin.h"
#include "trammel/simulation/simulation.h"
#include "trammel/version.h"

namespace trammel {

namespace {

std::atomic<bool> interrupted{false};
extern "C" void on_interrupt(int) { interrupted.store(true); }

struct Arguments {
  std::string name;
  std::vector<std::string> set, option;
  std::string method;
  std::optional<double> rtol, atol, h0, until;
  int samples = 0;
  std::string out;
  bool json = false;
};

// "key=value" in two.
std::pair<std::string, std::string> split(const std::string& text, const char* what) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::invalid_argument(fmt::format("{} '{}' must have the form key=value", what, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double to_number(const std::string& key, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value))
    throw std::invalid_argument(fmt::format("parameter '{}' = '{}' is not a number", key, text));
  return value;
}

void list_problems(bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const BuiltinProblem& problem : builtin_problems()) {
      nlohmann::ordered_json entry{
          {"name", problem.name}, {"summary", problem.summary}, {"source", problem.source}};
      for (const ProblemParameter& parameter : problem.parameters)
        entry["parameters"].push_back(
            {{"name", parameter.name}, {"default", parameter.value}, {"description", parameter.description}});
      list.push_back(entry);
    }
    fmt::print("{}\n", list.dump(2));
    return;
  }
  for (const BuiltinProblem& problem : builtin_problems()) {
    fmt::print("{:<18} {}\n{:<18} from {}\n", problem.name, problem.summary, "", problem.source);
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
  for (const std::string& text : arguments.set) {
    const auto [key, value] = split(text, "--set");
    changes[key] = to_number(key, value);
  }
  run.values = run.problem->values(changes);
  run.instance = run.problem->make(run.values);

  if (Failure failure =
          parse_method(arguments.method.empty() ? run.instance.method : arguments.method, run.method))
    throw std::invalid_argument(failure.message);
  Options& options = run.options;
  options.tolerances.relative = arguments.rtol.value_or(run.instance.rtol);
  options.tolerances.absolute = arguments.atol.value_or(arguments.rtol ? *arguments.rtol : run.instance.atol);
  options.h0 = arguments.h0.value_or(run.instance.h0);
  options.assembly = run.instance.assembly;
  options.psf.enforce_invariants = run.instance.enforce_invariants;
  for (const std::string& text : arguments.option) {
    const auto [key, value] = split(text, "--option");
    if (Failure failure = set_option(options, key, value)) throw std::invalid_argument(failure.message);
  }
  run.until = arguments.until.value_or(run.instance.t_end);
  if (arguments.samples < 0) throw std::invalid_argument("--samples must not be negative");
  if (arguments.samples > 0) {
    options.output = Options::Output::at_times;
    for (int i = 0; i <= arguments.samples; ++i)
      options.output_times.push_back(run.instance.t_start +
                                     (run.until - run.instance.t_start) * i / arguments.samples);
  }
  options.interrupt = &interrupted;
  return run;
}

int run_problem(const Arguments& arguments) {
  Run run;
  try {
    run = prepare(arguments);
  } catch (const std::invalid_argument& error) {
    if (arguments.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"status", "failed"},
                                                {"message", error.what()},
                                                {"reason", "invalid_options"},
                                                {"problem", arguments.name}}
                             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    else
      fmt::print(stderr, "trammel: {}\n", error.what());
    return usage_error;
  }

  std::signal(SIGINT, on_interrupt);
  Simulation simulation(*run.instance.equations, run.method, run.options);
  const Summary summary = simulation.run(run.instance.x0, run.instance.t_start, run.until);
  std::signal(SIGINT, SIG_DFL);

  std::optional<double> digits;
  if (run.instance.digits && summary.status == Status::finished)
    digits = run.instance.digits(summary.t, summary.final_state);

  nlohmann::ordered_json json = summary.json();
  json["problem"] = run.problem->name;
  json["parameters"] = run.values;
  json["rtol"] = run.options.tolerances.relative;
  json["atol"] = run.options.tolerances.absolute;
  if (digits) json["digits"] = *digits;
  json["version"] = std::string(version);

  std::string written, not_written;
  if (!arguments.out.empty()) {
    RunDescription description{
        run.problem->name, run.problem->summary + " (" + run.problem->source + ")", {}};
    for (const auto& [key, value] : run.values) description.facts.emplace_back(key, fmt::format("{}", value));
    description.facts.emplace_back("tolerances",
                                   fmt::format("rtol = {}, atol = {}", run.options.tolerances.relative,
                                               run.options.tolerances.absolute));
    if (digits) description.facts.emplace_back("correct digits", fmt::format("{:.2f}", *digits));
    try {
      written =
          write_run_output(arguments.out, run.instance, simulation.trajectory(), summary, json, description);
    } catch (const std::runtime_error& error) {
      not_written = error.what();
    }
  }

  if (arguments.json) {
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("{}: {}\n{}", run.problem->name, run.problem->summary, summary.full_report());
    if (digits) fmt::print("  {:<24} {:.2f}\n", "correct digits", *digits);
    if (!written.empty()) fmt::print("written: {}\n", written);
  }
  if (!not_written.empty()) {
    fmt::print(stderr, "trammel: {}\n", not_written);
    return usage_error;
  }
  if (summary.ok()) return 0;
  const bool senseless =
      summary.failure.reason == Reason::invalid_options || summary.failure.reason == Reason::end_before_start;
  return senseless ? usage_error : run_failed;
}

}  // namespace

void add_problem_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("problem", "Run a built-in published problem, or list them.");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("name", arguments->name, "The problem's name, or 'list'.");
  command->add_option("--set", arguments->set, "Parameters of the problem: key=value ...");
  command->add_option("--method", arguments->method, "formulation/integrator; see 'trammel methods'.");
  command->add_option("--rtol", arguments->rtol, "Relative tolerance.");
  command->add_option("--atol", arguments->atol, "Absolute tolerance (default: as --rtol).");
  command->add_option("--h0", arguments->h0, "First step size.");
  command->add_option("--until", arguments->until, "End time.");
  command->add_option("--option", arguments->option,
                      "Options of the method: key=value ...; see 'trammel options'.");
  command->add_option("--samples", arguments->samples, "Equidistant output samples (default: every step).");
  command->add_option("--out", arguments->out,
                      "Write results (CSV, JSON, a page to look at) into this folder.");
  command->add_flag("--json", arguments->json, "Exactly one JSON object on standard output.");
  command->callback([arguments, &exit_code] {
    // "--set v10=2.9 pendulum": a word without '=' behind the settings is the name
    for (std::vector<std::string>* settings : {&arguments->set, &arguments->option})
      if (arguments->name.empty() && !settings->empty() && settings->back().find('=') == std::string::npos) {
        arguments->name = settings->back();
        settings->pop_back();
      }
    if (arguments->name.empty()) throw CLI::RequiredError("the problem's name, or 'list'");
    if (arguments->name == "list")
      list_problems(arguments->json);
    else
      exit_code = run_problem(*arguments);
  });
}

}  // namespace trammel
