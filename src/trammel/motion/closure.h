// Whether all constraints hold at a state, those that depend on others included, and if not, which of them
// contradict each other.
//
// A redundant row is left out by every formulation, in one way or another. It must hold all the same: where
// it does not, the constraints contradict each other, and no motion is right. What a row is off by is
// measured relative to what a displacement of the size of the whole mechanism, or a turn by one radian,
// changes it by.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/failure.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class Closure {
 public:
  enum class Level { position, velocity, acceleration };

  // `tolerance`: what a row may be off by, relative as above.
  Closure(TangentMotion& motion, double tolerance);

  // A failure if a row of this level is off by more at (t, x), with the names of all rows that contradict
  // each other; accelerations a matter to their level only. Takes the matrices of the equations to this
  // point.
  Failure check(Level level, double t, const VectorIn& x, const VectorIn& a);

  // Names of the rows that depend on the others at (t, x), or nearly do: joints of a linkage that has become
  // flat. Their number grows where the position is singular.
  std::vector<std::string> dependent(double t, const VectorIn& x, double nearly);

  double tolerance() const { return tolerance_; }
  // The largest that check() found, relative.
  double worst() const { return worst_; }

 private:
  void take_jacobian(double t, const VectorIn& x);
  Vector against_others(const Vector& residual) const;
  Failure explain(Level level, double t, const Vector& rows, const Vector& relative, double allowed) const;
  const std::string& row_name(Index row) const;

  TangentMotion& motion_;
  double tolerance_;
  double worst_ = 0;
  SparseMatrix
      scaled_;       // the Jacobian in displacements of the size of the mechanism, rows of largest entry 1
  Vector row_size_;  // what the rows were divided by
  MotionValues values_;
};

}  // namespace trammel
