#include "trammel/analysis/constraint_kernel.h"

namespace trammel {

bool ConstraintKernel::factor(const SparseMatrix& D, double rank_tolerance) {
  velocities_ = D.cols();
  rows_ = D.rows();
  if (!rank_.factor(D, rank_tolerance)) return false;
  active_.assign(static_cast<std::size_t>(rows_), 0);
  std::vector<Index> place(static_cast<std::size_t>(rows_), -1);
  Index next = 0;
  for (const Index row : rank_.independent_rows()) {
    active_[static_cast<std::size_t>(row)] = 1;
    place[static_cast<std::size_t>(row)] = next++;
  }
  has_basis_ = false;
  if (velocities_ == 0) return true;

  SparsePattern pattern(velocities_, velocities_);
  for (int col = 0; col < D.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry)
      if (active_[static_cast<std::size_t>(entry.row())])
        pattern.add(place[static_cast<std::size_t>(entry.row())], col);
  for (Index i = 0; i < freedom(); ++i)
    pattern.add(rank() + i, rank_.free_columns()[static_cast<std::size_t>(i)]);
  SparseMatrix square = pattern.finish();
  for (int col = 0; col < D.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry)
      if (active_[static_cast<std::size_t>(entry.row())])
        square.coeffRef(static_cast<int>(place[static_cast<std::size_t>(entry.row())]), col) = entry.value();
  for (Index i = 0; i < freedom(); ++i)
    square.coeffRef(static_cast<int>(rank() + i),
                    static_cast<int>(rank_.free_columns()[static_cast<std::size_t>(i)])) = 1;
  lu_.analyze(square);
  return lu_.factor(square);
}

const Matrix& ConstraintKernel::basis() {
  if (has_basis_) return basis_;
  basis_.setZero(velocities_, freedom());
  basis_.bottomRows(freedom()).setIdentity();
  if (velocities_ > 0) lu_.solve(basis_);
  has_basis_ = true;
  return basis_;
}

Vector ConstraintKernel::motion(const Vector& y) {
  Vector q = Vector::Zero(velocities_);
  q.tail(freedom()) = y;
  if (velocities_ > 0) lu_.solve(q);
  return q;
}

Matrix ConstraintKernel::particular(const Matrix& b) {
  Matrix q = Matrix::Zero(velocities_, b.cols());
  if (rank() == 0) return q;
  Index next = 0;
  for (const Index row : rank_.independent_rows()) q.row(next++) = b.row(row);
  lu_.solve(q);
  return q;
}

Matrix ConstraintKernel::multipliers(const Matrix& force) {
  Matrix lambda = Matrix::Zero(rows_, force.cols());
  if (rank() == 0) return lambda;
  Matrix solved = force;
  lu_.solve_transposed(solved);
  Index next = 0;
  for (const Index row : rank_.independent_rows()) lambda.row(row) = solved.row(next++);
  return lambda;
}

}  // namespace trammel
