#include "trammel/simulation/equation_traits.h"

#include "trammel/motion/equations.h"

namespace trammel {

std::string_view name(Trait trait) {
  switch (trait) {
    case Trait::constraints:
      return "constraints";
    case Trait::redundant_constraints:
      return "redundant constraints";
    case Trait::normalizations:
      return "normalisations";
    case Trait::auxiliary_unknowns:
      return "auxiliary unknowns";
    case Trait::contact_coordinates:
      return "contact coordinates";
    case Trait::reaction_dependent_forces:
      return "forces that depend on reactions (friction)";
  }
  return "unknown";
}

Traits traits_of(const EquationsOfMotion& equations) {
  const Layout& layout = equations.layout();
  Traits traits;
  if (layout.lambda.size + layout.mu.size > 0) traits.insert(Trait::constraints);
  if (layout.normalizations > 0) traits.insert(Trait::normalizations);
  if (layout.w.size > 0) traits.insert(Trait::auxiliary_unknowns);
  if (layout.s.size > 0) traits.insert(Trait::contact_coordinates);
  return traits;
}

SystemKind kind_of(const Traits& traits) {
  if (traits.contains(Trait::constraints)) return SystemKind::constrained;
  return traits.empty() ? SystemKind::ordinary : SystemKind::unconstrained;
}

}  // namespace trammel
