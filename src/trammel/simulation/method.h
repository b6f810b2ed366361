// A method is a formulation with an integrator that fits it, written formulation/integrator.
#pragma once

#include <string>
#include <vector>

#include "trammel/numerics/failure.h"

namespace trammel {

struct Method {
  std::string formulation = "psf";
  std::string integrator = "radau5";

  std::string name() const { return formulation + "/" + integrator; }
};

struct MethodDescription {
  Method method;
  std::string when_to_use;  // one line
};

// Every valid pair.
const std::vector<MethodDescription>& methods();

// Reads "psf/radau5". On failure the message names the nearest valid method.
Failure parse_method(const std::string& text, Method& method);

}  // namespace trammel
