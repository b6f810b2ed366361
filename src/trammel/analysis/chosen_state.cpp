#include "trammel/analysis/chosen_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/analysis/joint_dynamics.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/motion/initial_velocities.h"
#include "trammel/motion/mechanism_assembly.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {

namespace {

AssemblyOptions options_for(JointEquations& equations) {
  AssemblyOptions options;
  options.weights = equations.weights();
  return options;
}

Failure assemble_start(JointEquations& equations, double t, Vector& x) {
  x = equations.initial_state();
  return assemble_mechanism(equations, t, x).failure;
}

// Where an unknown of this name is in x; −1 if there is none.
Index unknown(const JointEquations& equations, const std::string& name) {
  const auto find = [&](const std::vector<std::string>& names, const Block& block) -> Index {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : block.begin + (found - names.begin());
  };
  const Layout& l = equations.layout();
  Index at = find(equations.names().p, l.p);
  if (at < 0) at = find(equations.names().v, l.v);
  return at < 0 ? find(equations.names().r, l.r) : at;
}

[[noreturn]] void refuse_name(const JointEquations& equations, const std::string& name) {
  std::vector<std::string> names;
  for (const JointCoordinate& coordinate : equations.elements().coordinates) {
    names.push_back(coordinate.name);
    names.push_back(coordinate.name + "_rate");
  }
  for (const auto* others : {&equations.names().p, &equations.names().v, &equations.names().r})
    for (const std::string& other : *others)
      if (std::find(names.begin(), names.end(), other) == names.end()) names.push_back(other);
  constexpr std::size_t most_listed = 60;
  const std::string hint_text = hint(name, names);
  const std::size_t more = names.size() > most_listed ? names.size() - most_listed : 0;
  names.resize(names.size() - more);
  throw std::invalid_argument(fmt::format("there is no coordinate or rate '{}'{}; there are {}{}", name,
                                          hint_text, fmt::join(names, ", "),
                                          more > 0 ? fmt::format(" and {} more", more) : ""));
}

}  // namespace

Failure find_chosen_state(const Mechanism& mechanism, JointEquations& equations, double t,
                          const ChosenValues& values, Vector& x) {
  // as the mechanism begins, drivers included
  JointEquations whole(mechanism);
  Vector start;
  if (Failure failure = assemble_start(whole, t, start)) return failure;
  const Layout &l = equations.layout(), &from = whole.layout();
  x = Vector::Zero(l.total);
  x.segment(l.p.begin, l.p.size) = start.segment(from.p.begin, from.p.size);
  x.segment(l.v.begin, l.v.size) = start.segment(from.v.begin, from.v.size);
  x.segment(l.r.begin, l.r.size) = start.segment(from.r.begin, from.r.size);
  if (values.empty()) return {};

  // what is measured becomes a condition, everything else is set
  Mechanism wanted = without_motors(mechanism);
  const MeasuredFunctions functions(wanted);
  std::size_t conditions = 0;
  std::vector<std::pair<Index, std::string>> set;
  for (const auto& [name, value] : values) {
    if (functions.find(name)) {
      wanted.initial.push_back({name, {}, value});
      ++conditions;
    } else if (const Index at = unknown(equations, name); at >= 0) {
      x[at] = value;
      set.emplace_back(at, name);
    } else {
      refuse_name(equations, name);
    }
  }
  for (const JointTree::Node& node : equations.tree().nodes())
    if (node.is_ball()) x.segment<4>(l.p.begin + node.p).normalize();
  JointEquations chosen(wanted);
  AssemblyOptions options = options_for(chosen);
  std::vector<Condition> all = chosen.conditions();
  options.conditions.assign(all.end() - static_cast<std::ptrdiff_t>(conditions), all.end());
  const Vector before = x;
  if (Failure failure = Assembly(chosen, options).run(t, x).failure) return failure;
  for (const auto& [at, name] : set)
    if (std::abs(x[at] - before[at]) > 1e-8 * (1 + std::abs(before[at])))
      return {Reason::contradictory_conditions,
              fmt::format("the joints do not allow {} = {:.6g} here, only {:.6g}", name, before[at], x[at])};
  return {};
}

}  // namespace trammel
