// Shapes of a model file: what a body looks like, and what it weighs.
#pragma once

#include <optional>
#include <vector>

#include "trammel/model/map_reader.h"
#include "trammel/model/mass_properties.h"

namespace trammel {

struct ReadShape {
  Shape shape;
  std::optional<double> density;  // its own
  CapsuleEnds ends = CapsuleEnds::round;
};

// A list of shapes, or one; none if the node is null. Throws ModelError.
std::vector<ReadShape> read_shapes(const ModelNode* node, const NumberScope& scope);

}  // namespace trammel
