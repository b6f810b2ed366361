// A mechanism that moved in a plane, as a drawing: seen along that axis of the world across which nothing
// moved.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/published/planar_drawing.h"
#include "trammel/result/recording.h"

namespace trammel {

struct PlanarView {
  PlanarDrawing drawing;
  // The coordinates of its points over the samples of the recording, by the names that the drawing uses.
  std::vector<std::pair<std::string, std::vector<double>>> columns;
};

// Nothing if the motion was not planar, or if there is too much to draw.
std::optional<PlanarView> planar_view(const Model& model, const Recording& recording);

// Across the plane of the motion, towards the one who looks at it; nothing if it was not planar.
std::optional<Vec3<double>> planar_normal(const Model& model, const Recording& recording);

}  // namespace trammel
