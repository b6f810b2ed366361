// What is wrong with the words of a command line, in our words: CLI11 has its own for programmers.
#pragma once

#include <string>
#include <vector>

// declared only: their header costs seconds in every source
namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace trammel {

// One or two lines for standard error; `words` are those of the command line, without the program.
std::string usage_message(const CLI::App& app, const CLI::Error& error,
                          const std::vector<std::string>& words);

}  // namespace trammel
