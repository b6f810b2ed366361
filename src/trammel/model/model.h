// Model files: a mechanism, and what to do with it, from YAML text and back. docs/model-files.md is their
// manual.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism/mechanism.h"
#include "trammel/model/view_settings.h"

namespace trammel {

// What the file says about a run; what it does not say is absent, and up to who runs it.
struct SimulationSettings {
  struct Option {
    std::string name, value;
    SourcePlace place;
  };
  std::optional<double> end, output;  // time of the end, and between two samples
  std::optional<std::string> method, coordinates;
  std::optional<double> rtol, atol, h0;
  std::vector<Option> options;  // of the method
  SourcePlace place;
};

// What a table was made from.
struct TablePoints {
  std::vector<double> x, y;
  Table::Interpolation interpolation = Table::Interpolation::linear;
  Table::Outside outside = Table::Outside::hold;
};

struct Model {
  Mechanism mechanism;
  SimulationSettings simulation;
  ViewSettings view;
  std::map<std::string, TablePoints> tables;  // of mechanism.tables
  std::string file;
  std::vector<std::string> files;     // all that were read, this one last
  std::vector<std::string> warnings;  // what the file asks for and will not get
};

// Parameters with other values than the file gives them, as (name, expression).
struct ModelOverrides {
  std::vector<std::pair<std::string, std::string>> parameters;
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
