// The rows of a sweep in a folder, each there as soon as its run has ended.
//
//   sweep.json   what the sweep was begun with
//   sweep.csv    run, status, parameters, columns, message: it grows line by line in the order in which runs end, and is put
//                in the order of their numbers when all have
//   sweep.h5     the same, written anew from time to time
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/result/output_file.h"
#include "trammel/result/recording.h"
#include "trammel/sweep/sweep.h"

namespace trammel {

class SweepTable {
 public:
  // A new one, in the place of one that is there. Throws std::invalid_argument if it cannot be written.
  static SweepTable begin(const std::filesystem::path& folder, const Sweep& sweep);
  // The one that is there, to go on with. The sweep must be that of `request_in` and outlive this. Throws
  // std::invalid_argument that says what is missing, damaged or different.
  static SweepTable go_on(const std::filesystem::path& folder, const Sweep& sweep);
  // What a sweep in this folder was begun with. Throws std::invalid_argument.
  static nlohmann::ordered_json facts_in(const std::filesystem::path& folder);
  static SweepRequest request_in(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const Sweep& sweep() const { return *sweep_; }
  // By their numbers.
  const std::map<long, SweepRow>& rows() const { return rows_; }
  std::vector<long> missing() const;
  bool complete() const { return static_cast<long>(rows_.size()) == sweep_->size(); }

  // Writes the row; one that is there already is left as it is.
  Failure add(SweepRow row);
  // Writes all files: as they are to stay, if it is complete; otherwise it can be gone on with.
  Failure finish();

 private:
  SweepTable(std::filesystem::path folder, const Sweep& sweep);
  std::string head() const;
  std::string line(const SweepRow& row) const;
  std::string all_lines() const;
  Recording recording() const;
  void read_lines(const std::string& text);

  std::filesystem::path folder_;
  const Sweep* sweep_;
  std::map<long, SweepRow> rows_;
  std::unique_ptr<GrowingFile> file_;
  std::chrono::steady_clock::time_point next_hdf5_;
};

}  // namespace trammel
