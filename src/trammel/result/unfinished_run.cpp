#include "trammel/result/unfinished_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "trammel/result/recording.h"

namespace trammel {

namespace {

// When a process began, in the system's own count: a number can be given to another process later. Empty if
// it is gone.
std::string beginning_of(long process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // the second field is a name in parentheses, which may hold anything; then the 22nd is the fields'
  // twentieth
  std::size_t at = text.rfind(')');
  for (int field = 2; at != std::string::npos && field < 22; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

}  // namespace

void mark_unfinished(nlohmann::ordered_json& json) {
  json["status"] = unfinished_status;
  json["message"] = "it is going on, or was killed";
  json["process"] = ::getpid();
  json["process_began"] = beginning_of(::getpid());
}

std::optional<UnfinishedRun> unfinished_run(const std::filesystem::path& folder) {
  std::ifstream file(folder / "summary.json", std::ios::binary);
  if (!file) return {};
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!json.is_object() || text("status") != unfinished_status) return {};
  const std::string began = text("process_began");
  const bool known = json.contains("process") && json["process"].is_number_integer() && !began.empty();
  return UnfinishedRun{known && beginning_of(json["process"].get<long>()) == began};
}

}  // namespace trammel
