// The files that a command leaves: each is tried on its own, and what could not be written is told, by a
// message for each, in the JSON and by the exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "trammel/numerics/failure.h"

namespace trammel {

class OutputFiles {
 public:
  // A file that was tried.
  void note(const std::filesystem::path& path, const Failure& failure);
  // Replaces it as a whole.
  void write(const std::filesystem::path& path, const std::function<void(std::ostream&)>& writer);
  void write(const std::filesystem::path& path, const std::string& text);

  // In their order.
  const std::vector<std::string>& written() const { return written_; }
  bool complete() const { return missing_.empty(); }

  // Without all files, `status` is "failed", `reason` "not_written", `not_written` lists them with the
  // reasons of the system, and `result` is what the status would be otherwise. A failure that is there
  // already stays.
  void tell(nlohmann::ordered_json& json) const;
  // An error for each file that is missing.
  void print_errors() const;
  // output_missing instead of 0 if not all could be written.
  int exit_code(int otherwise) const;

 private:
  struct Missing {
    std::string file, message;
  };
  std::vector<std::string> written_;
  std::vector<Missing> missing_;
};

}  // namespace trammel
