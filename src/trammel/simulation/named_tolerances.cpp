#include "trammel/simulation/named_tolerances.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "trammel/mechanism/place.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {

namespace {

std::string owner_of(const std::string& unknown) { return unknown.substr(0, unknown.rfind('.')); }

// Positions, velocities and force states: the others follow.
std::vector<std::string> integrated_names(const EquationsOfMotion& equations) {
  const Layout& l = equations.layout();
  std::vector<std::string> names;
  for (const Block& block : {l.p, l.v, l.r})
    for (Index i = block.begin; i < block.end(); ++i) names.push_back(equations.names().variable(l, i));
  return names;
}

std::string nobody(const std::string& name, const std::vector<std::string>& unknowns,
                   const MechanismEquations* mechanism) {
  std::vector<std::string> owners = unknowns;
  for (const std::string& unknown : unknowns) owners.push_back(owner_of(unknown));
  if (mechanism != nullptr) {
    for (const Body& body : mechanism->mechanism().bodies) owners.push_back(body.name);
    for (const Joint& joint : mechanism->mechanism().joints) owners.push_back(joint.name);
  }
  const std::string near = nearest_name(name, owners);
  return fmt::format(
      "'{}' has no unknown in these coordinates{}. Bodies have them in cartesian, joints in joint "
      "coordinates; "
      "states in both",
      name, near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near));
}

std::string no_constraint(const std::string& name, const std::vector<std::string>& rows) {
  std::vector<std::string> known = rows;
  for (const std::string& row : rows) known.push_back(owner_of(row));
  const std::string near = nearest_name(name, known);
  return fmt::format(
      "'{}' has no constraint in these coordinates{}. Joints have them in cartesian, in joint "
      "coordinates those that close a loop",
      name, near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near));
}

[[noreturn]] void refuse(const SimulationSettings::NamedTolerance& tolerance, const std::string& message) {
  if (!tolerance.place.file.empty()) throw ModelError(tolerance.place, message);
  throw std::invalid_argument(message);
}

}  // namespace

void set_named_tolerances(const EquationsOfMotion& equations,
                          const std::vector<SimulationSettings::NamedTolerance>& named,
                          Tolerances& tolerances) {
  const auto is_of_unknowns = [](const SimulationSettings::NamedTolerance& one) {
    return one.rtol || one.atol;
  };
  if (std::none_of(named.begin(), named.end(), is_of_unknowns)) return;
  const std::vector<std::string> unknowns = integrated_names(equations);
  const Index n = equations.layout().total;
  if (tolerances.relative_each.size() != n) {
    tolerances.relative_each = Vector::Constant(n, tolerances.relative);
    tolerances.absolute_each = Vector::Constant(n, tolerances.absolute);
  }
  for (const SimulationSettings::NamedTolerance& tolerance : named) {
    bool found = !is_of_unknowns(tolerance);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      if (unknowns[i] != tolerance.name && owner_of(unknowns[i]) != tolerance.name) continue;
      found = true;
      if (tolerance.rtol) tolerances.relative_each[static_cast<Index>(i)] = *tolerance.rtol;
      if (tolerance.atol) tolerances.absolute_each[static_cast<Index>(i)] = *tolerance.atol;
    }
    if (!found)
      refuse(tolerance, "a tolerance: " + nobody(tolerance.name, unknowns, equations.of_mechanism()));
  }
}

void set_named_closures(const EquationsOfMotion& equations,
                        const std::vector<SimulationSettings::NamedTolerance>& named,
                        CoordinateProjectionOptions& projection) {
  std::vector<std::string> rows = equations.names().g;
  rows.insert(rows.end(), equations.names().h.begin(), equations.names().h.end());
  for (const SimulationSettings::NamedTolerance& tolerance : named) {
    if (!tolerance.closure) continue;
    const bool found = std::any_of(rows.begin(), rows.end(),
                                   [&](const std::string& row) { return is_row_of(row, tolerance.name); });
    if (found)
      projection.closures.emplace_back(tolerance.name, *tolerance.closure);
    else
      refuse(tolerance, "a closure: " + no_constraint(tolerance.name, rows));
  }
}

void set_cyclic(const EquationsOfMotion& equations, Tolerances& tolerances) {
  const Layout& l = equations.layout();
  for (Index i = l.p.begin; i < l.p.end(); ++i) {
    if (!equations.names().variable(l, i).ends_with(".angle")) continue;
    if (tolerances.most_each.size() == 0)
      tolerances.most_each = Vector::Constant(l.total, std::numeric_limits<double>::infinity());
    tolerances.most_each[i] = std::numbers::pi;
  }
}

}  // namespace trammel
