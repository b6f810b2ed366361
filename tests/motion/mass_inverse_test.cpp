#include "trammel/motion/mass_inverse.h"

#include <gtest/gtest.h>

namespace trammel {
namespace {

// Solves with matrices of condition below 100.
constexpr double accuracy = 1e-13;

Matrix some_mass() {
  Matrix M(3, 3);
  M << 4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0;
  return M;
}

TEST(MassInverse, Dense) {
  MassInverse inverse;
  ASSERT_TRUE(inverse.factor(some_mass(), false));
  Vector exact(3);
  exact << 1.0, -2.0, 0.5;
  Vector b = some_mass() * exact;
  inverse.solve_in_place(b);
  EXPECT_LE((b - exact).lpNorm<Eigen::Infinity>(), accuracy);
  // several columns at once
  Matrix B = some_mass() * some_mass();
  inverse.solve_in_place(B);
  EXPECT_LE((B - some_mass()).cwiseAbs().maxCoeff(), accuracy);
}

TEST(MassInverse, Diagonal) {
  const Vector masses{{2.0, 0.5, 8.0}};
  MassInverse inverse;
  ASSERT_TRUE(inverse.factor(masses.asDiagonal(), true));
  Vector b{{1.0, 1.0, 1.0}};
  inverse.solve_in_place(b);
  EXPECT_EQ(b, (Vector{{0.5, 2.0, 0.125}}));
  Matrix B = Matrix::Ones(3, 2);
  B.col(1) *= 2;
  inverse.solve_in_place(B);
  EXPECT_EQ(B.col(0), b);
  EXPECT_EQ(B.col(1), 2 * b);
}

TEST(MassInverse, CanChangeFromDiagonalToDense) {
  MassInverse inverse;
  ASSERT_TRUE(inverse.factor(Matrix::Identity(3, 3), true));
  ASSERT_TRUE(inverse.factor(some_mass(), false));
  Vector b = some_mass().col(1);
  inverse.solve_in_place(b);
  EXPECT_LE((b - Vector::Unit(3, 1)).lpNorm<Eigen::Infinity>(), accuracy);
}

TEST(MassInverse, NothingThatMoves) {
  MassInverse inverse;
  Vector b(0);
  ASSERT_TRUE(inverse.factor(Matrix(0, 0), false));
  inverse.solve_in_place(b);
  ASSERT_TRUE(inverse.factor(Matrix(0, 0), true));
  ASSERT_TRUE(inverse.factor_on_kernel(Matrix(0, 0), Matrix(0, 0)));
  inverse.solve_in_place(b);
}

TEST(MassInverse, RefusesWhatIsNotPositiveDefinite) {
  MassInverse inverse;
  Matrix indefinite = some_mass();
  indefinite(2, 2) = -1;
  EXPECT_FALSE(inverse.factor(indefinite, false));
  EXPECT_FALSE(inverse.factor(Vector{{1.0, -1.0}}.asDiagonal(), true));
  Matrix saddle(2, 2);  // positive on its diagonal
  saddle << 1, 2, 2, 1;
  EXPECT_FALSE(inverse.factor(saddle, false));
  // singular: a massless coordinate, and a direction without inertia up to round-off
  EXPECT_FALSE(inverse.factor(Vector{{1.0, 0.0}}.asDiagonal(), true));
  EXPECT_FALSE(inverse.factor(Vector{{1.0, 0.0}}.asDiagonal(), false));
  const Vector direction{{0.1, 0.7, -0.3}};
  EXPECT_FALSE(inverse.factor(direction * direction.transpose(), false));
  EXPECT_FALSE(inverse.factor(Matrix::Zero(2, 2), false));
  EXPECT_FALSE(inverse.factor(Matrix::Zero(2, 2), true));
  Matrix nearly = Matrix::Ones(2, 2);
  nearly(1, 1) += 4e-16;
  EXPECT_FALSE(inverse.factor(nearly, false));
  // not a number
  Matrix nothing = some_mass();
  nothing(1, 1) = std::nan("");
  EXPECT_FALSE(inverse.factor(nothing, false));
  EXPECT_FALSE(inverse.factor(nothing, true));
  EXPECT_FALSE(inverse.factor(Vector{{std::nan(""), 1.0}}.asDiagonal(), true));
}

TEST(MassInverse, UnitsDoNotMakeItSingular) {
  // a ship in grams and a balance wheel in kg m²
  const Matrix M = Vector{{1e10, 1e-8}}.asDiagonal();
  for (const bool diagonal : {false, true}) {
    MassInverse inverse;
    ASSERT_TRUE(inverse.factor(M, diagonal)) << diagonal;
    Vector b{{1e10, 1e-8}};
    inverse.solve_in_place(b);
    EXPECT_LE((b - Vector::Ones(2)).lpNorm<Eigen::Infinity>(), accuracy);
  }
}

// M a = f − Cᵀλ, C a = −γ with M singular but definite on the kernel of C: the same accelerations follow from
// (M + CᵀWC) a = f − CᵀWγ for a λ that fits, that is, for f − Cᵀλ in place of f.
TEST(MassInverse, SingularMassThatConstraintsMakeUpFor) {
  Matrix M = Matrix::Zero(3, 3);
  M(0, 0) = 2;
  M(1, 1) = 5;  // the third coordinate has no mass, but is tied to the others
  Matrix C(1, 3);
  C << 0.5, -0.3, 1.0;
  const Vector f{{1.0, -2.0, 0.7}}, gamma{{0.4}};

  // the saddle-point system itself
  Matrix saddle = Matrix::Zero(4, 4);
  saddle.topLeftCorner(3, 3) = M;
  saddle.topRightCorner(3, 1) = C.transpose();
  saddle.bottomLeftCorner(1, 3) = C;
  Vector right(4);
  right << f, -gamma;
  const Vector exact = saddle.fullPivLu().solve(right);

  MassInverse inverse;
  EXPECT_FALSE(inverse.factor(M, true));  // a diagonal matrix, until CᵀWC is added
  ASSERT_TRUE(inverse.factor_on_kernel(M, C));
  EXPECT_GT(inverse.weight(), 0);
  Vector a = f - C.transpose() * exact.tail(1) - inverse.weight() * C.transpose() * gamma;
  inverse.solve_in_place(a);
  EXPECT_LE((a - exact.head(3)).lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST(MassInverse, WeightFollowsTheUnitsOfTheMass) {
  // the same mechanism in other units of mass and of the constraint: the weight keeps the balance
  Matrix M = Matrix::Zero(2, 2), C(1, 2);
  M(0, 0) = 3;
  C << 0.2, 1.0;
  MassInverse inverse;
  ASSERT_TRUE(inverse.factor_on_kernel(M, C));
  const double weight = inverse.weight();
  ASSERT_TRUE(inverse.factor_on_kernel(1e6 * M, C));
  EXPECT_NEAR(inverse.weight(), 1e6 * weight, 1e-6 * weight);
  ASSERT_TRUE(inverse.factor_on_kernel(M, 1e3 * C));
  EXPECT_NEAR(inverse.weight(), 1e-6 * weight, 1e-18 * weight);
}

TEST(MassInverse, RefusesAMotionWithoutInertia) {
  Matrix M = Matrix::Zero(3, 3);
  M(0, 0) = 1;
  Matrix C(1, 3);
  C << 1.0, 1.0, 0.0;  // nothing holds the third coordinate
  MassInverse inverse;
  EXPECT_FALSE(inverse.factor_on_kernel(M, C));
  // without constraints at all
  EXPECT_FALSE(inverse.factor_on_kernel(M, Matrix(0, 3)));
  // and a negative mass is not made up for where the constraint does not reach
  M(2, 2) = -1;
  M(1, 1) = 1;
  EXPECT_FALSE(inverse.factor_on_kernel(M, C));
}

}  // namespace
}  // namespace trammel
