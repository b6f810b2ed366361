// The checkpoints of a run, in a folder `checkpoint` among its results, as long as the run has not come to its
// end.
//
// Where a run can be gone on from is decided by its steps, so that it does not depend on the speed of the
// machine (simulation_snapshot.cpp). The last such place is kept in memory. How often it is written is a
// matter of time: first after a second, then so that it takes at most a fiftieth of the time; and when the run
// is interrupted.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trammel/result/checkpoint_file.h"
#include "trammel/result/recorded_rows.h"
#include "trammel/simulation/run_snapshot.h"

namespace trammel {

// What was written.
struct StoredCheckpoint {
  RunCheckpoint checkpoint;
  RecordedRows rows;
  RowsWritten samples, steps;  // as they are in the files
  nlohmann::ordered_json facts;
};

class Checkpoints {
 public:
  // `facts` are kept with each of them. The recording must outlive this.
  Checkpoints(const std::filesystem::path& results, const Recording& recording, nlohmann::ordered_json facts);

  // When the files of a run that begins take the place of an earlier one's.
  void remove();
  // When the run goes on from this one.
  Failure go_on(const StoredCheckpoint& stored);
  // The newest, which is written if it is time.
  void take(RunCheckpoint checkpoint);
  // Writes the newest if it is not. Whether there is one to go on from.
  bool keep();
  // Of the one that is written.
  double t() const { return t_; }

 private:
  using Clock = std::chrono::steady_clock;

  Failure write();

  std::filesystem::path folder_;
  nlohmann::ordered_json facts_;
  RowFile samples_, steps_;
  std::optional<RunCheckpoint> newest_;  // that is not written
  bool written_ = false;
  double t_ = 0;
  Clock::time_point next_;
};

// Of the run whose results are in this folder. Throws std::invalid_argument that says why there is none.
StoredCheckpoint read_checkpoint(const std::filesystem::path& results);

}  // namespace trammel
