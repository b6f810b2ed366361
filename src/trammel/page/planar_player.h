// The part of a page that plays a planar animation, without any library.
#pragma once

#include <string>

#include "trammel/page/planar_animation.h"

namespace trammel {

// A figure with a canvas, a play button, a scrubber and a choice of speeds. It uses the ids "planar-…", so a
// page holds one, and takes its colours from the CSS variables of the page.
std::string planar_player(const PlanarAnimation& animation);

}  // namespace trammel
