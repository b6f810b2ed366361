// What can be shown on standard output.
#pragma once

namespace trammel {

// Whether the locale says that text is UTF-8.
bool terminal_has_unicode();
// A terminal, and nobody asked for no colours with NO_COLOR.
bool terminal_has_colours();
// COLUMNS, or those of the terminal, or 80.
int terminal_columns();

}  // namespace trammel
