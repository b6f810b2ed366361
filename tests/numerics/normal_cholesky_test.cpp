#include "trammel/numerics/normal_cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace trammel {
namespace {

// Three rows for each pair of groups of columns, or for one group and the ground (-1).
SparseMatrix rows_between(const std::vector<std::pair<int, int>>& pairs, int groups, int size, double seed) {
  std::vector<Eigen::Triplet<double, int>> entries;
  int row = 0;
  for (const auto& [a, b] : pairs)
    for (int i = 0; i < 3; ++i, ++row)
      for (const int group : {a, b})
        for (int k = 0; group >= 0 && k < size; ++k)
          entries.emplace_back(row, size * group + k, std::sin(seed + 5 * row + 3.1 * k + 1.7 * group));
  SparseMatrix D(row, size * groups);
  D.setFromTriplets(entries.begin(), entries.end());
  return D;
}

// A net of loops, a branch, a group that no row touches, and rows that are there twice.
const std::vector<std::pair<int, int>> net{{-1, 0}, {0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4},
                                           {4, 5},  {5, 1}, {2, 6}, {6, 7}, {2, 6}};

Matrix shifted(const SparseMatrix& D, double epsilon) {
  Matrix normal = Matrix(D).transpose() * Matrix(D);
  normal.diagonal().array() += epsilon * normal.diagonal().maxCoeff();
  return normal;
}

TEST(NormalCholesky, SolvesForGroupsOfSixAndOfThree) {
  constexpr double epsilon = 1e-3;  // so that the condition leaves digits to compare
  for (const int size : {6, 3}) {
    std::unique_ptr<NormalCholesky> factors;
    for (const double seed : {0.2, 1.9}) {
      const SparseMatrix D = rows_between(net, 9, size, seed);
      if (!factors) factors = make_normal_cholesky(D);
      ASSERT_TRUE(factors);
      ASSERT_TRUE(factors->factor(D, epsilon));
      Vector expected(D.cols());
      for (Index i = 0; i < expected.size(); ++i) expected[i] = std::cos(2.3 * static_cast<double>(i));
      Vector x = shifted(D, epsilon) * expected;
      factors->solve(x);
      EXPECT_LE((x - expected).norm(), 1e-11 * expected.norm()) << size << ' ' << seed;
    }
  }
}

TEST(NormalCholesky, DoesNotRememberOtherFactors) {
  const SparseMatrix first = rows_between(net, 9, 6, 0.4), second = rows_between(net, 9, 6, 2.5);
  const std::unique_ptr<NormalCholesky> old = make_normal_cholesky(first),
                                        fresh = make_normal_cholesky(second);
  ASSERT_TRUE(old->factor(first, 1e-12));
  ASSERT_TRUE(old->factor(second, 1e-12));
  ASSERT_TRUE(fresh->factor(second, 1e-12));
  Vector x = Vector::LinSpaced(second.cols(), -1, 2), y = x;
  old->solve(x);
  fresh->solve(y);
  EXPECT_EQ(x, y);  // to the last bit
}

TEST(NormalCholesky, IsNotForColumnsOfOtherKinds) {
  SparseMatrix D = rows_between(net, 9, 6, 0.2);
  EXPECT_TRUE(make_normal_cholesky(D));
  D.coeffRef(0, 6 * 4 + 2) = 1;  // a row that only one column of a group is in
  D.makeCompressed();
  EXPECT_FALSE(make_normal_cholesky(D));

  // one row across everything fills the matrix
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int k = 0; k < 600; ++k) entries.emplace_back(0, k, 1.0);
  SparseMatrix long_row(1, 600);
  long_row.setFromTriplets(entries.begin(), entries.end());
  EXPECT_FALSE(make_normal_cholesky(long_row));
}

TEST(NormalCholesky, RefusesWhatIsNotFinite) {
  SparseMatrix D = rows_between(net, 9, 6, 0.2);
  const std::unique_ptr<NormalCholesky> factors = make_normal_cholesky(D);
  D.valuePtr()[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(factors->factor(D, 1e-12));
}

}  // namespace
}  // namespace trammel
