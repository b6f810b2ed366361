// Columns of numbers from text: CSV with commas, semicolons, tabs or blanks between them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trammel/mechanism/place.h"

namespace trammel {

// The numbers of the chosen columns, counted from 0. The first line may be a heading, if nothing in it looks
// like a number; lines that begin with # are comments. Decimal commas are understood where semicolons or tabs
// separate the columns. Throws ModelError at the first word that is not a number.
std::array<std::vector<double>, 2> read_number_columns(const std::string& text, const std::string& file,
                                                       const std::array<std::size_t, 2>& columns);

}  // namespace trammel
