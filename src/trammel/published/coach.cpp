// A coach with 16 degrees of freedom in a double lane change.
#include "trammel/published/coach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/model/model.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

// Where the chassis is after 10 s with the values that the problem has: psf/radau5 and projected/dop853 at rtol = atol = 1e-12 agree to
// 1e-9 m.
constexpr double reference_time = 10;
constexpr Vec3<double> reference{195.057934361, -0.006319877, 1.199183771};

// The largest error of the position of the chassis, in m.
std::function<std::optional<double>(double, const Vector&)> digits_of_chassis(MechanismEquations& equations) {
  const std::shared_ptr<MechanismMotion> motion = equations.mechanism_motion();
  const Vector rest = Vector::Zero(equations.layout().v.size);
  return [motion, rest](double t, const Vector& x) -> std::optional<double> {
    if (t != reference_time) return {};
    motion->follow(t, x);
    motion->set_state(t, x, rest);
    const Vec3<double> error = motion->bodies()[1].r - reference;
    return digits_of(std::max({std::abs(error.x), std::abs(error.y), std::abs(error.z)}));
  };
}

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
    std::map<std::string, double> usual = values;
    usual["joint"] = 1;
    if (usual == coach_problem().values({})) result.digits = digits_of_chassis(*equations);
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
      "the largest of the position of the chassis after 10 s, in m, against our own solution (good to 1e-9); "
      "none with other values",
      {{"speed", 20, "m/s"},
       {"wheel_angle", 1.4, "of the driver's wheel, rad"},
       {"friction", 0.8, "of the tyres"},
       {"cornering", 7, "side force of a small slip angle, relative to the load, 1/rad"},
       {"joint", 1, "1: joint coordinates, 0: Cartesian ones"}},
      make_coach};
}

}  // namespace trammel
