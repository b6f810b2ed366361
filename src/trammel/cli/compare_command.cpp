// trammel compare: methods against each other on a model or a built-in problem.
//
// Every run is a process of its own: this program again, with --one-run, which makes one run and prints its
// measurement as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/cli/trial_processes.h"
#include "trammel/comparison/comparison.h"
#include "trammel/page/compare_page.h"
#include "trammel/result/output_file.h"
#include "trammel/result/unfinished_run.h"

namespace trammel {

namespace {

constexpr const char* problem_prefix = "problem:";

struct CompareArguments {
  std::string subject;
  std::vector<std::string> set, option, methods, rtol;
  std::vector<double> errors;
  std::optional<double> atol, h0, until;
  double reference_rtol = 1e-12;
  std::string measure, reference, out;
  int samples = 100, repeat = 0, jobs = 1;
  double timeout = 120;
  bool json = false, quiet = false;
  // of a child
  bool one_run = false, land_on_samples = false;
};

// "1e-3..1e-9": the decades between, and both ends.
void append_tolerances(const std::string& text, std::vector<double>& tolerances) {
  const auto number = [](const std::string& part) {
    double value = 0;
    const char* end = part.data() + part.size();
    const auto [last, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || last != end || !(value > 0 && value < 1))
      throw std::invalid_argument(fmt::format("--rtol '{}' must be a number between 0 and 1", part));
    return value;
  };
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    tolerances.push_back(number(text));
    return;
  }
  const double first = number(text.substr(0, dots)), last = number(text.substr(dots + 2));
  const double direction = last < first ? -1 : 1;
  for (int i = 0;; ++i) {
    // by way of text, so that the fourth decade is 1e-7 and not its neighbour
    const double value = std::stod(fmt::format("{:.9g}", first * std::pow(10.0, direction * i)));
    if (direction * std::log(last / value) < 1e-6) break;
    tolerances.push_back(value);
  }
  tolerances.push_back(last);
}

ComparisonRequest request_of(const CompareArguments& arguments) {
  ComparisonRequest request;
  request.methods = parse_compared_methods(arguments.methods);
  if (!arguments.rtol.empty()) request.rtols.clear();
  for (const std::string& text : arguments.rtol) append_tolerances(text, request.rtols);
  for (const ErrorMeasure measure : {ErrorMeasure::published, ErrorMeasure::trajectory, ErrorMeasure::end})
    if (arguments.measure == name(measure)) request.measure = measure;
  request.samples = arguments.samples;
  request.repeat = arguments.repeat;
  if (!arguments.reference.empty()) request.reference_method = parse_compared_method(arguments.reference);
  request.reference_rtol = arguments.reference_rtol;
  if (!arguments.errors.empty()) request.wanted_errors = arguments.errors;
  return request;
}

// A model, or the problem if there is one of that name.
const BuiltinProblem* compared_problem(const std::string& subject) {
  const bool said = subject.starts_with(problem_prefix);
  const std::string name = said ? subject.substr(std::string(problem_prefix).size()) : subject;
  if (!said && std::filesystem::exists(subject)) return nullptr;
  // what looks like a file is left to the reader of files
  if (!said && find_problem(name) == nullptr && name.find_first_of("./") != std::string::npos) return nullptr;
  return &named_problem(name, said ? "problem" : "file or problem");
}

SubjectSettings subject_settings(const CompareArguments& arguments) {
  return {arguments.until, arguments.atol, arguments.h0, split_settings(arguments.option, "--option")};
}

// Calls `work` with what is to be compared; says what is wrong with it otherwise.
int with_subject(const CompareArguments& arguments, const std::function<int(const Subject&)>& work) {
  try {
    if (const BuiltinProblem* problem = compared_problem(arguments.subject)) {
      std::map<std::string, double> parameters;
      for (const auto& [key, value] : split_settings(arguments.set, "--set"))
        parameters[key] = number_of_setting(key, value);
      return work(ProblemSubject(*problem, parameters, subject_settings(arguments)));
    }
    const Model model = read_model(arguments.subject, ModelOverrides{split_settings(arguments.set, "--set")});
    if (!arguments.one_run)
      for (const std::string& warning : model.warnings) print_warning(warning);
    return work(ModelSubject(model, subject_settings(arguments)));
  } catch (const ModelError& error) {
    return refuse(arguments.json, error);
  } catch (const std::invalid_argument& error) {
    return refuse(arguments.json, error.what(), {{"subject", arguments.subject}});
  }
}

// What a child does: one run, one line of JSON.
int make_one_run(const CompareArguments& arguments) {
  return with_subject(arguments, [&](const Subject& subject) {
    const ComparisonRequest request = request_of(arguments);
    if (request.methods.size() != 1 || request.rtols.size() != 1)
      throw std::invalid_argument("one run needs one method and one tolerance");
    const Measurement measurement =
        run_trial(subject, {request.methods.front(), request.rtols.front(), arguments.repeat,
                            arguments.samples, arguments.land_on_samples});
    fmt::print("{}\n",
               to_json(measurement).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return 0;
  });
}

std::vector<std::string> command_of(const CompareArguments& arguments, const Trial& trial) {
  std::vector<std::string> command{"/proc/self/exe", "compare", arguments.subject, "--one-run"};
  const auto add = [&](const char* option, const std::string& value) {
    command.emplace_back(option);
    command.push_back(value);
  };
  add("--methods", trial.method.label());
  add("--rtol", fmt::format("{}", trial.rtol));
  add("--samples", fmt::format("{}", trial.samples));
  add("--repeat", fmt::format("{}", trial.repeat));
  if (trial.land_on_samples) command.emplace_back("--land-on-samples");
  for (const std::string& setting : arguments.set) add("--set", setting);
  for (const std::string& setting : arguments.option) add("--option", setting);
  if (arguments.atol) add("--atol", fmt::format("{}", *arguments.atol));
  if (arguments.h0) add("--h0", fmt::format("{}", *arguments.h0));
  if (arguments.until) add("--until", fmt::format("{}", *arguments.until));
  return command;
}

// The tables after every run, so that whatever ends the program leaves what was measured; marked as
// unfinished.
void write_unfinished(const std::filesystem::path& folder, const Comparison& comparison) {
  nlohmann::ordered_json json = to_json(comparison);
  mark_unfinished(json);
  // a disk that is full now may have room later: failures count at the end
  static_cast<void>(write_file(folder / "compare.json", [&](std::ostream& out) { out << json_text(json); }));
  static_cast<void>(
      write_file(folder / "compare.csv", [&](std::ostream& out) { out << csv_table(comparison); }));
}

OutputFiles write_comparison(const std::filesystem::path& folder, const Comparison& comparison,
                             nlohmann::ordered_json& json) {
  OutputFiles files;
  files.write(folder / "compare.csv", csv_table(comparison));
  files.write(folder / "time.svg", time_diagram(comparison));
  files.write(folder / "evaluations.svg", evaluations_diagram(comparison));
  files.write(folder / "violation.svg", violation_diagram(comparison));
  files.write(folder / "index.html", comparison_page(comparison));
  files.tell(json);
  files.write(folder / "compare.json", json_text(json) + "\n");
  files.tell(json);  // once more, for compare.json itself
  return files;
}

int compare_methods(const CompareArguments& arguments, const Subject& subject) {
  const ComparisonRequest request = request_of(arguments);
  request.check();
  const std::filesystem::path folder =
      make_output_folder(arguments.out.empty() ? model_name(subject.name()) + "-comparison" : arguments.out);

  std::error_code ignored;
  std::filesystem::remove(folder / "index.html", ignored);  // of an earlier comparison
  const Interruption interruption;
  Comparison comparison;
  {
    TrialProcesses processes([&](const Trial& trial) { return command_of(arguments, trial); },
                             {arguments.jobs, arguments.timeout, Interruption::flag()}, !arguments.quiet);
    comparison = compare(
        subject, request,
        [&](const std::vector<Trial>& trials, const TrialDone& done) { processes.run(trials, done); },
        [&](const Comparison& so_far) { write_unfinished(folder, so_far); });
  }
  const bool interrupted = Interruption::flag()->load();
  if (interrupted) comparison.notes.emplace_back("interrupted: not all runs were made");

  nlohmann::ordered_json json = to_json(comparison);
  if (interrupted) json["status"] = "stopped";
  const OutputFiles files = write_comparison(folder, comparison, json);
  if (arguments.json)
    print_json(json);
  else
    fmt::print("{}{}", text_report(comparison),
               files.written().empty() ? "" : fmt::format("written: {}\n", fmt::join(files.written(), " ")));
  files.print_errors();
  if (interrupted) return Interruption::exit_code();
  return files.exit_code(comparison.any_finished() ? 0 : run_failed);
}

void add_arguments(CLI::App& command, CompareArguments& arguments) {
  const auto add_list = [&](const char* option, auto& values, const char* description) {
    command.add_option(option, values, description)->allow_extra_args(false)->delimiter(',');
  };
  command.add_option("model", arguments.subject, "A model file, or a built-in problem: problem:andrews.");
  add_list("--methods", arguments.methods,
           "Methods, separated by commas, each with options of its own if need be: "
           "psf/radau5,cm/ida:max_order=1 (default: some of each kind that fit).");
  add_list("--rtol", arguments.rtol,
           "Relative tolerances, separated by commas; 1e-3..1e-9 are the decades between (which is the "
           "default).");
  command.add_option(
      "--atol", arguments.atol,
      "The same absolute tolerance for all (default: goes with --rtol, as in run and problem).");
  command.add_option("--h0", arguments.h0, "First step size.");
  command.add_option("--until,--end", arguments.until, "End time.");
  command.add_option("--set", arguments.set, "Parameters with other values: name=value ...");
  command.add_option("--option", arguments.option,
                     "Options of all methods: key=value ...; see 'trammel options'.");
  command
      .add_option("--measure", arguments.measure,
                  "Which error: published, trajectory or end (default: published where values are known, "
                  "otherwise trajectory).")
      ->check(CLI::IsMember({"published", "trajectory", "end"}));
  command.add_option("--samples", arguments.samples, "Times at which trajectories are compared.")
      ->capture_default_str();
  command.add_option("--reference", arguments.reference,
                     "The method that computes the reference (default: psf/radau5).");
  command.add_option("--reference-rtol", arguments.reference_rtol,
                     "Its tolerance; milder if that does not work (default: 1e-12).");
  add_list("--errors", arguments.errors, "Errors to recommend a method for (default: 1e-3,1e-6,1e-9).");
  command.add_option("--repeat", arguments.repeat,
                     "Runs whose median time counts (default: 3 if one takes less than a second, else 1).");
  command
      .add_option("--jobs", arguments.jobs,
                  "Runs at the same time; more than one disturb each other's times.")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--timeout", arguments.timeout, "Seconds that a run may take, with its repetitions.")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--out", arguments.out,
                     "Write tables, diagrams and a page into this folder (default: NAME-comparison).");
  command.add_flag("--quiet", arguments.quiet, "No progress on the screen.");
  command.add_flag("--json", arguments.json, "Exactly one JSON object on standard output.");
  // for the children of this command only
  command.add_flag("--one-run", arguments.one_run)->group("");
  command.add_flag("--land-on-samples", arguments.land_on_samples)->group("");
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("compare", "Compare methods: error against time, on a model or a problem.");
  auto arguments = std::make_shared<CompareArguments>();
  add_arguments(*command, *arguments);
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->set, arguments->subject);
    take_last_word(arguments->option, arguments->subject);
    if (arguments->subject.empty()) throw CLI::RequiredError("the model file or the problem");
    exit_code =
        arguments->one_run ? make_one_run(*arguments) : with_subject(*arguments, [&](const Subject& subject) {
          return compare_methods(*arguments, subject);
        });
  });
}

}  // namespace trammel
