// What formulations on the tangent motion share (motion/tangent_motion.h): work space of their own, checked
// evaluation of the equations and of their derivatives.
#pragma once

#include "trammel/formulation/motion_problem.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

class TangentProblem : public MotionProblem {
 public:
  void follow(double t, VectorIn x) override { tangent_->follow(t, x.head(layout_.total)); }
  void carry_motion(Carrier& carried) override { tangent_->carry(carried); }
  void hold_switches(std::span<const HeldBranch> held, double negligible) override {
    tangent_->hold_switches(held, negligible);
  }

 protected:
  explicit TangentProblem(EquationsOfMotion& motion)
      : MotionProblem(motion), tangent_(motion.tangent()), values_(layout_, false) {}

  // `wanted` at (t, x) with the accelerations a_; x may have further unknowns behind those of the motion.
  Outcome evaluate(double t, const VectorIn& x, Parts wanted);
  Outcome differentiate(double t, const VectorIn& x, unsigned wanted);
  // Puts contact coordinates and auxiliary unknowns into x as they follow from the rest.
  Outcome settle(double t, VectorOut x);

  // The change of positions p that belongs to a displacement, and to residuals of the normalisations; of complex ones part by
  // part.
  void to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& normalizations, VectorOut change) {
    tangent_->displacement_to_positions(p, q, normalizations, change);
  }
  void to_positions(const VectorIn& p, const ComplexVector& q, const ComplexVector& normalizations,
                    Eigen::Ref<ComplexVector> change);

  // Called by differentiate() and evaluate(mass) when patterns of matrices have grown: what was made for the old ones is void.
  virtual void patterns_grown() {}

  std::unique_ptr<TangentMotion> tangent_;
  MotionValues values_;

 private:
  void watch_patterns();

  unsigned pattern_ = 0;
  Vector part_q_, part_n_, part_p_;  // of complex vectors
};

}  // namespace trammel
