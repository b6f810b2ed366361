#include "trammel/mechanism/place.h"

#include <fmt/format.h>

namespace trammel {

std::string SourcePlace::text() const {
  if (line <= 0) return file;
  return fmt::format("{}:{}:{}", file, line, column);
}

ModelError::ModelError(SourcePlace place, const std::string& message)
    : std::runtime_error(place.text().empty() ? message : place.text() + ": " + message),
      place_(std::move(place)),
      message_(message) {}

}  // namespace trammel
