#include "trammel/analysis/mobility_connections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace trammel {

std::vector<std::string> unconnected_bodies(const MechanismEquations& equations) {
  std::vector<std::string> warnings;
  const std::vector<Body>& bodies = equations.mechanism().bodies;
  std::vector<std::size_t> group(bodies.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t body) {
    while (group[body] != body) body = group[body] = group[group[body]];
    return body;
  };
  std::vector<char> touched(bodies.size(), 0);
  const auto connect = [&](int a, int b) {
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    touched[first] = touched[second] = 1;
    const std::size_t low = std::min(root(first), root(second)), high = std::max(root(first), root(second));
    group[high] = low;
  };
  const Elements& elements = equations.elements();
  for (const RowSystem* rows : {&elements.holonomic, &elements.nonholonomic})
    for (const auto& block : rows->blocks)
      for (const ConstraintBlock::Element& element : block->elements())
        connect(element.body_a, element.body_b);
  for (const auto& block : elements.forces)
    for (const ForceBlock::Element& element : block->elements()) connect(element.body_a, element.body_b);

  std::vector<std::vector<std::string>> members(bodies.size());
  for (std::size_t i = 1; i < bodies.size(); ++i) members[root(i)].push_back(bodies[i].name);
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const std::vector<std::string>& together = members[i];
    if (together.empty()) continue;
    if (!touched[i])
      warnings.push_back(fmt::format(
          "body '{}' is not connected to anything: no joint and no force acts on it", bodies[i].name));
    else
      warnings.push_back(fmt::format("nothing connects to the ground: {}", fmt::join(together, ", ")));
  }
  return warnings;
}

}  // namespace trammel
