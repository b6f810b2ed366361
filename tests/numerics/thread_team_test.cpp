// Every part of a piece of work is done once, whoever does it; sweeps over trees give what one thread alone would.
#include "trammel/numerics/thread_team.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <numeric>
#include <random>

#include "trammel/numerics/tree_parts.h"

namespace trammel {
namespace {

TEST(ThreadTeam, DoesEveryPartOnce) {
  ThreadTeam team(3);
  for (const int parts : {1, 2, 3, 7, 64}) {
    for (int round = 0; round < 500; ++round) {
      std::vector<int> done(static_cast<std::size_t>(parts), 0);
      team.run(parts, [&](int part) { ++done[static_cast<std::size_t>(part)]; });
      ASSERT_EQ(done, std::vector<int>(done.size(), 1)) << parts << " parts, round " << round;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // threads fall asleep, and wake up
  }
}

TEST(ThreadTeam, OthersHelp) {
  ThreadTeam team(2);
  // each part waits for the other one, so that one thread alone would wait for ever
  std::atomic<int> begun = 0;
  team.run(2, [&](int) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ThreadTeam, ServesSeveralThatAskAtATime) {
  ThreadTeam team(2);
  std::vector<double> sums(4, 0);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < sums.size(); ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 200; ++round) {
        std::vector<double> parts(8, 0);
        team.run(8, [&](int part) { parts[static_cast<std::size_t>(part)] = part; });
        sums[caller] += std::accumulate(parts.begin(), parts.end(), 0.0);
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sums, std::vector<double>(4, 200 * 28.0));
}

TEST(ThreadTeam, ChangesItsNumber) {
  ThreadTeam team(4);
  for (const int threads : {4, 1, 2, 3, 1}) {
    team.set_threads(threads);
    EXPECT_EQ(team.threads(), threads);
    std::atomic<int> done = 0;
    team.run(10, [&](int) { ++done; });
    EXPECT_EQ(done, 10);
  }
  EXPECT_GE(ThreadTeam::available_cores(), 1);
}

// What is forked has none of the threads.
TEST(ThreadTeam, WorksInAForkedProcess) {
  std::atomic<int> done = 0;
  ThreadTeam::of_process().run(4, [&](int) { ++done; });
  EXPECT_EQ(done, 4);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> of_child = 0;
    ThreadTeam::of_process().run(4, [&](int) { ++of_child; });
    _exit(of_child == 4 && ThreadTeam::of_process().threads() == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Trees of many kinds: each item hangs on one of the few before it (bushy: of all before it).
std::vector<int> random_tree(int items, int reach, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> parents{-1};
  for (int i = 1; i < items; ++i)
    parents.push_back(i - 1 - static_cast<int>(random() % static_cast<unsigned>(std::min(i + 1, reach))));
  return parents;
}

// Sums that depend on the order to the last bit.
TEST(TreeParts, SweepsAsOneByOne) {
  for (const int reach : {1, 2, 30, 100000})
    for (const int items : {1, 5, 249, 250, 3000}) {
      const std::vector<int> parents = random_tree(items, reach, static_cast<unsigned>(items + reach));
      const auto parent = [&](std::size_t i) { return static_cast<std::size_t>(parents[i]); };
      const std::size_t count = parents.size();
      std::vector<double> sums(count), ways(count), wanted_sums(count), wanted_ways(count);
      const auto visit = [&](std::size_t i, std::vector<double>& of) {
        of[i] = std::sin(of[i] + 0.1 * static_cast<double>(i));
      };
      for (std::size_t i = count; i-- > 0;) {
        visit(i, wanted_sums);
        if (parents[i] >= 0) wanted_sums[parent(i)] += wanted_sums[i];
      }
      for (std::size_t i = 0; i < count; ++i)
        wanted_ways[i] =
            (parents[i] < 0 ? 1 : wanted_ways[parent(i)]) * 1.1 + std::cos(static_cast<double>(i));

      ThreadTeam::of_process().set_threads(3);
      const TreeParts parts(parents);
      EXPECT_TRUE(parts.inward(
          [&](std::size_t i) {
            visit(i, sums);
            return true;
          },
          [&](std::size_t i) {
            if (parents[i] >= 0) sums[parent(i)] += sums[i];
          }));
      parts.outward([&](std::size_t i) {
        ways[i] = (parents[i] < 0 ? 1 : ways[parent(i)]) * 1.1 + std::cos(static_cast<double>(i));
      });
      ThreadTeam::of_process().set_threads(ThreadTeam::available_cores());
      EXPECT_EQ(sums, wanted_sums) << items << " items, reach " << reach;
      EXPECT_EQ(ways, wanted_ways) << items << " items, reach " << reach;
      std::size_t in_branches = 0;
      for (const TreeParts::Items& branch : parts.branches()) in_branches += branch.size();
      if (items < 250) {
        EXPECT_EQ(in_branches, 0u);
      } else if (reach == 100000) {
        EXPECT_GT(in_branches, count * 9 / 10);
        EXPECT_GE(parts.branches().size(), 8u);
      }
    }
}

TEST(TreeParts, EndsWhereAVisitFails) {
  const TreeParts parts(random_tree(2000, 100000, 7));
  for (const std::size_t bad : {std::size_t{0}, std::size_t{3}, std::size_t{1999}})
    EXPECT_FALSE(parts.inward([&](std::size_t i) { return i != bad; }, [](std::size_t) {}));
}

}  // namespace
}  // namespace trammel
