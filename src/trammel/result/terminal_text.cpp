#include "trammel/result/terminal_text.h"

#include <algorithm>

namespace trammel {

std::string printable(std::string_view text, bool ascii) {
  const std::string_view replacement = ascii ? "?" : "\xEF\xBF\xBD";
  std::string out;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    // as many bytes as the first one announces, or broken
    std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (first > 0xF4 || length > text.size()) length = 0;
    for (std::size_t i = 1; i < length; ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) length = 0;
    // the controls of ASCII, and those of Latin-1 at C2 80 to C2 9F
    const bool control = first < 0x20 || first == 0x7F ||
                         (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (length == 0 || control || (ascii && length > 1))
      out += replacement;
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string ascii_number(std::string_view label) {
  static constexpr std::string_view superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  bool raised = false;
  const auto raise = [&](char c) {
    if (!raised && text.ends_with("10")) text.replace(text.size() - 2, 2, "1e");
    raised = true;
    text += c;
  };
  while (!label.empty()) {
    std::size_t taken = 1;
    const auto take = [&](std::string_view what) {
      if (!label.starts_with(what)) return false;
      taken = what.size();
      return true;
    };
    if (take("−")) {
      text += '-';
    } else if (take("×")) {
      text += 'x';
    } else if (take("⁻")) {
      raise('-');
    } else {
      bool found = false;
      for (int digit = 0; digit < 10 && !found; ++digit) {
        found = take(superscripts[digit]);
        if (found) raise(static_cast<char>('0' + digit));
      }
      if (!found) text += label[0];
    }
    label.remove_prefix(taken);
  }
  return text;
}

}  // namespace trammel
