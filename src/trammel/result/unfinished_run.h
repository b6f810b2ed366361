// How a run that is going on, or was killed, is told from one that has come to its end: summary.json has the
// status "unfinished" and the process that makes the run.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace trammel {

struct UnfinishedRun {
  bool running = false;  // it may still come to its end
};

// Nothing if the run in the folder has come to its end, or there is none.
std::optional<UnfinishedRun> unfinished_run(const std::filesystem::path& folder);

// Marks what is written by this process.
void mark_unfinished(nlohmann::ordered_json& json);

}  // namespace trammel
