// Frames: where something is and how it is turned.
#pragma once

#include <optional>

#include "trammel/numerics/space.h"

namespace trammel {

// A frame seen from another one: where its origin is, and its axes as columns.
struct Frame {
  Vec3<double> origin;
  Mat3<double> axes = Mat3<double>::identity();
};

// `inner` is given in `outer`; both together as seen from where `outer` is given.
Frame compose(const Frame& outer, const Frame& inner);
Frame inverse(const Frame& frame);

// A frame with this origin and z axis; x is chosen unless a direction is given towards which it should point.
Frame frame_with_axis(const Vec3<double>& origin, const Vec3<double>& z,
                      const std::optional<Vec3<double>>& x_towards = {});

}  // namespace trammel
