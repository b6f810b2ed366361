// Recordings as comma separated values, in the conventions of result/csv.h: the first line holds "t" and the
// names of the channels, every further line is a time. Title, metadata, units and descriptions have no place
// in such a file.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/result/output_file.h"
#include "trammel/result/recording.h"

namespace trammel {

// One line for each output time. The selection holds names of channels and groups, see Recording::select; if
// one is unknown nothing is written.
Failure write_csv(std::ostream& out, const Recording& recording,
                  const std::vector<std::string>& selection = {});

// One line for each accepted step.
Failure write_steps_csv(std::ostream& out, const Recording& recording);

// The same as files, which are replaced as a whole.
Failure write_csv(const std::filesystem::path& path, const Recording& recording,
                  const std::vector<std::string>& selection = {});
Failure write_steps_csv(const std::filesystem::path& path, const Recording& recording);

// A table that is written while it grows: what is appended makes up the same bytes as write_csv at the end.
// The table must outlive this and may only be appended to.
class GrowingCsv {
 public:
  // The columns are channels of the table, by their places.
  GrowingCsv(std::filesystem::path path, const ChannelTable& table, std::vector<std::size_t> columns);

  const std::filesystem::path& path() const { return file_.path(); }
  // The names, the first time, and all lines that are not in the file yet. After a failure the file ends with
  // the last line that has found room, and this can be tried again.
  Failure update();
  Failure close() { return file_.close(); }

 private:
  GrowingFile file_;
  const ChannelTable& table_;
  std::vector<std::size_t> columns_;
  bool begun_ = false;
  Index written_ = 0;
};

// Reads what write_csv wrote into recording.samples, or what write_steps_csv wrote into recording.steps; the
// rest of the recording stays, and all of it if there is a failure, which names the line. Lines may also end
// with "\r\n", numbers may have blanks around them, and empty lines count for nothing. A last line without an
// end was cut off: a failure, unless the writer is known not to have finished; then it is left out.
enum class Writer { finished, unfinished };
Failure read_csv(std::istream& in, Recording& recording, Writer writer = Writer::finished);
Failure read_steps_csv(std::istream& in, Recording& recording, Writer writer = Writer::finished);

}  // namespace trammel
