// C code compiled by the system's compiler and loaded into the program that runs.
#pragma once

#include <filesystem>
#include <string>

namespace trammel {

class CompiledCode {
 public:
  // Throws std::runtime_error if there is no compiler ($CC, or cc) or it does not take the code; the message has what it said.
  explicit CompiledCode(const std::string& source);
  ~CompiledCode();
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;

  // A function of the code, as void*. Throws std::runtime_error if there is none of this name.
  void* find(const std::string& name) const;
  std::uintmax_t bytes() const { return bytes_; }
  double seconds() const { return seconds_; }  // that compiling took

 private:
  void* library_ = nullptr;
  std::uintmax_t bytes_ = 0;
  double seconds_ = 0;
};

}  // namespace trammel
