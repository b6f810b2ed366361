// trammel: simulate constrained mechanical systems from the command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "trammel/cli/commands.h"
#include "trammel/version.h"

int main(int argc, char** argv) {
  CLI::App app{"Simulates constrained mechanical systems: linkages, vehicles, robots with closed loops."};
  app.set_version_flag("--version", std::string("trammel ") + std::string(trammel::version));
  app.require_subcommand(1);
  int exit_code = 0;
  trammel::add_all_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : trammel::usage_error;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return trammel::usage_error;
  }
  return exit_code;
}
