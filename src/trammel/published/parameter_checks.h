// Parameters that must make sense before a problem is built from them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace trammel {

inline double positive(const std::map<std::string, double>& values, const std::string& name) {
  const double value = values.at(name);
  if (!(value > 0))
    throw std::invalid_argument(fmt::format("parameter '{}' = {} must be positive", name, value));
  return value;
}

inline int whole_number(const std::map<std::string, double>& values, const std::string& name, int least,
                        int most) {
  const double value = values.at(name);
  if (value != std::floor(value) || value < least || value > most)
    throw std::invalid_argument(
        fmt::format("parameter '{}' = {} must be a whole number from {} to {}", name, value, least, most));
  return static_cast<int>(value);
}

}  // namespace trammel
