// Names of coordinates, `crank.angle`, and of other quantities, `P.velocity.x`, in a model file.
#pragma once

#include "trammel/model/model_builder.h"

namespace trammel {

enum class RatesAllowed { no, yes };

// Throws ModelError if the joint has no such coordinate.
void check_coordinate(const Joint& joint, const std::string& coordinate, const SourcePlace& place,
                      RatesAllowed rates);

// The full name of a coordinate or another quantity. A joint alone stands for its only coordinate. Throws
// ModelError if the joint, marker or body is unknown, or the joint has no such coordinate.
std::string full_coordinate(const ModelBuilder& builder, const std::string& text, const SourcePlace& place,
                            RatesAllowed rates);

}  // namespace trammel
