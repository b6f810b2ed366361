#include "trammel/simulation/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

const std::vector<MethodDescription>& methods() {
  static const std::vector<MethodDescription> all = {
      {{"psf", "radau5"},
       "the default: constraints at all three levels held to round-off, redundant constraints and invariants "
       "welcome"},
      {{"psf1", "radau5"},
       "psf without the acceleration level: positions and velocities held, fewer derivatives, multipliers "
       "one order lower"},
      {{"ggl", "radau5"},
       "Gear-Gupta-Leimkuhler, index 2: positions and velocities held to the tolerance; no redundancy"},
      {{"index3", "radau5"},
       "the equations as they are: positions held, velocities and multipliers of lower accuracy"},
      {{"index2", "radau5"}, "velocity constraints only: positions drift linearly; to compare with"},
      {{"index1", "radau5"}, "acceleration constraints only: positions drift quadratically; to compare with"},
      {{"baumgarte", "radau5"},
       "index 1 with feedback of the violation (baumgarte_alpha, baumgarte_beta); to compare with"},
      {{"ode", "radau5"}, "equations without constraints: plain (stiff) ODEs"},
  };
  return all;
}

Failure parse_method(const std::string& text, Method& method) {
  std::vector<std::string> names;
  for (const MethodDescription& description : methods()) {
    names.push_back(description.method.name());
    if (names.back() != text) continue;
    method = description.method;
    return {};
  }
  const std::string near = nearest_name(text, names);
  return {Reason::invalid_options, fmt::format("there is no method '{}'{}. Valid methods: {}", text,
                                               near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                                               fmt::join(names, ", "))};
}

}  // namespace trammel
