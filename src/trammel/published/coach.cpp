// A coach with 16 degrees of freedom in a double lane change.
#include "trammel/published/coach.h"

#include <fmt/format.h>

#include "trammel/model/model.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

ProblemCase make_coach(const std::map<std::string, double>& values) {
  ModelOverrides overrides;
  for (const char* name : {"speed", "friction", "cornering"}) positive(values, name);
  for (const auto& [name, value] : values)
    if (name != "joint") overrides.parameters.emplace_back(name, fmt::format("{:.17g}", value));
  ProblemCase result;
  try {
    const Model model = read_model_text(std::string(coach_model_text()), "coach.yaml", overrides);
    auto equations =
        make_equations(model.mechanism, whole_number(values, "joint", 0, 1) == 1 ? "joint" : "cartesian");
    result.x0 = equations->initial_state();
    result.assembly.conditions = equations->conditions();
    result.assembly.weights = equations->weights();
    result.mechanism = equations.get();
    result.view = model.view;
    result.equations = std::move(equations);
    result.t_end = model.simulation.end.value();
  } catch (const ModelError& error) {
    throw std::invalid_argument(error.what());
  }
  return result;
}

}  // namespace

BuiltinProblem coach_problem() {
  return {
      "coach",
      "coach with 16 degrees of freedom in a double lane change",
      "Callejo, Narayanan, García de Jalón, Norris, Performance of automatic differentiation tools in the "
      "dynamic simulation of multibody systems (2014); the data are ours",
      "none: no data and no solution are published",
      {{"speed", 20, "m/s"},
       {"wheel_angle", 1.4, "of the driver's wheel, rad"},
       {"friction", 0.8, "of the tyres"},
       {"cornering", 7, "side force of a small slip angle, relative to the load, 1/rad"},
       {"joint", 1, "1: joint coordinates, 0: Cartesian ones"}},
      make_coach};
}

}  // namespace trammel
