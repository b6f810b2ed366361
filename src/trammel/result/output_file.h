// Files that are written: why the system refuses is told in its own words ("No space left on device"), and a
// file is there as a whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "trammel/numerics/failure.h"

namespace trammel {

// Replaces a file as a whole: `write` gets the name of a new file beside it, which takes its place once all
// is written. Whatever goes wrong before leaves the old file as it was, and no new one unless the program
// dies.
Failure replace_file(const std::filesystem::path& path,
                     const std::function<Failure(const std::filesystem::path&)>& write);

// The same with a stream. The failure has the name of the file and the system's reason.
Failure write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);
// The same, and not before all of it is on the disk: also a machine that loses its power leaves the old file or
// the new one.
Failure write_file_firmly(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);
// Makes a file of what is written into the stream; in a failure it has the other name.
Failure fill_file(const std::filesystem::path& path, const std::filesystem::path& name,
                  const std::function<void(std::ostream&)>& write);

// The failure of a file that could not be written.
Failure not_written(const std::filesystem::path& path, const std::string& why);

// A file that grows piece by piece while others may read it. Its first piece takes the place of an old file;
// after that each piece is there as a whole, or the file ends as it did before. Only the end of the program
// in the middle of a piece can cut one off.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  Failure append(std::string_view piece);
  // Instead of a new file: the one that is there, cut off behind so many bytes.
  Failure go_on(long long size);
  // Waits until all of it is on the disk.
  Failure sync();
  // Nothing can be appended afterwards.
  Failure close();

 private:
  Failure begin(std::string_view piece);

  std::filesystem::path path_;
  int descriptor_ = -1;
  long long size_ = 0;
};

}  // namespace trammel
