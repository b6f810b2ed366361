// The equations of motion of a mechanism in Cartesian coordinates: for each body the position of its centre
// of mass and four Euler parameters, seven positions in all.
//
// Velocities are one of two kinds. `angular`: the velocity of the centre of mass and the angular velocity in
// body axes, six for each body, p' = Z(p) v; M is constant, and the length of the Euler parameters is a
// normalisation without multiplier. `parameter_rates`: v = p', seven for each body, with the length of the
// Euler parameters as one more constraint (E. J. Haug; seed of the state-space formulation).
//
// Here is what is constant; CartesianMotion (cartesian_motion.h) is at work. Elements are evaluated in terms
// of poses and twists (mechanism/elements.h), once for each body and joint: the cost is linear in their
// number.
#pragma once

#include <memory>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

class CartesianMotion;

class CartesianEquations final : public MechanismEquations {
 public:
  enum class Velocities { angular, parameter_rates };

  // Throws ModelError if the mechanism is not sound.
  explicit CartesianEquations(const Mechanism& mechanism, Velocities velocities = Velocities::angular,
                              PointRows points = PointRows::in_world);
  ~CartesianEquations() override;

  const Mechanism& mechanism() const override { return mechanism_; }
  const Elements& elements() const override { return *elements_; }
  Velocities velocities() const { return velocities_; }
  bool rotates_bodies() const override { return velocities_ == Velocities::angular; }

  Vector initial_state() const override;
  std::vector<Condition> conditions() override;
  Vector weights() const override;

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override;
  void follow(double t, const VectorIn& x) override;
  void hold_switches(std::span<const HeldBranch> held, double negligible) override;
  void carry(Carrier& carried) override;
  std::unique_ptr<TangentMotion> tangent() override;
  std::unique_ptr<MechanismMotion> mechanism_motion() override;

  Vector displacement_sizes(const VectorIn& x) const override;
  std::vector<MotionCorner> corners(double from, double to) const override;
  bool energy(double t, const VectorIn& x, EnergyState& state) override;
  // Planar mechanisms have a planar motion (planar_motion.h).
  std::unique_ptr<ReducedMotion> reduced(double t, const VectorIn& x) override;

  // The elements of a measured row: block, element, row within it.
  struct Source {
    std::size_t block;
    Index element;
    int row;
  };
  const std::vector<std::vector<Source>>& sources() const { return sources_; }

 private:
  CartesianEquations(const Mechanism& mechanism, std::unique_ptr<Elements> elements, Velocities velocities);
  Index body_count() const { return static_cast<Index>(mechanism_.bodies.size()) - 1; }
  void settle_offsets();
  void evaluate_mass(const MotionPoint& at, MotionValues& out);

  Mechanism mechanism_;
  std::unique_ptr<Elements> elements_;
  Velocities velocities_;
  Index per_body_;  // velocities of a body: 6 or 7
  std::vector<std::vector<Source>> sources_;
  // For evaluations by the coordinates themselves, which most runs do without.
  CartesianMotion& scratch();
  std::unique_ptr<CartesianMotion> scratch_;
};

}  // namespace trammel
