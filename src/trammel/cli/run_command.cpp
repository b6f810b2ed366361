// trammel run: simulate a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_output.h"
#include "trammel/cli/progress.h"
#include "trammel/cli/run_arguments.h"
#include "trammel/cli/run_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/page/live_data.h"
#include "trammel/page/viewer_page.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

namespace {

struct Arguments : RunArguments {
  std::string file;
  std::optional<double> output_interval;
  std::vector<std::string> channels;
  bool no_csv = false, no_hdf5 = false, no_page = false, quiet = false;
};

RunRequest request_of(const Arguments& arguments) {
  check_run_arguments(arguments);
  check_is_finite("--output-interval", arguments.output_interval);
  RunRequest request;
  request.end = arguments.until;
  request.output_interval = arguments.output_interval;
  request.samples = arguments.samples;
  if (!arguments.method.empty()) request.method = arguments.method;
  request.rtol = arguments.rtol;
  request.atol = arguments.atol;
  request.h0 = arguments.h0;
  request.options = split_settings(arguments.option, "--option");
  return request;
}

int run_model(const Arguments& arguments, const Model& model) {
  const Interruption interruption;
  std::optional<Progress> progress;
  std::optional<LiveData> live;
  std::optional<RunFiles> files;
  RunRequest request = request_of(arguments);
  request.interrupt = Interruption::flag();
  request.on_step = [&](double t, double h) {
    if (progress) progress->step(t, h);
    if (live) live->step();
    files->step();
    return true;
  };
  MechanismRun run(model, request);
  std::vector<const Channel*> chosen;
  if (Failure failure = run.recording().select(arguments.channels, chosen))
    throw std::invalid_argument(failure.message);

  // better refused now than after an hour of computing
  const ModelOutput output{arguments.out.empty() ? model_name(model.file) + "-results" : arguments.out,
                           !arguments.no_csv, !arguments.no_hdf5, !arguments.no_page, arguments.channels};
  try {
    make_output_folder(output.folder);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  files.emplace(output, model, run);
  if (Failure failure = files->begin())
    return refuse(arguments.json, failure.message, {{"reason", "not_written"}, {"model", model.file}});

  progress.emplace(run.settings().end, !arguments.quiet);
  if (output.page && has_viewer()) live.emplace(output.folder, model, run);
  run.run();
  progress.reset();

  nlohmann::ordered_json json = run_json(model, run);
  const OutputFiles outcome = files->finish(json);
  live.reset();
  outcome.tell(json);  // once more, for summary.json itself
  if (arguments.json)
    print_json(json);
  else if (!arguments.quiet)
    fmt::print(
        "{}{}", run_report(model, run),
        outcome.written().empty() ? "" : fmt::format("written: {}\n", fmt::join(outcome.written(), " ")));
  for (const std::string& warning : run.recorder().measures_not_finite()) print_warning(warning);
  if (!arguments.json && run.summary().status == Status::failed) print_error(run.summary().message());
  outcome.print_errors();
  return outcome.exit_code(exit_code_of(run.summary()));
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Simulate a model.");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("model", arguments->file, "The model file (YAML), or a robot (URDF).");
  add_run_arguments(*command, *arguments, "a hundredth of --rtol", "1000", "MODEL-results");
  command->add_option("--output-interval", arguments->output_interval,
                      "Time between output samples, instead of --samples.");
  command
      ->add_option("--channels", arguments->channels,
                   "Channels, or groups of them, in results.csv, separated by commas (default: all).")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_flag("--no-csv", arguments->no_csv, "No results.csv and steps.csv.");
  command->add_flag("--no-hdf5", arguments->no_hdf5, "No results.h5.");
  command->add_flag("--no-page", arguments->no_page, "No index.html.");
  command->add_flag("--quiet", arguments->quiet, "No progress and no summary on the screen.");
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->option, arguments->file);
    ModelArguments model{arguments->file, arguments->set, arguments->json};
    complete_model_arguments(model);
    exit_code = with_model(model, [&](Model& read) { return run_model(*arguments, read); });
  });
}

}  // namespace trammel
