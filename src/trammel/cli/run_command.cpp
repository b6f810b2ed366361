// trammel run: simulate a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

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
#include "trammel/page/run_page.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/version.h"

namespace trammel {

namespace {

struct RunCommandArguments : RunArguments {
  std::string file;
  std::optional<double> output_interval;
  std::string coordinates;
};

nlohmann::ordered_json subject_of(const Model& model, const MechanismRun& run) {
  return {{"model", model.file},
          {"title", model.mechanism.title},
          {"parameters", model.mechanism.parameters},
          {"end", run.settings().end},
          {"method", run.settings().method.name()},
          {"version", std::string(version)}};
}

int run_model(const RunCommandArguments& arguments, const Model& model) {
  const Interruption interruption;
  std::optional<Progress> progress;
  std::optional<RunFiles> files;
  RunRequest request = request_of(arguments);
  check_is_finite("--output-interval", arguments.output_interval);
  request.output_interval = arguments.output_interval;
  request.on_step = [&](double t, double h) {
    progress->step(t, h);
    files->step();
    return true;
  };
  MechanismRun run(model, request);
  const std::string folder = arguments.out.empty() ? model_name(model.file) + "-results" : arguments.out;
  files.emplace(
      output_of(arguments, folder), run.recording(),
      RunStory{subject_of(model, run), [&](bool running) { return viewer_data(model, run, running); }});
  make_output_folder(folder);
  if (Failure failure = files->begin())
    return refuse(arguments.json, failure.message, {{"reason", "not_written"}, {"model", model.file}});

  progress.emplace(run.settings().end, !arguments.quiet);
  run.run();
  progress.reset();

  nlohmann::ordered_json json = run_json(model, run);
  const OutputFiles outcome = files->finish(run.summary(), json);
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
  auto arguments = std::make_shared<RunCommandArguments>();
  command->add_option("model", arguments->file, "The model file (YAML), or a robot (URDF).");
  add_run_arguments(*command, *arguments, "a hundredth of --rtol", "1000", "MODEL-results");
  command->add_option("--output-interval", arguments->output_interval,
                      "Time between output samples, instead of --samples.");
  add_coordinates_argument(*command, arguments->coordinates);
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->option, arguments->file);
    ModelArguments model{arguments->file, arguments->set, arguments->json, arguments->coordinates};
    complete_model_arguments(model);
    exit_code = with_model(model, [&](Model& read) { return run_model(*arguments, read); });
  });
}

}  // namespace trammel
