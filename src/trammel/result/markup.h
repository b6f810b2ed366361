// A user's text made safe inside SVG and HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trammel {

// The text for an element or a quoted attribute. What XML cannot hold at all, control characters and broken
// UTF-8, becomes U+FFFD.
std::string escape_markup(std::string_view text);

// How many characters a reader sees, near enough to lay out text.
std::size_t count_characters(std::string_view text);

// At most so many characters, the last of them "…" if something was left out.
std::string shorten(std::string_view text, std::size_t characters);

}  // namespace trammel
