#include "trammel/numerics/norms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

TEST(Norms, TheLargestEntryOfNothingIsZero) {
  EXPECT_EQ(largest(Vector()), 0);
  EXPECT_EQ(largest(Matrix(0, 3)), 0);
  const Vector x = (Vector(4) << 1, -7, 3, 5).finished();
  EXPECT_EQ(largest(x), 7);
  EXPECT_EQ(largest(x.tail(2)), 5);
  EXPECT_EQ(largest(x - Vector::Constant(4, -2)), 7);
  EXPECT_EQ(largest(x * x.transpose()), 49);
  EXPECT_EQ(largest(x.head(0)), 0);
}

}  // namespace
}  // namespace trammel
