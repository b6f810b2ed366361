#include "trammel/numerics/grouped_least_change.h"

#include <gtest/gtest.h>

namespace trammel {
namespace {

SparseMatrix diagonal(const Vector& entries) { return SparseMatrix(entries.asDiagonal()); }

// Rows of `rows` unknowns each, on columns of their own; unknowns between them belong to no row.
SparseMatrix separate_rows(Index groups, Index rows, Index cols) {
  Matrix A = Matrix::Zero(groups * rows, groups * (cols + 1));
  for (Index g = 0; g < groups; ++g)
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        A(g * rows + i, g * (cols + 1) + j) =
            std::sin(1.0 + 3.7 * static_cast<double>(g + 2 * i + 5 * j + i * j));
  return A.sparseView();
}

Vector some(Index size, double phase) {
  Vector x(size);
  for (Index i = 0; i < size; ++i) x[i] = std::sin(phase + 2.3 * static_cast<double>(i));
  return x;
}

// The nearest y with A y = b by normal equations, densely.
Vector expected(const Matrix& W, const Matrix& A, const Vector& y, const Vector& b) {
  const Matrix inverse = W.inverse();
  const Matrix normal = A * inverse * A.transpose();
  return y - inverse * A.transpose() * normal.completeOrthogonalDecomposition().solve(A * y - b);
}

TEST(GroupedLeastChange, FindsGroupsAndSolvesEach) {
  const SparseMatrix A = separate_rows(5, 2, 4), W = diagonal(some(25, 1).cwiseAbs2() + Vector::Ones(25));
  GroupedLeastChange least;
  ASSERT_TRUE(least.factor(W, A, 1e-9));
  EXPECT_EQ(least.groups(), 5);
  EXPECT_EQ(least.rank(), 10);
  Vector y = some(25, 3);
  const Vector b = some(10, 4), nearest = expected(Matrix(W), Matrix(A), y, b);
  least.solve(y, b);
  EXPECT_LT((y - nearest).norm(), 1e-12);
}

TEST(GroupedLeastChange, AMetricThatCouplesJoinsGroups) {
  const SparseMatrix A = separate_rows(2, 1, 3);
  Matrix metric = 4 * Matrix::Identity(8, 8);
  metric(2, 5) = metric(5, 2) = 1;
  const SparseMatrix W = metric.sparseView();
  GroupedLeastChange least;
  ASSERT_TRUE(least.factor(W, A, 1e-9));
  EXPECT_EQ(least.groups(), 1);
  Vector y = some(8, 1);
  const Vector b = some(2, 2), nearest = expected(metric, Matrix(A), y, b);
  least.solve(y, b);
  EXPECT_LT((y - nearest).norm(), 1e-12);
}

// Rows given twice, in other units: the same change.
TEST(GroupedLeastChange, RedundantRowsInAnyUnitDoNoHarm) {
  const Matrix rows = Matrix(separate_rows(1, 3, 6));
  Matrix A(6, rows.cols());
  A << rows, 1e6 * rows.row(0), 1e-6 * rows.row(1), rows.row(0) - 2 * rows.row(2);
  const Vector start = some(rows.cols(), 1), solution = some(rows.cols(), 5);
  const SparseMatrix W = diagonal(Vector::Constant(rows.cols(), 2));
  GroupedLeastChange least, once;
  ASSERT_TRUE(least.factor(W, A.sparseView(), 1e-9));
  EXPECT_EQ(least.rank(), 3);
  ASSERT_TRUE(once.factor(W, rows.sparseView(), 1e-9));
  Vector y = start, z = start;
  least.solve(y, A * solution);
  once.solve(z, rows * solution);
  EXPECT_LT((y - z).norm(), 1e-10);
}

// One large group: sparse, with the same result, redundant rows included.
TEST(GroupedLeastChange, LargeGroupsAreSolvedSparsely) {
  const Index n = 80;
  Matrix A = Matrix::Zero(n, n + 1);
  for (Index i = 0; i < n; ++i) {
    A(i, i) = 1;
    A(i, i + 1) = -0.7;
  }
  A.row(n - 1) = 3 * A.row(3);
  const SparseMatrix W = diagonal(some(n + 1, 1).cwiseAbs2() + Vector::Ones(n + 1));
  GroupedLeastChange least;
  ASSERT_TRUE(least.factor(W, A.sparseView(), 1e-9));
  Vector y = some(n + 1, 2);
  const Vector b = A * some(n + 1, 3), nearest = expected(Matrix(W), A, y, b);
  least.solve(y, b);
  EXPECT_LT((y - nearest).norm(), 1e-8);
}

TEST(GroupedLeastChange, SaysWhatCannotBeFactored) {
  SparseMatrix A = separate_rows(1, 1, 2);
  GroupedLeastChange least;
  EXPECT_FALSE(least.factor(diagonal(Vector::Constant(3, -1)), A, 1e-9));
  A.coeffRef(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(least.factor(diagonal(Vector::Ones(3)), A, 1e-9));
}

}  // namespace
}  // namespace trammel
