// trammel sweep: a model with many values of its parameters, on all cores, in a table that survives.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "trammel/cli/child_process.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/progress.h"
#include "trammel/cli/run_output.h"
#include "trammel/cli/settings.h"
#include "trammel/page/sweep_page.h"
#include "trammel/page/viewer_page.h"
#include "trammel/sweep/sweep_processes.h"

namespace trammel {

namespace {

namespace fs = std::filesystem;

struct SweepArguments {
  std::string file, out, resume, method, coordinates, ranked, scheduler;
  std::vector<std::string> set, vary, measures, option;
  std::optional<long> latin, random;
  std::optional<std::uint64_t> seed;
  std::optional<double> end, output_interval, rtol, atol, h0;
  std::optional<int> samples;
  bool list = false, json = false, quiet = false, no_page = false;
  int jobs = 0, worst = 3;
  double timeout = 0;
};

SweepRequest request_of(const SweepArguments& arguments) {
  for (const auto& [name, value] : {std::pair("--end", arguments.end), std::pair("--rtol", arguments.rtol),
                                    std::pair("--atol", arguments.atol), std::pair("--h0", arguments.h0),
                                    std::pair("--output-interval", arguments.output_interval)})
    check_is_finite(name, value);
  SweepRequest request;
  request.model = arguments.file;
  request.set = split_settings(arguments.set, "--set");
  request.vary = arguments.vary;
  request.measures = arguments.measures;
  request.coordinates = arguments.coordinates;
  request.end = arguments.end;
  request.output_interval = arguments.output_interval;
  request.samples = arguments.samples;
  if (!arguments.method.empty()) request.method = arguments.method;
  request.rtol = arguments.rtol;
  request.atol = arguments.atol;
  request.h0 = arguments.h0;
  request.options = split_settings(arguments.option, "--option");
  Sampling& sampling = request.sampling;
  if (static_cast<int>(arguments.list) + static_cast<int>(arguments.latin.has_value()) +
          static_cast<int>(arguments.random.has_value()) >
      1)
    throw std::invalid_argument("--list, --latin and --random exclude each other");
  if (arguments.list) sampling.kind = Sampling::Kind::list;
  if (arguments.latin) sampling = {Sampling::Kind::latin, *arguments.latin};
  if (arguments.random) sampling = {Sampling::Kind::random, *arguments.random};
  if (arguments.seed && sampling.count == 0)
    throw std::invalid_argument("--seed is for --latin and --random: a grid and a list have nothing to draw");
  if (arguments.seed) sampling.seed = *arguments.seed;
  return request;
}

// How many runs have ended, on one line of a terminal.
class RowsShown {
 public:
  RowsShown(long all, long before, bool wanted)
      : all_(all), before_(before), shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}
  ~RowsShown() {
    if (on_screen_) std::fputs("\r\x1b[K", stderr);
  }
  RowsShown(const RowsShown&) = delete;
  RowsShown& operator=(const RowsShown&) = delete;

  void row(long rows) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const std::string left = rows > before_
                                 ? ", " +
                                       duration_text(elapsed / static_cast<double>(rows - before_) *
                                                     static_cast<double>(all_ - rows)) +
                                       " left"
                                 : "";
    std::fputs(fmt::format("\r{} of {} runs{}\x1b[K", rows, all_, left).c_str(), stderr);
    std::fflush(stderr);
    on_screen_ = true;
  }

 private:
  long all_, before_;
  bool shown_, on_screen_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), next_ = start_;
};

// The Python side makes the runs on a cluster and writes the rows into the folder; its exit code.
int run_on_cluster(const SweepArguments& arguments, const fs::path& folder) {
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "python";
  if (fs::exists(beside / "trammel", ignored)) {
    const char* before = std::getenv("PYTHONPATH");
    const std::string path = beside.string() + (before != nullptr ? std::string(":") + before : "");
    ::setenv("PYTHONPATH", path.c_str(), 1);
  }
  // the system's Python, which the packages of the system are for
  const std::string python = fs::exists("/usr/bin/python3", ignored) ? "/usr/bin/python3" : "python3";
  std::vector<std::string> words{python, "-m", "trammel.cluster", folder.string(), arguments.scheduler};
  if (arguments.timeout > 0) words.insert(words.end(), {"--timeout", fmt::format("{}", arguments.timeout)});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, python.c_str(), nullptr, nullptr, pointers.data(), environ);
      error != 0)
    throw std::invalid_argument(fmt::format("--scheduler needs Python: {}", std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Runs the worst cases once more, with all their files.
std::vector<ShownRun> show_worst(const SweepArguments& arguments, const SweepTable& table,
                                 const std::string& ranked) {
  if (!has_viewer() || arguments.worst <= 0) return {};
  const SweepRequest& request = table.sweep().request();
  std::vector<ShownRun> shown;
  std::vector<std::vector<std::string>> commands;
  for (const long run : worst_runs(table, ranked, static_cast<std::size_t>(arguments.worst))) {
    const std::string name = fmt::format("worst/run-{}", run);
    std::vector<std::string> words{
        "/proc/self/exe", "run", request.model, "--out", (table.folder() / name).string(), "--quiet"};
    const auto add = [&](const char* option, const auto& value) {
      if (value) {
        words.emplace_back(option);
        words.push_back(fmt::format("{}", *value));
      }
    };
    add("--end", request.end);
    add("--output-interval", request.output_interval);
    add("--samples", request.samples);
    add("--method", request.method);
    add("--rtol", request.rtol);
    add("--atol", request.atol);
    add("--h0", request.h0);
    for (const auto& [key, value] : request.options)
      words.insert(words.end(), {"--option", key + "=" + value});
    if (!request.coordinates.empty()) words.insert(words.end(), {"--coordinates", request.coordinates});
    for (const auto& [key, value] : table.sweep().parameters(run))
      words.insert(words.end(), {"--set", key + "=" + value});
    commands.push_back(std::move(words));
    shown.push_back({run, name + "/index.html"});
  }
  std::vector<char> there(shown.size(), 0);
  run_children(
      commands, {.jobs = 2, .timeout = 1e6, .interrupt = Interruption::flag()},
      [](std::size_t) { return true; },
      [&](std::size_t i, const ChildAnswer& answer) { there[i] = answer.trouble().empty(); });
  std::vector<ShownRun> kept;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (there[i] != 0) kept.push_back(shown[i]);
  return kept;
}

std::string resume_words(const fs::path& folder) {
  return fmt::format("trammel sweep --resume {}", folder.string());
}

int finish(const SweepArguments& arguments, SweepTable& table, int exit_code) {
  const std::string ranked = arguments.ranked.empty() ? default_ranking(table.sweep()) : arguments.ranked;
  OutputFiles files;
  files.note(table.folder() / "sweep.csv", table.finish());
  if (table.complete() && !arguments.no_page)
    files.write(table.folder() / "index.html",
                sweep_page(table, ranked, show_worst(arguments, table, ranked)));
  long failed = 0;
  for (const auto& [run, row] : table.rows()) failed += row.has_values() ? 0 : 1;
  nlohmann::ordered_json json{{"status", table.complete() ? "finished" : "stopped"},
                              {"model", table.sweep().request().model},
                              {"folder", table.folder().string()},
                              {"runs", table.sweep().size()},
                              {"rows", table.rows().size()},
                              {"failed", failed},
                              {"ranked", ranked}};
  if (!table.complete()) json["resume"] = resume_words(table.folder());
  nlohmann::ordered_json worst = nlohmann::ordered_json::array();
  for (const long run : worst_runs(table, ranked, static_cast<std::size_t>(std::max(arguments.worst, 0))))
    worst.push_back(run);
  json["worst"] = worst;
  files.tell(json);
  files.print_errors();
  if (arguments.json)
    print_json(json);
  else if (!arguments.quiet)
    fmt::print("{}: {} of {} runs, {} failed; in {}\n", table.sweep().title(), table.rows().size(),
               table.sweep().size(), failed, table.folder().string());
  if (!table.complete() && !arguments.json) print_message("to go on: " + resume_words(table.folder()));
  return files.exit_code(exit_code != 0 ? exit_code : failed == table.sweep().size() ? run_failed : 0);
}

// A sweep goes on as it was begun: what says otherwise would have no effect.
void check_goes_on(const SweepArguments& arguments) {
  const bool says_nothing =
      arguments.vary.empty() && arguments.measures.empty() && arguments.set.empty() &&
      arguments.option.empty() && arguments.method.empty() && arguments.coordinates.empty() &&
      !arguments.list && !arguments.latin && !arguments.random && !arguments.seed && !arguments.end &&
      !arguments.rtol && !arguments.atol && !arguments.h0 && !arguments.samples && !arguments.output_interval;
  if (!says_nothing)
    throw std::invalid_argument(
        "a sweep goes on as it was begun: --resume takes no points, measures or options of runs");
}

int sweep(const SweepArguments& arguments) {
  const bool goes_on = !arguments.resume.empty();
  if (goes_on) check_goes_on(arguments);
  if (!arguments.scheduler.empty() && arguments.jobs > 0)
    throw std::invalid_argument("--jobs is for this machine: with --scheduler the workers decide");
  const Sweep sweep(goes_on ? SweepTable::request_in(arguments.resume) : request_of(arguments));
  if (!arguments.ranked.empty()) {
    std::vector<std::string> names;
    for (const SweepColumn& column : sweep.columns()) names.push_back(column.name());
    if (std::find(names.begin(), names.end(), arguments.ranked) == names.end())
      throw std::invalid_argument(
          fmt::format("--rank {}: the columns are {}", arguments.ranked, fmt::join(names, ", ")));
  }
  const std::string folder = goes_on                  ? arguments.resume
                             : !arguments.out.empty() ? arguments.out
                                                      : model_name(arguments.file) + "-sweep";
  if (!goes_on) make_output_folder(folder);
  std::optional<SweepTable> table(goes_on ? SweepTable::go_on(folder, sweep)
                                          : SweepTable::begin(folder, sweep));
  const Interruption interruption;
  if (!arguments.scheduler.empty()) {
    table.reset();
    const int code = run_on_cluster(arguments, folder);
    table.emplace(SweepTable::go_on(folder, sweep));
    return finish(arguments, *table, code);
  }
  {
    RowsShown shown(sweep.size(), static_cast<long>(table->rows().size()), !arguments.quiet);
    const Failure failure = run_in_processes(*table, {.jobs = arguments.jobs,
                                                      .timeout = arguments.timeout,
                                                      .interrupt = Interruption::flag(),
                                                      .on_wait = [&](long rows) { shown.row(rows); }});
    if (failure) return refuse(arguments.json, failure.message, {{"reason", "not_written"}});
  }
  return finish(arguments, *table, Interruption::exit_code());
}

}  // namespace

void add_sweep_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("sweep", "Simulate a model with many values of its parameters.");
  auto arguments = std::make_shared<SweepArguments>();
  command->add_option("model", arguments->file, "The model file (YAML), or a robot (URDF).");
  command
      ->add_option("--vary", arguments->vary,
                   "A parameter and its values: k=1e3:1e5:20log, c=[1,2,5]; with --latin and --random also "
                   "k=1e3:1e5 and "
                   "m=normal(1,0.1). May be repeated.")
      ->allow_extra_args(false);
  command->add_flag("--list", arguments->list,
                    "Values together, the first of each, the second, ...; not a grid.");
  command->add_option("--latin", arguments->latin, "So many points of a Latin hypercube.");
  command->add_option("--random", arguments->random, "So many points at random.");
  command->add_option("--seed", arguments->seed, "Of --latin and --random (default: 1).");
  command
      ->add_option("--measure", arguments->measures,
                   "Channels, or groups of them: A.angle for final value, min, max and rms, A.angle:max for "
                   "one of these "
                   "(default: the measures of the model, or its joint coordinates). May be repeated.")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option("--set", arguments->set, "Parameters with other values, in all runs: name=value ...");
  add_coordinates_argument(*command, arguments->coordinates);
  command->add_option("--method", arguments->method,
                      "formulation/integrator, or auto; see 'trammel methods'.");
  command->add_option("--rtol", arguments->rtol, "Relative tolerance.");
  command->add_option("--atol", arguments->atol, "Absolute tolerance (default: a hundredth of --rtol).");
  command->add_option("--h0", arguments->h0, "First step size.");
  command->add_option("--until,--end", arguments->end, "End time.");
  command->add_option("--option", arguments->option,
                      "Options of the method: key=value ...; see 'trammel options'.");
  command->add_option("--samples", arguments->samples, "Equidistant samples of each run (default: 1000).");
  command->add_option("--output-interval", arguments->output_interval,
                      "Time between samples, instead of --samples.");
  command->add_option("--out", arguments->out, "The folder of the table (default: MODEL-sweep).");
  command->add_option("--jobs", arguments->jobs, "Runs at a time (default: one for each core).")
      ->check(CLI::Range(0, 10000));
  command->add_option("--timeout", arguments->timeout, "Seconds that a run may take (default: any).")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--scheduler", arguments->scheduler,
                      "On a cluster: the address of a scheduler of Dask, tcp://...");
  command->add_option("--rank", arguments->ranked,
                      "The column that says which runs are the worst (default: the first max).");
  command->add_option("--worst", arguments->worst, "How many of the worst runs the page shows (default: 3).")
      ->check(CLI::Range(0, 100));
  command->add_option("--resume", arguments->resume, "Go on with the sweep in this folder.");
  command->add_flag("--no-page", arguments->no_page, "No index.html, and no worst cases.");
  command->add_flag("--quiet", arguments->quiet, "No progress and no summary on the screen.");
  command->add_flag("--json", arguments->json, "Exactly one JSON object on standard output.");
  command->callback([arguments, &exit_code] {
    take_last_word(arguments->option, arguments->file);
    take_last_word(arguments->set, arguments->file);
    if (arguments->resume.empty() && arguments->file.empty()) throw CLI::RequiredError("the model file");
    if (!arguments->resume.empty() && !(arguments->file.empty() && arguments->out.empty()))
      throw CLI::ValidationError("--resume FOLDER needs no model and no --out: the folder knows them");
    try {
      exit_code = sweep(*arguments);
    } catch (const ModelError& error) {
      exit_code = refuse(arguments->json, error);
    } catch (const std::invalid_argument& error) {
      exit_code = refuse(arguments->json, error.what(), {{"model", arguments->file}});
    }
  });
}

}  // namespace trammel
