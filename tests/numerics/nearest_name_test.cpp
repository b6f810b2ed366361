#include "trammel/numerics/nearest_name.h"

#include <gtest/gtest.h>

namespace trammel {
namespace {

const std::vector<std::string> problems{"pendulum", "andrews", "truck", "chain"};

TEST(NearestName, FindsASlipOfOneOrTwoLetters) {
  EXPECT_EQ(nearest_name("pendulm", problems), "pendulum");    // one missing
  EXPECT_EQ(nearest_name("penndulum", problems), "pendulum");  // one too many
  EXPECT_EQ(nearest_name("pandulun", problems), "pendulum");   // two wrong
  EXPECT_EQ(nearest_name("chian", problems), "chain");         // two swapped
  EXPECT_EQ(nearest_name("truck", problems), "truck");
}

TEST(NearestName, TakesTheNearestNotTheFirst) {
  EXPECT_EQ(nearest_name("tolerence", {"tolerances", "tolerance", "toleration"}), "tolerance");
  // equally near: the one named first
  EXPECT_EQ(nearest_name("bat", {"cat", "hat"}), "cat");
}

TEST(NearestName, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("gyroscope", problems), "");
  EXPECT_EQ(nearest_name("pendulum", {}), "");
  EXPECT_EQ(nearest_name("pendulum", {"", "x"}), "");
}

// Of short names nearly all are within two letters of each other: one letter at least must be right.
TEST(NearestName, DoesNotTakeOneShortNameForAnother) {
  EXPECT_EQ(nearest_name("m", {"g", "L"}), "");
  EXPECT_EQ(nearest_name("ab", {"cd"}), "");
  EXPECT_EQ(nearest_name("", {"g"}), "");
  EXPECT_EQ(nearest_name("m", {"g", "m1"}), "m1");
  EXPECT_EQ(nearest_name("mm", {"mn"}), "mn");
}

}  // namespace
}  // namespace trammel
