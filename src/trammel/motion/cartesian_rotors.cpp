// Rotors on coordinates c of joints, with the inertia J along c: they have the kinetic energy ½ J c'², and act with
// −J c'' ∇c, as a row c of constraints would with the multiplier J c''. So they add J ∇c ∇cᵀ to the mass matrix, and
// their slopes are those of such a row. That they turn about an axis of their own as the bodies turn is left out.
#include <algorithm>
#include <array>

#include "trammel/motion/cartesian_motion.h"

namespace trammel {

// J c'' with these accelerations, of those at work or of all.
void CartesianMotion::evaluate_rotors(std::span<const BodyState> bodies, bool all) {
  std::fill(rotor_forces_.begin(), rotor_forces_.end(), 0.0);
  for (const std::unique_ptr<ConstraintBlock>& block : rotors_.blocks)
    block->evaluate(bodies, ConstraintBlock::acceleration | (all ? 0u : unsigned{ConstraintBlock::awake}),
                    {{}, {}, rotor_forces_});
  for (std::size_t i = 0; i < rotor_forces_.size(); ++i) rotor_forces_[i] *= elements_.rotor_inertias[i];
}

void CartesianMotion::add_rotor_wrenches() {
  for (const std::unique_ptr<ConstraintBlock>& block : rotors_.blocks)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const ConstraintBlock::Element& element = block->elements()[i];
      if (rotor_forces_[at_index(element.row)] == 0) continue;
      Wrench<double> on_a, on_b;
      block->react(states_, static_cast<Index>(i), rotor_forces_, on_a, on_b);
      wrenches_[static_cast<std::size_t>(element.body_a)] -= on_a;
      wrenches_[static_cast<std::size_t>(element.body_b)] -= on_b;
    }
}

double CartesianMotion::kinetic_energy_of_rotors() const {
  std::fill(rotor_rates_.begin(), rotor_rates_.end(), 0.0);
  for (const std::unique_ptr<ConstraintBlock>& block : rotors_.blocks)
    block->evaluate(states_, ConstraintBlock::velocity, {{}, rotor_rates_, {}});
  double energy = 0;
  for (std::size_t i = 0; i < rotor_rates_.size(); ++i)
    energy += 0.5 * elements_.rotor_inertias[i] * rotor_rates_[i] * rotor_rates_[i];
  return energy;
}

// --- slopes -----------------------------------------------------------------------------------------------

void CartesianMotion::differentiate_rotors(unsigned wanted) {
  unsigned levels = ConstraintBlock::position | ConstraintBlock::awake;
  if (wanted & forces) {
    levels |= ConstraintBlock::velocity | ConstraintBlock::acceleration | ConstraintBlock::reaction;
    evaluate_rotors(states_, false);
  }
  for (const std::unique_ptr<ConstraintBlock>& block : rotors_.blocks)
    block->differentiate(states_, rotor_forces_, levels);
}

namespace {

// Calls visit(row, column, i, k) for the twists of two bodies by each other: i and k are places among the twelve.
template <class Visit>
void for_pairs(const ConstraintBlock::Element& element, const Visit& visit) {
  const std::array<int, 2> bodies = {element.body_a, element.body_b};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < 12; ++k)
      if (bodies[i / 6] > 0 && bodies[k / 6] > 0)
        visit(6 * (bodies[i / 6] - 1) + static_cast<Index>(i % 6),
              6 * (bodies[k / 6] - 1) + static_cast<Index>(k % 6), i, k);
}

}  // namespace

void CartesianMotion::add_rotor_mass() {
  for_rotors([&](Index rotor, const ConstraintBlock::Element& element, const ConstraintSlopes& slopes) {
    const double inertia = elements_.rotor_inertias[at_index(rotor)];
    const bool known = !slopes.jacobian.empty();  // the first time only places are noted
    for_pairs(element, [&](Index row, Index column, std::size_t i, std::size_t k) {
      slopes_.mass.add(row, column, known ? inertia * slopes.jacobian[i] * slopes.jacobian[k] : 0.0);
    });
  });
}

void CartesianMotion::add_rotor_mass(const MotionPoint& at, Matrix& M) {
  set_bodies(at);
  differentiate_rotors(jacobian);
  for_rotors([&](Index rotor, const ConstraintBlock::Element& element, const ConstraintSlopes& slopes) {
    Vector gradient = Vector::Zero(layout().v.size);
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? element.body_a : element.body_b;
      if (body == 0) continue;
      const Eigen::Map<const Eigen::Matrix<double, 6, 1>> by_twist(slopes.jacobian.data() + 6 * side);
      auto part = gradient.segment(per_body_ * (body - 1), per_body_);
      part.head<3>() += by_twist.head<3>();
      if (velocities_ == Velocities::angular) {
        part.tail<3>() += by_twist.tail<3>();
        continue;
      }
      const Eigen::Vector4d e = at.x.segment<4>(layout().p.begin + 7 * (body - 1) + 3);
      part.tail<4>() += (2 / e.squaredNorm()) * (euler_matrix(e).transpose() * by_twist.tail<3>());
    }
    M += elements_.rotor_inertias[at_index(rotor)] * gradient * gradient.transpose();
  });
}

// The direction of the force varies,
void CartesianMotion::add_rotor_reaction_slopes() {
  for_rotors([&](Index, const ConstraintBlock::Element& element, const ConstraintSlopes& slopes) {
    for_pairs(element, [&](Index row, Index column, std::size_t i, std::size_t k) {
      slopes_.force_pose.add(row, column, -slopes.reaction_pose[12 * i + k]);
    });
  });
}

// and so does its size, by c''.
void CartesianMotion::add_rotor_acceleration_slopes() {
  for_rotors([&](Index rotor, const ConstraintBlock::Element& element, const ConstraintSlopes& slopes) {
    const double inertia = elements_.rotor_inertias[at_index(rotor)];
    for_pairs(element, [&](Index row, Index column, std::size_t i, std::size_t k) {
      slopes_.force_pose.add(row, column, -inertia * slopes.jacobian[i] * slopes.acceleration_pose[k]);
      slopes_.force_twist.add(row, column, -inertia * slopes.jacobian[i] * slopes.acceleration_twist[k]);
    });
  });
}

}  // namespace trammel
