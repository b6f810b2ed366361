// A drawing made of characters, each of which holds several dots.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "trammel/result/plot_line.h"

namespace trammel {

// Dots are counted from the left and from the top. What lies outside is not drawn.
class TextCanvas {
 public:
  TextCanvas(int columns, int rows, bool ascii);

  // In dots.
  int width() const { return columns_ * dots_across_; }
  int height() const { return rows_ * dots_down_; }
  int column_of(int x) const { return x / dots_across_; }
  int row_of(int y) const { return y / dots_down_; }

  // What was drawn last is on top, but braille shows the dots of all.
  void line(PlotPoint from, PlotPoint to, std::size_t series);
  void dot(int x, int y, std::size_t series);
  // A letter in the place of dots; false, and nothing is done, if there is a letter or no place.
  bool letter(int column, int row, char letter, std::size_t series);

  std::string row_text(int row, bool colour) const;

 private:
  struct Cell {
    unsigned char dots = 0;
    char letter = 0;
    std::size_t series = 0;
  };
  const Cell& at(int column, int row) const {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  }
  Cell& at(int column, int row) { return const_cast<Cell&>(std::as_const(*this).at(column, row)); }
  std::string character(const Cell& cell) const;

  int columns_, rows_;
  bool ascii_;
  int dots_across_, dots_down_;
  std::vector<Cell> cells_;
};

// The letter of a series, what it is drawn with in ASCII, and text in its colour.
char series_letter(std::size_t series);
char ascii_dot(std::size_t series);
std::string in_series_colour(const std::string& text, std::size_t series);

}  // namespace trammel
