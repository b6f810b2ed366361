// The files of a run of a model, written while it goes on: results.csv, steps.csv, results.h5, summary.json
// and at the end index.html. Nothing else in the folder is touched.
//
// Whatever ends the program, what it had computed is there, marked as unfinished. Tables grow about twice a
// second. An HDF5 file that grows does not survive the end of its writer, nor does the library a full disk;
// so the file is written as a whole from time to time and takes the place of the last one. That takes at most
// a tenth of the time. The longer it takes, the more seldom it is done.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/cli/output_files.h"
#include "trammel/model/model.h"
#include "trammel/result/recording_csv.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

struct ModelOutput {
  std::filesystem::path folder;
  bool csv = true, hdf5 = true, page = true;
  std::vector<std::string> channels;  // of results.csv, by names or groups; empty: all
};

class RunFiles {
 public:
  // Model and run must outlive this. The channels must be some that the run has.
  RunFiles(ModelOutput output, const Model& model, const MechanismRun& run);

  // Replaces the files of an earlier run. Fails if not even their beginning can be written.
  Failure begin();
  // After every step.
  void step();
  // All of it, when the run has ended; `json` is told what is missing.
  OutputFiles finish(nlohmann::ordered_json& json);

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path file(const char* name) const { return output_.folder / name; }
  Failure write_unfinished() const;

  ModelOutput output_;
  const Model& model_;
  const MechanismRun& run_;
  std::optional<GrowingCsv> samples_, steps_;
  Clock::time_point next_, next_hdf5_;
};

}  // namespace trammel
