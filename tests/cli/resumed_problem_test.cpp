// `trammel problem --resume`: like `trammel run --resume`, of built-in problems.
#include "tests/cli/started_program.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

// With steps so small that it takes some seconds: there is no checkpoint before the first one is over.
const std::string slow = " --no-page --option max_steps=1000000000";

int stop_after_checkpoint(const std::string& words, const fs::path& folder, int signal) {
  const pid_t pid = start(words + " --out " + folder.filename().string());
  wait_until_there(folder / "checkpoint/state");
  ::kill(pid, signal);
  return wait_for(pid);
}

void expect_same_files(const fs::path& a, const fs::path& b) {
  for (const char* name : {"results.csv", "steps.csv", "results.h5"})
    EXPECT_TRUE(read_file(a / name) == read_file(b / name)) << name;
  nlohmann::json whole = summary_in(a), resumed = summary_in(b);
  EXPECT_GT(resumed["wall_seconds"], 0.0);
  whole.erase("wall_seconds");
  resumed.erase("wall_seconds");
  EXPECT_EQ(whole, resumed);
  EXPECT_FALSE(fs::exists(b / "checkpoint"));
  EXPECT_FALSE(fs::exists(b / "live.json"));
}

// A mechanism, which counts the drift of its energy.
TEST(ResumedProblem, AfterAKillHasTheSameFiles) {
  const std::string command =
      "problem bricard --until 0.4 --samples 100 --method psf/sdirk4 --option max_step=2e-5" + slow;
  const fs::path folder = scratch() / "here";
  ASSERT_EQ(stop_after_checkpoint(command, folder, SIGKILL), -SIGKILL);
  EXPECT_EQ(summary_in(folder)["status"], "unfinished");
  const Called called = call("problem --resume here");
  ASSERT_EQ(called.exit_code, 0) << called.err;
  EXPECT_NE(called.err.find("bricard goes on from t = "), std::string::npos) << called.err;
  ASSERT_EQ(call(command + " --out whole").exit_code, 0);
  expect_same_files(scratch() / "whole", folder);
  EXPECT_TRUE(summary_in(folder).contains("energy_drift"));
}

// Equations of which nothing is recorded but their unknowns.
TEST(ResumedProblem, AfterASignalGoesOnAsItWasTold) {
  const std::string command = "problem chain --set N=40 --samples 100 --option max_step=4e-5" + slow;
  const fs::path folder = scratch() / "here";
  ASSERT_EQ(stop_after_checkpoint(command, folder, SIGHUP), 129);
  EXPECT_NE(read_file(scratch() / ".err").find("trammel problem --resume here"), std::string::npos);
  EXPECT_EQ(summary_in(folder)["resume"], "trammel problem --resume here");
  EXPECT_EQ(summary_in(folder)["status"], "stopped");
  EXPECT_EQ(call("problem chain --resume here --quiet").exit_code, 0);
  ASSERT_EQ(call(command + " --out whole").exit_code, 0);
  expect_same_files(scratch() / "whole", folder);

  const Called again = call("problem --resume here");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("has come to its end"), std::string::npos) << again.err;
}

TEST(ResumedProblem, RefusesWhatIsNotTheSameRun) {
  const fs::path folder = scratch() / "here";
  ASSERT_EQ(
      stop_after_checkpoint("problem pendulum --rtol 1e-9 --samples 100 --until 1e6" + slow, folder, SIGKILL),
      -SIGKILL);
  const std::string steps = read_file(folder / "steps.csv"), summary = read_file(folder / "summary.json");
  const auto expect_refused = [&](const std::string& words, const std::string& part) {
    const Called called = call(words + " --resume here");
    EXPECT_EQ(called.exit_code, 2) << words;
    EXPECT_NE(called.err.find(part), std::string::npos) << called.err;
    EXPECT_EQ(call_json(words + " --resume here", 2)["reason"], "no_checkpoint");
    EXPECT_EQ(read_file(folder / "steps.csv"), steps);
    EXPECT_EQ(read_file(folder / "summary.json"), summary);
  };
  expect_refused("problem --rtol 1e-6", "was begun with --rtol 1e-09, and cannot go on with --rtol 1e-06");
  expect_refused("problem --set m=2", "without --set");
  expect_refused("problem andrews", "is one of the problem 'pendulum', not of 'andrews'");
  expect_refused("problem --out there", "in its own folder");
  expect_refused("run", "go on with trammel problem --resume here");

  write_file("model.yaml", pendulum_model);
  const fs::path other = scratch() / "run";
  ASSERT_EQ(stop_after_checkpoint("run model.yaml --end 1e6 --output-interval 1 --no-page --option "
                                  "max_steps=1000000000",
                                  other, SIGKILL),
            -SIGKILL);
  const Called called = call("problem --resume run");
  EXPECT_EQ(called.exit_code, 2);
  EXPECT_NE(called.err.find("go on with trammel run --resume run"), std::string::npos) << called.err;
}

TEST(ResumedProblem, WithoutCheckpointsThereIsNothingToGoOnFrom) {
  const pid_t pid = start("problem pendulum --samples 100 --until 1e6 --no-checkpoint --out here" + slow);
  wait_until_there(scratch() / "here/results.csv");
  ::kill(pid, SIGTERM);
  EXPECT_EQ(wait_for(pid), 143);
  EXPECT_FALSE(summary_in(scratch() / "here").contains("resume"));
  EXPECT_EQ(call("problem --resume here").exit_code, 2);
  EXPECT_EQ(call("problem pendulum --no-checkpoint").exit_code, 2);  // about files
}

}  // namespace
}  // namespace trammel
