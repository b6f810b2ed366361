// Patterns of sparse matrices: entries, duplicates, slots.
#include "trammel/numerics/sparse_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace trammel {
namespace {

SparsePattern some_pattern() {
  SparsePattern pattern(3, 4);
  pattern.add(2, 3);
  pattern.add(0, 1);
  pattern.add(2, 1);
  pattern.add(0, 1);  // again
  pattern.add(1, 0);
  pattern.add(2, 3);  // again
  return pattern;
}

TEST(SparsePattern, GivesACompressedMatrixOfZeros) {
  SparsePattern pattern = some_pattern();
  const SparseMatrix A = pattern.finish();
  EXPECT_EQ(A.rows(), 3);
  EXPECT_EQ(A.cols(), 4);
  EXPECT_TRUE(A.isCompressed());
  ASSERT_EQ(A.nonZeros(), 4);
  EXPECT_EQ(pattern.entries(), 4);
  EXPECT_EQ(A.norm(), 0.0);
  // rows ascend within a column
  for (int j = 0; j < 4; ++j)
    EXPECT_TRUE(std::is_sorted(A.innerIndexPtr() + A.outerIndexPtr()[j],
                               A.innerIndexPtr() + A.outerIndexPtr()[j + 1]));
}

TEST(SparsePattern, SlotsAreWhereTheValuesAre) {
  SparsePattern pattern(5, 6);
  pattern.add_block(1, 2, 3, 2);
  pattern.add_block(3, 3, 2, 3);  // they overlap at (3, 3)
  SparseMatrix A = pattern.finish();
  EXPECT_EQ(A.nonZeros(), 6 + 6 - 1);
  Matrix expected = Matrix::Zero(5, 6);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 6; ++j) {
      const bool there = (i >= 1 && i < 4 && j >= 2 && j < 4) || (i >= 3 && j >= 3);
      const Index slot = pattern.slot(i, j);
      ASSERT_EQ(slot >= 0, there) << i << ", " << j;
      if (!there) continue;
      A.valuePtr()[slot] += static_cast<double>(10 * i + j);
      expected(i, j) = static_cast<double>(10 * i + j);
    }
  EXPECT_EQ(Matrix(A), expected);
}

TEST(SparsePattern, ComplexMatrixHasTheSameSlots) {
  SparsePattern pattern = some_pattern();
  ComplexSparseMatrix A = pattern.finish_complex();
  ASSERT_EQ(A.nonZeros(), 4);
  A.valuePtr()[pattern.slot(2, 1)] = {3, -1};
  EXPECT_EQ(A.coeff(2, 1), std::complex<double>(3, -1));
  const SparseMatrix real = pattern.finish();
  EXPECT_TRUE(std::equal(real.innerIndexPtr(), real.innerIndexPtr() + 4, A.innerIndexPtr()));
}

TEST(SparsePattern, GrowsAfterItWasFinished) {
  SparsePattern pattern = some_pattern();
  pattern.finish();
  EXPECT_EQ(pattern.slot(0, 0), -1);
  pattern.add(0, 0);
  const SparseMatrix A = pattern.finish();
  EXPECT_EQ(A.nonZeros(), 5);
  EXPECT_EQ(pattern.slot(0, 0), 0);
}

TEST(SparsePattern, PlacesOutsideOfTheMatrix) {
  SparsePattern pattern(3, 4);
  EXPECT_THROW(pattern.add(3, 0), std::out_of_range);
  EXPECT_THROW(pattern.add(0, 4), std::out_of_range);
  EXPECT_THROW(pattern.add(-1, 0), std::out_of_range);
  EXPECT_THROW(pattern.add_block(1, 1, 3, 1), std::out_of_range);
  EXPECT_THROW(SparsePattern(-1, 2), std::out_of_range);
  EXPECT_EQ(pattern.slot(3, 0), -1);
  EXPECT_EQ(pattern.slot(0, -1), -1);
}

TEST(SparsePattern, EmptyMatrices) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 0}, {3, 0}, {0, 4}, {3, 4}}) {
    SparsePattern pattern(rows, cols);
    const SparseMatrix A = pattern.finish();
    EXPECT_EQ(A.rows(), rows);
    EXPECT_EQ(A.cols(), cols);
    EXPECT_EQ(A.nonZeros(), 0);
    EXPECT_EQ(pattern.slot(0, 0), -1);
  }
  EXPECT_EQ(SparsePattern().finish().size(), 0);
}

}  // namespace
}  // namespace trammel
