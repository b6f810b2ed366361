// Random mechanisms, 300 of them: see docs/testing.md for how to look at one that fails.
#include <gtest/gtest.h>

#include <map>

#include "tests/random/seed_check.h"

namespace trammel {
namespace {

constexpr std::uint64_t seeds_in_a_batch = 10;

class RandomMechanisms : public testing::TestWithParam<int> {};

TEST_P(RandomMechanisms, HoldAgainstEachOther) {
  const auto first = 1 + static_cast<std::uint64_t>(GetParam()) * seeds_in_a_batch;
  for (std::uint64_t seed = first; seed < first + seeds_in_a_batch; ++seed)
    for (const Finding& finding : check_seed(seed))
      ADD_FAILURE() << "seed " << seed << ", " << finding.kind << ": " << finding.text;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMechanisms, testing::Range(0, 30));

}  // namespace
}  // namespace trammel
