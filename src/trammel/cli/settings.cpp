#include "trammel/cli/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace trammel {

std::pair<std::string, std::string> split_setting(const std::string& text, const std::string& what) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::invalid_argument(fmt::format("{} '{}' must have the form key=value", what, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::pair<std::string, std::string>> split_settings(const std::vector<std::string>& texts,
                                                                const std::string& what) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : texts) settings.push_back(split_setting(text, what));
  return settings;
}

double number_of_setting(const std::string& key, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value))
    throw std::invalid_argument(fmt::format("parameter '{}' = '{}' is not a number", key, text));
  return value;
}

void check_is_finite(const std::string& option, const std::optional<double>& value) {
  if (value && !std::isfinite(*value))
    throw std::invalid_argument(fmt::format("{} is {}, which is not a finite number", option, *value));
}

void take_last_word(std::vector<std::string>& settings, std::string& word) {
  if (!word.empty() || settings.empty() || settings.back().find('=') != std::string::npos) return;
  word = settings.back();
  settings.pop_back();
}

}  // namespace trammel
