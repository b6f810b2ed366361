// A model: a mechanism, and what to do with it. Written in C++, or read from a file (trammel/model/model.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"
#include "trammel/mechanism/view_settings.h"

namespace trammel {

// What the model says about a run; what it does not say is absent, and up to who runs it.
struct SimulationSettings {
  struct Option {
    std::string name, value;
    SourcePlace place;
  };
  // Of what belongs to a body, a joint or a state, or of one unknown; what is absent is as of all others. `closure` is what the
  // constraints of a joint, or one of them, may be off by, in their own units, to count as one tolerance.
  struct NamedTolerance {
    std::string name;
    std::optional<double> rtol, atol;
    SourcePlace place;  // empty: it is not from a file
    std::optional<double> closure = {};
  };
  std::optional<double> end, output;  // time of the end, and between two samples
  std::optional<std::string> method, coordinates;
  std::optional<std::string> rods;  // "bodies" or "distances" (rods_as_distances.h)
  std::optional<double> rtol, atol, h0;
  std::vector<Option> options;  // of the method
  std::vector<NamedTolerance> tolerances;
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
  std::vector<std::string> files;     // all that were read, tables and robots too, this one last
  std::vector<std::string> warnings;  // what the file asks for and will not get
  std::vector<std::string> notes;     // what was made of it that a run has to say
};

}  // namespace trammel
