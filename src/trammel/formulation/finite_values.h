// Whether values of the equations of motion are finite, by one sum: the search for which one is not is for
// the bad case (describe_non_finite).
#pragma once

#include <cmath>

#include "trammel/motion/equations.h"

namespace trammel {

inline bool are_finite(Parts wanted, const MotionValues& values) {
  double sum = 0;
  const auto add = [&](Parts which, const Vector& rows) {
    if ((wanted & which) != 0) sum += rows.sum();
  };
  add(part::kinematics, values.kinematics);
  add(part::dynamics, values.dynamics);
  add(part::b, values.b);
  add(part::g, values.g);
  add(part::gI, values.gI);
  add(part::gII, values.gII);
  add(part::h, values.h);
  add(part::hI, values.hI);
  add(part::n, values.n);
  return std::isfinite(sum);
}

}  // namespace trammel
