#include "trammel/result/text_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace trammel {
namespace {

constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view ascii_dots = "*+xo#%@=";
// cyan, yellow, green, magenta, red, blue: readable on black and on white
constexpr std::array<int, 6> colours = {36, 33, 32, 35, 31, 34};

// The bits of a braille character, U+2800 and following, by row and column.
constexpr unsigned char braille_bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

std::string braille(unsigned char dots) {
  const unsigned code = 0x2800u + dots;
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace

char series_letter(std::size_t series) { return alphabet[series % alphabet.size()]; }

char ascii_dot(std::size_t series) { return ascii_dots[series % ascii_dots.size()]; }

std::string in_series_colour(const std::string& text, std::size_t series) {
  return fmt::format("\x1b[{}m{}\x1b[0m", colours[series % colours.size()], text);
}

TextCanvas::TextCanvas(int columns, int rows, bool ascii)
    : columns_(columns),
      rows_(rows),
      ascii_(ascii),
      dots_across_(ascii ? 1 : 2),
      dots_down_(ascii ? 1 : 4),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

void TextCanvas::dot(int x, int y, std::size_t series) {
  if (x < 0 || y < 0 || x >= width() || y >= height()) return;
  Cell& cell = at(column_of(x), row_of(y));
  cell.series = series;
  cell.dots |= ascii_ ? 1 : braille_bits[y % 4][x % 2];
}

void TextCanvas::line(PlotPoint from, PlotPoint to, std::size_t series) {
  // one dot for each column, or for each row where the line is steep
  const int count =
      static_cast<int>(std::ceil(std::max(std::abs(to.x - from.x), std::abs(to.y - from.y)) - 1e-9));
  for (int i = 0; i <= count; ++i) {
    const double part = count > 0 ? static_cast<double>(i) / count : 0;
    dot(static_cast<int>(std::lround(from.x + part * (to.x - from.x))),
        static_cast<int>(std::lround(from.y + part * (to.y - from.y))), series);
  }
}

bool TextCanvas::letter(int column, int row, char letter, std::size_t series) {
  if (column < 0 || row < 0 || column >= columns_ || row >= rows_) return false;
  Cell& cell = at(column, row);
  if (cell.letter != 0) return false;
  cell.letter = letter;
  cell.series = series;
  return true;
}

std::string TextCanvas::character(const Cell& cell) const {
  if (cell.letter != 0) return std::string(1, cell.letter);
  if (cell.dots == 0) return " ";
  return ascii_ ? std::string(1, ascii_dot(cell.series)) : braille(cell.dots);
}

std::string TextCanvas::row_text(int row, bool colour) const {
  int end = columns_;
  while (end > 0 && at(end - 1, row).dots == 0 && at(end - 1, row).letter == 0) --end;
  std::string text;
  for (int first = 0; first < end;) {
    // what has the same colour is coloured at once
    const Cell& cell = at(first, row);
    const auto empty = [](const Cell& other) { return other.dots == 0 && other.letter == 0; };
    std::string run;
    int column = first;
    for (; column < end; ++column) {
      const Cell& next = at(column, row);
      if (empty(next) != empty(cell) || (!empty(cell) && next.series != cell.series)) break;
      run += character(next);
    }
    text += colour && !empty(cell) ? in_series_colour(run, cell.series) : run;
    first = column;
  }
  return text;
}

}  // namespace trammel
