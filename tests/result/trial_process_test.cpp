#include "trammel/result/trial_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace trammel {
namespace {

TEST(TrialProcess, TellsACrashFromAnEnd) {
  EXPECT_TRUE(ends_well_apart([] {}, 10));
  EXPECT_FALSE(ends_well_apart([] { std::raise(SIGSEGV); }, 10));
  EXPECT_FALSE(ends_well_apart([] { std::abort(); }, 10));
  // what is said in words is no crash
  EXPECT_TRUE(ends_well_apart([] { throw std::runtime_error("no"); }, 10));
}

TEST(TrialProcess, DoesNotWaitForEver) {
  EXPECT_FALSE(ends_well_apart([] { pause(); }, 1));
  EXPECT_FALSE(ends_well_apart(
      [] {
        for (volatile bool goes_on = true; goes_on;) continue;
      },
      1));
}

TEST(TrialProcess, LeavesNothingBehind) {
  int value = 1;
  EXPECT_TRUE(ends_well_apart([&] { value = 2; }, 10));
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace trammel
