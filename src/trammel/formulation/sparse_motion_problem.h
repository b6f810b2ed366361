// What formulations of large mechanisms share: checked evaluation of the equations and of their sparse
// derivatives.
#pragma once

#include "trammel/formulation/motion_problem.h"
#include "trammel/motion/sparse_motion.h"

namespace trammel {

class SparseMotionProblem : public MotionProblem {
 public:
  // The equations must offer sparse(), a constant mass matrix, and have neither auxiliary unknowns, contact
  // coordinates nor invariants.
  static bool fits(EquationsOfMotion& motion);

 protected:
  explicit SparseMotionProblem(EquationsOfMotion& motion)
      : MotionProblem(motion), sparse_(*motion.sparse()), values_(layout_, false) {}

  // `wanted` at (t, x) with the accelerations a_; x may have further unknowns behind those of the motion.
  Outcome evaluate(double t, const VectorIn& x, Parts wanted);
  Outcome differentiate(double t, const VectorIn& x, unsigned wanted);

  SparseMotion& sparse_;
  MotionValues values_;
};

}  // namespace trammel
