// trammel: simulate constrained mechanical systems from the command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "trammel/cli/commands.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/version.h"

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
  if (const std::string near = trammel::nearest_name(word, names); !near.empty())
    return message + "; did you mean '" + near + "'?";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return message + "; there are " + list;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Simulates constrained mechanical systems: linkages, vehicles, robots with closed loops."};
  app.set_version_flag("--version", std::string("trammel ") + std::string(trammel::version));
  app.require_subcommand(1);
  int exit_code = 0;
  trammel::add_all_commands(app, exit_code);
  if (argc > 1) {
    if (const std::string fault = fault_of_command(app, argv[1]); !fault.empty()) {
      std::fprintf(stderr, "error: %s\n", fault.c_str());
      return trammel::usage_error;
    }
  }
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
