#include "trammel/comparison/position_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

Vector vector(std::initializer_list<double> values) {
  Vector result(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

TEST(PositionError, EachPositionHasAScaleOfItsOwn) {
  const PositionError error({{"x", "phi"}, false, {0, 1}, {vector({200, 3}), vector({-400, 4})}});
  const auto value = error.of({{"x", "phi"}, false, {0, 1}, {vector({200.8, 3}), vector({-400, 4.004})}});
  ASSERT_TRUE(value);
  EXPECT_NEAR(value->largest, 0.8 / 400, 1e-15);
  EXPECT_NEAR(value->at_end, 0.004 / 4, 1e-15);
}

TEST(PositionError, RoundOffAroundZeroDoesNotCount) {
  const PositionError error({{"x", "z"}, false, {0}, {vector({2, 1e-18})}});
  EXPECT_LT(error.of({{"x", "z"}, false, {0}, {vector({2, -3e-18})}})->largest, 1e-15);
  // all zero: absolute
  const PositionError zero({{"x"}, false, {0}, {vector({0})}});
  EXPECT_EQ(zero.of({{"x"}, false, {0}, {vector({0.5})}})->largest, 0.5);
}

TEST(PositionError, BodiesAreMeasuredByDistanceAndTurn) {
  const std::vector<std::string> names{"x", "y", "z", "e0", "e1", "e2", "e3"};
  const PositionError error({names, true, {0}, {vector({3, 4, 0, 1, 0, 0, 0})}});
  const auto of = [&](const Vector& p) { return error.of({names, true, {0}, {p}})->largest; };
  EXPECT_NEAR(of(vector({3, 4, 0.05, 1, 0, 0, 0})), 0.01, 1e-15);  // by 5, the distance
  EXPECT_NEAR(of(vector({3, 4, 0, 1, 0.01, 0, 0})), 0.01, 1e-15);
  // the same orientation
  EXPECT_EQ(of(vector({3, 4, 0, -1, 0, 0, 0})), 0);
  EXPECT_NEAR(of(vector({3, 4, 0, -1, 0, 0.02, 0})), 0.02, 1e-15);
}

TEST(PositionError, OtherPositionsOrTimesHaveNone) {
  const PositionError error({{"x"}, false, {0, 1}, {vector({1}), vector({2})}});
  EXPECT_FALSE(error.of({{"y"}, false, {0, 1}, {vector({1}), vector({2})}}));
  EXPECT_FALSE(error.of({{"x"}, false, {0}, {vector({1})}}));
  EXPECT_FALSE(error.of({{"x"}, false, {0, 1.1}, {vector({1}), vector({2})}}));
  EXPECT_FALSE(error.of({{"x"}, false, {0, 1}, {vector({1}), vector({std::nan("")})}}));
  EXPECT_FALSE(error.of({}));
  EXPECT_EQ(error.of({{"x"}, false, {0, 1}, {vector({1}), vector({2})}})->largest, 0);
}

}  // namespace
}  // namespace trammel
