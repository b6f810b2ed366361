// What is left of a run that a signal ends: with those that can be caught all of it, with the one that cannot
// what it had written, readable, marked, and the same as that of a run that was left in peace.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include "tests/cli/started_program.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

// A pendulum in such small steps that it takes some seconds.
const std::string arguments =
    "run pendulum.yaml --end 30 --rtol 1e-11 --samples 15000 --no-page --method psf/radau5";

std::string whole_lines(const std::string& text) { return text.substr(0, text.rfind('\n') + 1); }

bool begins_with(const ChannelTable& whole, const ChannelTable& part) {
  const auto begins = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() >= b.size() && (b.empty() || std::memcmp(a.data(), b.data(), 8 * b.size()) == 0);
  };
  if (whole.channels().size() != part.channels().size() || !begins(whole.times(), part.times())) return false;
  for (std::size_t i = 0; i < whole.channels().size(); ++i)
    if (whole.channels()[i].name != part.channels()[i].name ||
        !begins(whole.channels()[i].values, part.channels()[i].values))
      return false;
  return true;
}

TEST(KilledRun, LeavesWhatItHad) {
  write_file("pendulum.yaml", pendulum_model);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(call(arguments + " --out whole").exit_code, 0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string samples = read_file(scratch() / "whole/results.csv");
  const std::string steps = read_file(scratch() / "whole/steps.csv");
  Recording whole;
  ASSERT_FALSE(read_hdf5(scratch() / "whole/results.h5", whole));

  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) {
    const fs::path folder = scratch() / ("part" + std::to_string(i));
    SCOPED_TRACE(folder);
    const pid_t pid = start(arguments + " --out " + folder.filename().string());
    wait_until_there(folder / "results.csv");
    const std::chrono::duration<double> delay(std::uniform_real_distribution(0.1, 0.9)(random) * seconds);
    std::this_thread::sleep_for(delay);
    ::kill(pid, SIGKILL);
    if (wait_for(pid) != -SIGKILL) continue;  // it was faster this time

    const nlohmann::json summary = summary_in(folder);
    ASSERT_TRUE(summary.is_object());
    // whoever is killed while the last files are written may have said that it is finished, and then is
    const auto says = [](const auto& status, bool complete) {
      return status == "unfinished" || (status == "finished" && complete);
    };
    const bool tables_complete = read_file(folder / "results.csv") == samples;
    EXPECT_TRUE(says(summary["status"], tables_complete)) << summary["status"];
    const std::string part = whole_lines(read_file(folder / "results.csv"));
    EXPECT_TRUE(part.starts_with("t,"));
    EXPECT_TRUE(samples.starts_with(part)) << delay.count();
    EXPECT_TRUE(steps.starts_with(whole_lines(read_file(folder / "steps.csv"))));
    if (fs::exists(folder / "results.h5")) {
      Recording recording;
      const Failure failure = read_hdf5(folder / "results.h5", recording);
      ASSERT_FALSE(failure) << failure.message;
      const std::string* status = recording.metadata("status");
      ASSERT_TRUE(status);
      const bool complete = recording.times().size() == whole.times().size();
      EXPECT_TRUE(says(*status, complete)) << *status;
      EXPECT_TRUE(begins_with(whole.samples, recording.samples));
      EXPECT_TRUE(begins_with(whole.steps, recording.steps));
      const Called plotted = call("plot " + folder.string() + " pivot.angle");
      EXPECT_EQ(plotted.exit_code, 0) << plotted.err;
      // by what the file says that is drawn, which is written before summary.json
      EXPECT_EQ(plotted.err.find("has not come to its end") != std::string::npos, *status == "unfinished")
          << plotted.err;
    }
  }
}

// Long enough for tables and HDF5 files to be written while it goes on, whatever the machine.
TEST(KilledRun, HasWrittenBothKindsOfFiles) {
  write_file("pendulum.yaml", pendulum_model);
  const pid_t pid = start(
      "run pendulum.yaml --end 1e6 --output-interval 0.1 --rtol 1e-11 --out here "
      "--option max_steps=1000000000");
  // until there are some samples in it
  const auto samples = [] {
    Recording recording;
    return read_hdf5(scratch() / "here/results.h5", recording) ? 0 : recording.times().size();
  };
  for (int i = 0; i < 1200 && samples() < 10; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  wait_until_there(scratch() / "here/live.json");
  ::kill(pid, SIGKILL);
  ASSERT_EQ(wait_for(pid), -SIGKILL);
  Recording recording;
  ASSERT_FALSE(read_hdf5(scratch() / "here/results.h5", recording));
  EXPECT_GE(recording.times().size(), 10u);
  EXPECT_GT(recording.steps.samples(), 1);
  // the table is never behind
  const std::string table = read_file(scratch() / "here/results.csv");
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'),
            static_cast<std::ptrdiff_t>(recording.times().size()));

  // the next run takes the place of all of it
  ASSERT_EQ(call("run pendulum.yaml --out here").exit_code, 0);
  EXPECT_EQ(summary_in(scratch() / "here")["status"], "finished");
  EXPECT_FALSE(fs::exists(scratch() / "here/live.json"));
}

// An old result must not pass for that of the run that was killed.
TEST(KilledRun, DoesNotLeaveTheResultsOfAnEarlierRun) {
  write_file("pendulum.yaml", pendulum_model);
  ASSERT_EQ(call("run pendulum.yaml --out here").exit_code, 0);
  ASSERT_EQ(summary_in(scratch() / "here")["status"], "finished");
  const pid_t pid =
      start("run pendulum.yaml --end 1e6 --output-interval 1 --out here --option max_steps=1000000000");
  for (int i = 0; i < 6000 && summary_in(scratch() / "here")["status"] != "unfinished"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGKILL);
  wait_for(pid);
  EXPECT_EQ(summary_in(scratch() / "here")["status"], "unfinished");
}

TEST(KilledRun, SignalsThatCanBeCaughtLoseNothing) {
  write_file("pendulum.yaml", pendulum_model);
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    SCOPED_TRACE(signal);
    const fs::path folder = scratch() / std::to_string(signal);
    const pid_t pid = start(
        "run pendulum.yaml --end 1e6 --output-interval 1 --option max_steps=1000000000 "
        "--out " +
        folder.filename().string());
    wait_until_there(folder / "results.csv");
    ::kill(pid, signal);
    EXPECT_EQ(wait_for(pid), code);
    const nlohmann::json json = summary_in(folder);
    EXPECT_EQ(json["status"], "stopped");
    EXPECT_EQ(json["reason"], "interrupted");
    Recording recording;
    ASSERT_FALSE(read_hdf5(folder / "results.h5", recording));
    EXPECT_EQ(recording.times().back(), json["t"].get<double>());
    EXPECT_EQ(*recording.metadata("status"), "stopped");
    EXPECT_TRUE(fs::exists(folder / "index.html"));
  }
}

TEST(KilledRun, GoesOnWhenTheTerminalIsClosedUnderNohup) {
  write_file("pendulum.yaml", pendulum_model);
  std::signal(SIGHUP, SIG_IGN);  // as nohup does for the program that it calls
  const pid_t pid = start(arguments + " --out here");
  std::signal(SIGHUP, SIG_DFL);
  wait_until_there(scratch() / "here/results.csv");
  ::kill(pid, SIGHUP);
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_EQ(summary_in(scratch() / "here")["status"], "finished");
}

TEST(KilledComparison, LeavesTheRunsThatWereMade) {
  write_file("pendulum.yaml", pendulum_model);
  const pid_t pid = start(
      "compare pendulum.yaml --until 20 --methods psf/radau5,partitioned/adams --out here --repeat 20 "
      "--rtol 1e-3..1e-9 --reference-rtol 1e-6");
  const auto table = [] { return read_file(scratch() / "here/compare.csv"); };
  for (int i = 0; i < 12000 && table().find("finished") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGKILL);
  const int end = wait_for(pid);
  const nlohmann::json json = nlohmann::json::parse(read_file(scratch() / "here/compare.json"));
  EXPECT_EQ(json["status"], end == -SIGKILL ? "unfinished" : "finished");
  EXPECT_EQ(json["points"].size(), 14u);
}

}  // namespace
}  // namespace trammel
