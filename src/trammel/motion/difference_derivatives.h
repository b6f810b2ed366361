// Derivatives of the equations of motion by central differences of their values: for systems that are given
// without derivatives, and as the independent check of those that have them.
#pragma once

#include "trammel/motion/equations.h"

namespace trammel {

class DifferenceDerivatives {
 public:
  explicit DifferenceDerivatives(const Layout& layout);

  // Relative step of the differences; the cube root of round-off is about best.
  double step = 6e-6;

  void compute(EquationsOfMotion& equations, const MotionPoint& at, Parts wanted, MotionDerivatives& out);

 private:
  Vector x_;
  MotionValues plus_, minus_;
};

}  // namespace trammel
