#include "trammel/motion/impulse.h"

#include "trammel/motion/sparse_kkt.h"

namespace trammel {

bool apply_impulse(TangentMotion& motion, double t, Vector& x) {
  constexpr double regularization = 1e-12;
  const Layout& l = motion.layout();
  const Vector rest = Vector::Zero(l.v.size);
  MotionValues values(l, false);
  motion.differentiate({t, x, rest}, TangentMotion::jacobian);
  SparseKkt system;
  if (!system.factor(motion.slopes().mass, motion.slopes().jacobian, {}, regularization)) return false;
  // constraints are linear in the velocities; the second time for round-off
  for (int time = 0; time < 2; ++time) {
    motion.evaluate({t, x, rest}, part::velocity_level, values);
    Vector lower(l.lambda.size + l.mu.size), change = Vector::Zero(l.v.size);
    lower << -values.gI, -values.h;
    system.solve(change, lower);
    if (!change.allFinite()) return false;
    x.segment(l.v.begin, l.v.size) += change;
  }
  return true;
}

}  // namespace trammel
