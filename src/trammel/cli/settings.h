// Settings as they are written on the command line: key=value.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trammel {

// "key=value" in two. `what` is the option they belong to, for the message. Throws std::invalid_argument.
std::pair<std::string, std::string> split_setting(const std::string& text, const std::string& what);
std::vector<std::pair<std::string, std::string>> split_settings(const std::vector<std::string>& texts,
                                                                const std::string& what);

// A finite number. Throws std::invalid_argument.
double number_of_setting(const std::string& key, const std::string& text);

// Throws std::invalid_argument if an option has a value that is no finite number: "--end nan".
void check_is_finite(const std::string& option, const std::optional<double>& value);

// "--set a=1 b=2 pendulum": a word without '=' behind the settings is not one of them. If `word` is empty, it
// becomes this word.
void take_last_word(std::vector<std::string>& settings, std::string& word);

}  // namespace trammel
