#include "trammel/result/csv.h"

#include <fmt/compile.h>

#include <cmath>
#include <string_view>

namespace trammel {

void CsvText::number(double value) {
  separate();
  if (std::isnan(value)) {
    // the sign of a NaN means nothing and differs between processors
    append("nan");
  } else {
    // as few digits as give the same number again
    fmt::format_to(fmt::appender(buffer_), FMT_COMPILE("{}"), value);
  }
}

void CsvText::name(std::string_view text) {
  separate();
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    append(text);
    return;
  }
  buffer_.push_back('"');
  for (const char c : text) {
    if (c == '"') buffer_.push_back('"');
    buffer_.push_back(c);
  }
  buffer_.push_back('"');
}

void CsvText::end_line() {
  buffer_.push_back('\n');
  at_start_ = true;
}

void CsvText::separate() {
  if (!at_start_) buffer_.push_back(',');
  at_start_ = false;
}

}  // namespace trammel
