// Disks that are full and files that may not become long: what is missing is told, the rest is written.
#include <algorithm>

#include "tests/cli/called_program.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

// A call in bash, with what is to be done before it.
Called call_after(const std::string& before, const std::string& arguments, const std::string& out = ".out") {
  const std::string command = "cd '" + scratch().string() + "' && bash -c \"" + before + " '" +
                              TRAMMEL_PROGRAM + "' " + arguments + "\" > " + out + " 2> .err < /dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch() / ".out"),
          read_file(scratch() / ".err")};
}

TEST(OutputFailure, StandardOutputThatIsFullIsAnError) {
  write_file("pendulum.yaml", pendulum_model);
  ASSERT_EQ(call("run pendulum.yaml").exit_code, 0);
  for (const char* arguments :
       {"check pendulum.yaml", "check pendulum.yaml --json", "run pendulum.yaml", "run pendulum.yaml --json",
        "assemble pendulum.yaml", "equilibrium pendulum.yaml", "modes pendulum.yaml", "methods", "options",
        "problem list", "problem list --json", "plot pendulum-results pivot.angle",
        "plot pendulum-results --list", "completion bash", "--version", "--help", "run --help",
        "compare pendulum.yaml --methods psf/radau5 --rtol 1e-3,1e-4 --repeat 1 --reference-rtol 1e-6"}) {
    const Called called = call_after("", arguments, "/dev/full");
    EXPECT_EQ(called.exit_code, 3) << arguments << ": " << called.err;
    EXPECT_NE(called.err.find("error: standard output could not be written: No space left on device"),
              std::string::npos)
        << arguments << ": " << called.err;
  }
}

// A closed stream must not become the first file that is opened either.
TEST(OutputFailure, StandardOutputThatIsClosedIsAnError) {
  write_file("pendulum.yaml", pendulum_model);
  const std::string command = "cd '" + scratch().string() + "' && '" + TRAMMEL_PROGRAM +
                              "' run pendulum.yaml --out here >&- 2> .err <&-";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(read_file(scratch() / ".err").find("standard output could not be written"), std::string::npos);
  for (const char* file : {"results.csv", "steps.csv", "summary.json"})
    EXPECT_EQ(read_file(scratch() / "here" / file).find("written:"), std::string::npos) << file;
}

// results.csv, results.h5 and the page are longer than allowed, the others are not.
TEST(OutputFailure, EachFileOfARunIsTriedOnItsOwn) {
  write_file("pendulum.yaml", pendulum_model);
  const std::string arguments = "run pendulum.yaml --samples 4000 --out here";
  for (const bool json : {false, true}) {
    const Called called = call_after("ulimit -f 128;", arguments + (json ? " --json" : ""));
    EXPECT_EQ(called.exit_code, 3) << called.err;
    for (const char* file : {"results.csv", "results.h5", "index.html"})
      EXPECT_NE(called.err.find("error: cannot write 'here/" + std::string(file) + "': File too large\n"),
                std::string::npos)
          << called.err;
    const std::string table = read_file(scratch() / "here/results.csv");
    EXPECT_GT(table.size(), 10'000u) << "what had room";
    EXPECT_TRUE(table.ends_with('\n'));
    const std::string steps = read_file(scratch() / "here/steps.csv");
    EXPECT_GT(std::count(steps.begin(), steps.end(), '\n'), 3);

    nlohmann::json summary = nlohmann::json::parse(read_file(scratch() / "here/summary.json"));
    if (json) {
      EXPECT_EQ(nlohmann::json::parse(called.out), summary);
    }
    EXPECT_EQ(summary["status"], "failed");
    EXPECT_EQ(summary["reason"], "not_written");
    EXPECT_EQ(summary["result"], "finished");
    EXPECT_EQ(summary["samples"], 4001);
    ASSERT_EQ(summary["not_written"].size(), 3u);
    EXPECT_EQ(summary["not_written"][0]["file"], "here/results.csv");
    if (!json) {
      EXPECT_NE(called.out.find("finished: reached t = 1"), std::string::npos) << called.out;
    }
  }
}

TEST(OutputFailure, AProblemThatFindsNoRoomIsNotThrownAway) {
  const Called called = call_after("ulimit -f 8;", "problem andrews --out here --json");
  EXPECT_EQ(called.exit_code, 3) << called.err;
  const nlohmann::json json = nlohmann::json::parse(called.out);
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["result"], "finished");
  EXPECT_TRUE(json.contains("digits"));
  EXPECT_GE(json["not_written"].size(), 2u);
  EXPECT_NE(called.err.find("File too large"), std::string::npos);
}

TEST(OutputFailure, AFileThatCannotEvenBeginIsRefusedBeforeTheRun) {
  write_file("pendulum.yaml", pendulum_model);
  const Called called = call_after("ulimit -f 0;", "run pendulum.yaml --out here", "/dev/null");
  EXPECT_EQ(called.exit_code, 2) << called.err;
  EXPECT_FALSE(fs::exists(scratch() / "here/results.csv"));
}

TEST(OutputFailure, OtherCommandsSayWhy) {
  write_file("pendulum.yaml", pendulum_model);
  fs::create_directories(scratch() / "folder");
  for (const char* arguments : {"equilibrium pendulum.yaml --out folder", "modes pendulum.yaml --out here"}) {
    fs::create_directories(scratch() / "here/A.csv");
    const Called called = call(arguments);
    EXPECT_EQ(called.exit_code, 3) << arguments << called.err;
    EXPECT_NE(called.err.find("error: cannot write '"), std::string::npos) << called.err;
    EXPECT_FALSE(called.out.empty()) << arguments;
  }
  EXPECT_TRUE(fs::exists(scratch() / "here/B.csv"));
}

}  // namespace
}  // namespace trammel
