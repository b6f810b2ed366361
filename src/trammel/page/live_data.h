// A run to look at while it goes on.
#pragma once

#include <chrono>
#include <filesystem>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

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

}  // namespace trammel
