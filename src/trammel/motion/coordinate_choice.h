// What `coordinates: auto` comes to: the coordinates in which a run is faster, by rules that were measured
// (docs/joint-coordinates.md). They look at the kind of method and at the tree of joints alone, so that the same
// model and method always get the same answer, at no cost.
#pragma once

#include <optional>
#include <string>

#include "trammel/mechanism/model.h"

namespace trammel {

struct CoordinateChoice {
  std::string coordinates;  // "cartesian" or "joint"
  std::string reason;       // a sentence
};

// The coordinates that a model asks for, and why if that is left to the program. `method`: that of a request, if
// it names one.
CoordinateChoice coordinates_of(const Model& model, const std::optional<std::string>& method = {});

// `method` as it was asked for: "projected/dop853", or "auto". Throws ModelError if the mechanism is not sound.
CoordinateChoice choose_coordinates(const Mechanism& mechanism, const std::string& method);

}  // namespace trammel
