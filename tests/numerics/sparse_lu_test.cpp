// Sparse LU: solutions, kept and new pivots, singular matrices.
#include "trammel/numerics/sparse_lu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>

namespace trammel {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Scalar>
class SparseLuOf : public testing::Test {
 protected:
  using Sparse = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  Scalar number() {
    std::uniform_real_distribution<double> between(-1, 1);
    const double real = between(random);
    if constexpr (std::is_same_v<Scalar, double>)
      return real;
    else
      return {real, between(random)};
  }

  Dense some_dense(Index rows, Index cols) {
    Dense result(rows, cols);
    for (Index i = 0; i < result.size(); ++i) result.data()[i] = number();
    return result;
  }

  // [M, Gᵀ; G, 0] of a chain: three velocities a body, two conditions on each two neighbours.
  Sparse chain(int bodies) {
    std::vector<Eigen::Triplet<Scalar, int>> entries;
    const int rows = 2 * (bodies - 1), n = 3 * bodies + rows;
    for (int b = 0; b < bodies; ++b)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          entries.emplace_back(3 * b + i, 3 * b + j, 0.2 * number() + (i == j ? 2.0 : 0.0));
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < 6; ++k) {
        const Scalar x = number();
        entries.emplace_back(3 * bodies + r, 3 * (r / 2) + k, x);
        entries.emplace_back(3 * (r / 2) + k, 3 * bodies + r, x);
      }
    Sparse A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  }

  Sparse from(const Dense& A) { return A.sparseView(0, 0); }

  double error(SparseLu<Scalar>& decomposition, const Sparse& A) {
    const Dense exact = some_dense(A.rows(), 1);
    Dense x = A * exact;
    decomposition.solve(x);
    return (x - exact).norm() / exact.norm();
  }

  std::mt19937 random{42};
  SparseLu<Scalar> lu;
};

struct ScalarName {
  template <class Scalar>
  static std::string GetName(int) {
    return std::is_same_v<Scalar, double> ? "real" : "complex";
  }
};
using Scalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(SparseLuOf, Scalars, ScalarName);

TYPED_TEST(SparseLuOf, SolvesAsTheDenseDecompositionDoes) {
  const auto A = this->chain(20);
  this->lu.analyze(A);
  ASSERT_TRUE(this->lu.factor(A));
  EXPECT_EQ(this->lu.size(), A.rows());
  const typename TestFixture::Dense dense(A), b = this->some_dense(A.rows(), 5);
  const auto expected = dense.partialPivLu().solve(b).eval();
  const auto expected_transposed = dense.transpose().partialPivLu().solve(b).eval();

  typename TestFixture::Dense x = b;
  this->lu.solve(x);
  EXPECT_LE((x - expected).norm(), 1e-10 * expected.norm());
  x = b;
  this->lu.solve_transposed(x);
  EXPECT_LE((x - expected_transposed).norm(), 1e-10 * expected_transposed.norm());

  // one vector, and a part of something larger
  Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> one = b.col(2);
  this->lu.solve(one);
  EXPECT_LE((one - expected.col(2)).norm(), 1e-10 * expected.norm());
  typename TestFixture::Dense large = this->some_dense(A.rows() + 3, 6);
  const auto before = large;
  large.block(2, 1, A.rows(), 5) = b;
  this->lu.solve(large.block(2, 1, A.rows(), 5));
  EXPECT_LE((large.block(2, 1, A.rows(), 5) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_EQ(large.topRows(2), before.topRows(2));
  EXPECT_EQ(large.bottomRows(1), before.bottomRows(1));
}

TYPED_TEST(SparseLuOf, UnsymmetricPatterns) {
  for (int n : {1, 2, 7, 40})
    for (int repeat = 0; repeat < 10; ++repeat) {
      // a few entries in each row and, so that it is regular, a shifted diagonal
      typename TestFixture::Dense dense = TestFixture::Dense::Zero(n, n);
      for (int i = 0; i < n; ++i) dense(i, (i + n / 2) % n) = 3.0;
      for (int k = 0; k < 2 * n; ++k)
        dense(static_cast<Index>(this->random() % n), static_cast<Index>(this->random() % n)) +=
            this->number();
      const auto A = this->from(dense);
      this->lu.analyze(A);
      ASSERT_TRUE(this->lu.factor(A)) << n;
      EXPECT_LE(this->error(this->lu, A), 1e-10) << n;
    }
}

TYPED_TEST(SparseLuOf, PivotsAreKept) {
  auto A = this->chain(30);
  this->lu.analyze(A);
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(this->lu.factor(A));
    EXPECT_LE(this->error(this->lu, A), 1e-11);
    for (Index i = 0; i < A.nonZeros(); ++i) A.valuePtr()[i] *= 1.0 + 0.02 * this->number();
  }
  EXPECT_EQ(this->lu.factorizations(), 1);
  EXPECT_EQ(this->lu.refactorizations(), 9);
  this->lu.forget_pivots();
  ASSERT_TRUE(this->lu.factor(A));
  EXPECT_EQ(this->lu.factorizations(), 2);
}

// In the middle of a chain the pivot that was chosen first becomes small: to keep it would cost nearly all
// digits.
TYPED_TEST(SparseLuOf, BadPivotsAreGivenUp) {
  const int bodies = 30;
  for (const double small : {0.0, 1e-14, 1e-9}) {
    SCOPED_TRACE(small);
    auto A = this->chain(bodies);
    const auto set = [&](double size) {
      for (int b = 0; b < bodies; ++b)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) A.coeffRef(3 * b + i, 3 * b + j) = i == j ? size : 0.1 * size;
    };
    set(5.0);
    SparseLu<TypeParam> own;
    own.analyze(A);
    ASSERT_TRUE(own.factor(A));
    // without inertia at all the matrix would be singular; what is left is far from it
    set(small);
    for (int b = 0; b < bodies; ++b)
      A.coeffRef(3 * b + 2, 3 * b + 1) = A.coeffRef(3 * b + 1, 3 * b + 2) = 1.0;
    A.coeffRef(0, 0) = 1.0;
    A.coeffRef(3 * bodies - 1, 3 * bodies - 1) = 1.0;
    ASSERT_TRUE(own.factor(A));
    EXPECT_EQ(own.factorizations(), 2);
    EXPECT_EQ(own.refactorizations(), 0);
    const typename TestFixture::Dense dense(A);
    const double condition = dense.norm() * dense.inverse().norm();
    ASSERT_LE(condition, 1e5);
    EXPECT_LE(this->error(own, A), 1e-14 * condition);
    // and the new ones are kept
    ASSERT_TRUE(own.factor(A));
    EXPECT_EQ(own.refactorizations(), 1);
  }
}

TYPED_TEST(SparseLuOf, SingularMatrix) {
  auto A = this->chain(10);
  this->lu.analyze(A);
  ASSERT_TRUE(this->lu.factor(A));
  auto singular = A;
  const int column = 7;
  for (int p = A.outerIndexPtr()[column]; p < A.outerIndexPtr()[column + 1]; ++p)
    singular.valuePtr()[p] = 0.0;
  EXPECT_FALSE(this->lu.factor(singular));
  EXPECT_EQ(this->lu.singular_column(), column);
  EXPECT_EQ(this->lu.smallest_pivot_ratio(), 0.0);
  EXPECT_EQ(this->lu.condition_estimate(singular), infinity);
  typename TestFixture::Dense b = this->some_dense(A.rows(), 1);
  EXPECT_THROW(this->lu.solve(b), std::logic_error);
  // and on again
  ASSERT_TRUE(this->lu.factor(A));
  EXPECT_EQ(this->lu.singular_column(), -1);
  EXPECT_LE(this->error(this->lu, A), 1e-11);
}

TYPED_TEST(SparseLuOf, StructurallySingularMatrix) {
  // two columns of one row
  typename TestFixture::Dense dense = TestFixture::Dense::Zero(4, 4);
  dense(0, 0) = dense(0, 1) = dense(1, 2) = dense(2, 2) = dense(3, 3) = dense(2, 3) = 1.0;
  const auto A = this->from(dense);
  this->lu.analyze(A);
  EXPECT_FALSE(this->lu.factor(A));
  EXPECT_GE(this->lu.singular_column(), 0);
  EXPECT_LT(this->lu.singular_column(), 4);
  EXPECT_FALSE(this->lu.factor(A));

  // no entries at all
  typename TestFixture::Sparse empty(3, 3);
  this->lu.analyze(empty);
  EXPECT_FALSE(this->lu.factor(empty));
  EXPECT_GE(this->lu.singular_column(), 0);
}

// A block of one row has nothing but its pivot; with kept pivots it goes through no elimination.
TYPED_TEST(SparseLuOf, PivotOfABlockOfOneVanishes) {
  typename TestFixture::Dense dense = TestFixture::Dense::Identity(5, 5);
  dense(1, 3) = 2.0;
  auto A = this->from(dense);
  this->lu.analyze(A);
  ASSERT_TRUE(this->lu.factor(A));
  A.coeffRef(2, 2) = 0.0;
  EXPECT_FALSE(this->lu.factor(A));
  EXPECT_EQ(this->lu.singular_column(), 2);
}

TYPED_TEST(SparseLuOf, EntriesThatAreNotFinite) {
  const auto A = this->chain(10);
  this->lu.analyze(A);
  for (const double bad : {not_a_number, infinity, -infinity})
    for (const Index place : {Index(0), A.nonZeros() / 2, A.nonZeros() - 1}) {
      auto broken = A;
      broken.valuePtr()[place] = bad;
      EXPECT_FALSE(this->lu.factor(broken)) << bad << " at " << place;
      EXPECT_EQ(this->lu.singular_column(), -1);
      // both with and without pivots at hand
      ASSERT_TRUE(this->lu.factor(A));
      EXPECT_LE(this->error(this->lu, A), 1e-11);
    }
}

// In a triangular matrix all blocks have one row; what is off them takes part in no elimination.
TYPED_TEST(SparseLuOf, EntryOffTheBlocksIsNotFinite) {
  typename TestFixture::Dense dense = TestFixture::Dense::Ones(6, 6).template triangularView<Eigen::Upper>();
  auto A = this->from(dense);
  this->lu.analyze(A);
  ASSERT_TRUE(this->lu.factor(A));
  EXPECT_EQ(this->lu.fill(), 12);  // the diagonals of both factors
  A.coeffRef(1, 3) = not_a_number;
  EXPECT_FALSE(this->lu.factor(A));
}

TYPED_TEST(SparseLuOf, EmptyMatrix) {
  typename TestFixture::Sparse A(0, 0);
  this->lu.analyze(A);
  EXPECT_TRUE(this->lu.factor(A));
  EXPECT_EQ(this->lu.size(), 0);
  EXPECT_EQ(this->lu.smallest_pivot_ratio(), 1.0);
  EXPECT_EQ(this->lu.condition_estimate(A), 1.0);
  typename TestFixture::Dense b(0, 2);
  this->lu.solve(b);
  this->lu.solve_transposed(b);
}

TYPED_TEST(SparseLuOf, MisuseIsRefused) {
  typename TestFixture::Dense b = this->some_dense(4, 1);
  EXPECT_THROW(this->lu.solve(b), std::logic_error);
  const auto A = this->chain(4);
  EXPECT_THROW(this->lu.factor(A), std::invalid_argument);  // not analysed
  EXPECT_THROW(this->lu.analyze(A.leftCols(3)), std::invalid_argument);
  this->lu.analyze(A);
  EXPECT_THROW(this->lu.factor(this->chain(5)), std::invalid_argument);
  // as many entries, one in another place
  typename TestFixture::Dense one = TestFixture::Dense::Identity(3, 3), other = one;
  one(0, 1) = other(0, 2) = 1.0;
  this->lu.analyze(this->from(one));
  EXPECT_THROW(this->lu.factor(this->from(other)), std::invalid_argument);
  ASSERT_TRUE(this->lu.factor(this->from(one)));
  EXPECT_THROW(this->lu.solve(b), std::invalid_argument);
  EXPECT_THROW(this->lu.solve_transposed(b), std::invalid_argument);
}

TYPED_TEST(SparseLuOf, CanBeMovedAndUsedAgain) {
  const auto A = this->chain(6), B = this->chain(9);
  this->lu.analyze(A);
  ASSERT_TRUE(this->lu.factor(A));
  SparseLu<TypeParam> moved = std::move(this->lu);
  EXPECT_LE(this->error(moved, A), 1e-11);
  moved.analyze(B);
  ASSERT_TRUE(moved.factor(B));
  EXPECT_LE(this->error(moved, B), 1e-11);
  this->lu = std::move(moved);
  EXPECT_LE(this->error(this->lu, B), 1e-11);
}

// Three copies that are coupled everywhere: ordered like one of them, they fill nine times as much, and no
// more.
TYPED_TEST(SparseLuOf, CopiesAreOrderedLikeASingleOne) {
  const auto single = this->chain(30);
  this->lu.analyze(single);
  ASSERT_TRUE(this->lu.factor(single));
  const int n = static_cast<int>(single.rows());
  std::vector<Eigen::Triplet<TypeParam, int>> entries;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < n; ++k)
        for (typename TestFixture::Sparse::InnerIterator entry(single, k); entry; ++entry)
          entries.emplace_back(i * n + static_cast<int>(entry.row()), j * n + k,
                               entry.value() * (i == j ? 3.0 + i : 0.5 * (i - j)));
  typename TestFixture::Sparse A(3 * n, 3 * n);
  A.setFromTriplets(entries.begin(), entries.end());
  SparseLu<TypeParam> copies;
  copies.analyze_copies(A, this->lu);
  ASSERT_TRUE(copies.factor(A));
  EXPECT_EQ(copies.size(), 3 * n);
  EXPECT_LE(this->error(copies, A), 1e-11);
  EXPECT_LE(copies.fill(), 10 * this->lu.fill());
  // without a decomposition of a single one they are ordered like anything else
  copies.analyze_copies(A, SparseLu<TypeParam>());
  ASSERT_TRUE(copies.factor(A));
  EXPECT_LE(this->error(copies, A), 1e-11);
}

TYPED_TEST(SparseLuOf, MeasuresOfNearness) {
  for (const double distance : {1e-2, 1e-6, 1e-10}) {
    typename TestFixture::Dense dense = TestFixture::Dense::Ones(2, 2);
    dense(1, 1) += distance;
    const auto A = this->from(dense);
    this->lu.analyze(A);
    ASSERT_TRUE(this->lu.factor(A));
    EXPECT_NEAR(this->lu.smallest_pivot_ratio(), distance, 0.02 * distance);
    EXPECT_NEAR(this->lu.condition_estimate(A), 4 / distance, 0.05 * 4 / distance);
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto A = this->chain(8);
    this->lu.analyze(A);
    ASSERT_TRUE(this->lu.factor(A));
    const typename TestFixture::Dense dense(A);
    const double exact =
        dense.cwiseAbs().colwise().sum().maxCoeff() * dense.inverse().cwiseAbs().colwise().sum().maxCoeff();
    EXPECT_LE(this->lu.condition_estimate(A), 1.0001 * exact);
    EXPECT_GE(this->lu.condition_estimate(A), 0.3 * exact);
  }
}

// A tree that couples each of its unknowns with all on the way to the root has no fill at all from the leaves inward; zeros on the
// diagonal come when there is something in them.
TYPED_TEST(SparseLuOf, TakesAnOrderThatIsBetter) {
  constexpr int size = 60, condition = size;
  std::vector<Eigen::Triplet<TypeParam, int>> entries;
  for (int i = 0; i < size; ++i)
    for (int above = i; above >= 0; above = above > 0 ? (above - 1) / 2 : -1) {
      const TypeParam x = i == above ? TypeParam(4) : TypeParam(0.1) * this->number();
      entries.emplace_back(i, above, x);
      if (i != above) entries.emplace_back(above, i, x);
    }
  for (const int i : {size - 1, 1}) {
    entries.emplace_back(condition, i, TypeParam(1));
    entries.emplace_back(i, condition, TypeParam(1));
  }
  entries.emplace_back(condition, condition, TypeParam(0));
  typename TestFixture::Sparse A(size + 1, size + 1);
  A.setFromTriplets(entries.begin(), entries.end());
  std::vector<int> inward, outward;
  for (int i = size - 1; i >= 0; --i) inward.push_back(i);
  inward.insert(inward.end() - 1, condition);
  for (int i = 0; i <= size; ++i) outward.push_back(i);

  SparseLu<TypeParam> by_itself, with_good, with_bad;
  by_itself.analyze(A);
  with_good.analyze(A, inward);
  with_bad.analyze(A, outward);
  for (SparseLu<TypeParam>* one : {&by_itself, &with_good, &with_bad}) {
    ASSERT_TRUE(one->factor(A));
    ASSERT_TRUE(one->factor(A));  // with kept pivots
    EXPECT_EQ(one->refactorizations(), 1);
    const auto b = this->some_dense(size + 1, 1);
    typename TestFixture::Dense x = b;
    one->solve(x);
    EXPECT_LT((A * x - b).norm(), 1e-12);
  }
  EXPECT_LT(with_good.fill(), by_itself.fill());
  EXPECT_LE(with_good.fill(),
            A.nonZeros() + 2 * size);  // both factors have a diagonal, and the condition couples two branches
  EXPECT_EQ(with_bad.fill(), by_itself.fill());
  EXPECT_THROW(by_itself.analyze(A, {1, 0}), std::invalid_argument);
}

TYPED_TEST(SparseLuOf, FillOfAChainIsLinear) {
  Index fill[2], entries[2];
  for (int k = 0; k < 2; ++k) {
    const auto A = this->chain(k == 0 ? 50 : 400);
    this->lu.analyze(A);
    ASSERT_TRUE(this->lu.factor(A));
    fill[k] = this->lu.fill();
    entries[k] = A.nonZeros();
    EXPECT_LE(fill[k], 1.4 * static_cast<double>(entries[k]));
  }
  EXPECT_LE(fill[1], 9 * fill[0]);
}

}  // namespace
}  // namespace trammel
