#include "trammel/numerics/patterned_product.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

// Entries where (row + 2 column) is not divisible by `gap`, and numbers that depend on `seed`.
SparseMatrix sparse(int rows, int cols, int gap, double seed) {
  SparseMatrix result(rows, cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      if ((i + 2 * j) % gap != 0) result.insert(i, j) = std::sin(seed + 3 * i + 7 * j);
  result.makeCompressed();
  return result;
}

TEST(PatternedProduct, IsTheProductAndTheSum) {
  PatternedProduct product, sum;
  for (const double seed : {0.3, 1.7}) {
    const SparseMatrix A = sparse(4, 6, 3, seed), B = sparse(6, 5, 2, seed + 1),
                       S = sparse(4, 5, 4, seed + 2);
    product.update(A, B);
    EXPECT_LE((Matrix(product.matrix()) - Matrix(A) * Matrix(B)).norm(), 1e-15);
    sum.update(S, A, B);
    EXPECT_LE((Matrix(sum.matrix()) - Matrix(S) - Matrix(A) * Matrix(B)).norm(), 2e-15);
  }
}

TEST(PatternedProduct, PatternsMayGrow) {
  PatternedProduct product;
  product.update(sparse(4, 6, 2, 0.1), sparse(6, 5, 2, 0.2));
  const SparseMatrix A = sparse(4, 6, 5, 0.3), B = sparse(6, 5, 3, 0.4);
  product.update(A, B);
  EXPECT_LE((Matrix(product.matrix()) - Matrix(A) * Matrix(B)).norm(), 1e-15);
}

TEST(PatternedProduct, OfNothing) {
  PatternedProduct product;
  product.update(SparseMatrix(0, 3), SparseMatrix(3, 2));
  EXPECT_EQ(product.matrix().rows(), 0);
  EXPECT_EQ(product.matrix().cols(), 2);
}

}  // namespace
}  // namespace trammel
