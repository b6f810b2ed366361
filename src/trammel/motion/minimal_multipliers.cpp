#include "trammel/motion/minimal_multipliers.h"

namespace trammel {

bool MinimalMultipliers::reduce(const SparseMatrix& D, VectorOut lambda) {
  return reduce(D, Vector(D.transpose() * lambda), lambda);
}

// λ = D (DᵀD + εI)⁻¹ force, refined
bool MinimalMultipliers::reduce(const SparseMatrix& D, const Vector& force, VectorOut lambda) {
  const SparseMatrix transposed = D.transpose();
  const Index rows = D.rows();
  if (identity_.rows() != rows) {
    identity_.resize(rows, rows);
    identity_.setIdentity();
  }
  if (!kkt_.factor(identity_, transposed, {}, 1e-13)) return false;
  Vector solution = Vector::Zero(rows), remainder = force;
  for (int iteration = 0; iteration < 3; ++iteration) {
    Vector upper = Vector::Zero(rows), lower = remainder;
    kkt_.solve(upper, lower);
    solution += upper;
    remainder = force - transposed * solution;
  }
  lambda = solution;
  return true;
}

}  // namespace trammel
