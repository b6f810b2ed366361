// What pages without a script have in common: the style sheet, for light and dark, wide and narrow, and the head.
#pragma once

#include <string>
#include <string_view>

namespace trammel {

// From the beginning of a page to its title and subtitle, inside of <main>; `more_style` is added to the
// style sheet. Nothing can be loaded by the page, and no script runs.
std::string page_head(std::string_view title, std::string_view subtitle, std::string_view more_style = {});

}  // namespace trammel
