// trammel methods, trammel options: what there is to choose from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/method_pages.h"
#include "trammel/simulation/options.h"

namespace trammel {

namespace {

struct ListArguments {
  std::string method;
  bool json = false, page = false;
};

std::vector<std::string> refused_by(const MethodDescription& method) {
  std::vector<std::string> names;
  for (const Refusal& refusal : method.formulation.refuses) names.emplace_back(name(refusal.trait));
  if (method.integrator.needs_rates)
    for (const Refusal& refusal : method.formulation.rates_refuse) names.emplace_back(name(refusal.trait));
  return names;
}

nlohmann::ordered_json method_json(const MethodDescription& entry) {
  return {{"method", entry.method.name()},         {"formulation", entry.method.formulation},
          {"integrator", entry.method.integrator}, {"when_to_use", entry.when_to_use},
          {"holds", entry.formulation.holds()},    {"refuses", refused_by(entry)},
          {"options", options_of(entry.method)}};
}

void print_method(const MethodDescription& entry) {
  const auto line = [](std::string_view key, const std::string& value) {
    fmt::print("  {:<12} {}\n", key, value);
  };
  const std::vector<std::string> refused = refused_by(entry);
  fmt::print("{}: {}\n", entry.method.name(), entry.when_to_use);
  line("formulation", fmt::format("{}: {}", entry.formulation.name, entry.formulation.what_it_is));
  line("integrator", fmt::format("{}: {}", entry.integrator.name, entry.integrator.what_it_is));
  line("constraints", entry.formulation.holds());
  line("refuses", refused.empty() ? "nothing" : fmt::format("{}", fmt::join(refused, ", ")));
  line("options", fmt::format("{}", fmt::join(options_of(entry.method), ", ")));
}

int print_methods(const ListArguments& arguments, const std::vector<MethodDescription>& listed) {
  if (arguments.page) {
    fmt::print("{}", methods_page());
  } else if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MethodDescription& entry : listed) list.push_back(method_json(entry));
    fmt::print("{}\n", list.dump(2));
  } else if (!arguments.method.empty()) {
    print_method(listed.front());
  } else {
    for (const MethodDescription& entry : listed)
      fmt::print("{:<18} {}\n", entry.method.name(), entry.when_to_use);
  }
  return 0;
}

// The default as one of these methods has it.
std::string standard_of(const OptionDescription& option, const std::vector<MethodDescription>& listed) {
  if (listed.size() == 1)
    for (const auto& [owner, standard] : option.other_standards)
      if (owner == listed.front().method.formulation || owner == listed.front().method.integrator)
        return standard;
  return option.standard;
}

nlohmann::ordered_json option_json(const OptionDescription& option,
                                   const std::vector<MethodDescription>& listed) {
  nlohmann::ordered_json json{{"key", option.key},
                              {"values", option.values},
                              {"default", standard_of(option, listed)},
                              {"meaning", option.meaning}};
  if (!option.also.empty()) json["also"] = option.also;
  json["other_defaults"] = nlohmann::ordered_json::object();
  if (listed.size() > 1)
    for (const auto& [owner, standard] : option.other_standards) json["other_defaults"][owner] = standard;
  json["set_by"] = option.set_by.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(option.set_by);
  json["methods"] = nlohmann::ordered_json::array();
  for (const MethodDescription& method : listed)
    if (has_option(method.method, option.key)) json["methods"].push_back(method.method.name());
  return json;
}

void print_option(const OptionDescription& option, const std::vector<MethodDescription>& listed) {
  std::string standards = standard_of(option, listed);
  if (listed.size() > 1)
    for (const auto& [owner, standard] : option.other_standards)
      standards += fmt::format(", {}: {}", owner, standard);
  fmt::print("{:<24} {}\n{:<24} {}, default {}\n", option.key, option.meaning, "", option.values, standards);
  if (!option.also.empty()) fmt::print("{:<24} another name: {}\n", "", option.also);
  if (!option.set_by.empty()) fmt::print("{:<24} set by {}\n", "", option.set_by);
  if (listed.size() > 1)
    fmt::print("{:<24} methods: {}\n", "", option.methods.empty() ? "all" : option.methods);
}

int print_options(const ListArguments& arguments, const std::vector<MethodDescription>& listed) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OptionDescription& option : option_descriptions()) {
    if (listed.size() == 1 && !has_option(listed.front().method, option.key)) continue;
    if (arguments.json)
      list.push_back(option_json(option, listed));
    else
      print_option(option, listed);
  }
  if (arguments.json) fmt::print("{}\n", list.dump(2));
  return 0;
}

using Print = int (*)(const ListArguments&, const std::vector<MethodDescription>&);

// All methods, or the one that is named.
int print_listed(const ListArguments& arguments, Print print) {
  if (arguments.method.empty()) return print(arguments, methods());
  Method method;
  if (Failure failure = parse_method(arguments.method, method))
    return refuse(arguments.json, failure.message);
  return print(arguments, {*find_method(method)});
}

CLI::App* add_list_command(CLI::App& app, int& exit_code, std::shared_ptr<ListArguments> arguments,
                           const char* name, const char* description, Print print) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("method,--method", arguments->method, "Of this method only: formulation/integrator.");
  command->add_flag("--json", arguments->json, "One JSON array on standard output.");
  command->callback([arguments, print, &exit_code] { exit_code = print_listed(*arguments, print); });
  return command;
}

}  // namespace

void add_methods_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command =
      add_list_command(app, exit_code, arguments, "methods",
                       "List every valid formulation/integrator pair, or all about one.", print_methods);
  // docs/methods.md
  command->add_flag("--page", arguments->page)->group("");
}

void add_options_command(CLI::App& app, int& exit_code) {
  add_list_command(app, exit_code, std::make_shared<ListArguments>(), "options",
                   "List the options that --option sets, and which methods have them.", print_options);
}

}  // namespace trammel
