// Whether the tags of a piece of SVG or HTML close in the order they were opened.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

// Empty if they do, otherwise what is wrong.
inline std::string tag_fault(std::string_view text) {
  static constexpr std::array<std::string_view, 4> never_closed = {"meta", "input", "!DOCTYPE", "br"};
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string_view::npos;) {
    // a tag ends at the first '>' outside quotes
    std::size_t end = at + 1;
    for (char quote = 0; end < text.size() && (quote != 0 || text[end] != '>'); ++end) {
      const char c = text[end];
      if (c == '<') return "'<' inside a tag: " + std::string(text.substr(at, 80));
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    if (end >= text.size()) return "a tag does not end: " + std::string(text.substr(at, 80));
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    at = end + 1;

    const bool closing = inside.starts_with('/');
    const std::string_view from_name = closing ? inside.substr(1) : inside;
    const std::string name(from_name.substr(0, from_name.find_first_of(" \n/")));
    if (closing) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "" : open.back());
      open.pop_back();
      continue;
    }
    const bool single = std::find(never_closed.begin(), never_closed.end(), name) != never_closed.end();
    if (single || inside.ends_with('/')) continue;
    open.push_back(name);
    // what a script says is no markup
    if (name == "script") {
      at = text.find("</script>", at);
      if (at == std::string_view::npos) return "a script does not end";
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

inline std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size()) ++count;
  return count;
}

}  // namespace trammel
