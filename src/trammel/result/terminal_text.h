// Text for a terminal that may show ASCII only.
#pragma once

#include <string>
#include <string_view>

namespace trammel {

// The text with nothing in it that a terminal would obey: control characters and broken UTF-8 are replaced,
// and all that is not ASCII if asked for.
std::string printable(std::string_view text, bool ascii);

// The labels of a PlotAxis in ASCII: "10⁻³" is "1e-3", "×10⁵" is "x1e5".
std::string ascii_number(std::string_view label);

}  // namespace trammel
