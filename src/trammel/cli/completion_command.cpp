// trammel completion: a script that completes commands, options, model files and names in a shell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "trammel/cli/commands.h"
#include "trammel/cli/completion_scripts.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/starter_models.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/method_choice.h"
#include "trammel/simulation/options.h"

namespace trammel {

namespace {

const std::vector<std::string> shells{"bash", "zsh", "fish"};

std::vector<std::string> with_methods(std::vector<std::string> words) {
  for (const MethodDescription& entry : methods()) words.push_back(entry.method.name());
  return words;
}

std::vector<std::string> words_of_option(const std::string& command, const std::string& option) {
  std::vector<std::string> words;
  if (option == "--methods" || option == "--reference") {
    words = with_methods({});
  } else if (option == "--measure" && command == "compare") {
    words = {"published", "trajectory", "end"};
  } else if (option == "--method") {
    if (command != "problem" && command != "options") words.emplace_back(automatic_method);
    words = with_methods(std::move(words));
  } else if (option == "--option") {
    for (const OptionDescription& entry : option_descriptions())
      if (entry.set_by.empty()) words.push_back(entry.key + "=");
  } else if (option == "--kind") {
    for (const StarterModel& model : starter_models()) words.push_back(model.kind);
  } else if (option == "--at") {
    words = {"equilibrium", "start"};
  }
  return words;
}

bool writes_one_file(const std::string& command) {
  return command == "assemble" || command == "equilibrium" || command == "plot";
}

CompletedOption completed(const CLI::App& command, const CLI::Option& option, const std::string& name) {
  CompletedOption result{.name = name,
                         .description = option.get_description(),
                         .words = words_of_option(command.get_name(), name)};
  using Value = CompletedOption::Value;
  if (option.get_items_expected_max() == 0)
    result.value = Value::none;
  else if (!result.words.empty())
    result.value = Value::words;
  else if (name == "--with")
    result.value = Value::file;
  else if (name == "--resume")
    result.value = Value::folder;
  else if (name == "--out")
    result.value = writes_one_file(command.get_name()) ? Value::file : Value::folder;
  else
    result.value = Value::any;
  return result;
}

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletedCommand result{command->get_name(), command->get_description(), {}, {}, false};
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty()) continue;  // hidden
      for (const std::string& name : option->get_lnames())
        result.options.push_back(completed(*command, *option, "--" + name));
      if (option->get_name() == "model" || option->get_name() == "result") result.takes_model = true;
    }
    if (result.name == "completion") result.words = shells;
    if (result.name == "methods" || result.name == "options") result.words = with_methods({});
    if (result.name == "problem") {
      result.words.emplace_back("list");
      for (const BuiltinProblem& problem : builtin_problems()) result.words.push_back(problem.name);
    }
    commands.push_back(std::move(result));
  }
  return commands;
}

int print_completion(const CLI::App& app, const std::string& shell, bool json) {
  const std::vector<CompletedCommand> commands = completed_commands(app);
  const std::string script = shell == "bash"  ? bash_completion(commands)
                             : shell == "zsh" ? zsh_completion(commands)
                                              : fish_completion(commands);
  if (json)
    print_json({{"shell", shell}, {"script", script}});
  else
    fmt::print("{}", script);
  return 0;
}

}  // namespace

void add_completion_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes words in a shell.");
  struct Arguments {
    std::string shell;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("shell", arguments->shell, "bash, zsh or fish.")
      ->required()
      ->check(CLI::IsMember(shells));
  command->add_flag("--json", arguments->json, "Exactly one JSON object on standard output.");
  command->callback([arguments, &app, &exit_code] {
    exit_code = print_completion(app, arguments->shell, arguments->json);
  });
}

}  // namespace trammel
