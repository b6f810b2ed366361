// Laws of random mechanisms, as text.
#pragma once

#include <string>

#include "tests/random/mechanism_sketch.h"

namespace trammel {

// A function of time of the size of one, with two continuous derivatives at least.
std::string smooth_time_law(MechanismSketch& sketch, RandomNumbers& random);

// The same, but often with corners or jumps if the features allow them.
std::string time_law(MechanismSketch& sketch, RandomNumbers& random);

// A function of the size of one of a quantity that changes by about `range`.
std::string law_of(MechanismSketch& sketch, const std::string& quantity, double range, RandomNumbers& random);

// A coordinate of a joint: its name, whether it is an angle, and its value at the start.
struct SketchedCoordinate {
  std::size_t joint = 0;
  std::string coordinate;  // "angle"
  std::string name;        // "j1.angle"
  bool is_angle = false;
  double start = 0;
};
// Those of the joints that carry a body: of a tree they are independent of each other.
std::vector<SketchedCoordinate> carrier_coordinates(const MechanismSketch& sketch);

}  // namespace trammel
