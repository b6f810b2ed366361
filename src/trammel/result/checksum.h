// A checksum of bytes, to tell a damaged file, or another one, from what was written: Fowler, Noll and Vo's
// FNV-1a with 64 bits, piece by piece. It is no protection against malice.
#pragma once

#include <cstdint>
#include <string_view>

namespace trammel {

class Checksum {
 public:
  Checksum() = default;
  // To go on from the value that another one had.
  explicit Checksum(std::uint64_t value) : value_(value) {}

  void add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace trammel
