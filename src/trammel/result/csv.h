// How comma separated values are written.
//
// The first line holds the names, a name with a comma, quote or line break quoted as in RFC 4180; lines end
// with '\n'. Numbers have as many digits as it takes to read the same bits again, 17 at most; "nan", "inf" and
// "-inf" stand for what is not finite. The same numbers give the same bytes, whatever the locale.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace trammel {

// Lines in the making: the one place that knows how numbers and names are written.
class CsvText {
 public:
  void number(double value);
  void name(std::string_view text);
  void end_line();

  std::string_view text() const { return {buffer_.data(), buffer_.size()}; }
  void clear() { buffer_.clear(); }
  // So much that it should be handed on: files and streams are slow for single numbers.
  bool is_long() const { return buffer_.size() > 1 << 16; }

 private:
  void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  void separate();

  fmt::memory_buffer buffer_;
  bool at_start_ = true;
};

}  // namespace trammel
