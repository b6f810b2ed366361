#include "trammel/cli/run_end.h"

#include <nlohmann/json.hpp>

namespace trammel {

namespace {

// Those that would end the same way again need no checkpoint.
bool is_worth_resuming(const Summary& summary, const OutputFiles& files) {
  return summary.failure.reason == Reason::interrupted || (summary.ok() && !files.complete());
}

}  // namespace

RunEnd end_run(const Summary& summary, const std::string& resume_command, RunFiles& files,
               Checkpoints& checkpoints, nlohmann::ordered_json& json) {
  RunEnd end;
  end.goes_on = is_worth_resuming(summary, {}) && checkpoints.keep();
  if (end.goes_on) json["resume"] = resume_command;
  end.files = files.finish(summary, json);
  end.files.tell(json);  // once more, for summary.json itself
  if (!end.goes_on && is_worth_resuming(summary, end.files) && checkpoints.keep()) {
    end.goes_on = true;
    json["resume"] = resume_command;
  }
  if (!end.goes_on) checkpoints.remove();
  return end;
}

}  // namespace trammel
