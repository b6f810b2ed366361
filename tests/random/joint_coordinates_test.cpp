// Joint coordinates against Cartesian ones on every example and on random mechanisms: trees with loops, all joints,
// couplers, drivers, forces, states.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/motion/joint_against_cartesian.h"
#include "tests/random/known_faults.h"
#include "tests/random/random_mechanism.h"
#include "tests/random/seed_check.h"
#include "trammel/model/model.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

TEST(JointCoordinates, OfEveryExampleAgreeWithCartesian) {
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/examples/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const JointComparison comparison =
        compare_joint_with_cartesian(read_model(entry.path().string()).mechanism);
    EXPECT_EQ(comparison.left_out, "") << entry.path();
    for (const std::string& sentence : comparison.differences)
      ADD_FAILURE() << entry.path() << ": " << sentence;
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

TEST(JointCoordinates, OfEveryPublishedMechanismAgreeWithCartesian) {
  int compared = 0;
  for (const BuiltinProblem& problem : builtin_problems()) {
    const ProblemCase instance = problem.make(problem.values({}));
    if (instance.mechanism == nullptr) continue;
    const JointComparison comparison = compare_joint_with_cartesian(instance.mechanism->mechanism());
    EXPECT_EQ(comparison.left_out, "") << problem.name;
    for (const std::string& sentence : comparison.differences)
      ADD_FAILURE() << problem.name << ": " << sentence;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

// Runs, too: methods against each other, balances of energy and momentum, the same mechanism turned, scaled and
// in another order.
TEST(JointCoordinates, HoldInRunsOfRandomMechanisms) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    if (known_fault(seed) != nullptr) continue;
    Model model = model_of_seed(seed);
    model.simulation.coordinates = "joint";
    PropertyOptions options = options_of_seed(seed, model);
    for (std::string& method : options.methods) method.resize(method.find(" in "));
    for (const Finding& finding : check_properties(model, options))
      ADD_FAILURE() << "seed " << seed << ", " << finding.kind << ": " << finding.text;
  }
}

constexpr std::uint64_t seeds_in_a_batch = 20;

class RandomJointCoordinates : public testing::TestWithParam<int> {};

TEST_P(RandomJointCoordinates, AgreeWithCartesian) {
  const auto first = 1 + static_cast<std::uint64_t>(GetParam()) * seeds_in_a_batch;
  for (std::uint64_t seed = first; seed < first + seeds_in_a_batch; ++seed) {
    const JointComparison comparison = compare_joint_with_cartesian(random_model(seed).mechanism);
    EXPECT_EQ(comparison.left_out, "") << "seed " << seed;
    for (const std::string& sentence : comparison.differences)
      ADD_FAILURE() << "seed " << seed << ": " << sentence;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomJointCoordinates, testing::Range(0, 10));

}  // namespace
}  // namespace trammel
