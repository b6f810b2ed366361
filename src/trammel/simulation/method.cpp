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
      {{"partitioned", "sdirk4"},
       "state-space form: only independent coordinates are integrated, the others follow exactly; stiff "
       "vehicles at mild tolerances"},
      {{"partitioned", "radau5"}, "state-space form, with order 5: tight tolerances"},
      {{"partitioned", "bdf"}, "state-space form, CVODES BDF: smooth stiff motion, few evaluations a step"},
      {{"partitioned", "adams"},
       "state-space form, CVODES Adams, explicit in the mechanism: not stiff, evaluations dear"},
      {{"partitioned", "dirk"}, "state-space form, ARKODE diagonally implicit Runge-Kutta"},
      {{"partitioned", "erk"}, "state-space form, ARKODE explicit Runge-Kutta: not stiff"},
      {{"projected", "dop853"},
       "coordinate projection, explicit Runge-Kutta of order 8: the fastest where nothing is stiff"},
      {{"projected", "adams"}, "coordinate projection, CVODES Adams: not stiff, evaluations dear"},
      {{"csm", "radau5"},
       "coordinate splitting, without multipliers: cm, and cs where that does not converge; stiff, "
       "oscillatory"},
      {{"cm", "radau5"}, "coordinate splitting with the projector frozen in Newton's matrix"},
      {{"cs", "radau5"}, "coordinate splitting with the exact Newton matrix; to compare with cm"},
      {{"csm", "ida"}, "coordinate splitting, IDAS: variable order, cm and cs in turn"},
      {{"cm", "ida"}, "coordinate splitting, IDAS: highly oscillatory systems followed smoothly"},
      {{"cs", "ida"}, "coordinate splitting, IDAS, exact Newton matrix; to compare with cm"},
      {{"ggl", "ida"}, "Gear-Gupta-Leimkuhler with IDAS (BDF), a descendant of DASSL; no redundancy"},
      {{"index1", "ida"}, "acceleration constraints only, IDAS: positions drift; to compare with"},
      {{"psf", "sdirk4"}, "psf with one real matrix instead of a real and a complex one; order 4"},
      {{"ode", "radau5"}, "equations without constraints: plain (stiff) ODEs"},
      {{"ode", "sdirk4"}, "equations without constraints: stiff, mild tolerances"},
      {{"ode", "bdf"}, "equations without constraints: stiff, CVODES BDF"},
      {{"ode", "adams"}, "equations without constraints: not stiff, CVODES Adams"},
      {{"ode", "dirk"}, "equations without constraints: stiff, ARKODE diagonally implicit Runge-Kutta"},
      {{"ode", "dop853"}, "equations without constraints: not stiff, explicit Runge-Kutta of order 8"},
      {{"ode", "erk"}, "equations without constraints: not stiff, ARKODE explicit Runge-Kutta"},
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
