// A planar drawing moved along a trajectory: the data that a player shows.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trammel/published/planar_drawing.h"
#include "trammel/result/trajectory.h"

namespace trammel {

struct PlanarAnimation {
  // Coordinates are whole numbers from 0 to about 2¹⁶ across the drawing: short as text and finer than a
  // screen.
  nlohmann::json data;
  // Height by width of what is drawn.
  double aspect = 1;
  // What could not be drawn, and why.
  std::vector<std::string> problems;
  bool empty() const { return data.is_null(); }
};

// Of a trajectory with more samples than frames are asked for, the frames are interpolated at equal distances
// in time.
PlanarAnimation animate(const PlanarDrawing& drawing, const Trajectory& trajectory,
                        std::size_t most_frames = 2000);

}  // namespace trammel
