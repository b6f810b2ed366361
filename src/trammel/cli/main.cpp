// trammel: simulate constrained mechanical systems from the command line.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/version.h"

int main(int argc, char** argv) {
  CLI::App app{"Simulates constrained mechanical systems: linkages, vehicles, robots with closed loops."};
  app.set_version_flag("--version", std::string("trammel ") + std::string(trammel::version));
  app.require_subcommand(1);
  // a standard stream that is closed must not become the next file that is opened, and what is written to it
  // is lost, which has to be said: one that cannot be written takes its place
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  // a file that becomes too long for a limit is then an error like any other
  std::signal(SIGXFSZ, SIG_IGN);
  int exit_code = 0;
  trammel::add_all_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : trammel::usage_error;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) == 0) trammel::print_error(error.what());
    exit_code = trammel::usage_error;
  }
  if (const std::string why = trammel::finish_standard_output(); !why.empty()) {
    trammel::print_error(why);
    // printing may have thrown, and that may have been taken for something that was asked for wrongly
    if (exit_code == 0 || exit_code == trammel::usage_error) exit_code = trammel::output_missing;
  }
  return exit_code;
}
