// Where a user wrote something, and the error that points there.
#pragma once

#include <stdexcept>
#include <string>

namespace trammel {

// Lines and columns count from 1; line 0: not from a file.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;

  // "four-bar.yaml:12:5", or nothing.
  std::string text() const;
};

// A mechanism that cannot be: what is wrong, in the user's names, and where it was written.
class ModelError : public std::runtime_error {
 public:
  ModelError(SourcePlace place, const std::string& message);

  const SourcePlace& place() const { return place_; }
  // The message without the place.
  const std::string& message() const { return message_; }

 private:
  SourcePlace place_;
  std::string message_;
};

}  // namespace trammel
