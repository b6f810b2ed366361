#include "trammel/cli/output_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/result/output_file.h"

namespace trammel {

void OutputFiles::note(const std::filesystem::path& path, const Failure& failure) {
  if (failure)
    missing_.push_back({path.string(), failure.message});
  else
    written_.push_back(path.string());
}

void OutputFiles::write(const std::filesystem::path& path, const std::function<void(std::ostream&)>& writer) {
  note(path, write_file(path, writer));
}

void OutputFiles::write(const std::filesystem::path& path, const std::string& text) {
  write(path, [&](std::ostream& out) { out << text; });
}

void OutputFiles::tell(nlohmann::ordered_json& json) const {
  if (complete()) return;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Missing& missing : missing_)
    list.push_back({{"file", missing.file}, {"message", missing.message}});
  json["not_written"] = std::move(list);
  if (json.value("status", "") == "failed") return;
  json["result"] = json.value("status", "");
  json["status"] = "failed";
  json["reason"] = "not_written";
  json["message"] = fmt::format("{} ({})", missing_.front().message, json.value("message", ""));
}

void OutputFiles::print_errors() const {
  for (const Missing& missing : missing_) print_error(missing.message);
}

int OutputFiles::exit_code(int otherwise) const {
  return otherwise == 0 && !complete() ? output_missing : otherwise;
}

}  // namespace trammel
