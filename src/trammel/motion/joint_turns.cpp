// Which turn an angle is in, in joint coordinates: those count turns by themselves, and a step may be many turns long.
#include <algorithm>
#include <cmath>

#include "trammel/motion/joint_motion.h"

namespace trammel {

// An angle between bodies that only turn about its own axis against each other is a sum of joint coordinates; so is
// each angle of a universal joint. Which ones is read off the axes at the reference position, and whether it is true
// from other positions. Other angles are followed as everywhere.
void JointMotion::find_turns() {
  for (const Rows* rows : {&bodies_.holonomic_, &bodies_.nonholonomic_, &bodies_.measured_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks)
      for (Index i = 0; i < static_cast<Index>(block->elements().size()); ++i)
        if (double* const expected = block->turning(i).expected)
          turns_.push_back({block.get(), i, expected, *expected, {}});
  if (turns_.empty()) return;

  std::vector<double> starts;
  for (Turn& angle : turns_) starts.push_back(angle.offset);
  std::vector<char> is_sum(turns_.size(), 1);
  const Layout& l = layout();
  const Vector reference = equations_.initial_state();
  for (int sample = 0; sample < 4; ++sample) {
    Vector x = reference;
    for (Index i = 0; i < l.p.size && sample > 0; ++i)
      x[l.p.begin + i] += 0.7 * std::sin(1.3 * static_cast<double>(i + 1) + 2.1 * sample);
    place({0, x, Vector()}, Level::positions, Whose::all);
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      Turn& angle = turns_[i];
      const double measured = angle.block->angle(bodies_.states_, angle.element);
      if (sample == 0) {
        angle.terms = turning_between(angle);
        angle.offset += measured - sum_of(angle);
      } else if (!(std::abs(measured - sum_of(angle)) < 1e-9)) {
        is_sum[i] = 0;
      }
    }
  }
  std::vector<Turn> sums;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    *turns_[i].expected = starts[i];
    if (is_sum[i]) sums.push_back(std::move(turns_[i]));
  }
  turns_ = std::move(sums);
  known_ = known_of_working_ = known_of_all_ = Level::nothing;
}

// The joints between the bodies of an angle that turn about its axis, with their signs.
std::vector<JointMotion::TurnTerm> JointMotion::turning_between(const Turn& angle) const {
  const ConstraintBlock::Element& element = angle.block->elements()[at_index(angle.element)];
  const Vec3<double> axis =
      bodies_.states_[static_cast<std::size_t>(element.body_a)].R * angle.block->turning(angle.element).axis;
  const int a = node_of(element.body_a), b = node_of(element.body_b);
  const int end = a < 0 || b < 0 ? -1 : tree_.common(a, b);
  std::vector<TurnTerm> terms;
  const auto add = [&](int from, double side) {
    for (int i = from; i != end; i = node(i).parent) {
      if (!node(i).turns()) continue;
      const Vec3<double>& own =
          axes_[static_cast<std::size_t>(i)].column[static_cast<std::size_t>(node(i).axis)];
      const double sign = side * node(i).sign * std::round(dot(axis, own));
      if (sign != 0) terms.push_back({node(i).p, sign});
    }
  };
  add(a, -1);
  add(b, 1);
  return terms;
}

double JointMotion::sum_of(const Turn& angle) const {
  double sum = angle.offset;
  for (const TurnTerm& term : angle.terms) sum += term.sign * positions_[term.position];
  return sum;
}

void JointMotion::take_turns() {
  for (const Turn& angle : turns_) *angle.expected = sum_of(angle);
}

}  // namespace trammel
