// What the animation of equations without bodies shows, as part of the data of its page: a drawing in the
// plane whose points move.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trammel/published/planar_drawing.h"

namespace trammel {

// Points that move are bodies whose place is given by the names of channels, points that stay are parts of the
// ground. Nothing if there is nothing to draw.
nlohmann::ordered_json drawing_scene(const PlanarDrawing& drawing);

}  // namespace trammel
