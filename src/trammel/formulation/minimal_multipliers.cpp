#include "trammel/formulation/minimal_multipliers.h"

namespace trammel {

// λ = D (DᵀD + εI)⁻¹ Dᵀλ, refined
bool MinimalMultipliers::reduce(const SparseMatrix& D, VectorOut lambda) {
  const SparseMatrix transposed = D.transpose();
  const Index rows = D.rows();
  if (identity_.rows() != rows) {
    identity_.resize(rows, rows);
    identity_.setIdentity();
  }
  if (!kkt_.factor(identity_, transposed, {}, 1e-13)) return false;
  Vector solution = Vector::Zero(rows), force = transposed * lambda, remainder = force;
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
