// trammel new: a model to start from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/starter_models.h"

namespace trammel {

namespace {

struct NewArguments {
  std::string name;
  std::string kind = starter_models().front().kind;
  bool json = false;
};

int write_new_model(const NewArguments& arguments) {
  std::filesystem::path path(arguments.name);
  if (path.extension() != ".yaml" && path.extension() != ".yml") path += ".yaml";
  if (path.stem().empty() || path.stem() == ".yaml")
    return refuse(arguments.json, fmt::format("'{}' is no name for a model", arguments.name));
  const std::string text = starter_text(arguments.kind, path.stem().string());

  // "x": never onto a file that is there
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wbx"), &std::fclose);
  if (!file)
    return refuse(arguments.json,
                  errno == EEXIST ? fmt::format("'{}' exists already", path.string())
                                  : fmt::format("cannot write '{}': {}", path.string(),
                                                std::error_code(errno, std::generic_category()).message()));
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0) {
    const std::string why = std::error_code(errno, std::generic_category()).message();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // half a model helps nobody
    return refuse(arguments.json, fmt::format("cannot write '{}': {}", path.string(), why));
  }

  if (arguments.json)
    print_json({{"status", "written"}, {"file", path.string()}, {"kind", arguments.kind}});
  else
    fmt::print("written: {0}\nnext: trammel check {0}\n      trammel run {0}\n", path.string());
  return 0;
}

}  // namespace

void add_new_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("new", "Write a commented model to start from.");
  auto arguments = std::make_shared<NewArguments>();
  std::vector<std::string> kinds;
  for (const StarterModel& model : starter_models()) kinds.push_back(model.kind);
  command->add_option("name", arguments->name, "The model's name; NAME.yaml is written.")->required();
  command->add_option("--kind", arguments->kind, "What to start from (default: " + arguments->kind + ").")
      ->check(CLI::IsMember(kinds));
  command->add_flag("--json", arguments->json, "Exactly one JSON object on standard output.");
  command->callback([arguments, &exit_code] { exit_code = write_new_model(*arguments); });
}

}  // namespace trammel
