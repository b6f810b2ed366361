// The equations of motion as every formulation sees them: in the directions of the velocities. A small
// displacement q, one number for each velocity, moves the positions by Z q; so all matrices are of velocity
// size, and normalisations of the positions drop out. Contact coordinates s follow the positions, auxiliary
// unknowns w follow everything else: both are found wherever the equations are evaluated and are gone from
// the derivatives.
//
// Whether the equations are those of a mechanism, sparse from the start, or a user's own, differentiated
// densely, does not show: the matrices know their own patterns.
//
// A TangentMotion is work space. Any number of them can be made of the same equations
// (EquationsOfMotion::tangent): one for the steps, one for what is put out, one for each thread if the
// equations allow it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "trammel/mechanism/switches.h"
#include "trammel/motion/equations.h"
#include "trammel/motion/tangent_slopes.h"
#include "trammel/numerics/failure.h"

namespace trammel {

// Contact coordinates or auxiliary unknowns do not follow from their equations: thrown wherever they are
// sought. The reason tells whether these are singular there, or whether Newton's iteration has not found them: the rest
// of the state may be too far from any that fits.
class NotDetermined : public std::runtime_error {
 public:
  NotDetermined(Reason reason, const std::string& message) : std::runtime_error(message), reason_(reason) {}
  Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

class AccelerationSystem;

class TangentMotion {
 public:
  // What differentiate() is to bring up to date; `forces` also the kinematics and the invariants, and each of them the mass, unless
  // that is said not to be wanted: then it may be of anywhere.
  enum Wanted : unsigned { jacobian = 1, hidden = 2, forces = 4, everything = 7, without_mass = 8 };

  explicit TangentMotion(const EquationsOfMotion& equations) : equations_(equations) {}
  virtual ~TangentMotion() = default;
  TangentMotion(const TangentMotion&) = delete;
  TangentMotion& operator=(const TangentMotion&) = delete;

  const Layout& layout() const { return equations_.layout(); }
  const Structure& structure() const { return equations_.structure(); }
  const Names& names() const { return equations_.names(); }
  // What is constant: sizes, names, corners.
  const EquationsOfMotion& equations() const { return equations_; }

  // Computes the wanted parts with s and w as they follow from the rest of x. part::mass brings
  // slopes().mass up to date; `out` may come without room for a dense mass matrix.
  virtual void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) = 0;

  // The matrices stay where they are; `wanted` of them are up to date afterwards. Returns what is not finite,
  // in the user's names; empty if all is.
  virtual std::string differentiate(const MotionPoint& at, unsigned wanted) = 0;
  virtual TangentSlopes slopes() const = 0;
  // Counts how often the patterns of the matrices have grown: what was made for the old ones is void then.
  virtual unsigned pattern() const { return 0; }

  // The change of the positions that belongs to a displacement q and cures the normalisations n(p) =
  // residual.
  virtual void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                         VectorOut change) = 0;
  // The gradient by displacements of what has this gradient by the positions: Zᵀ gradient.
  virtual void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) = 0;
  // The velocities that belong to given rates of the positions: Z⁺ p'.
  virtual void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) = 0;

  // The gradient by displacements of what has this gradient by the contact coordinates, which follow the
  // positions, is added.
  virtual void pull_back_contacts(double /*t*/, const VectorIn& /*x*/, const VectorIn& /*gradient*/,
                                  VectorOut /*by_displacement*/) {}
  // How far a displacement q changes positions and contact coordinates, each component of x weighted: qᵀ
  // metric q = Σ (wᵢ δxᵢ)². The pattern is the same everywhere.
  virtual void displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                                   SparseMatrix& metric) = 0;

  // The velocities in an order in which they are well eliminated from matrices that couple them: each before those that it is
  // carried by. Empty: none is better than another.
  virtual std::vector<int> elimination_order() const { return {}; }

  // The linear system behind accelerations (acceleration_system.h), as these equations solve it best: by sparse
  // matrices unless they know better. The motion must outlive it.
  virtual std::unique_ptr<AccelerationSystem> acceleration_system(double rank_tolerance);

  // Puts s and w into x as they follow from the rest of it.
  virtual void settle(double /*t*/, VectorOut /*x*/) {}
  // Called when a run starts and after every accepted step: for what has to be followed along the motion,
  // such as the turns of an angle.
  virtual void follow(double /*t*/, const VectorIn& /*x*/) {}
  // What is followed, for saving and restoring alike.
  virtual void carry(Carrier& /*carried*/) {}
  // Places where the equations branch by the state (mechanism/switches.h), and whose they are.
  virtual Index switch_count() const { return 0; }
  virtual std::string switch_name(Index /*i*/) const { return {}; }
  // From now on these branches are taken; none: those of each state. `negligible`: Switches::negligible().
  virtual void hold_switches(std::span<const HeldBranch> /*held*/, double /*negligible*/) {}
  // What the switches that are held have to say about a state. All of them must be held, or free one by one.
  virtual void read_switches(double /*t*/, const VectorIn& /*x*/, std::span<SwitchReading> /*readings*/) {}

  // Coordinates may meet constraints by themselves. Who is to be told which constraints depend on each other, or
  // contradict each other, wants an equation for every one of them: this motion in such coordinates, and the state
  // (t, x) in them. No motion: this one has them all.
  struct EveryConstraint {
    std::unique_ptr<TangentMotion> motion;
    Vector x;
  };
  virtual EveryConstraint with_every_constraint(double /*t*/, const VectorIn& /*x*/) { return {}; }

  // Where the energy is and goes; false if these equations do not know it.
  virtual bool energy(double /*t*/, const VectorIn& /*x*/, EnergyState& /*state*/) { return false; }

 private:
  const EquationsOfMotion& equations_;
};

}  // namespace trammel
