// trammel run: simulate a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "trammel/cli/checkpoints.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_output.h"
#include "trammel/cli/progress.h"
#include "trammel/cli/real_time.h"
#include "trammel/cli/resumption.h"
#include "trammel/cli/run_end.h"
#include "trammel/cli/run_files.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/numerics/thread_team.h"
#include "trammel/page/run_page.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/version.h"

namespace trammel {

namespace {

nlohmann::ordered_json subject_of(const Model& model, const MechanismRun& run) {
  return {{"model", model.file},
          {"title", model.mechanism.title},
          {"parameters", model.mechanism.parameters},
          {"end", run.settings().end},
          {"method", run.settings().method.name()},
          {"version", std::string(version)}};
}

void print_end(const RunCommandArguments& arguments, const Model& model, const MechanismRun& run,
               const OutputFiles& outcome, const nlohmann::ordered_json& json) {
  if (arguments.json)
    print_json(json);
  else if (!arguments.quiet)
    fmt::print(
        "{}{}", run_report(model, run),
        outcome.written().empty() ? "" : fmt::format("written: {}\n", fmt::join(outcome.written(), " ")));
  for (const std::string& warning : run.recorder().measures_not_finite()) print_warning(warning);
  if (!arguments.json && run.summary().status == Status::failed) print_error(run.summary().message());
  outcome.print_errors();
}

// Steps that keep pace with the clock: there is nothing to resume.
int run_in_real_time(const RunCommandArguments& arguments, Model& model) {
  const Interruption interruption;
  if (!model.simulation.coordinates) model.simulation.coordinates = "auto";
  RunRequest request = request_of(arguments);
  check_is_finite("--output-interval", arguments.output_interval);
  request.output_interval = arguments.output_interval;
  if (!request.method && !model.simulation.method) request.method = RealTimeRun::standard_method;
  MechanismRun run(model, request);
  const std::string folder = arguments.out.empty() ? model_name(model.file) + "-results" : arguments.out;
  RunOutput output = output_of(arguments, folder);
  output.samples_as_they_come = true;
  RunFiles files(std::move(output), run.recording(),
                 RunStory{subject_of(model, run), [&](bool running, std::ostream& out) {
                            write_viewer_data(model, run, running, out);
                          }});
  RealTimeRun steps(run, {.rate = arguments.rate.value_or(RealTimeOptions().rate)});
  make_output_folder(folder);
  if (const Failure not_begun = files.begin())
    return refuse(arguments.json, not_begun.message, {{"reason", "not_written"}, {"model", model.file}});
  const PaceReport pace = keep_pace(run, steps, files);

  nlohmann::ordered_json json = run_json(model, run);
  json["real_time"] = {{"rate", 1 / steps.step_size()},
                       {"steps", steps.times().count()},
                       {"mean", steps.times().mean()},
                       {"below_999", steps.times().quantile(0.999)},
                       {"worst", steps.times().worst()},
                       {"unconverged", steps.unconverged()},
                       {"largest_residual", steps.largest_residual()},
                       {"switched", steps.switched()},
                       {"corners", steps.corners()},
                       {"overruns", pace.overruns},
                       {"latest", pace.latest}};
  const OutputFiles outcome = files.finish(run.summary(), json);
  outcome.tell(json);
  print_end(arguments, model, run, outcome, json);
  return outcome.exit_code(exit_code_of(run.summary()));
}

// Writes and tells what has come of it.
int finish_run(const RunCommandArguments& arguments, const Model& model, const MechanismRun& run,
               const std::string& folder, RunFiles& files, Checkpoints& checkpoints) {
  ProgressStage stage(!arguments.quiet);
  stage.begin("writing the results");
  nlohmann::ordered_json json = run_json(model, run);
  const std::string resume = resume_command("run", folder);
  const auto [outcome, goes_on] = end_run(run.summary(), resume, files, checkpoints, json);
  stage.end();
  print_end(arguments, model, run, outcome, json);
  if (goes_on && !arguments.json && !arguments.quiet)
    print_message(fmt::format("to go on from t = {:.6g}: {}", checkpoints.t(), resume));
  return outcome.exit_code(exit_code_of(run.summary()));
}

// `stored`: a checkpoint to go on from.
int run_model(const RunCommandArguments& arguments, const Model& model, const StoredCheckpoint* stored) {
  ProgressStage stage(!arguments.quiet);
  stage.begin(fmt::format("assembling {} bodies", model.mechanism.bodies.size() - 1));
  std::optional<Progress> progress;
  std::optional<RunFiles> files;
  std::optional<Checkpoints> checkpoints;
  RunRequest request = request_of(arguments);
  check_is_finite("--output-interval", arguments.output_interval);
  request.output_interval = arguments.output_interval;
  request.on_step = [&](double t, double h) {
    stage.end();
    progress->step(t, h);
    files->step();
    return true;
  };
  if (!arguments.no_checkpoint) {
    request.checkpoint_steps = default_checkpoint_steps;
    request.on_checkpoint = [&](RunCheckpoint checkpoint) { checkpoints->take(std::move(checkpoint)); };
  }
  MechanismRun run(model, request);
  if (stored != nullptr) {
    check_resumed_settings(run.settings(), stored->facts);
    if (Failure failure = run.resume(stored->checkpoint, stored->rows))
      throw std::invalid_argument(failure.message);
  }
  // until here there is nothing to be kept: a signal ends the program at once
  const Interruption interruption;
  const std::string folder = arguments.out.empty() ? model_name(model.file) + "-results" : arguments.out;
  files.emplace(output_of(arguments, folder), run.recording(),
                RunStory{subject_of(model, run), [&](bool running, std::ostream& out) {
                           write_viewer_data(model, run, running, out);
                         }});
  make_output_folder(folder);
  checkpoints.emplace(folder, run.recording(), facts_of_run(arguments, model, run.settings()));
  Failure not_begun = stored != nullptr ? checkpoints->go_on(*stored) : Failure{};
  if (!not_begun) not_begun = files->begin();
  if (not_begun)
    return refuse(arguments.json, not_begun.message, {{"reason", "not_written"}, {"model", model.file}});
  if (stored == nullptr) checkpoints->remove();

  stage.begin("preparing the first step");
  progress.emplace(run.settings().end, !arguments.quiet,
                   stored != nullptr ? stored->checkpoint.wall_seconds : 0.0);
  run.run();
  stage.end();
  progress.reset();

  return finish_run(arguments, model, run, folder, *files, *checkpoints);
}

ModelArguments model_arguments_of(const RunCommandArguments& arguments) {
  return {.file = arguments.file,
          .set = arguments.set,
          .json = arguments.json,
          .coordinates = arguments.coordinates,
          .tells_progress = !arguments.quiet,
          .rods = arguments.rods};
}

int resume_run(const RunCommandArguments& at_hand) {
  std::optional<StoredCheckpoint> stored;
  RunCommandArguments arguments;
  try {
    stored = read_checkpoint(at_hand.resume);
    arguments = resumed_arguments(at_hand, stored->facts);
  } catch (const std::exception& error) {
    return refuse(at_hand.json, error.what(), {{"reason", "no_checkpoint"}, {"folder", at_hand.resume}});
  }
  return with_model(model_arguments_of(arguments), [&](Model& model) {
    check_resumed_model(model, stored->facts);
    // as it was called, for results tell it
    model.file = stored->facts.at("model").get<std::string>();
    if (!arguments.json && !arguments.quiet)
      print_message(fmt::format("{} goes on from t = {:.6g}", model.file, stored->checkpoint.t));
    return run_model(arguments, model, &*stored);
  });
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
  add_rods_argument(*command, arguments->rods);
  command
      ->add_option(
          "--threads", arguments->threads,
          "How many threads share the work of a large mechanism (default: one for each core). Results "
          "do not depend on it.")
      ->check(CLI::Range(1, 256));
  command->add_flag("--real-time", arguments->real_time,
                    "Steps of one size that keep pace with the clock (docs/real-time.md).");
  command->add_option("--rate", arguments->rate, "Steps a second in real time (default: 1000).");
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->option, arguments->file);
    take_last_word(arguments->set, arguments->file);
    if (arguments->rate && !arguments->real_time) throw CLI::ValidationError("--rate goes with --real-time");
    if (arguments->real_time && !arguments->resume.empty())
      throw CLI::ValidationError("--real-time: such a run cannot be resumed");
    if (arguments->threads) ThreadTeam::of_process().set_threads(*arguments->threads);
    if (arguments->real_time) {
      ModelArguments model = model_arguments_of(*arguments);
      model.tells_progress = false;
      complete_model_arguments(model);
      exit_code = with_model(model, [&](Model& read) { return run_in_real_time(*arguments, read); });
      return;
    }
    if (!arguments->resume.empty()) {
      exit_code = resume_run(*arguments);
      return;
    }
    ModelArguments model = model_arguments_of(*arguments);
    complete_model_arguments(model);
    exit_code = with_model(model, [&](Model& read) { return run_model(*arguments, read, nullptr); });
  });
}

}  // namespace trammel
