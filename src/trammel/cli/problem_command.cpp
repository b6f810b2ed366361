// trammel problem: run a built-in published problem.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "trammel/cli/checkpoints.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/resumption.h"
#include "trammel/cli/run_end.h"
#include "trammel/cli/run_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/page/case_page.h"
#include "trammel/published/case_run.h"
#include "trammel/simulation/summary_json.h"
#include "trammel/version.h"

namespace trammel {

namespace {

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
  check(arguments.no_checkpoint, "--no-checkpoint");
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

// The files of a run, and where it can be gone on from; neither without --out.
struct ProblemFiles {
  std::optional<RunFiles> files;
  std::optional<Checkpoints> checkpoints;

  // `stored`: what the run goes on from.
  Failure begin(const ProblemArguments& arguments, CaseRun& run, const StoredCheckpoint* stored) {
    nlohmann::ordered_json subject = subject_of(run);
    subject.update({{"end", run.settings().end},
                    {"method", run.settings().method.name()},
                    {"version", std::string(version)}});
    files.emplace(
        output_of(arguments, arguments.out), run.recording(),
        RunStory{subject, [&run](bool running, std::ostream& out) { write_viewer_data(run, running, out); }});
    make_output_folder(arguments.out);
    checkpoints.emplace(arguments.out, run.recording(), facts_of_problem(arguments, run.settings()));
    if (stored != nullptr)
      if (Failure failure = checkpoints->go_on(*stored)) return failure;
    if (Failure failure = files->begin()) return failure;
    if (stored == nullptr) checkpoints->remove();
    return {};
  }
};

RunRequest request_with_files(const ProblemArguments& arguments, ProblemFiles& left) {
  RunRequest request = request_of(arguments);
  if (arguments.out.empty()) return request;
  request.on_step = [&left](double, double) {
    left.files->step();
    return true;
  };
  if (arguments.no_checkpoint) return request;
  request.checkpoint_steps = default_checkpoint_steps;
  request.on_checkpoint = [&left](RunCheckpoint checkpoint) {
    left.checkpoints->take(std::move(checkpoint));
  };
  return request;
}

// `stored`: a checkpoint to go on from.
int run_problem(const ProblemArguments& arguments, const StoredCheckpoint* stored) {
  const nlohmann::ordered_json asked{{"problem", arguments.name}};
  const Interruption interruption;
  std::optional<CaseRun> run;
  ProblemFiles left;
  Failure not_begun;
  try {
    check_output(arguments);
    run.emplace(named_problem(arguments.name), changed_parameters(arguments),
                request_with_files(arguments, left));
    if (!arguments.out.empty()) run->record();
    if (stored != nullptr) {
      check_resumed_settings(run->settings(), stored->facts);
      if (Failure failure = run->resume(stored->checkpoint, stored->rows))
        throw std::invalid_argument(failure.message);
    }
    if (!arguments.out.empty()) not_begun = left.begin(arguments, *run, stored);
  } catch (const std::exception& error) {
    return refuse(arguments.json, error.what(), asked);
  }
  if (not_begun) {
    nlohmann::ordered_json more = asked;
    more["reason"] = "not_written";
    return refuse(arguments.json, not_begun.message, more);
  }

  const Summary& summary = run->run();
  nlohmann::ordered_json json = json_of(*run);
  RunEnd end;
  if (left.files)
    end = end_run(summary, resume_command("problem", arguments.out), *left.files, *left.checkpoints, json);
  if (arguments.json) {
    print_json(json);
  } else if (!arguments.quiet) {
    print_report(*run);
    if (!end.files.written().empty()) fmt::print("written: {}\n", fmt::join(end.files.written(), " "));
  }
  end.files.print_errors();
  if (end.goes_on && !arguments.json && !arguments.quiet)
    print_message(fmt::format("to go on from t = {:.6g}: {}", left.checkpoints->t(),
                              resume_command("problem", arguments.out)));
  return end.files.exit_code(exit_code_of(summary));
}

int resume_problem(const ProblemArguments& at_hand) {
  std::optional<StoredCheckpoint> stored;
  ProblemArguments arguments;
  try {
    stored = read_checkpoint(at_hand.resume);
    arguments = resumed_arguments(at_hand, stored->facts);
  } catch (const std::exception& error) {
    return refuse(at_hand.json, error.what(), {{"reason", "no_checkpoint"}, {"folder", at_hand.resume}});
  }
  if (!arguments.json && !arguments.quiet)
    print_message(fmt::format("{} goes on from t = {:.6g}", arguments.name, stored->checkpoint.t));
  return run_problem(arguments, &*stored);
}

}  // namespace

void add_problem_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("problem", "Run a built-in published problem, or list them.");
  auto arguments = std::make_shared<ProblemArguments>();
  command->add_option("name", arguments->name, "The problem's name, or 'list'.");
  add_run_arguments(*command, *arguments, "as --rtol", "every step", "nothing is written");
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->set, arguments->name);
    take_last_word(arguments->option, arguments->name);
    if (!arguments->resume.empty()) {
      exit_code = resume_problem(*arguments);
      return;
    }
    if (arguments->name.empty()) throw CLI::RequiredError("the problem's name, or 'list'");
    if (arguments->name == "list")
      list_problems(arguments->json);
    else
      exit_code = run_problem(*arguments, nullptr);
  });
}

}  // namespace trammel
