// A mechanism as C code for a real-time target: Q, M, Φ, their Jacobians, and what is needed beside them, without any
// dependency but <math.h>.
#pragma once

#include <string>
#include <vector>

#include "trammel/derivatives/recorded_mechanism.h"

namespace trammel {

struct GeneratedFile {
  std::string name;  // "four_bar.c"
  std::string text;
};

struct GeneratedModel {
  std::string prefix;  // of all names: "four_bar"
  std::vector<GeneratedFile> files;
  // What there is of each, for whoever asks.
  int positions = 0, velocities = 0, states = 0, constraints = 0;
  struct Function {
    std::string name;
    std::size_t operations = 0, results = 0;
  };
  std::vector<Function> functions;
};

// `name` of the model becomes the prefix; x is the state that the program which comes with it begins with. Throws as
// record_mechanism() does.
GeneratedModel generate_model(const MechanismEquations& equations, const std::string& name, double t,
                              const VectorIn& x);

// A name that C takes, from any.
std::string c_identifier(const std::string& name);

}  // namespace trammel
