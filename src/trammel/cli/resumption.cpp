#include "trammel/cli/resumption.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "trammel/result/checksum.h"
#include "trammel/version.h"

namespace trammel {

namespace fs = std::filesystem;

namespace {

// Every argument that has to do with what a run is, by the name it has for a user.
template <class Arguments, class Function>
void for_each_argument(Arguments& arguments, const Function& function) {
  if constexpr (requires { arguments.coordinates; }) {
    function("--output-interval", arguments.output_interval);
    function("--coordinates", arguments.coordinates);
    function("--rods", arguments.rods);
  }
  function("--set", arguments.set);
  function("--end", arguments.until);
  function("--samples", arguments.samples);
  function("--method", arguments.method);
  function("--rtol", arguments.rtol);
  function("--atol", arguments.atol);
  function("--tolerance", arguments.tolerance);
  function("--h0", arguments.h0);
  function("--option", arguments.option);
  function("--channels", arguments.channels);
  function("--no-csv", arguments.no_csv);
  function("--no-hdf5", arguments.no_hdf5);
  function("--no-page", arguments.no_page);
}

// Null if it was not given.
template <class Value>
nlohmann::ordered_json json_of(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}
nlohmann::ordered_json json_of(bool flag) { return flag ? nlohmann::ordered_json(true) : nullptr; }
template <class List>
nlohmann::ordered_json json_of(const List& list) {
  return list.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(list);
}

template <class Value>
void set(const nlohmann::ordered_json& json, std::optional<Value>& value) {
  if (!json.is_null()) value = json.get<Value>();
}
template <class Value>
void set(const nlohmann::ordered_json& json, Value& value) {
  if (!json.is_null()) value = json.get<Value>();
}

// "--rtol 1e-06", "without --rtol".
std::string in_words(const char* name, const nlohmann::ordered_json& value) {
  if (value.is_null()) return fmt::format("without {}", name);
  std::string text = fmt::format("with {}", name);
  if (value.is_array())
    for (const auto& word : value) text += " " + word.get<std::string>();
  else if (value.is_string())
    text += " " + value.get<std::string>();
  else if (value.is_number_integer())
    text += fmt::format(" {}", value.get<long>());
  else if (value.is_number())
    text += fmt::format(" {}", value.get<double>());
  return text;
}

std::string checksum_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(fmt::format("'{}' cannot be read any more", path));
  Checksum checksum;
  checksum.add(std::string{std::istreambuf_iterator<char>(file), {}});
  return fmt::format("{:016x}", checksum.value());
}

nlohmann::ordered_json facts_of_files(const Model& model) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& path : model.files)
    files.push_back({{"file", path}, {"checksum", checksum_of_file(path)}});
  return files;
}

nlohmann::ordered_json facts_of_settings(const RunSettings& settings) {
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings.options.named) options[key] = value;
  return {{"version of the program", std::string(version)},
          {"coordinates", settings.coordinates},
          {"method", settings.method.name()},
          {"options of the method", options},
          {"end time", settings.end},
          {"time between samples", settings.output_interval},
          {"relative tolerance", settings.options.tolerances.relative},
          {"absolute tolerance", settings.options.tolerances.absolute},
          {"first step", settings.options.h0},
          {"steps between checkpoints", settings.options.rest_steps}};
}

template <class Arguments>
nlohmann::ordered_json facts_of_arguments(const Arguments& arguments) {
  nlohmann::ordered_json given = nlohmann::ordered_json::object();
  for_each_argument(arguments, [&](const char* name, const auto& value) {
    if (nlohmann::ordered_json json = json_of(value); !json.is_null()) given[name] = std::move(json);
  });
  return given;
}

// All but what is run.
template <class Arguments>
Arguments as_begun(const Arguments& at_hand, const nlohmann::ordered_json& facts) {
  const nlohmann::ordered_json& begun = facts.at("arguments");
  Arguments arguments;
  for_each_argument(at_hand, [&](const char* name, const auto& value) {
    const nlohmann::ordered_json given = json_of(value);
    const nlohmann::ordered_json was = begun.value(name, nlohmann::ordered_json());
    if (given.is_null() || given == was) return;
    const std::string why = std::string_view(name) == "--end"
                                ? " Another end changes steps and samples from the beginning on."
                                : "";
    throw std::invalid_argument(
        fmt::format("the run in '{}' was begun {}, and cannot go on {}: a run goes on as it was begun.{} "
                    "Leave {} away, or begin another run",
                    at_hand.resume, in_words(name, was), in_words(name, given), why, name));
  });
  if (!at_hand.out.empty() &&
      fs::path(at_hand.out).lexically_normal() != fs::path(at_hand.resume).lexically_normal())
    throw std::invalid_argument(
        fmt::format("a run goes on in its own folder, '{}': --out cannot be another", at_hand.resume));
  if (at_hand.no_checkpoint)
    throw std::invalid_argument(
        "a run that goes on from a checkpoint has more of them: not with --no-checkpoint");
  for_each_argument(arguments, [&](const char* name, auto& value) {
    set(begun.value(name, nlohmann::ordered_json()), value);
  });
  arguments.json = at_hand.json;
  arguments.quiet = at_hand.quiet;
  arguments.out = at_hand.resume;
  arguments.resume = at_hand.resume;
  return arguments;
}

// A run of a model is not one of a problem, and the other way round.
void check_command(const RunArguments& at_hand, const nlohmann::ordered_json& facts, const char* key,
                   const char* what_it_is, const char* command) {
  if (!facts.contains(key))
    throw std::invalid_argument(fmt::format("the run in '{}' is one of a {}: go on with {}", at_hand.resume,
                                            what_it_is, resume_command(command, at_hand.resume)));
}

}  // namespace

nlohmann::ordered_json facts_of_run(const RunCommandArguments& arguments, const Model& model,
                                    const RunSettings& settings) {
  std::error_code ignored;
  return {{"model", model.file},
          {"model_path", fs::absolute(arguments.file, ignored).string()},
          {"arguments", facts_of_arguments(arguments)},
          {"files", facts_of_files(model)},
          {"settings", facts_of_settings(settings)}};
}

nlohmann::ordered_json facts_of_problem(const ProblemArguments& arguments, const RunSettings& settings) {
  return {{"problem", arguments.name},
          {"arguments", facts_of_arguments(arguments)},
          {"settings", facts_of_settings(settings)}};
}

ProblemArguments resumed_arguments(const ProblemArguments& at_hand, const nlohmann::ordered_json& facts) {
  check_command(at_hand, facts, "problem", "model", "run");
  ProblemArguments arguments = as_begun(at_hand, facts);
  arguments.name = facts.at("problem").get<std::string>();
  if (!at_hand.name.empty() && at_hand.name != arguments.name)
    throw std::invalid_argument(fmt::format("the run in '{}' is one of the problem '{}', not of '{}'",
                                            at_hand.resume, arguments.name, at_hand.name));
  return arguments;
}

RunCommandArguments resumed_arguments(const RunCommandArguments& at_hand,
                                      const nlohmann::ordered_json& facts) {
  check_command(at_hand, facts, "model", "built-in problem", "problem");
  RunCommandArguments arguments = as_begun(at_hand, facts);
  // where it is said to be now; where it was, from here; where it was
  std::error_code ignored;
  if (!at_hand.file.empty()) {
    arguments.file = at_hand.file;
    return arguments;
  }
  for (const char* key : {"model", "model_path"}) {
    arguments.file = facts.at(key).get<std::string>();
    if (fs::exists(arguments.file, ignored)) return arguments;
  }
  throw std::invalid_argument(fmt::format(
      "the model of the run in '{}' is gone: there is no '{}'. Bring it back, or say where it is: "
      "trammel run MODEL --resume {}",
      at_hand.resume, arguments.file, at_hand.resume));
}

void check_resumed_model(const Model& model, const nlohmann::ordered_json& facts) {
  const nlohmann::ordered_json &were = facts.at("files"), are = facts_of_files(model);
  const std::string remedy =
      "A run goes on with the model it was begun with: bring that back, or begin another run";
  for (std::size_t i = 0; i < std::min(were.size(), are.size()); ++i)
    if (were[i].at("checksum") != are[i].at("checksum"))
      throw std::invalid_argument(fmt::format("'{}' is not what it was when the run was begun. {}",
                                              are[i].at("file").get<std::string>(), remedy));
  if (were.size() != are.size())
    throw std::invalid_argument(
        fmt::format("the model consists of {} files, and of {} when the run was begun. {}", are.size(),
                    were.size(), remedy));
}

void check_resumed_settings(const RunSettings& settings, const nlohmann::ordered_json& facts) {
  const nlohmann::ordered_json &were = facts.at("settings"), are = facts_of_settings(settings);
  for (const auto& [name, is] : are.items()) {
    const nlohmann::ordered_json was = were.value(name, nlohmann::ordered_json());
    if (is == was) continue;
    throw std::invalid_argument(
        fmt::format("the run was begun with another {}: {}, not {}. It would not go on as it was begun; "
                    "begin another run",
                    name, was.dump(), is.dump()));
  }
}

std::string resume_command(const std::string& command, const std::string& folder) {
  const bool plain = folder.find_first_of(" \t\n'\"\\$&;()<>|*?[]#~`!") == std::string::npos;
  std::string word = plain ? folder : "'";
  if (!plain) {
    for (const char letter : folder) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    word += "'";
  }
  return fmt::format("trammel {} --resume {}", command, word);
}

}  // namespace trammel
