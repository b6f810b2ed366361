// What a formulation may be unable to treat, in words.
#pragma once

#include <set>
#include <string_view>

namespace trammel {

class EquationsOfMotion;

enum class Trait {
  constraints,
  redundant_constraints,
  normalizations,  // Euler parameters of length one, and the like
  auxiliary_unknowns,
  contact_coordinates,
  reaction_dependent_forces,  // friction
};
std::string_view name(Trait trait);

using Traits = std::set<Trait>;

// Those that show in the numbers of unknowns: neither redundant constraints nor what forces depend on.
Traits traits_of(const EquationsOfMotion& equations);

// Which methods come into question is a matter of three kinds of systems.
enum class SystemKind {
  ordinary,       // differential equations and nothing else
  unconstrained,  // but with normalisations, auxiliary unknowns or contact coordinates
  constrained
};
SystemKind kind_of(const Traits& traits);

}  // namespace trammel
