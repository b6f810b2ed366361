// A mechanism drawn in the plane, and the data of its animation.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trammel/result/trajectory.h"

namespace trammel {

// Points that move with columns of a trajectory, and what is drawn between them. Points are referred to by their place
// in the list.
struct PlanarDrawing {
  // A coordinate follows the column of that name; without a name it stays where x or y says.
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
  };

  std::vector<Point> points;
  std::vector<Line> lines;
  std::vector<Circle> circles;
  // Points that leave their path behind.
  std::vector<std::size_t> traces;
};

struct PlanarAnimation {
  // Coordinates are whole numbers from 0 to about 2¹⁶ across the drawing: short as text and finer than a screen.
  nlohmann::json data;
  // Height by width of what is drawn.
  double aspect = 1;
  // What could not be drawn, and why.
  std::vector<std::string> problems;
  bool empty() const { return data.is_null(); }
};

// Of a trajectory with more samples than frames are asked for, the frames are interpolated at equal distances in time.
PlanarAnimation animate(const PlanarDrawing& drawing, const Trajectory& trajectory, std::size_t most_frames = 2000);

}  // namespace trammel
