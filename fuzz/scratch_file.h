// Data as a file, for readers that take a path: one for each process, in memory where the system has such a
// folder.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace trammel {

inline std::filesystem::path scratch_folder() {
  const std::filesystem::path memory = "/dev/shm";
  const std::filesystem::path folder =
      (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
      ("trammel-fuzz-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return folder;
}

// Removed with the object.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, const std::uint8_t* data, std::size_t size)
      : path_(scratch_folder() / name) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_.parent_path(), ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace trammel
