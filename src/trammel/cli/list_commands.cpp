// trammel methods, trammel options: what there is to choose from.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trammel/cli/commands.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/options.h"

namespace trammel {

namespace {

void print_methods(bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MethodDescription& entry : methods())
      list.push_back({{"method", entry.method.name()},
                      {"formulation", entry.method.formulation},
                      {"integrator", entry.method.integrator},
                      {"when_to_use", entry.when_to_use}});
    fmt::print("{}\n", list.dump(2));
    return;
  }
  for (const MethodDescription& entry : methods())
    fmt::print("{:<18} {}\n", entry.method.name(), entry.when_to_use);
}

void print_options(bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const OptionDescription& entry : option_descriptions())
      list.push_back({{"key", entry.key},
                      {"values", entry.values},
                      {"default", entry.standard},
                      {"meaning", entry.meaning}});
    fmt::print("{}\n", list.dump(2));
    return;
  }
  for (const OptionDescription& entry : option_descriptions())
    fmt::print("{:<24} {}\n{:<24} {}, default {}\n", entry.key, entry.meaning, "", entry.values,
               entry.standard);
}

}  // namespace

void add_methods_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("methods", "List every valid formulation/integrator pair.");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON array on standard output.");
  command->callback([json] { print_methods(*json); });
}

void add_options_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("options", "List the options that --option sets.");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON array on standard output.");
  command->callback([json] { print_options(*json); });
}

}  // namespace trammel
