// The files of a run, written while it goes on: results.csv, steps.csv, results.h5, summary.json
// and at the end index.html; live.json, and live.samples in real time, until then. Nothing else in the folder is touched.
//
// Whatever ends the program, what it had computed is there, marked as unfinished. Tables grow about twice a
// second. An HDF5 file that grows does not survive the end of its writer, nor does the library a full disk;
// so the file is written as a whole from time to time and takes the place of the last one. That takes at most
// a tenth of the time. The longer it takes, the more seldom it is done.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trammel/cli/output_files.h"
#include "trammel/cli/run_arguments.h"
#include "trammel/page/live_data.h"
#include "trammel/page/live_samples.h"
#include "trammel/result/recording_csv.h"
#include "trammel/simulation/summary.h"

namespace trammel {

struct RunOutput {
  std::filesystem::path folder;
  bool csv = true, hdf5 = true, page = true;
  bool samples_as_they_come = false;  // for trammel view
  std::vector<std::string> channels;  // of results.csv, by names or groups; empty: all
};

RunOutput output_of(const RunArguments& arguments, const std::string& folder);

// What the files tell of a run besides its recording.
struct RunStory {
  // What is run, and how: summary.json has this as long as the run goes on.
  nlohmann::ordered_json subject;
  // Writes the data of its page, now or at the end.
  std::function<void(bool running, std::ostream& out)> page_data;
};

class RunFiles {
 public:
  // The recording must outlive this. Throws std::invalid_argument if the output has channels that the
  // recording has not.
  RunFiles(RunOutput output, const Recording& recording, RunStory story);

  // Replaces the files of an earlier run. Fails if not even their beginning can be written.
  Failure begin();
  // After every step.
  void step();
  // All of it, when the run has ended; `json` is told what is missing.
  OutputFiles finish(const Summary& summary, nlohmann::ordered_json& json);

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path file(const char* name) const { return output_.folder / name; }
  Failure write_unfinished() const;

  RunOutput output_;
  const Recording& recording_;
  RunStory story_;
  std::optional<LiveData> live_;
  std::optional<LiveSamples> live_samples_;
  std::optional<GrowingCsv> samples_, steps_;
  Clock::time_point next_, next_hdf5_;
};

}  // namespace trammel
