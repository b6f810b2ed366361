// A series as the line to draw: cut where there is nothing to draw, thinned to what a reader can see.
#pragma once

#include <vector>

namespace trammel {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

// Splits the points where one is not finite. Within a piece, of the points that follow each other in the same
// column of width one only the first, lowest, highest and last are kept, in their order: what is drawn covers
// the same pixels, and no peak is lost.
std::vector<std::vector<PlotPoint>> visible_pieces(const std::vector<PlotPoint>& points);

}  // namespace trammel
