// LU with full pivoting, and the decomposition of constraint Jacobians in its three kinds.
#include <gtest/gtest.h>

#include <set>

#include "trammel/numerics/constraint_decomposition.h"

namespace trammel {
namespace {

constexpr double rank_tolerance = 1e-10;
// Well-conditioned systems of a handful of unknowns: round-off times a condition number below 1e3.
constexpr double accuracy = 1e-12;

// No structure, no symmetry, entries between −1 and 1, always the same.
Matrix some_matrix(Index rows, Index cols, double seed = 0) {
  Matrix A(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      A(i, j) = std::sin(1.7 * static_cast<double>(i * i + 1) + 2.9 * static_cast<double>(j) + seed +
                         0.37 * static_cast<double>((i + 1) * (j + 2)));
  return A;
}

// rows × cols of this rank.
Matrix matrix_of_rank(Index rank, Index rows, Index cols) {
  return some_matrix(rows, rank, 0.3) * some_matrix(rank, cols, 1.1);
}

// Rows in units from 1e-8 to 1e8.
Vector bad_units(Index rows) {
  Vector scale(rows);
  for (Index i = 0; i < rows; ++i)
    scale[i] = std::pow(10.0, rows == 1 ? 8.0 : -8 + 16.0 * static_cast<double>(i) / double(rows - 1));
  return scale;
}

double largest(const Matrix& A) { return A.size() == 0 ? 0.0 : A.cwiseAbs().maxCoeff(); }

// A x − b, row by row against the size of the row.
double relative_residual(const Matrix& A, const Matrix& x, const Matrix& b) {
  double worst = 0;
  for (Index i = 0; i < A.rows(); ++i)
    worst = std::max(worst, largest(A.row(i) * x - b.row(i)) / (A.row(i).norm() * (1 + x.norm())));
  return worst;
}

// --- LU with full pivoting

TEST(FullPivotLu, SolvesASquareSystem) {
  const Matrix A = some_matrix(5, 5), exact = some_matrix(5, 2, 0.5);
  FullPivotLu lu;
  lu.factor(A, rank_tolerance);
  EXPECT_EQ(lu.rank(), 5);
  Matrix x = Matrix::Constant(5, 2, 99);
  lu.solve(A * exact, x);
  EXPECT_LE(largest(x - exact), accuracy);
}

TEST(FullPivotLu, FirstPivotIsTheLargestEntry) {
  Matrix A = some_matrix(3, 4);
  A(1, 2) = -7;
  FullPivotLu lu;
  lu.factor(A, rank_tolerance);
  EXPECT_EQ(lu.pivot_row(0), 1);
  EXPECT_EQ(lu.pivot_column(0), 2);
  // rows and columns are each used once
  EXPECT_EQ(std::set<Index>({lu.pivot_row(0), lu.pivot_row(1), lu.pivot_row(2)}).size(), 3u);
  EXPECT_EQ(std::set<Index>({lu.pivot_column(0), lu.pivot_column(1), lu.pivot_column(2), lu.pivot_column(3)})
                .size(),
            4u);
}

TEST(FullPivotLu, PivotColumnsAreIndependent) {
  // column 1 is nothing, column 3 is twice column 0
  Matrix A = some_matrix(3, 5);
  A.col(1).setZero();
  A.col(3) = 2 * A.col(0);
  FullPivotLu lu;
  lu.factor(A, rank_tolerance);
  ASSERT_EQ(lu.rank(), 3);
  std::set<Index> pivots;
  for (Index k = 0; k < 3; ++k) pivots.insert(lu.pivot_column(k));
  EXPECT_EQ(pivots.count(1), 0u);
  EXPECT_EQ(pivots.count(0) + pivots.count(3), 1u);
  Matrix dependent(3, 3);
  for (Index k = 0; k < 3; ++k) dependent.col(k) = A.col(lu.pivot_column(k));
  EXPECT_GT(std::abs(dependent.determinant()), 1e-3);
}

TEST(FullPivotLu, FindsTheRank) {
  for (const Index rank : {1, 2, 3})
    for (const auto& [rows, cols] : {std::pair<Index, Index>{3, 6}, {6, 3}, {4, 4}}) {
      SCOPED_TRACE(testing::Message() << rows << " × " << cols << " of rank " << rank);
      const Matrix A = matrix_of_rank(rank, rows, cols);
      FullPivotLu lu;
      lu.factor(A, rank_tolerance);
      EXPECT_EQ(lu.rank(), rank);

      Matrix K(cols, cols - rank);
      lu.kernel(K);
      EXPECT_LE(largest(A * K), accuracy);
      // identity at the free variables
      for (Index i = 0; i < cols - rank; ++i)
        for (Index j = 0; j < cols - rank; ++j)
          EXPECT_EQ(K(lu.pivot_column(rank + i), j), i == j ? 1.0 : 0.0);

      // a consistent right-hand side is met even where rows are redundant, with zeros at the free variables
      const Matrix b = A * some_matrix(cols, 2, 2.0);
      Matrix x(cols, 2);
      lu.solve(b, x);
      EXPECT_LE(largest(A * x - b), accuracy);
      for (Index i = rank; i < cols; ++i) EXPECT_EQ(largest(x.row(lu.pivot_column(i))), 0.0);
    }
}

TEST(FullPivotLu, ToleranceDecidesAboutSmallPivots) {
  Matrix A = Matrix::Identity(2, 2);
  A(1, 1) = 1e-7;
  FullPivotLu lu;
  lu.factor(A, 1e-8);
  EXPECT_EQ(lu.rank(), 2);
  lu.factor(A, 1e-6);
  EXPECT_EQ(lu.rank(), 1);
}

TEST(FullPivotLu, NothingToDecompose) {
  FullPivotLu lu;
  // zero: everything is free
  lu.factor(Matrix::Zero(2, 3), rank_tolerance);
  EXPECT_EQ(lu.rank(), 0);
  Matrix K(3, 3), x = Matrix::Ones(3, 1);
  lu.kernel(K);
  EXPECT_EQ(K, Matrix::Identity(3, 3));
  lu.solve(Matrix::Ones(2, 1), x);
  EXPECT_EQ(largest(x), 0.0);
  // no rows
  lu.factor(Matrix(0, 3), rank_tolerance);
  EXPECT_EQ(lu.rank(), 0);
  EXPECT_EQ(lu.cols(), 3);
  lu.kernel(K);
  EXPECT_EQ(K, Matrix::Identity(3, 3));
  // no columns
  lu.factor(Matrix(3, 0), rank_tolerance);
  EXPECT_EQ(lu.rank(), 0);
  EXPECT_EQ(lu.rows(), 3);
}

// --- constraint Jacobians

class EveryDecomposition : public testing::TestWithParam<Decomposition> {
 protected:
  void factor(const Matrix& A, bool scale_columns = false) {
    decomposition.factor(A, GetParam(), rank_tolerance, scale_columns);
  }
  Matrix solve(const Matrix& b) {
    Matrix x = Matrix::Constant(decomposition.cols(), b.cols(), 99);
    decomposition.solve(b, x);
    return x;
  }
  Matrix kernel() {
    Matrix K = Matrix::Constant(decomposition.cols(), decomposition.cols() - decomposition.rank(), 99);
    decomposition.kernel(K);
    return K;
  }
  ConstraintDecomposition decomposition;
};

std::string kind_name(const testing::TestParamInfo<Decomposition>& kind) {
  return kind.param == Decomposition::lu ? "lu" : kind.param == Decomposition::qr ? "qr" : "svd";
}
INSTANTIATE_TEST_SUITE_P(Kinds, EveryDecomposition,
                         testing::Values(Decomposition::lu, Decomposition::qr, Decomposition::svd),
                         kind_name);

TEST_P(EveryDecomposition, FullRowRank) {
  for (const bool scale_columns : {false, true}) {
    SCOPED_TRACE(scale_columns);
    Matrix A = some_matrix(3, 7);
    if (scale_columns) A.col(2) *= 1e6;  // an angle among lengths, in millimetres
    factor(A, scale_columns);
    EXPECT_EQ(decomposition.rows(), 3);
    EXPECT_EQ(decomposition.cols(), 7);
    EXPECT_EQ(decomposition.rank(), 3);
    EXPECT_TRUE(decomposition.full_row_rank());

    const Matrix b = some_matrix(3, 2, 0.9);
    EXPECT_LE(relative_residual(A, solve(b), b), accuracy);

    const Matrix K = kernel();
    EXPECT_LE(relative_residual(A, K, Matrix::Zero(3, 4)), accuracy);
    // a basis: its columns are independent
    EXPECT_EQ(Eigen::FullPivLU<Matrix>(K).rank(), 4);
  }
}

TEST_P(EveryDecomposition, SquareHasNoKernel) {
  const Matrix A = some_matrix(4, 4), exact = some_matrix(4, 1, 0.2);
  factor(A);
  EXPECT_EQ(decomposition.rank(), 4);
  EXPECT_EQ(kernel().cols(), 0);
  EXPECT_LE(largest(solve(A * exact) - exact), accuracy);
}

TEST_P(EveryDecomposition, RankIsNotAQuestionOfUnits) {
  for (const Index rank : {1, 2, 3, 4}) {
    SCOPED_TRACE(rank);
    const Matrix A = bad_units(4).asDiagonal() * matrix_of_rank(rank, 4, 6);
    factor(A);
    EXPECT_EQ(decomposition.rank(), rank);
    EXPECT_LE(relative_residual(A, kernel(), Matrix::Zero(4, 6 - rank)), accuracy);
    // consistent right-hand sides can be met with redundant rows, too
    const Matrix b = A * some_matrix(6, 2, 2.0);
    EXPECT_LE(relative_residual(A, solve(b), b), accuracy);
  }
}

// Rows that agree to nearly all digits: what is left of them is noise, and must not be divided by.
TEST_P(EveryDecomposition, NearlyEqualRowsAreOneRow) {
  Matrix A = some_matrix(3, 5);
  A.row(2) = A.row(0) + 1e-13 * some_matrix(1, 5, 4.0);
  factor(A);
  EXPECT_EQ(decomposition.rank(), 2);
  Vector b(3);
  b << 1.0, 2.0, 1.0 + 1e-10;
  const Matrix x = solve(b);
  EXPECT_LE(largest(A * x - b), 2e-10);  // how far b is from consistent
  EXPECT_LE(x.norm(), 20);               // 1e-10 / 1e-13 and more, if the noise were taken seriously
}

TEST_P(EveryDecomposition, ZeroRowsCountForNothing) {
  Matrix A = some_matrix(3, 5);
  A.row(1).setZero();
  factor(A);
  EXPECT_EQ(decomposition.rank(), 2);
  EXPECT_FALSE(decomposition.full_row_rank());
  EXPECT_LE(largest(A * kernel()), accuracy);
  Vector b(3);
  b << 1, 0, -2;
  EXPECT_LE(largest(A * solve(b) - b), accuracy);

  factor(Matrix::Zero(2, 3));
  EXPECT_EQ(decomposition.rank(), 0);
  EXPECT_EQ(kernel(), Matrix::Identity(3, 3));
  EXPECT_EQ(largest(solve(Vector::Ones(2))), 0.0);
}

TEST_P(EveryDecomposition, EmptyMatrices) {
  // no constraints: everything is free
  factor(Matrix(0, 3));
  EXPECT_EQ(decomposition.rank(), 0);
  EXPECT_TRUE(decomposition.full_row_rank());
  EXPECT_EQ(kernel(), Matrix::Identity(3, 3));
  EXPECT_EQ(solve(Matrix(0, 2)), Matrix::Zero(3, 2));
  Matrix basis;
  decomposition.row_basis(basis);
  EXPECT_EQ(basis.rows(), 0);
  EXPECT_EQ(basis.cols(), 0);

  // nothing to constrain
  factor(Matrix(2, 0));
  EXPECT_EQ(decomposition.rank(), 0);
  EXPECT_FALSE(decomposition.full_row_rank());
  EXPECT_EQ(kernel().size(), 0);
  EXPECT_EQ(solve(Matrix::Ones(2, 1)).size(), 0);
}

TEST_P(EveryDecomposition, CanBeUsedAgainForAnotherSize) {
  factor(matrix_of_rank(2, 4, 6));
  EXPECT_EQ(decomposition.rank(), 2);
  const Matrix A = some_matrix(2, 3);
  factor(A);
  EXPECT_EQ(decomposition.rank(), 2);
  EXPECT_LE(largest(A * solve(Vector::Ones(2)) - Vector::Ones(2)), accuracy);
  EXPECT_EQ(decomposition.dependent().size(), GetParam() == Decomposition::svd ? 0u : 2u);
}

class PivotedDecomposition : public EveryDecomposition {};
INSTANTIATE_TEST_SUITE_P(Kinds, PivotedDecomposition, testing::Values(Decomposition::lu, Decomposition::qr),
                         kind_name);

TEST_P(PivotedDecomposition, DependentColumnsAreOrderedAndIndependent) {
  Matrix A = some_matrix(3, 6);
  A.col(0) *= 1e-3;  // a poor choice of a dependent variable
  factor(A);
  const std::vector<Index>& dependent = decomposition.dependent();
  ASSERT_EQ(dependent.size(), 3u);
  EXPECT_TRUE(std::is_sorted(dependent.begin(), dependent.end()));
  EXPECT_NE(dependent[0], 0);
  EXPECT_GT(std::abs(Matrix(A(Eigen::all, dependent)).determinant()), 1e-2);
  // the kernel is the identity at the others
  const Matrix K = kernel();
  Index identity_rows = 0;
  for (Index i = 0; i < 6; ++i)
    if (std::find(dependent.begin(), dependent.end(), i) == dependent.end()) {
      EXPECT_EQ(K.row(i).sum(), 1.0);
      EXPECT_EQ(K.row(i).cwiseAbs().sum(), 1.0);
      ++identity_rows;
    }
  EXPECT_EQ(identity_rows, 3);
}

// With LU, that is: QR goes by the length of columns, which are all alike then.
TEST(ConstraintDecomposition, ScaledColumnsTakeTheirUnitsOutOfTheChoice) {
  ConstraintDecomposition decomposition;
  for (const double unit : {1e-5, 1.0, 1e5}) {
    SCOPED_TRACE(unit);
    Matrix A(2, 3);
    A << 1.0, 0.1, unit, 0.1, 1.0, unit;
    decomposition.factor(A, Decomposition::lu, rank_tolerance, true);
    EXPECT_EQ(decomposition.dependent(), (std::vector<Index>{0, 1}));
    decomposition.factor(A, Decomposition::lu, rank_tolerance, false);
    EXPECT_EQ(decomposition.dependent().back(), unit > 1 ? 2 : 1);
  }
}

// --- what only singular values give

class SingularValues : public testing::Test {
 protected:
  // Three rows in unlike units, two of which are combinations of the others.
  Matrix redundant() const {
    Matrix A = some_matrix(4, 6);
    A.row(2) = 3 * A.row(0) - A.row(1);
    A.row(3) = 2 * A.row(0);
    return A;
  }
  ConstraintDecomposition decomposition;
};

TEST_F(SingularValues, SolutionHasMinimalNorm) {
  const Matrix A = redundant();
  decomposition.factor(A, Decomposition::svd, rank_tolerance);
  ASSERT_EQ(decomposition.rank(), 2);
  const Vector b = A * some_matrix(6, 1, 0.4);
  Matrix x(6, 1);
  decomposition.solve(b, x);
  EXPECT_LE(largest(A * x - b), accuracy);
  // nothing of x lies in the kernel
  Matrix K(6, 4);
  decomposition.kernel(K);
  EXPECT_LE(largest(K.transpose() * x), accuracy);
  EXPECT_LE(largest(K.transpose() * K - Matrix::Identity(4, 4)), accuracy);
  // and it is the solution of two independent rows alone
  const Vector alone =
      A.topRows(2).transpose() * (A.topRows(2) * A.topRows(2).transpose()).ldlt().solve(b.head(2));
  EXPECT_LE(largest(x - alone), accuracy);
}

TEST_F(SingularValues, ColumnsAreNeverScaled) {
  // the norm that is minimal is the one of x as it is
  Matrix A = some_matrix(2, 4);
  A.col(1) *= 10;
  decomposition.factor(A, Decomposition::svd, rank_tolerance, true);
  Matrix x(4, 1);
  decomposition.solve(Vector::Ones(2), x);
  const Vector minimal = A.completeOrthogonalDecomposition().solve(Vector::Ones(2));
  EXPECT_LE(largest(x - minimal), accuracy);
}

TEST_F(SingularValues, RowBasisSpansTheRange) {
  for (const bool badly_scaled : {false, true}) {
    SCOPED_TRACE(badly_scaled);
    Matrix A = redundant();
    if (badly_scaled) A = Vector({{1e3, 1e-3, 1.0, 1e2}}).asDiagonal() * A;
    decomposition.factor(A, Decomposition::svd, rank_tolerance);
    ASSERT_EQ(decomposition.rank(), 2);
    Matrix basis;
    decomposition.row_basis(basis);
    ASSERT_EQ(basis.rows(), 4);
    ASSERT_EQ(basis.cols(), 2);
    EXPECT_LE(largest(basis.transpose() * basis - Matrix::Identity(2, 2)), accuracy);
    // every column of A lies in it
    EXPECT_LE(largest(A - basis * (basis.transpose() * A)), accuracy * A.norm());
    // multipliers act on the motion by their part in it alone, and that part is shorter
    const Vector lambda = some_matrix(4, 1, 0.8);
    const Vector minimal = basis * (basis.transpose() * lambda);
    EXPECT_LE(largest(A.transpose() * (lambda - minimal)), accuracy * A.norm());
    EXPECT_LT(minimal.norm(), 0.99 * lambda.norm());
  }
}

TEST_F(SingularValues, RowBasisOfFullRankIsTheIdentity) {
  decomposition.factor(some_matrix(3, 5), Decomposition::svd, rank_tolerance);
  Matrix basis;
  decomposition.row_basis(basis);
  EXPECT_EQ(basis, Matrix::Identity(3, 3));
}

TEST_F(SingularValues, RowBasisOfNothingIsEmpty) {
  Matrix basis = Matrix::Ones(1, 1);
  // rows without columns, after something else was decomposed
  decomposition.factor(some_matrix(3, 5), Decomposition::svd, rank_tolerance);
  decomposition.factor(Matrix(2, 0), Decomposition::svd, rank_tolerance);
  decomposition.row_basis(basis);
  EXPECT_EQ(basis.rows(), 2);
  EXPECT_EQ(basis.cols(), 0);
  // and zero rows
  decomposition.factor(Matrix::Zero(3, 4), Decomposition::svd, rank_tolerance);
  decomposition.row_basis(basis);
  EXPECT_EQ(basis.rows(), 3);
  EXPECT_EQ(basis.cols(), 0);
}

TEST_F(SingularValues, PrescribedRankOverrulesTheTolerance) {
  // a small singular value that the tolerance would keep: 1e-4 is far above it
  Matrix A = some_matrix(3, 5);
  A.row(2) = A.row(0) + 1e-4 * A.row(2);
  decomposition.factor(A, Decomposition::svd, rank_tolerance);
  ASSERT_EQ(decomposition.rank(), 3);
  decomposition.factor(A, Decomposition::svd, rank_tolerance, false, 2);
  EXPECT_EQ(decomposition.rank(), 2);
  Matrix K(5, 3);
  decomposition.kernel(K);
  EXPECT_LE(largest(A * K), 1e-3);
  EXPECT_GT(largest(A * K), 1e-6);  // the small direction is counted to the kernel
  // and one that it would drop
  Matrix nearly = some_matrix(2, 4);
  nearly.row(1) = nearly.row(0) + 1e-12 * nearly.row(1);
  decomposition.factor(nearly, Decomposition::svd, rank_tolerance);
  ASSERT_EQ(decomposition.rank(), 1);
  decomposition.factor(nearly, Decomposition::svd, rank_tolerance, false, 2);
  EXPECT_EQ(decomposition.rank(), 2);
  // never more than there are rows or columns
  decomposition.factor(nearly, Decomposition::svd, rank_tolerance, false, 9);
  EXPECT_EQ(decomposition.rank(), 2);
}

}  // namespace
}  // namespace trammel
