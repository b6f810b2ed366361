// What `coordinates: auto` comes to: the coordinates in which a run is faster, by rules that were measured
// (docs/joint-coordinates.md). They look at the kind of method and at the tree of joints alone, so that the same
// model and method always get the same answer, at no cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism/model.h"

namespace trammel {

struct CoordinateChoice {
  std::string coordinates;  // "cartesian" or "joint"
  std::string reason;       // a sentence
};

// The coordinates that a model asks for, `auto` if it does not, and why if that is left to the program. `method` and
// `tolerances`: those of a request, if it names some. A tolerance of a body, which has unknowns in Cartesian
// coordinates only, decides for these, and one of a joint for joint coordinates.
CoordinateChoice coordinates_of(const Model& model, const std::optional<std::string>& method = {},
                                const std::vector<SimulationSettings::NamedTolerance>& tolerances = {});

// `method` as it was asked for: "projected/dop853", or "auto". Throws ModelError if the mechanism is not sound.
CoordinateChoice choose_coordinates(const Mechanism& mechanism, const std::string& method);

}  // namespace trammel
