// JSON as it can stand in a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trammel {

// In one line and without <, so that nothing in it ends the element in which it stands; bytes that are no text are
// replaced.
inline std::string page_text(const nlohmann::ordered_json& json) {
  std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace trammel
