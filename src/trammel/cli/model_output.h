// What is told of a run of a model: as JSON, on the screen, on its page, and live while it goes on.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// How the run went, by what it was asked for and where it ended: the same for the same input.
nlohmann::ordered_json run_json(const Model& model, const MechanismRun& run);

// The same for people, with the time it took.
std::string run_report(const Model& model, const MechanismRun& run);

// While a run goes on, what `trammel view` shows of it stands in live.json in the folder, written anew about
// once a second and removed at the end. A folder that cannot be written into has none.
class LiveData {
 public:
  LiveData(const std::filesystem::path& folder, const Model& model, const MechanismRun& run);
  ~LiveData();
  LiveData(const LiveData&) = delete;

  // After every step.
  void step();

 private:
  std::filesystem::path path_;
  const Model& model_;
  const MechanismRun& run_;
  std::chrono::steady_clock::time_point next_;
};

// The page. The same run gives the same bytes.
std::string model_page(const Model& model, const MechanismRun& run);

}  // namespace trammel
