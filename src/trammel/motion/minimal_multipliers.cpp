#include "trammel/motion/minimal_multipliers.h"

namespace trammel {

bool MinimalMultipliers::reduce(const SparseMatrix& D, VectorOut lambda) {
  return reduce(D, Vector(D.transpose() * lambda), lambda);
}

// λ = D (DᵀD + εI)⁻¹ force, refined
bool MinimalMultipliers::reduce(const SparseMatrix& D, const Vector& force, VectorOut lambda) {
  constexpr double epsilon = 1e-13;
  const Index rows = D.rows(), columns = D.cols();
  const bool is_new = !matrix_.known();
  if (is_new) matrix_ = AssembledMatrix(rows + columns, rows + columns);
  matrix_.begin();
  for (Index i = 0; i < rows; ++i) matrix_.add(i, i, 1);
  for (Index j = 0; j < columns; ++j) matrix_.add(rows + j, rows + j, -epsilon);
  for_entries(D, [&](Index i, Index j, double value) {
    matrix_.add(i, rows + j, value);
    matrix_.add(rows + j, i, value);
  });
  matrix_.finish();
  if (is_new) lu_.analyze(matrix_.matrix());
  lu_.forget_pivots();
  if (!lu_.factor(matrix_.matrix())) return false;
  Vector solution = Vector::Zero(rows), remainder = force, work(rows + columns);
  for (int iteration = 0; iteration < 3; ++iteration) {
    work << Vector::Zero(rows), remainder;
    lu_.solve(work);
    solution += work.head(rows);
    remainder = force - D.transpose() * solution;
  }
  lambda = solution;
  return true;
}

}  // namespace trammel
