// Equations that can give D = [GZ; HZ], the velocity constraints by the velocities, without the derivatives
// of everything else.
#pragma once

#include "trammel/motion/equations.h"

namespace trammel {

class VelocityJacobian {
 public:
  virtual ~VelocityJacobian() = default;
  // Rows of g, then of h; D has its size.
  virtual void velocity_jacobian(const MotionPoint& at, Matrix& D) = 0;
};

}  // namespace trammel
