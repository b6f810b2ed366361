// Fewer equations of the same motion, as some equations can offer them: a planar mechanism needs three
// velocities a body, not six, and two equations for a hinge, not five. States go in and come out in full.
#pragma once

#include "trammel/motion/equations.h"

namespace trammel {

class TangentMotion;

class ReducedMotion {
 public:
  virtual ~ReducedMotion() = default;

  virtual EquationsOfMotion& equations() = 0;

  virtual Vector reduce(const VectorIn& x) const = 0;
  // Multipliers of rows that were left out are zero.
  virtual Vector restore(const VectorIn& reduced) const = 0;
  // Gives a restored state the multipliers of all rows, of minimal norm where they are not unique. `whole` are the
  // equations that were reduced, as they have followed the motion: forces may depend on the turns of an angle.
  virtual void present(double t, Vector& x, TangentMotion& whole) = 0;
};

}  // namespace trammel
