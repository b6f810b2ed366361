#include "trammel/cli/messages.h"

#include <fmt/format.h>

#include "trammel/cli/commands.h"

namespace trammel {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_json(const nlohmann::ordered_json& json) { fmt::print("{}\n", json_text(json)); }

int refuse(bool as_json, const std::string& message, const nlohmann::ordered_json& more) {
  if (!as_json) {
    fmt::print(stderr, "error: {}\n", message);
    return usage_error;
  }
  nlohmann::ordered_json json{{"status", "failed"}, {"message", message}, {"reason", "invalid_options"}};
  json.update(more);
  print_json(json);
  return usage_error;
}

int refuse(bool as_json, const ModelError& error) {
  nlohmann::ordered_json more{{"reason", "invalid_model"}};
  const SourcePlace& place = error.place();
  if (!place.file.empty()) more["file"] = place.file;
  if (place.line > 0) {
    more["line"] = place.line;
    more["column"] = place.column;
  }
  return refuse(as_json, as_json ? error.message() : error.what(), more);
}

void print_warning(const std::string& message) { fmt::print(stderr, "warning: {}\n", message); }

}  // namespace trammel
