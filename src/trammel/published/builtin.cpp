#include "trammel/published/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/numerics/nearest_name.h"
#include "trammel/published/coach.h"
#include "trammel/published/hmmwv.h"
#include "trammel/simulation/formulations.h"

namespace trammel {

const std::vector<BuiltinProblem>& builtin_problems() {
  static const std::vector<BuiltinProblem> problems = {
      pendulum_problem(),
      pendulum_energy_problem(),
      truck_problem(),
      andrews_problem(),
      chain_problem(),
      chaplygin_sleigh_problem(),
      knife_edge_problem(),
      doubled_four_bar_problem(),
      force_element_problem(),
      rolling_contact_problem(),
      hmmwv_problem(),
      double_pendulum_problem(),
      bushing_problem(),
      simple_pendulum_problem(),
      n_four_bar_problem(),
      bricard_problem(),
      heavy_top_problem(),
      slider_crank_problem(),
      spatial_four_bar_problem(),
      multiple_four_bar_problem(),
      coach_problem(),
      skate_problem(),
      circular_track_problem(),
      stiff_spring_pendulum_problem(),
  };
  return problems;
}

const BuiltinProblem* find_problem(const std::string& name) {
  for (const BuiltinProblem& problem : builtin_problems())
    if (problem.name == name) return &problem;
  return nullptr;
}

const BuiltinProblem& named_problem(const std::string& name, const char* what) {
  if (const BuiltinProblem* problem = find_problem(name)) return *problem;
  std::vector<std::string> names;
  for (const BuiltinProblem& problem : builtin_problems()) names.push_back(problem.name);
  const std::string near = nearest_name(name, names);
  throw std::invalid_argument(fmt::format("there is no {} '{}'{}. Problems: {}", what, name,
                                          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                                          fmt::join(names, ", ")));
}

ProblemCase BuiltinProblem::make_for(const std::string& formulation,
                                     const std::map<std::string, double>& values) const {
  const FormulationEntry* entry = find_formulation(formulation);
  const bool refuses_constraints = entry != nullptr && entry->refuses_trait(Trait::constraints);
  return refuses_constraints && make_ode ? make_ode(values) : make(values);
}

std::map<std::string, double> BuiltinProblem::values(const std::map<std::string, double>& changes) const {
  std::map<std::string, double> result;
  std::vector<std::string> names;
  for (const ProblemParameter& parameter : parameters) {
    result[parameter.name] = parameter.value;
    names.push_back(parameter.name);
  }
  for (const auto& [parameter, value] : changes) {
    if (!result.contains(parameter)) {
      const std::string near = nearest_name(parameter, names);
      throw std::invalid_argument(fmt::format(
          "problem '{}' has no parameter '{}'{}; it has: {}", name, parameter,
          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(names, ", ")));
    }
    if (!std::isfinite(value))
      throw std::invalid_argument(fmt::format("parameter '{}' is not a finite number", parameter));
    result[parameter] = value;
  }
  return result;
}

std::optional<double> ProblemCase::error(double t, const Vector& x) const {
  const std::optional<double> correct = digits ? digits(t, x) : std::nullopt;
  if (!correct) return std::nullopt;
  return std::pow(10.0, -*correct);
}

void EnergyDrift::include(double energy) {
  if (!has_first_) first_ = energy;
  has_first_ = true;
  largest_ = std::max(largest_, std::abs(energy - first_));
}

std::optional<double> ProblemCase::energy_drift(const Trajectory& trajectory) const {
  if (!energy) return std::nullopt;
  EnergyDrift drift;
  for (Index i = 0; i < trajectory.samples(); ++i)
    drift.include(energy(trajectory.time(i), trajectory.state(i)));
  return drift.largest();
}

double digits_of(double error) { return error > 1e-16 ? -std::log10(error) : 16.0; }

}  // namespace trammel
