// trammel problem: run a built-in published problem.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/run_arguments.h"
#include "trammel/cli/run_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/page/case_page.h"
#include "trammel/published/case_run.h"
#include "trammel/simulation/summary_json.h"
#include "trammel/version.h"

namespace trammel {

namespace {

struct ProblemArguments : RunArguments {
  std::string name, resume;
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

std::map<std::string, double> changed_parameters(const ProblemArguments& arguments) {
  std::map<std::string, double> changes;
  for (const auto& [key, value] : split_settings(arguments.set, "--set"))
    changes[key] = number_of_setting(key, value);
  return changes;
}

// An option that would have no effect is a mistake.
void check_output(const ProblemArguments& arguments) {
  if (!arguments.resume.empty())
    throw std::invalid_argument(
        "a problem cannot be resumed: its files are written when it has ended, and it leaves no checkpoint. "
        "Run it "
        "again; what 'trammel run' computes from a model file can be resumed");
  if (!arguments.out.empty()) return;
  const auto check = [](bool given, const char* option) {
    if (given)
      throw std::invalid_argument(
          fmt::format("{} is about files, which are written with --out only", option));
  };
  check(!arguments.channels.empty(), "--channels");
  check(arguments.no_csv, "--no-csv");
  check(arguments.no_hdf5, "--no-hdf5");
  check(arguments.no_page, "--no-page");
}

// What the run is of, and by which settings.
nlohmann::ordered_json subject_of(const CaseRun& run) {
  return {{"problem", run.problem().name},
          {"parameters", run.parameters()},
          {"rtol", run.settings().options.tolerances.relative},
          {"atol", run.settings().options.tolerances.absolute}};
}

nlohmann::ordered_json json_of(const CaseRun& run) {
  nlohmann::ordered_json json = to_json(run.summary());
  json.update(subject_of(run));
  if (const std::optional<double> digits = run.digits()) {
    json["digits"] = *digits;
    json["error"] = *run.error();
  }
  json["error_is"] = run.problem().error_is;
  if (const std::optional<double> drift = run.energy_drift()) json["energy_drift"] = *drift;
  json["version"] = std::string(version);
  return json;
}

void print_report(const CaseRun& run) {
  fmt::print("{}: {}\n{}", run.problem().name, run.problem().summary, run.summary().full_report());
  if (const std::optional<double> digits = run.digits())
    fmt::print("  {:<24} {:.2f}\n  {:<24} {:.3g}: {}\n", "correct digits", *digits, "error", *run.error(),
               run.problem().error_is);
  if (const std::optional<double> drift = run.energy_drift())
    fmt::print("  {:<24} {:.3g} J\n", "drift of the energy", *drift);
}

int run_problem(const ProblemArguments& arguments) {
  const nlohmann::ordered_json asked{{"problem", arguments.name}};
  const Interruption interruption;
  std::optional<CaseRun> run;
  std::optional<RunFiles> files;
  try {
    check_output(arguments);
    RunRequest request = request_of(arguments);
    if (!arguments.out.empty())
      request.on_step = [&](double, double) {
        files->step();
        return true;
      };
    run.emplace(named_problem(arguments.name), changed_parameters(arguments), request);
    if (!arguments.out.empty()) {
      nlohmann::ordered_json subject = subject_of(*run);
      subject.update({{"end", run->settings().end},
                      {"method", run->settings().method.name()},
                      {"version", std::string(version)}});
      files.emplace(
          output_of(arguments, arguments.out), run->record(),
          RunStory{subject, [&](bool running, std::ostream& out) { write_viewer_data(*run, running, out); }});
      make_output_folder(arguments.out);
    }
  } catch (const std::exception& error) {
    return refuse(arguments.json, error.what(), asked);
  }
  if (Failure failure = files ? files->begin() : Failure{}) {
    nlohmann::ordered_json more = asked;
    more["reason"] = "not_written";
    return refuse(arguments.json, failure.message, more);
  }

  const Summary& summary = run->run();
  nlohmann::ordered_json json = json_of(*run);
  OutputFiles outcome;
  if (files) outcome = files->finish(summary, json);
  outcome.tell(json);  // once more, for summary.json itself
  if (arguments.json) {
    print_json(json);
  } else if (!arguments.quiet) {
    print_report(*run);
    if (!outcome.written().empty()) fmt::print("written: {}\n", fmt::join(outcome.written(), " "));
  }
  outcome.print_errors();
  return outcome.exit_code(exit_code_of(summary));
}

}  // namespace

void add_problem_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("problem", "Run a built-in published problem, or list them.");
  auto arguments = std::make_shared<ProblemArguments>();
  command->add_option("name", arguments->name, "The problem's name, or 'list'.");
  add_run_arguments(*command, *arguments, "as --rtol", "every step", "nothing is written");
  command->add_option("--resume", arguments->resume,
                      "Not with problems, which are written when they have ended.");
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
