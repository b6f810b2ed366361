// Model files: a mechanism, and what to do with it, from YAML text and back. docs/model-files.md is their
// manual.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism/model.h"

namespace trammel {

// Parameters with other values than the file gives them, as (name, expression).
struct ModelOverrides {
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<std::string> rods;  // of SimulationSettings: "bodies" or "distances"
};

// Both throw ModelError, with the place, and nothing else. `name` is how messages call the text, and files it
// names are looked for beside it. A URDF file is read as a model with this robot alone.
Model read_model(const std::string& path, const ModelOverrides& overrides = {});
Model read_model_text(const std::string& text, const std::string& name, const ModelOverrides& overrides = {});

// A model file that reads as this model: repeated blocks, included files and URDF written out, numbers for
// expressions but in laws, everything in the frames of the bodies. If frames of the bodies (that of the
// ground first) are given, they become the reference position; lengths and angles that are taken from the
// reference position are then written as numbers, so that the mechanism stays the same. Throws ModelError if
// a table is not in `tables`.
std::string write_model(const Model& model, std::span<const Frame> frames = {});

}  // namespace trammel
