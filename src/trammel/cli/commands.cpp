#include "trammel/cli/commands.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/cli/messages.h"
#include "trammel/cli/usage_message.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/version.h"

namespace trammel {

namespace {

// What to say if the first word is no command; nothing if it is one, or an option.
std::string fault_of_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
    if (word == names.back()) return {};
  }
  if (word.empty() || word[0] == '-') return {};
  const std::string message = "there is no command '" + word + "'";
  std::error_code ignored;
  if (std::filesystem::is_regular_file(word, ignored))
    return message + "; a model is simulated by 'trammel run " + word + "'";
  if (const std::string near = nearest_name(word, names); !near.empty())
    return message + "; did you mean '" + near + "'?";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return message + "; there are " + list;
}

}  // namespace

void add_run_commands(CLI::App& app, int& exit_code) {
  add_run_command(app, exit_code);
  add_view_command(app, exit_code);
  add_plot_command(app, exit_code);
  add_check_command(app, exit_code);
  add_assemble_command(app, exit_code);
  add_new_command(app, exit_code);
  add_methods_command(app, exit_code);
  add_options_command(app, exit_code);
}

int run_program(int argc, char** argv, void (*add_commands)(CLI::App&, int&)) {
  CLI::App app{"Simulates constrained mechanical systems: linkages, vehicles, robots with closed loops.",
               "trammel"};
  app.set_version_flag("--version", std::string("trammel ") + std::string(version));
  app.require_subcommand(1);
  app.failure_message(
      [words = std::vector<std::string>(argv + std::min(argc, 1), argv + argc)](
          const CLI::App* of, const CLI::Error& error) { return usage_message(*of, error, words); });
  // a standard stream that is closed must not become the next file that is opened, and what is written to it
  // is lost, which has to be said: one that cannot be written takes its place
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  // a file that becomes too long for a limit is then an error like any other
  std::signal(SIGXFSZ, SIG_IGN);
  int exit_code = 0;
  // what runs a model need not wait for the arguments of all other commands
  if (argc > 1 && std::string_view(argv[1]) == "run")
    add_run_command(app, exit_code);
  else
    add_commands(app, exit_code);
  if (argc > 1) {
    if (const std::string fault = fault_of_command(app, argv[1]); !fault.empty()) {
      std::fprintf(stderr, "error: %s\n", fault.c_str());
      return usage_error;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : usage_error;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) == 0) print_error(error.what());
    exit_code = usage_error;
  }
  if (const std::string why = finish_standard_output(); !why.empty()) {
    print_error(why);
    // printing may have thrown, and that may have been taken for something that was asked for wrongly
    if (exit_code == 0 || exit_code == usage_error) exit_code = output_missing;
  }
  return exit_code;
}

}  // namespace trammel
