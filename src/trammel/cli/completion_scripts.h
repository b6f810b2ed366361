// Scripts that teach a shell what can follow on the command line.
#pragma once

#include <string>
#include <vector>

namespace trammel {

struct CompletedOption {
  enum class Value { none, any, words, folder, file };

  std::string name;  // "--method"
  std::string description;
  Value value = Value::none;
  std::vector<std::string> words;  // to choose from; one that ends with '=' goes on
};

struct CompletedCommand {
  std::string name, description;
  std::vector<CompletedOption> options;
  std::vector<std::string> words;  // what the command's own argument may be
  bool takes_model = false;        // or a model file
};

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace trammel
