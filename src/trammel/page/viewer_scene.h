// What the animation of a run shows, as part of the data of its page: bodies with their shapes, joints,
// forces, markers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trammel/model/model.h"
#include "trammel/result/recording.h"

namespace trammel {

// Poses are given by the names of channels.
nlohmann::ordered_json viewer_scene(const Model& model, const Recording& recording);

}  // namespace trammel
