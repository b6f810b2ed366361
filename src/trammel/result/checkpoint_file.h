// A checkpoint of a run as files in a folder `checkpoint` among its results:
//
//   state     facts about the run as text, and where it is as numbers; replaced as a whole
//   samples   the rows of the recording until there, as plain numbers; only appended to
//   steps     likewise
//
// `state` says how many rows belong to it. What else is behind them was written for a checkpoint that did not
// come about. Each of them has a checksum. Numbers are as the machine has them: a run goes on to the last bit
// on the same kind of machine only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/result/checksum.h"
#include "trammel/result/output_file.h"
#include "trammel/result/recording.h"

namespace trammel {

struct CheckpointState {
  std::string facts;
  std::vector<std::vector<double>> numbers;
};

// Not before it is on the disk.
Failure write_checkpoint_state(const std::filesystem::path& path, const CheckpointState& state);
// The failure says what is wrong: there is none, it is damaged, it is of another version.
Failure read_checkpoint_state(const std::filesystem::path& path, CheckpointState& state);

// How much of a file of rows belongs to a checkpoint.
struct RowsWritten {
  Index rows = 0;
  Index width = 0;  // numbers in a row
  std::uint64_t checksum = 0;
};

// Writes the rows of a table while it grows. The table must outlive this.
class RowFile {
 public:
  RowFile(std::filesystem::path path, const ChannelTable& table) : file_(std::move(path)), table_(table) {}

  // Goes on with a file that has these rows; what is behind them is cut off.
  Failure go_on(const RowsWritten& rows);
  // The rows until `end`, as far as they are not there, on the disk.
  Failure write_until(Index end);
  RowsWritten written() const { return written_; }

 private:
  GrowingFile file_;
  const ChannelTable& table_;
  Checksum checksum_;
  RowsWritten written_;
};

Failure read_rows(const std::filesystem::path& path, const RowsWritten& wanted, std::vector<double>& rows);

}  // namespace trammel
