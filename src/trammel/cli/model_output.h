// What a run of a model leaves in its output folder: results.csv, results.h5, steps.csv, summary.json and
// index.html to look at. Nothing else in the folder is touched.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

struct ModelOutput {
  std::string folder;
  bool csv = true, hdf5 = true, page = true;
  std::vector<std::string> channels;  // of results.csv, by names or groups; empty: all
};

// How the run went, by what it was asked for and where it ended: the same for the same input.
nlohmann::ordered_json run_json(const Model& model, const MechanismRun& run);

// The same for people, with the time it took.
std::string run_report(const Model& model, const MechanismRun& run);

// Returns the names of the files. Throws std::runtime_error if one cannot be written.
std::vector<std::string> write_model_output(const ModelOutput& output, const Model& model,
                                            const MechanismRun& run);

// While a run goes on, what `trammel view` shows of it stands in live.json in the folder, written anew about
// once a second and removed at the end. A folder that cannot be written into has none.
class LiveData {
 public:
  LiveData(std::string folder, const Model& model, const MechanismRun& run);
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
