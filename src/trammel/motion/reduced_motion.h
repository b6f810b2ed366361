// Fewer equations of the same motion, as some equations can offer them: a planar mechanism needs three
// velocities a body, not six, and two equations for a hinge, not five; a coordinate that a driver prescribes needs
// neither. States go in and come out in full.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/equations.h"

namespace trammel {

class TangentMotion;

class ReducedMotion {
 public:
  virtual ~ReducedMotion() = default;

  virtual EquationsOfMotion& equations() = 0;

  virtual Vector reduce(const VectorIn& x) const = 0;
  // Multipliers of rows that were left out are zero.
  virtual Vector restore(double t, const VectorIn& reduced) const = 0;
  // Gives a restored state the multipliers of all rows, of minimal norm where they are not unique. `whole` are the
  // equations that were reduced, as they have followed the motion: forces may depend on the turns of an angle.
  virtual void present(double t, Vector& x, TangentMotion& whole) = 0;

  // Drivers that are no equations any more; none: what was left out does no work. Their multipliers follow from the
  // accelerations of the equations that are left: complete() puts them into a restored state.
  virtual const std::vector<std::string>& eliminated_drivers() const;
  virtual void complete(double /*t*/, const VectorIn& /*accelerations*/, Vector& /*x*/) {}
  // The run goes on from another state.
  virtual void rebase(double /*t*/, const VectorIn& /*x*/) {}
  virtual void carry(Carrier& /*carried*/) {}
};

}  // namespace trammel
