#include "trammel/comparison/number_text.h"

#include <fmt/format.h>

namespace trammel {

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 1000) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} s", seconds);
}

std::string scientific_text(double value, int digits) {
  std::string text = fmt::format("{:.{}e}", value, digits - 1);
  // no digits that say nothing: 1.00e-06 is 1e-6
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string mantissa = text.substr(0, e), exponent = text.substr(e + 2);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  exponent.erase(0, exponent.find_first_not_of('0'));
  if (exponent.empty()) return mantissa;
  return mantissa + (text[e + 1] == '-' ? "e-" : "e") + exponent;
}

}  // namespace trammel
