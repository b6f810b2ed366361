// trammel view: the page of a run in a browser, live while the run goes on.
#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "trammel/cli/child_process.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/page/page_server.h"
#include "trammel/page/viewer_page.h"
#include "trammel/result/unfinished_run.h"

namespace trammel {

namespace {

namespace fs = std::filesystem;

struct ViewArguments {
  std::string result;
  std::optional<int> port;
  bool no_browser = false;
};

const std::string results_ending = "-results";  // trammel run writes into MODEL-results

// --- what to show -----------------------------------------------------------------------------------------

bool has_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool has_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool has_page(const fs::path& folder) {
  return has_file(folder / live_data_file) || has_file(folder / page_file);
}

// Without the slash that shells complete.
fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

// "four-bar" of "here/four-bar-results".
std::string name_of_results(const fs::path& folder) {
  std::error_code ignored;
  const std::string name = without_slash(fs::weakly_canonical(folder, ignored)).filename().string();
  if (name.empty()) return folder.string();
  return name.size() > results_ending.size() && name.ends_with(results_ending)
             ? name.substr(0, name.size() - results_ending.size())
             : name;
}

// How to get the results that are missing, by the model beside their folder if there is one.
std::string how_to_run(const fs::path& folder) {
  const fs::path parent = folder.parent_path();
  for (const char* ending : {".yaml", ".yml"})
    if (const fs::path model = parent / (name_of_results(folder) + ending); has_file(model))
      return fmt::format("run it first: trammel run {}{}", model.string(),
                         parent.empty() ? "" : fmt::format(" --out {}", folder.string()));
  return "run the model first: trammel run MODEL";
}

std::invalid_argument nothing_there(const fs::path& given) {
  if (const fs::path results = given.string() + results_ending; has_page(results))
    return std::invalid_argument(
        fmt::format("there is no '{}'; did you mean {}?", given.string(), results.string()));
  return std::invalid_argument(fmt::format("there is no '{}'; {}", given.string(), how_to_run(given)));
}

// The folder of results that the user means: it, its page, or the model they belong to.
fs::path folder_of(const fs::path& given) {
  if (has_folder(given)) return given;
  const fs::path parent = given.has_parent_path() ? given.parent_path() : fs::path(".");
  if (given.filename() == page_file) return has_folder(parent) ? parent : throw nothing_there(parent);
  if (!has_file(given)) throw nothing_there(given);
  if (given.extension() == ".html")
    throw std::invalid_argument(fmt::format(
        "'{}' is not the {} of a run; a page opens in the browser as it is", given.string(), page_file));

  const std::string folder = model_name(given.string()) + results_ending;
  if (has_folder(folder)) return folder;
  if (has_page(parent) && has_file(parent / "summary.json"))
    throw std::invalid_argument(
        fmt::format("there is no {} here; did you mean the results beside '{}'? trammel view {}", folder,
                    given.string(), parent.string()));
  throw std::invalid_argument(fmt::format(
      "there is no {} here; run it first: trammel run {}, or name the folder that was given to --out", folder,
      given.string()));
}

// Throws std::invalid_argument if there is nothing to show, nor to wait for.
void check_results(const fs::path& folder, PageServer& server) {
  std::error_code error;
  if (!has_page(folder)) {
    // a run that goes on will have something to show
    const std::optional<UnfinishedRun> unfinished = unfinished_run(folder);
    if (unfinished && unfinished->running) return;
    if (unfinished)
      throw std::invalid_argument(fmt::format(
          "the run in {} was killed before there was anything to show; run it again, or see what there is: "
          "trammel plot {} --list",
          folder.string(), folder.string()));
    if (has_file(folder / "summary.json"))
      throw std::invalid_argument(fmt::format(
          "there is no page in {}: it was run with --no-page; run it again without", folder.string()));
    // a run that has just begun has made its folder, and nothing else
    if (!fs::is_empty(folder, error) || error)
      throw std::invalid_argument(
          fmt::format("there are no results of a run in {}; {}", folder.string(), how_to_run(folder)));
  } else if (!server.has_data() && !has_file(folder / live_data_file)) {
    throw std::invalid_argument(
        fmt::format("{} holds no data that can be shown here; open it in the browser, or run the model again",
                    (folder / page_file).string()));
  }
}

// --- showing it -------------------------------------------------------------------------------------------

void start(PageServer& server, std::optional<int> wanted) {
  if (wanted) {
    if (const std::string why = server.start(*wanted); !why.empty())
      throw std::invalid_argument(fmt::format("{}; choose another with --port", why));
    return;
  }
  constexpr int first = 8000, last = 8099;
  for (int port = first; port <= last; ++port)
    if (server.start(port).empty()) return;
  throw std::invalid_argument(
      fmt::format("the ports {} to {} are taken; choose another with --port", first, last));
}

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
    if (const char* display = std::getenv(name); display && *display) return true;
  return false;
}

int view(const ViewArguments& arguments) {
  if (!has_viewer())
    throw std::invalid_argument(
        fmt::format("this program was built without the viewer, for which it needs npm; open the {} of the "
                    "run in a browser",
                    page_file));
  const fs::path folder = folder_of(without_slash(arguments.result));
  PageServer server(name_of_results(folder), folder);
  check_results(folder, server);

  // before there are threads, so that all of them leave these signals to this one
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  start(server, arguments.port);
  const std::string address = fmt::format("http://127.0.0.1:{}/", server.port());
  fmt::print("{}  (Ctrl-C ends it)\n", address);
  std::fflush(stdout);
  if (!arguments.no_browser && has_display()) start_alone("xdg-open", address);

  int signal = 0;
  sigwait(&ending, &signal);
  // whoever asks twice does not want to wait for the last answers
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
  server.stop();
  return 0;
}

}  // namespace

void add_view_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("view", "Show a run in the browser, also while it is going on.");
  auto arguments = std::make_shared<ViewArguments>();
  command
      ->add_option("result", arguments->result,
                   "The folder that trammel run wrote, its index.html, or the model file.")
      ->required();
  command
      ->add_option("--port", arguments->port, "Port on this machine (default: the first free one from 8000).")
      ->check(CLI::Range(0, 65535));
  command->add_flag("--no-browser", arguments->no_browser, "Print the address, but do not open a browser.");
  command->callback([arguments, &exit_code] {
    try {
      exit_code = view(*arguments);
    } catch (const std::invalid_argument& error) {
      exit_code = refuse(false, error.what());
    }
  });
}

}  // namespace trammel
