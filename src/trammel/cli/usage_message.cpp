#include "trammel/cli/usage_message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

namespace {

using Words = std::vector<std::string>;

// What follows a part of a text; nothing if it is not there.
std::string behind(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  return at == std::string::npos ? std::string() : text.substr(at + part.size());
}

// Of the names of an option the one that was used.
std::string name_used(const CLI::Option& option, const Words& words) {
  for (const std::string& name : option.get_lnames()) {
    const std::string dashed = "--" + name;
    for (const std::string& word : words)
      if (word == dashed || word.starts_with(dashed + "=")) return dashed;
  }
  return option.get_name();
}

std::string unknown_argument(const CLI::App& command, const std::string& argument) {
  const std::string call =
      command.get_parent() == nullptr ? "trammel" : fmt::format("trammel {}", command.get_name());
  if (!argument.starts_with('-')) return fmt::format("'{}' is one word too many for '{}'", argument, call);
  const std::string name = argument.substr(0, argument.find('='));
  Words names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  return fmt::format("'{}' has no argument '{}'{}", call, name, hint(name, names));
}

// "Could not convert: --until = abc"
std::string not_convertible(const CLI::App& command, const std::string& fault, const Words& words) {
  const std::string named = behind(fault, ": ");
  const std::size_t sign = named.find(" = ");
  if (sign == std::string::npos) return fault;
  const std::string value = named.substr(sign + 3);
  const CLI::Option* option = command.get_option_no_throw(named.substr(0, sign));
  if (option == nullptr) return fault;
  const bool whole = option->get_type_name().find("INT") != std::string::npos;
  return fmt::format("{} cannot be '{}': a {} is expected", name_used(*option, words), value,
                     whole ? "whole number" : "number");
}

// "--until: 1 required FLOAT missing"
std::string without_value(const CLI::App& command, const std::string& fault, const Words& words) {
  const CLI::Option* option = command.get_option_no_throw(fault.substr(0, fault.find(':')));
  return option != nullptr && fault.ends_with(" missing")
             ? fmt::format("{} needs a value", name_used(*option, words))
             : fault;
}

std::string in_words(const CLI::App& app, const CLI::App& command, const CLI::Error& error,
                     const Words& words) {
  const std::string fault = error.what(), kind = error.get_name();
  if (kind == "RequiredError" && &command == &app) {
    Words names;
    for (const CLI::App* each : app.get_subcommands({})) names.push_back(each->get_name());
    return fmt::format("a command is needed: {}", fmt::join(names, ", "));
  }
  if (fault.starts_with("The following argument")) {
    const std::string extras = behind(fault, "expected: ");
    return unknown_argument(command, extras.substr(0, extras.find(' ')));
  }
  if (kind == "ConversionError") return not_convertible(command, fault, words);
  if (kind == "ArgumentMismatch") return without_value(command, fault, words);
  return fault;
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::Error& error, const Words& words) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  const CLI::App& command = used.empty() ? app : *used.back();
  return fmt::format("error: {}\n'trammel {}--help' says more\n", in_words(app, command, error, words),
                     used.empty() ? "" : command.get_name() + " ");
}

}  // namespace trammel
