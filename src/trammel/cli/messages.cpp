#include "trammel/cli/messages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "trammel/cli/commands.h"

namespace trammel {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_json(const nlohmann::ordered_json& json) { fmt::print("{}\n", json_text(json)); }

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

int refuse(bool as_json, const std::string& message, const nlohmann::ordered_json& more) {
  if (!as_json) {
    print_error(message);
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

int tell_failure(bool as_json, const Failure& failure, nlohmann::ordered_json& json) {
  json["status"] = "failed";
  json["message"] = failure.message;
  json["reason"] = name(failure.reason);
  if (as_json)
    print_json(json);
  else
    print_error(failure.message);
  return run_failed;
}

// Not by fmt::print, which throws when the terminal has been closed.
void print_error(const std::string& message) {
  std::fputs(fmt::format("error: {}\n", message).c_str(), stderr);
}
void print_warning(const std::string& message) {
  std::fputs(fmt::format("warning: {}\n", message).c_str(), stderr);
}
void print_message(const std::string& message) { std::fputs(fmt::format("{}\n", message).c_str(), stderr); }

std::string finish_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  // why it failed earlier is forgotten by now, but it will fail again for the same reason
  if (errno == 0 && ::write(STDOUT_FILENO, "\n", 1) == 1) errno = EIO;
  return fmt::format("standard output could not be written: {}", std::generic_category().message(errno));
}

}  // namespace trammel
