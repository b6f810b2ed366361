// A mechanism drawn in the plane.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trammel {

// Points that move with channels of a recording, and what is drawn between them. Points are referred to by
// their place in the list.
struct PlanarDrawing {
  // A coordinate follows the channel of that name; without a name it stays where x or y says.
  struct Point {
    std::string x_name, y_name;
    double x = 0, y = 0;
  };
  struct Line {
    std::size_t from = 0, to = 0;
  };
  struct Circle {
    std::size_t point = 0;
    double radius = 0;
    bool hollow = false;  // a track or a wheel, not a mass
  };

  std::vector<Point> points;
  std::vector<Line> lines;
  std::vector<Circle> circles;
  // Points that leave their path behind.
  std::vector<std::size_t> traces;
};

}  // namespace trammel
