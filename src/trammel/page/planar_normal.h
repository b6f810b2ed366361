// Whether a mechanism moved in a plane: along which axis of the world to look at it, so that nothing moves
// towards the one who looks.
#pragma once

#include <optional>

#include "trammel/mechanism/mechanism.h"
#include "trammel/mechanism/view_settings.h"
#include "trammel/result/recording.h"

namespace trammel {

// Across the plane of the motion, towards the one who looks at it; nothing if it was not planar.
std::optional<Vec3<double>> planar_normal(const Mechanism& mechanism, const ViewSettings& view,
                                          const Recording& recording);

}  // namespace trammel
