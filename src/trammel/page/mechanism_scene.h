// What the animation of a mechanism shows, as part of the data of its page: bodies with their shapes, joints,
// forces, markers.
#pragma once

#include <ostream>

#include "trammel/mechanism/mechanism.h"
#include "trammel/mechanism/view_settings.h"
#include "trammel/result/recording.h"

namespace trammel {

// JSON. Poses are given by the names of channels.
void write_mechanism_scene(const Mechanism& mechanism, const ViewSettings& view, const Recording& recording,
                           std::ostream& out);

}  // namespace trammel
