// Vehicle of Negrut, Haug and German: 14 bodies, 98 positions, 66 constraints and 14 normalisations, 18
// degrees of freedom, and a dominant eigenvalue near −2.6e5 1/s.
#include "trammel/published/hmmwv.h"

#include <fmt/format.h>

#include "trammel/model/model.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

constexpr const char* rates_parameter = "parameter_rates";

Model read_with(const ModelOverrides& overrides) {
  return read_model_text(std::string(hmmwv_model_text()), "hmmwv.yaml", overrides);
}

// Parameters of the model that can be set, with the values that it gives them.
std::vector<ProblemParameter> parameters() {
  const std::map<std::string, double> defaults = read_with({}).mechanism.parameters;
  std::vector<ProblemParameter> result;
  const auto add = [&](const char* name, const char* description) {
    result.push_back({name, defaults.at(name), description});
  };
  add("speed", "of the vehicle, m/s");
  add("bump_radius", "of the half-cylinder, m");
  add("bump_after", "time until the front wheels touch the bump, s");
  add("bushing_stiffness", "of an upper arm's bushing, N/m");
  add("bushing_damping", "N s/m");
  add("rubber_stiffness", "of an upper arm's ball joint against tilting and twisting, N m/rad");
  add("rubber_damping", "N m s/rad");
  result.push_back(
      {rates_parameter, 0, "1: the rates of all seven coordinates of a body are velocities, as published"});
  return result;
}

ProblemCase make_hmmwv(const std::map<std::string, double>& values) {
  ModelOverrides overrides;
  for (const auto& [name, value] : values)
    if (name != rates_parameter) overrides.parameters.emplace_back(name, fmt::format("{:.17g}", value));
  for (const char* name : {"speed", "bump_radius"}) positive(values, name);
  const std::string coordinates =
      whole_number(values, rates_parameter, 0, 1) == 1 ? "cartesian-parameters" : "cartesian";

  ProblemCase result;
  try {
    const Model model = read_with(overrides);
    auto equations = make_equations(model.mechanism, coordinates);
    result.x0 = equations->initial_state();
    result.assembly.conditions = equations->conditions();
    result.assembly.weights = equations->weights();
    result.mechanism = equations.get();
    result.view = model.view;
    result.equations = std::move(equations);
    result.t_end = model.simulation.end.value();
    for (const SimulationSettings::Option& option : model.simulation.options)
      result.options.emplace_back(option.name, option.value);
  } catch (const ModelError& error) {
    throw std::invalid_argument(error.what());
  }
  return result;
}

}  // namespace

BuiltinProblem hmmwv_problem() {
  return {"hmmwv",
          "HMMWV over a bump: 14 bodies in space, stiff bushings",
          "Negrut, Haug, German, An implicit Runge-Kutta method for integration of differential-algebraic "
          "equations of multibody dynamics, section 5.2; data of Project Chrono",
          "none: no reference solution is published",
          parameters(),
          make_hmmwv};
}

}  // namespace trammel
