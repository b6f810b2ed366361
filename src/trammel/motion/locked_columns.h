// Columns of joints that are locked, in recursions over a tree: such a joint moves nothing and feels the inertia of a
// rotor of one alone, so that the recursion need not know of it.
#pragma once

#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// The places of marks.
inline std::vector<std::size_t> marked(const std::vector<char>& marks) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i]) places.push_back(i);
  return places;
}

// Gives nodes (of a column v each) whose column is locked their rotor.
template <class Nodes>
void lock_rotors(const std::vector<char>& locked, Nodes& nodes) {
  if (locked.empty()) return;
  for (auto& node : nodes)
    if (locked[static_cast<std::size_t>(node.v)]) node.rotor = 1;
}

}  // namespace trammel
