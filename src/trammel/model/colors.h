// Colours by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trammel {

// "#rrggbb" of "#rgb", "#rrggbb" or a name of CSS ("steelblue"); nothing if it is none of these.
std::optional<std::string> color_code(const std::string& color);
std::vector<std::string> color_names();

}  // namespace trammel
