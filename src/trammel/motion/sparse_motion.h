// What equations of motion of large mechanisms offer besides their dense derivatives: the same derivatives as
// sparse matrices of fixed pattern, taken in the directions of the velocities. A small displacement q (one
// number for each velocity) moves the positions by Z q; so all matrices are of velocity size, and the
// normalisations of the positions drop out.
#pragma once

#include "trammel/motion/equations.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

// Rows of constraints: g first, then h. "Twist" are the velocities v, "pose" the displacements q.
struct SparseSlopes {
  const SparseMatrix& mass;
  const SparseMatrix& jacobian;  // [GZ; HZ]
  const SparseMatrix& rate_pose;
  const SparseMatrix& acceleration_pose;
  const SparseMatrix& acceleration_twist;
  const SparseMatrix& force_pose;  // of f − ZᵀGᵀλ − ZᵀHᵀμ, multipliers held
  const SparseMatrix& force_twist;
  const SparseMatrix& force_state;
  const SparseMatrix& force_multiplier;  // of f alone
  const SparseMatrix& state_pose;        // of b
  const SparseMatrix& state_twist;
  const SparseMatrix& state_state;
  const SparseMatrix& state_multiplier;
  const SparseMatrix& kinematics;  // K: the velocity of a displacement, with p' held, is q' + K q
};

class SparseMotion {
 public:
  enum Wanted : unsigned { jacobian = 1, hidden = 2, forces = 4, everything = 7 };

  virtual ~SparseMotion() = default;

  // The matrices stay where they are; `wanted` of them are up to date after differentiate_sparse().
  virtual SparseSlopes slopes() const = 0;
  virtual void differentiate_sparse(const MotionPoint& at, unsigned wanted) = 0;

  // The change of the positions that belongs to a displacement q and cures the normalisations n(p) =
  // residual.
  virtual void displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                         VectorOut change) const = 0;
  // The gradient by displacements of what has this gradient by the positions: Zᵀ gradient.
  virtual void pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) const = 0;
  // The velocities that belong to given rates of the positions: Z⁺ p'.
  virtual void rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) const = 0;
};

}  // namespace trammel
