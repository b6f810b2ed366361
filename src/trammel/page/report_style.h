// What all plain pages have in common: the style sheet, for light and dark, wide and narrow, and the head.
#pragma once

#include <string>
#include <string_view>

namespace trammel {

std::string report_style_sheet();

// From the beginning of a page to its title and subtitle, inside of <main>; `more_style` is added to the
// style sheet. Nothing can be loaded by the page, and scripts run only if it has some.
std::string report_head(std::string_view title, std::string_view subtitle, bool has_scripts,
                        std::string_view more_style = {});

}  // namespace trammel
