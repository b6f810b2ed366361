// A method is a formulation with an integrator that fits it, written formulation/integrator. All that is
// known of it is entered with the two (formulations.cpp, integrators.cpp) and is asked for here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/simulation/equation_traits.h"

namespace trammel {

struct Options;
struct FormulationEntry;
struct IntegratorEntry;
struct Pairing;

struct Method {
  std::string formulation = "psf";
  std::string integrator = "radau5";

  std::string name() const { return formulation + "/" + integrator; }
};

struct MethodDescription {
  Method method;
  std::string when_to_use;  // one line
  const FormulationEntry& formulation;
  const IntegratorEntry& integrator;
  const Pairing& pairing;
};

// Every valid pair.
const std::vector<MethodDescription>& methods();
// Null if it is none of them.
const MethodDescription* find_method(const Method& method);

// Reads "psf/radau5". On failure the message says why the two do not go together, or names the nearest valid
// method.
Failure parse_method(const std::string& text, Method& method);

// Why there is no such pair; empty if there is. Both must exist.
std::string why_no_pair(const FormulationEntry& formulation, const IntegratorEntry& integrator);

// Why a valid method cannot treat equations with these traits; empty if it can.
std::string why_refused(const Method& method, const Traits& traits);

// The options of a valid method, those of all methods among them: their keys.
std::vector<std::string> options_of(const Method& method);
bool has_option(const Method& method, const std::string& key);
// If the method does not have it: who does.
Failure check_option(const Method& method, const std::string& key);
// Whether a method, its options and the equations go together: options that were set and that it does not
// have, numbers out of range, equations that it cannot treat.
Failure check_method(const Method& method, const Options& options, const EquationsOfMotion& equations);
// The same for methods that a run changes between: an option must be one of at least one of them.
Failure check_methods(const std::vector<Method>& methods, const Options& options,
                      const EquationsOfMotion& equations);

}  // namespace trammel
