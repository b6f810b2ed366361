// Invariants of the motion beside its constraints, which a projection can keep too: those that equations name (e), or,
// where they name none and know it, the energy. They keep the values that they had at the start.
//
// Whether the energy is kept is looked at in every step: the power of all forces must be what the potential loses, and
// drivers must not work.
#pragma once

#include "trammel/motion/tangent_motion.h"

namespace trammel {

class KeptInvariants {
 public:
  // The motion must outlive this.
  explicit KeptInvariants(TangentMotion& motion);

  Index size() const { return base_.size(); }
  // From now on they have the values of (t, x). A failure if there are none.
  Failure start(double t, const VectorIn& x);
  // Their changes since.
  Failure values(double t, const VectorIn& x, Vector& e);
  // How far off the last values may be by rounding.
  double round_off() const { return round_off_; }
  // Rows of gradients by displacements and by velocities; that of the energy is as good as a direction needs to be.
  Failure gradients(double t, const VectorIn& x, Matrix& by_pose, Matrix& by_twist);
  // Whether the motion keeps them at all, at a state with its multipliers.
  Failure check(double t, const VectorIn& x);

  void carry(Carrier& carried) { carried(base_); }

 private:
  template <class Function>
  Failure guarded(double t, const Function& function);

  TangentMotion& motion_;
  const Layout layout_;
  Vector base_, rest_, shifted_, change_, none_;
  MotionValues values_;
  double round_off_ = 1e-300;
};

}  // namespace trammel
