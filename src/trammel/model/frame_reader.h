// Frames of a model file: where, and turned how. Whether they are meant in the world or in a body is up to
// who asks.
#pragma once

#include "trammel/model/map_reader.h"

namespace trammel {

// A map with one of: axis and angle; quaternion; rpy; one or two of x, y, z.
Mat3<double> read_orientation(const ModelNode& node, const NumberScope& scope);

// Turned about the fixed axes x, y, z, one after the other.
Mat3<double> from_roll_pitch_yaw(const Vec3<double>& angles);

// The frame that the keys at, axis, x and orientation of a map give. Absent, they are the origin and the axes
// of where the frame is given.
Frame read_frame(const MapReader& map);

// A map with nothing but such keys.
Frame read_frame(const ModelNode& node, const NumberScope& scope, const std::string& what);

// Axes of which `first` (0, 1, 2 for x, y, z) points exactly in a direction and `second` as nearly as
// possible in another. Throws ModelError without a place if they are parallel.
Mat3<double> axes_towards(int first, const Vec3<double>& exact, int second, const Vec3<double>& nearly);

}  // namespace trammel
