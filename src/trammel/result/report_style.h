// The style sheet of a report, for light and dark, wide and narrow.
#pragma once

#include <string>

namespace trammel {

std::string report_style_sheet();

}  // namespace trammel
