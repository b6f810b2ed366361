// `trammel run --resume`: after kill -9 and after signals the files are those of a run that was left in peace;
// what cannot go on is refused, and nothing is lost.
#include <algorithm>
#include <random>

#include "tests/cli/started_program.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

// A double pendulum in such small steps that it takes some seconds.
const std::string model = R"yaml(trammel: 1
parameters: {mass: 1}
bodies:
  upper: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: mass, radius: 1 cm}}
  lower: {rod: {from: [1, 0, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 0]}
tables:
  push: {file: push.csv}
forces:
  motor: {type: actuator, coordinate: B.angle, force: "table(push, t)"}
)yaml";
const std::string table = "t,y\n0,0\n5,1\n6,-1\n100,0\n";

const std::string arguments = "run model.yaml --set mass=2 --end 30 --rtol 1e-10 --samples 3000";
// Never comes to its end by itself.
const std::string endless =
    "run model.yaml --end 1e6 --output-interval 1 --rtol 1e-9 --no-page --option max_steps=1000000000";

void write_model() {
  write_file("model.yaml", model);
  write_file("push.csv", table);
}

// Starts a run and kills it, or interrupts it, once there is a checkpoint.
int stop_after_checkpoint(const std::string& words, const fs::path& folder, int signal) {
  const pid_t pid = start(words + " --out " + folder.filename().string());
  wait_until_there(folder / "checkpoint/state");
  ::kill(pid, signal);
  return wait_for(pid);
}

void expect_same_files(const fs::path& a, const fs::path& b) {
  for (const char* name : {"results.csv", "steps.csv", "results.h5", "summary.json"})
    EXPECT_TRUE(read_file(a / name) == read_file(b / name)) << name;
  EXPECT_FALSE(fs::exists(b / "checkpoint"));
  EXPECT_FALSE(fs::exists(b / "live.json"));
}

TEST(ResumedRun, AfterKillsHasTheSameFiles) {
  write_model();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(call(arguments + " --out whole").exit_code, 0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_FALSE(fs::exists(scratch() / "whole/checkpoint"));
  std::mt19937 random(3);
  int resumed = 0;
  for (int i = 0; i < 2; ++i) {
    const fs::path folder = scratch() / ("part" + std::to_string(i));
    SCOPED_TRACE(folder);
    std::string words = arguments + " --out " + folder.filename().string();
    // killed again and again, also when it goes on
    for (int kills = 0; kills < 2; ++kills) {
      const pid_t pid = start(words);
      const std::chrono::duration<double> delay(std::uniform_real_distribution(0.2, 0.8)(random) * seconds);
      std::this_thread::sleep_for(delay);
      ::kill(pid, SIGKILL);
      if (wait_for(pid) != -SIGKILL) break;  // it was faster
      if (fs::exists(folder / "checkpoint/state")) words = "run --resume " + folder.filename().string();
    }
    if (fs::exists(folder / "checkpoint/state")) {
      const Called called = call("run --resume " + folder.filename().string());
      ASSERT_EQ(called.exit_code, 0) << called.err;
      EXPECT_NE(called.err.find("model.yaml goes on from t = "), std::string::npos) << called.err;
      ++resumed;
    } else if (nlohmann::json::parse(read_file(folder / "summary.json"))["status"] != "finished") {
      continue;  // killed before there was anything to go on from
    }
    expect_same_files(scratch() / "whole", folder);
  }
  RecordProperty("resumed", resumed);
}

TEST(ResumedRun, AfterASignalGoesOnAsItWasTold) {
  write_model();
  const std::string longer = arguments + " --no-page --option max_step=0.0001 --option max_steps=1000000";
  ASSERT_EQ(call(longer + " --out whole").exit_code, 0);
  const fs::path folder = scratch() / "a b";
  const pid_t pid = start(longer + " --out 'a b'");
  wait_until_there(folder / "checkpoint/state");
  ::kill(pid, SIGTERM);
  ASSERT_EQ(wait_for(pid), 143);
  const std::string command = "trammel run --resume 'a b'";
  EXPECT_NE(read_file(scratch() / ".err").find(command), std::string::npos) << read_file(scratch() / ".err");
  EXPECT_EQ(summary_in(folder)["resume"], command);
  EXPECT_EQ(summary_in(folder)["status"], "stopped");
  const Called called = call("run --resume 'a b' --quiet");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  EXPECT_EQ(called.out + called.err, "");
  expect_same_files(scratch() / "whole", folder);
  EXPECT_FALSE(fs::exists(folder / "index.html"));

  const Called again = call("run --resume 'a b'");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("has come to its end"), std::string::npos) << again.err;
}

TEST(ResumedRun, FromAnotherFolderFindsItsModel) {
  write_model();
  const std::string longer = arguments + " --no-page --option max_step=0.0001 --option max_steps=1000000";
  ASSERT_EQ(call(longer + " --out whole").exit_code, 0);
  const fs::path folder = scratch() / "here";
  ASSERT_EQ(stop_after_checkpoint(longer, folder, SIGKILL), -SIGKILL);
  const std::string command =
      "cd / && '" TRAMMEL_PROGRAM "' run --quiet --resume '" + folder.string() + "' 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  expect_same_files(scratch() / "whole", folder);
}

// Everything that is refused leaves the folder as it was, so that the run can still go on.
TEST(ResumedRun, RefusesWhatIsNotTheSameRun) {
  write_model();
  const fs::path folder = scratch() / "here";
  ASSERT_EQ(stop_after_checkpoint(endless, folder, SIGKILL), -SIGKILL);
  const std::string state = read_file(folder / "checkpoint/state"), steps = read_file(folder / "steps.csv"),
                    summary = read_file(folder / "summary.json");
  const auto expect_refused = [&](const std::string& words, const std::string& part) {
    const Called called = call("run " + words + " --resume here");
    EXPECT_EQ(called.exit_code, 2) << words;
    EXPECT_NE(called.err.find(part), std::string::npos) << called.err;
    const nlohmann::json json = call_json("run " + words + " --resume here", 2);
    EXPECT_EQ(json["status"], "failed");
    EXPECT_EQ(read_file(folder / "steps.csv"), steps);
    EXPECT_EQ(read_file(folder / "summary.json"), summary);
  };
  expect_refused("--rtol 1e-6", "was begun with --rtol 1e-09, and cannot go on with --rtol 1e-06");
  expect_refused("--end 2e6", "Another end changes steps and samples");
  expect_refused("--method psf/sdirk4",
                 "was begun without --method, and cannot go on with --method psf/sdirk4");
  expect_refused("--set mass=3", "without --set");
  expect_refused("--out there", "in its own folder");
  expect_refused("--no-csv", "without --no-csv");

  write_file("push.csv", "t,y\n0,0\n5,2\n");
  expect_refused("", "'push.csv' is not what it was when the run was begun");
  write_file("push.csv", table);
  write_file("model.yaml", model + "# a remark\n");
  expect_refused("", "'model.yaml' is not what it was when the run was begun");
  fs::remove(scratch() / "model.yaml");
  expect_refused("", "the model of the run in 'here' is gone");
  expect_refused("elsewhere.yaml", "elsewhere.yaml");
  write_file("model.yaml", model);

  std::string damaged = state;
  damaged[damaged.size() / 2] ^= 1;
  write_file("here/checkpoint/state", damaged);
  expect_refused("", "here/checkpoint/state': it is damaged");
  damaged = state;
  damaged.replace(damaged.find(" 1\n"), 3, " 9\n");
  write_file("here/checkpoint/state", damaged);
  expect_refused("", "version 9");
  write_file("here/checkpoint/state", state);
  fs::rename(folder / "checkpoint/samples", folder / "checkpoint/away");
  expect_refused("", "here/checkpoint/samples': there is no such file");
  fs::rename(folder / "checkpoint/away", folder / "checkpoint/samples");
  EXPECT_EQ(call("run --resume nowhere").exit_code, 2);

  // and after all of that
  const pid_t pid = start("run --resume here");
  const auto goes_on = [&] {
    const nlohmann::json json = summary_in(folder);
    return json.is_object() && json != nlohmann::json::parse(summary);
  };
  for (int i = 0; i < 6000 && !goes_on(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  // one run at a time
  const Called second = call("run --resume here");
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_NE(second.err.find("still going on"), std::string::npos) << second.err;
  ::kill(pid, SIGINT);
  EXPECT_EQ(wait_for(pid), 130);
  EXPECT_TRUE(fs::exists(folder / "checkpoint/state"));

  // another run takes the place of all of it
  ASSERT_EQ(call("run model.yaml --end 1 --out here").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder / "checkpoint"));
  EXPECT_EQ(call("run --resume here").exit_code, 2);
}

// The table finds no room, the checkpoint does: it is smaller.
TEST(ResumedRun, AfterAFullDiskWritesWhatIsMissing) {
  write_model();
  const std::string words = "run model.yaml --end 10 --rtol 1e-10 --samples 1000 --no-page --out ";
  ASSERT_EQ(call(words + "whole").exit_code, 0);
  ASSERT_GT(fs::file_size(scratch() / "whole/results.csv"), 500u * 1024);
  const std::string command = "cd '" + scratch().string() +
                              "' && bash -c \"ulimit -f 500; '" TRAMMEL_PROGRAM "' " + words +
                              "here\" > .out 2> .err";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(read_file(scratch() / ".err").find("trammel run --resume here"), std::string::npos);
  EXPECT_EQ(summary_in(scratch() / "here")["reason"], "not_written");
  EXPECT_EQ(call("run --resume here").exit_code, 0);
  expect_same_files(scratch() / "whole", scratch() / "here");
}

TEST(ResumedRun, WithoutCheckpointsThereIsNothingToGoOnFrom) {
  write_model();
  const pid_t pid = start(endless + " --no-checkpoint --out here");
  wait_until_there(scratch() / "here/results.csv");
  ::kill(pid, SIGTERM);
  EXPECT_EQ(wait_for(pid), 143);
  EXPECT_FALSE(fs::exists(scratch() / "here/checkpoint"));
  EXPECT_FALSE(summary_in(scratch() / "here").contains("resume"));
  const Called called = call("run --resume here");
  EXPECT_EQ(called.exit_code, 2);
  EXPECT_NE(called.err.find("there is no checkpoint in 'here'"), std::string::npos) << called.err;
}

}  // namespace
}  // namespace trammel
