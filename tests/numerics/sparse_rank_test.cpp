// Rank of sparse matrices: against dense decompositions, and of mechanisms whose mobility is known.
#include "trammel/numerics/sparse_rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "trammel/numerics/sparse_elimination.h"

namespace trammel {
namespace {

using Vector3 = Eigen::Vector3d;

SparseMatrix sparse(const Matrix& A) { return A.sparseView(0, 0); }

Matrix with_rows_of_length_one(Matrix A) {
  for (Index i = 0; i < A.rows(); ++i)
    if (A.row(i).norm() > 0) A.row(i) /= A.row(i).norm();
  return A;
}

// Rows and columns are told apart completely, and the chosen ones are independent.
void expect_consistent(const SparseRank& result, const Matrix& A, double smallest_singular_value = 1e-8) {
  const auto complete = [](std::vector<Index> one, const std::vector<Index>& other, Index size) {
    EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
    EXPECT_TRUE(std::is_sorted(other.begin(), other.end()));
    one.insert(one.end(), other.begin(), other.end());
    std::sort(one.begin(), one.end());
    ASSERT_EQ(static_cast<Index>(one.size()), size);
    for (Index i = 0; i < size; ++i) EXPECT_EQ(one[static_cast<std::size_t>(i)], i);
  };
  complete(result.independent_rows(), result.redundant_rows(), A.rows());
  complete(result.pivot_columns(), result.free_columns(), A.cols());
  EXPECT_EQ(result.rows(), A.rows());
  EXPECT_EQ(result.cols(), A.cols());
  ASSERT_EQ(static_cast<Index>(result.independent_rows().size()), result.rank());
  ASSERT_EQ(static_cast<Index>(result.pivot_columns().size()), result.rank());
  if (result.rank() == 0) return;
  const Matrix chosen = with_rows_of_length_one(A)(result.independent_rows(), result.pivot_columns());
  EXPECT_GE(Eigen::BDCSVD<Matrix>(chosen).singularValues().tail(1)(0), smallest_singular_value);
  EXPECT_GT(result.regularity(), 0);
  EXPECT_LE(result.regularity(), 1);
}

// --- against dense decompositions

class RandomMatrices : public testing::Test {
 protected:
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Index below(Index n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); }

  // Some sparse rows and some that are combinations of up to three of them, in any order and unit.
  Matrix with_redundant_rows(Index rows, Index redundant, Index cols, double density) {
    Matrix A = Matrix::Zero(rows + redundant, cols);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        if (0.5 * (number() + 1) < density) A(i, j) = number();
    for (Index i = rows; rows > 0 && i < rows + redundant; ++i)
      for (int k = 0; k < 3; ++k) A.row(i) += number() * A.row(below(rows));
    for (Index i = A.rows() - 1; i > 0; --i) A.row(i).swap(A.row(below(i + 1)));
    for (Index i = 0; i < A.rows(); ++i) A.row(i) *= std::pow(10.0, 6 * number());
    return A;
  }
  std::mt19937 random{7};
};

TEST_F(RandomMatrices, RankIsThatOfDenseDecompositions) {
  int compared = 0, redundant = 0;
  for (int k = 0; k < 500; ++k) {
    const Index cols = 1 + below(40), rows = below(cols + 5), extra = below(15);
    const Matrix A = with_redundant_rows(rows, extra, cols, 0.05 + 0.2 * (number() + 1));
    if (A.rows() == 0) continue;
    const Matrix scaled = with_rows_of_length_one(A);
    Eigen::ColPivHouseholderQR<Matrix> qr(scaled);
    Eigen::FullPivLU<Matrix> lu(scaled);
    qr.setThreshold(1e-9);
    lu.setThreshold(1e-9);
    if (qr.rank() != lu.rank()) continue;  // it is not clear
    SCOPED_TRACE(testing::Message() << k << ": " << A.rows() << " × " << cols);
    SparseRank result;
    ASSERT_TRUE(result.factor(sparse(A)));
    ASSERT_EQ(result.rank(), qr.rank());
    expect_consistent(result, A);
    EXPECT_LE(result.largest_rejected(), 1e-12);
    ++compared;
    redundant += static_cast<int>(A.rows() - qr.rank());
  }
  EXPECT_GE(compared, 400);
  EXPECT_GE(redundant, 1000);
}

TEST_F(RandomMatrices, TheStepsOfTheEliminationSolve) {
  for (int k = 0; k < 100; ++k) {
    const Index cols = 1 + below(30);
    const Matrix A = with_redundant_rows(1 + below(cols + 5), below(6), cols, 0.1 + 0.2 * (number() + 1));
    SparseElimination elimination(sparse(A), {1e-9, 0.3, 0});
    ASSERT_TRUE(elimination.run());
    std::vector<Index> rows, columns;
    for (Index i = 0; i < A.rows(); ++i)
      if (elimination.is_pivot_row(i)) rows.push_back(i);
    for (Index j = 0; j < A.cols(); ++j)
      if (elimination.is_pivot_column(j)) columns.push_back(j);
    ASSERT_EQ(rows.size(), columns.size());
    const Matrix B = with_rows_of_length_one(A)(rows, columns);
    const Vector b = Vector::Random(A.rows()), c = Vector::Random(A.cols());
    const Vector x = elimination.solve(b), y = elimination.solve_transposed(c);
    const auto exact = [](const Matrix& matrix, const Vector& solution, const Vector& right) {
      return (matrix * solution - right).norm() <=
             1e-12 * (right.norm() + matrix.norm() * solution.norm()) * static_cast<double>(1 + right.size());
    };
    EXPECT_TRUE(exact(B, x(columns), b(rows)));
    EXPECT_TRUE(exact(B.transpose(), y(rows), c(columns)));
    for (Index j = 0; j < A.cols(); ++j) EXPECT_TRUE(elimination.is_pivot_column(j) || x[j] == 0) << j;
    for (Index i = 0; i < A.rows(); ++i) EXPECT_TRUE(elimination.is_pivot_row(i) || y[i] == 0) << i;
  }
}

TEST_F(RandomMatrices, ThresholdDoesNotMatterForTheRank) {
  SparseRank result;
  for (const double threshold : {0.05, 0.3, 1.0}) {
    result.set_pivot_threshold(threshold);
    const Matrix A = with_redundant_rows(20, 10, 30, 0.2);
    result.factor(sparse(A));
    EXPECT_EQ(result.rank(), Eigen::FullPivLU<Matrix>(with_rows_of_length_one(A)).rank());
    expect_consistent(result, A);
  }
  EXPECT_THROW(result.set_pivot_threshold(0), std::invalid_argument);
  EXPECT_THROW(result.set_pivot_threshold(1.5), std::invalid_argument);
}

TEST_F(RandomMatrices, NearlyRedundantRows) {
  for (const double distance : {1e-3, 1e-5, 1e-7}) {
    SCOPED_TRACE(distance);
    for (int k = 0; k < 30; ++k) {
      Matrix A(12, 20);
      for (Index i = 0; i < A.size(); ++i) A.data()[i] = below(3) == 0 ? number() : 0.0;
      for (const Index row : {3, 7, 11}) {
        A.row(row) = number() * A.row(row - 1) + number() * A.row(row - 3);
        A.row(row) += distance * A.row(row).norm() * Vector::Unit(20, below(20)).transpose();
      }
      if (Eigen::JacobiSVD<Matrix>(with_rows_of_length_one(A)).singularValues()(11) < 0.02 * distance)
        continue;
      SparseRank result;
      result.factor(sparse(A), 1e-10);
      EXPECT_EQ(result.rank(), 12);
      EXPECT_LE(result.regularity(), 20 * distance);
      EXPECT_GE(result.regularity(), 1e-3 * distance);
      result.factor(sparse(A), 30 * distance);
      EXPECT_LE(result.rank(), 10);
    }
  }
}

TEST_F(RandomMatrices, UnitsOfRowsChangeNothing) {
  const Matrix A = with_redundant_rows(15, 8, 25, 0.2);
  Matrix other = A;
  for (Index i = 0; i < A.rows(); ++i)
    other.row(i) *= std::ldexp(i % 2 == 0 ? 1 : -1, static_cast<int>(below(800)) - 400);
  SparseRank one, two;
  one.factor(sparse(A));
  two.factor(sparse(other));
  EXPECT_EQ(one.independent_rows(), two.independent_rows());
  EXPECT_EQ(one.pivot_columns(), two.pivot_columns());
  EXPECT_EQ(one.regularity(), two.regularity());
}

TEST_F(RandomMatrices, TheFirstOfCopiesIsKept) {
  for (int k = 0; k < 50; ++k) {
    // 24 rows of which each third is a copy of an earlier one
    Matrix A = with_redundant_rows(24, 0, 40, 0.1);
    for (Index i = 0; i < 24; ++i) A(i, i) += 3 * A.row(i).norm() + 1;
    std::vector<Index> copies;
    for (Index i = 2; i < 24; i += 3) {
      A.row(i) = (i % 2 == 0 ? 1.0 : -4.0) * A.row(below(i));
      copies.push_back(i);
    }
    SparseRank result;
    result.factor(sparse(A));
    EXPECT_EQ(result.redundant_rows(), copies);
    expect_consistent(result, A);
  }
}

TEST_F(RandomMatrices, PreferredColumnsAreSolvedFor) {
  // each row can be solved for one of three columns
  Matrix A = Matrix::Zero(5, 15);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 3; ++j)
      A(i, 3 * i + j) = (0.5 + 0.5 * std::abs(number())) * (below(2) == 0 ? 1 : -1);
  for (Index kept = 0; kept < 3; ++kept) {
    Vector weight = Vector::Constant(15, 7.0);
    for (Index i = 0; i < 5; ++i) weight[3 * i + kept] = 0.0;
    SparseRank result;
    result.factor(sparse(A), 1e-9, weight);
    EXPECT_EQ(result.rank(), 5);
    for (const Index column : result.pivot_columns()) EXPECT_NE(column % 3, kept);
  }
  // where there is no other way, they are taken nevertheless
  SparseRank result;
  Vector weight = Vector::Zero(15);
  weight[0] = 1;
  result.factor(sparse(A), 1e-9, weight);
  EXPECT_EQ(result.rank(), 5);
  EXPECT_THROW(result.factor(sparse(A), 1e-9, Vector::Ones(3)), std::invalid_argument);
  // weights never cost rank
  for (int k = 0; k < 100; ++k) {
    const Matrix B = with_redundant_rows(15, 5, 25, 0.2);
    Vector random_weight(25);
    for (double& w : random_weight) w = std::pow(10.0, 3 * number());
    result.factor(sparse(B), 1e-9, random_weight);
    EXPECT_EQ(result.rank(), Eigen::FullPivLU<Matrix>(with_rows_of_length_one(B)).setThreshold(1e-9).rank());
  }
}

TEST(SparseRank, EmptyMatricesAndZeroRows) {
  SparseRank result;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 0}, {3, 0}, {0, 4}, {3, 4}}) {
    ASSERT_TRUE(result.factor(SparseMatrix(rows, cols)));
    EXPECT_EQ(result.rank(), 0);
    EXPECT_EQ(result.regularity(), 1.0);
    expect_consistent(result, Matrix::Zero(rows, cols));
  }
  Matrix A = Matrix::Zero(4, 3);
  A(1, 2) = 1e-30;  // small, but all that this row has
  A(3, 0) = 5;
  ASSERT_TRUE(result.factor(sparse(A)));
  EXPECT_EQ(result.independent_rows(), (std::vector<Index>{1, 3}));
  EXPECT_EQ(result.redundant_rows(), (std::vector<Index>{0, 2}));
  EXPECT_EQ(result.pivot_columns(), (std::vector<Index>{0, 2}));
  // entries that are there but zero
  SparsePattern pattern(2, 2);
  pattern.add_block(0, 0, 2, 2);
  result.factor(pattern.finish());
  EXPECT_EQ(result.rank(), 0);
}

// A plane structure of three bodies with one joint too many. All but the last choice of nine rows are as good as the
// whole; to go by cost alone led to one with a singular value of 4e-5.
TEST(SparseRank, OfRowsThatAreLeftOutTheOthersAreAGoodChoice) {
  Matrix A(10, 9);
  A << 1, 0, 0.129152, 0, 0, 0, 0, 0, 0,                                        //
      0, 1, -0.116399, 0, 0, 0, 0, 0, 0,                                        //
      -0.965827, -0.259186, 0.0489499, 0.965827, 0.259186, -0.027494, 0, 0, 0,  //
      0, 0, 1, 0, 0, -1, 0, 0, 0,                                               //
      0, 0, 0, -1, 0, -0.19853, 1, 0, -0.0974214,                               //
      0, 0, 0, 0, -1, -0.16689, 0, 1, 0.0411419,                                //
      0, 0, 0, 0.285805, -0.958288, 0.897338, 0, 0, 0,                          //
      0, 0, 0, 0, 0, -1, 0, 0, 0,                                               //
      -1, 0, -0.0205748, 0, 0, 0, 1, 0, -0.0608437,                             //
      0, -1, -0.288932, 0, 0, 0, 0, 1, -0.553466;
  SparseRank rank;
  ASSERT_TRUE(rank.factor(sparse(A)));
  EXPECT_EQ(rank.rank(), 9);
  expect_consistent(rank, A, 0.01);
}

TEST(SparseRank, EntriesThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix A = Matrix::Identity(3, 3);
    A(1, 2) = bad;
    SparseRank result;
    EXPECT_FALSE(result.factor(sparse(A)));
    EXPECT_EQ(result.rank(), 0);
    EXPECT_TRUE(result.factor(sparse(Matrix::Identity(3, 3))));
    EXPECT_EQ(result.rank(), 3);
  }
}

// --- mechanisms

// Velocities of a body: of its centre, angular. −1 is the ground.
class Hinges {
 public:
  explicit Hinges(const Vector3& axis) : axis_(axis.normalized()) {}

  // A hinge at a point, in the plane normal to the axis; centres likewise.
  void add(int a, const Vector3& centre_a, int b, const Vector3& centre_b, const Vector3& point) {
    const Vector3 u = axis_.unitOrthogonal(), w = axis_.cross(u);
    one_side(a, turned(point - centre_a), -1.0, u, w);
    one_side(b, turned(point - centre_b), 1.0, u, w);
    rows_ += 5;
  }
  // A ball joint.
  void add_ball(int a, const Vector3& arm_a, int b, const Vector3& arm_b) {
    translation(a, arm_a, -1.0);
    translation(b, arm_b, 1.0);
    rows_ += 3;
  }
  SparseMatrix jacobian(int bodies) const {
    SparseMatrix G(rows_, 6 * bodies);
    G.setFromTriplets(entries_.begin(), entries_.end());
    return G;
  }

 private:
  Vector3 turned(const Vector3& x) const {
    return Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), axis_) * x;
  }
  void translation(int body, const Vector3& arm, double sign) {
    if (body < 0) return;
    for (int i = 0; i < 3; ++i) {
      entries_.emplace_back(rows_ + i, 6 * body + i, sign);
      const Vector3 turning = arm.cross(Vector3::Unit(i));
      for (int k = 0; k < 3; ++k) entries_.emplace_back(rows_ + i, 6 * body + 3 + k, sign * turning[k]);
    }
  }
  void one_side(int body, const Vector3& arm, double sign, const Vector3& u, const Vector3& w) {
    if (body < 0) return;
    translation(body, arm, sign);
    for (int k = 0; k < 3; ++k) {
      entries_.emplace_back(rows_ + 3, 6 * body + 3 + k, sign * u[k]);
      entries_.emplace_back(rows_ + 4, 6 * body + 3 + k, sign * w[k]);
    }
  }
  Vector3 axis_;
  int rows_ = 0;
  std::vector<Eigen::Triplet<double, int>> entries_;
};

const Vector3 upright = Vector3::UnitZ(), tilted(1, 2, 3);

// A row of parallelograms: cranks on the ground, their tips connected, all hinges parallel. One degree of
// freedom; stretched out, each loop has one more for an instant.
SparseMatrix parallelograms(int loops, double angle, const Vector3& axis) {
  Hinges hinges(axis);
  const Vector3 crank(std::cos(angle), std::sin(angle), 0), half(0.5, 0, 0);
  for (int i = 0; i <= loops; ++i) {
    const Vector3 foot(i, 0, 0), tip = foot + crank;
    hinges.add(-1, foot, i, foot + crank / 2, foot);
    if (i > 0) hinges.add(i, foot + crank / 2, loops + i, tip - half, tip);
    if (i < loops) hinges.add(i, foot + crank / 2, loops + 1 + i, tip + half, tip);
  }
  return hinges.jacobian(2 * loops + 1);
}

TEST(SparseRankOfMechanisms, Parallelograms) {
  for (const Vector3& axis : {upright, tilted})
    for (const int loops : {1, 2, 10, 60})
      for (const double angle : {0.7, 1e-2, 1e-4, 1e-7}) {
        SCOPED_TRACE(testing::Message() << loops << " loops at " << angle);
        const SparseMatrix G = parallelograms(loops, angle, axis);
        SparseRank result;
        result.factor(G);
        EXPECT_EQ(result.rank(), G.cols() - 1);
        EXPECT_GE(result.regularity(), 0.01 * angle);
        EXPECT_LE(result.regularity(), 20 * angle);
        if (loops <= 10) expect_consistent(result, Matrix(G), 1e-3 * angle);
        result.factor(parallelograms(loops, 0, axis));
        EXPECT_EQ(result.rank(), G.cols() - 1 - loops);
        EXPECT_GE(result.regularity(), 0.01);
      }
}

// Squares that hang together at their corners turn in opposite directions: one degree of freedom, however
// many, and four redundant conditions for each. Rows chosen by cost alone would follow from each other along
// the grid, and round-off would grow to a rank too many.
SparseMatrix turning_squares(int count, double angle, const Vector3& axis) {
  Hinges hinges(axis);
  const double distance = std::cos(angle) + std::sin(angle);
  const auto centre = [&](int i, int j) { return Vector3(i * distance, j * distance, 0); };
  // the corner towards the neighbour on the right, and on the left
  const auto corner = [&](int i, int j, int quarter) {
    const double direction = ((i + j) % 2 == 0 ? angle : -angle) + M_PI / 4 * (2 * quarter + 1);
    return Vector3(centre(i, j) + std::sqrt(0.5) * Vector3(std::cos(direction), std::sin(direction), 0));
  };
  const auto meet = [&](int i, int j, int k, int l) {
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int other = 0; other < 4; ++other) {
        const Vector3 point = corner(i, j, quarter);
        if ((point - corner(k, l, other)).norm() > 1e-9) continue;
        // the first square is the ground
        hinges.add(i * count + j - 1, centre(i, j), k * count + l - 1, centre(k, l), point);
        return;
      }
    ADD_FAILURE() << "the squares do not meet";
  };
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      if (i + 1 < count) meet(i, j, i + 1, j);
      if (j + 1 < count) meet(i, j, i, j + 1);
    }
  return hinges.jacobian(count * count - 1);
}

TEST(SparseRankOfMechanisms, TurningSquares) {
  for (const Vector3& axis : {upright, tilted})
    for (const int count : {2, 3, 6, 10})
      for (const double angle : {0.3, 0.1}) {
        SCOPED_TRACE(testing::Message() << count << " × " << count << " at " << angle);
        const SparseMatrix G = turning_squares(count, angle, axis);
        SparseRank result;
        result.factor(G);
        EXPECT_EQ(result.rank(), G.cols() - 1);
        EXPECT_LE(result.largest_rejected(), 1e-12);
        if (count <= 6) expect_consistent(result, Matrix(G), 1e-5);
        if (count == 10 && angle == 0.1) {
          EXPECT_TRUE(result.repeated());
        }
      }
}

// --- what it costs

TEST(SparseRankWork, ChainsAndLoopsAreLinear) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> between(-1, 1);
  const auto arm = [&](double length) {
    return Vector3(length * Vector3::NullaryExpr([&] { return between(random); }));
  };
  for (const double length : {1.0, 0.01})
    for (const bool closed : {false, true})
      for (const int bodies : {500, 5000}) {
        SCOPED_TRACE(testing::Message()
                     << bodies << " bodies, arms of " << length << (closed ? ", closed" : ""));
        Hinges joints(upright);
        for (int b = 0; b < bodies; ++b) joints.add_ball(b - 1, arm(length), b, arm(length));
        if (closed) joints.add_ball(-1, arm(length), bodies - 1, arm(length));
        const SparseMatrix G = joints.jacobian(bodies);
        SparseRank result;
        result.factor(G);
        EXPECT_EQ(result.rank(), G.rows());
        EXPECT_FALSE(result.repeated());
        EXPECT_LE(result.work(), 45 * G.nonZeros());
      }
}

TEST(SparseRankWork, RedundantLoopsInARowAreLinear) {
  for (const Vector3& axis : {upright, tilted})
    for (const int loops : {100, 1000}) {
      const SparseMatrix G = parallelograms(loops, 0.7, axis);
      SparseRank result;
      result.factor(G);
      EXPECT_EQ(result.rank(), G.cols() - 1);
      EXPECT_FALSE(result.repeated());
      EXPECT_LE(result.work(), 20 * G.nonZeros());
    }
}

// Not linear, as nothing in two dimensions is, but far from the cube.
TEST(SparseRankWork, RedundantRowsOfAGridAreGivenUpEarly) {
  const SparseMatrix G = turning_squares(16, 0.1, upright);
  SparseRank result;
  result.factor(G);
  EXPECT_EQ(result.rank(), G.cols() - 1);
  EXPECT_TRUE(result.repeated());
  EXPECT_LE(result.work(), 1000 * G.nonZeros());
}

TEST(SparseRankWork, OneBodyWithManyNeighboursIsLinear) {
  for (const int bodies : {300, 3000}) {
    Hinges joints(tilted);
    for (int b = 1; b < bodies; ++b)
      joints.add(0, Vector3::Zero(), b, Vector3(b % 7, 1, 0), Vector3(b % 5, 2, 0));
    const SparseMatrix G = joints.jacobian(bodies);
    SparseRank result;
    result.factor(G);
    EXPECT_EQ(result.rank(), G.rows());
    EXPECT_LE(result.work(), 20 * G.nonZeros());
  }
}

}  // namespace
}  // namespace trammel
