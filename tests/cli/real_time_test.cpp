// trammel run --real-time, as a user calls it: pace, report, files, refusals, and what a browser gets of it meanwhile.
#include <httplib.h>

#include <chrono>
#include <sstream>

#include "tests/cli/started_program.h"
#include "trammel/page/page_server.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

double seconds_of(const auto& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The last value of a column of results.csv.
double last_value(const fs::path& folder, const std::string& column) {
  std::istringstream lines(read_file(folder / "results.csv"));
  std::string header, line, last;
  std::getline(lines, header);
  while (std::getline(lines, line)) last = line;
  std::istringstream names(header), values(last);
  for (std::string name, value; std::getline(names, name, ',') && std::getline(values, value, ',');)
    if (name == column) return std::stod(value);
  ADD_FAILURE() << "no column " << column << " in " << header;
  return 0;
}

TEST(RealTimeCommand, KeepsPaceWithTheClockAndTellsOfIt) {
  write_file("pendulum.yaml", pendulum_model);
  json told;
  const double seconds = seconds_of(
      [&] { told = call_json("run pendulum.yaml --real-time --rate 500 --end 0.6 --out steady"); });
  EXPECT_GE(seconds, 0.6);
  EXPECT_EQ(told["status"], "finished");
  EXPECT_EQ(told["method"], "penalty/trapezoidal");
  const json& real_time = told["real_time"];
  EXPECT_EQ(real_time["rate"], 500);
  EXPECT_EQ(real_time["steps"], 300);
  EXPECT_EQ(real_time["unconverged"], 0);
  EXPECT_GT(real_time["mean"], 0);
  EXPECT_LE(real_time["mean"], real_time["worst"]);
  EXPECT_GE(real_time["overruns"], 0);
  EXPECT_EQ(summary_in(scratch() / "steady")["real_time"]["steps"], 300);
  EXPECT_TRUE(fs::exists(scratch() / "steady/index.html"));
  EXPECT_FALSE(fs::exists(scratch() / "steady/live.samples"));

  ASSERT_EQ(call("run pendulum.yaml --method psf/radau5 --rtol 1e-9 --end 0.6 --out other").exit_code, 0);
  // the trapezoidal rule at 2 ms
  EXPECT_NEAR(last_value(scratch() / "steady", "height"), last_value(scratch() / "other", "height"), 1e-5);
  EXPECT_NEAR(last_value(scratch() / "steady", "t"), 0.6, 1e-12);
}

TEST(RealTimeCommand, TheReportIsInWords) {
  write_file("pendulum.yaml", pendulum_model);
  const Called called = call("run pendulum.yaml --real-time --end 0.1 --no-page --no-hdf5");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  for (const char* words : {"in real time: 100 steps of 0.001 s", "99.9 % below", "worst"})
    EXPECT_NE(called.out.find(words), std::string::npos) << called.out;
  // one of the two, as the machine has it
  EXPECT_TRUE(called.out.find("the clock was kept by every step") != std::string::npos ||
              called.out.find("ended after they were due") != std::string::npos)
      << called.out;
}

TEST(RealTimeCommand, RefusesWhatItCannotDo) {
  write_file("pendulum.yaml", pendulum_model);
  for (const auto& [arguments, words] : {std::pair<const char*, const char*>{"--rate 100", "--real-time"},
                                         {"--real-time --rate 0", "must be positive, but is 0"},
                                         {"--real-time --rate -5", "must be positive, but is -5"},
                                         {"--real-time --rate fast", "fast"},
                                         {"--real-time --method psf/radau5", "cannot run in real time"},
                                         {"--real-time --option step=0.1", "leave out the option 'step'"},
                                         {"--real-time --resume somewhere", "cannot be resumed"}}) {
    const Called called = call(std::string("run pendulum.yaml ") + arguments);
    EXPECT_NE(called.exit_code, 0) << arguments;
    EXPECT_NE(called.err.find(words), std::string::npos) << arguments << ": " << called.err;
    EXPECT_FALSE(fs::exists(scratch() / "pendulum-results")) << arguments;
  }
}

TEST(RealTimeCommand, EndsWhenAskedWithWhatItHas) {
  write_file("pendulum.yaml", pendulum_model);
  const pid_t pid = start("run pendulum.yaml --real-time --end 60 --out cut");
  wait_until_there(scratch() / "cut/live.json");
  ::kill(pid, SIGINT);
  EXPECT_NE(wait_for(pid), 0);
  const json summary = summary_in(scratch() / "cut");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_GT(summary["real_time"]["steps"], 0);
  EXPECT_TRUE(fs::exists(scratch() / "cut/index.html"));
}

// What a killed run leaves must not pass for samples of the next one.
TEST(RealTimeCommand, SamplesOfAKilledRunGoWithTheNext) {
  write_file("pendulum.yaml", pendulum_model);
  const pid_t pid = start("run pendulum.yaml --real-time --end 60 --out again");
  wait_until_there(scratch() / "again/live.samples");
  ::kill(pid, SIGKILL);
  EXPECT_EQ(wait_for(pid), -SIGKILL);
  EXPECT_TRUE(fs::exists(scratch() / "again/live.samples"));
  EXPECT_EQ(call("run pendulum.yaml --out again").exit_code, 0);
  EXPECT_FALSE(fs::exists(scratch() / "again/live.samples"));
}

// The browser's side: every sample, in order, while the run goes on.
TEST(RealTimeCommand, SamplesComeToTheBrowserAsTheyAreMade) {
  write_file("pendulum.yaml", pendulum_model);
  const pid_t pid =
      start("run pendulum.yaml --real-time --rate 200 --end 1.5 --output-interval 0.05 --out live");
  const fs::path folder = scratch() / "live";
  wait_until_there(folder / "live.samples");
  PageServer server("Pendulum", folder);
  ASSERT_EQ(server.start(0), "");
  httplib::Client client("127.0.0.1", server.port());
  std::string received;
  bool went_on = false;
  const httplib::Result result = client.Get("/samples/-1", [&](const char* text, std::size_t size) {
    if (!received.empty()) went_on = true;
    received.append(text, size);
    return true;
  });
  ASSERT_TRUE(result);
  EXPECT_TRUE(went_on) << "piece by piece";
  EXPECT_EQ(wait_for(pid), 0);
  std::vector<double> until;
  std::istringstream lines(received);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("data: {")) until.push_back(json::parse(line.substr(6))["until"]);
  EXPECT_TRUE(std::is_sorted(until.begin(), until.end()));
  ASSERT_GT(until.size(), 2U);
  EXPECT_NE(received.find("event: end"), std::string::npos);
  // the last batch may have been overtaken by the end of the run, which brings the page itself
  EXPECT_GT(until.back(), 1);
}

}  // namespace
}  // namespace trammel
