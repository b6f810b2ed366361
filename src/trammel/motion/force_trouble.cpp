#include "trammel/motion/force_trouble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace trammel {

namespace {

std::vector<std::string> not_finite(const MechanismEquations& equations, MechanismMotion& motion, double t,
                                    const Vector& x) {
  motion.set_state(t, x, Vector());
  std::vector<std::string> names;
  std::vector<double> values;
  for (const std::unique_ptr<ForceBlock>& block : equations.elements().forces)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const auto element = static_cast<Index>(i);
      values.assign(block->output_names(element).size(), 0.0);
      block->outputs(motion.bodies(), t, motion.input_values(), element, values);
      if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
        names.push_back(fmt::format("'{}'", block->elements()[i].name));
    }
  return names;
}

std::string in_words(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  constexpr std::size_t most = 3;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
  return fmt::format("{} {}{}", names.size() == 1 ? "force" : "forces", fmt::join(names.begin(), end, ", "),
                     names.size() > most ? ", ..." : "");
}

}  // namespace

std::string forces_not_finite(MechanismEquations& equations, double t, const Vector& x) {
  return in_words(not_finite(equations, *equations.mechanism_motion(), t, x));
}

std::string forces_not_finite_ahead(MechanismEquations& equations, double t, const Vector& x,
                                    double longest) {
  const std::unique_ptr<MechanismMotion> motion = equations.mechanism_motion();
  const Layout& l = equations.layout();
  std::vector<std::string> names = not_finite(equations, *motion, t, x);
  Vector ahead = x, change = Vector::Zero(l.p.size);
  const Vector p = x.segment(l.p.begin, l.p.size), v = x.segment(l.v.begin, l.v.size),
               none = Vector::Zero(l.normalizations);
  for (double time = 1e-12 * longest; names.empty() && time <= longest; time *= 2) {
    motion->displacement_to_positions(p, time * v, none, change);
    ahead.segment(l.p.begin, l.p.size) = p + change;
    names = not_finite(equations, *motion, t + time, ahead);
  }
  return in_words(names);
}

}  // namespace trammel
