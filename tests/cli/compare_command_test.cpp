// trammel compare as a user calls it, the processes it runs in, and its page.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/called_program.h"
#include "tests/result/tag_balance.h"
#include "trammel/cli/trial_processes.h"
#include "trammel/page/compare_page.h"

namespace trammel {
namespace {

using End = ChildAnswer::End;

// Where the reference is not what is tested.
const std::string quick = "--repeat 1 --jobs 2 --samples 5 --reference-rtol 1e-8 ";

TEST(CompareCommand, JsonHasEveryKey) {
  const nlohmann::json json = call_json(
      "compare problem:andrews --methods psf/radau5,index1/radau5:safety=0.8 --rtol 1e-5,1e-3 --repeat 2");
  EXPECT_EQ(json["status"], "finished");
  EXPECT_EQ(json["subject"], "andrews");
  EXPECT_EQ(json["measure"], "published");
  EXPECT_EQ(json["reference"]["kind"], "published");
  EXPECT_LT(json["reference"]["accuracy"], 1e-10);
  ASSERT_EQ(json["points"].size(), 4u);
  const nlohmann::json& point = json["points"][1];
  EXPECT_EQ(point["method"], "psf/radau5");
  EXPECT_EQ(point["rtol"], 1e-5);  // from mild to tight
  EXPECT_EQ(point["atol"], 1e-5);
  EXPECT_EQ(point["status"], "finished");
  EXPECT_EQ(point["repeats"], 2);
  EXPECT_GT(point["seconds"], 0.0);
  EXPECT_LT(point["error"], json["points"][0]["error"]);
  EXPECT_GT(point["error"], 0.0);
  for (const char* counter : {"accepted", "evaluations", "jacobians", "decompositions"})
    EXPECT_GT(point["statistics"][counter], 0) << counter;
  for (const char* level : {"position", "velocity", "acceleration"})
    EXPECT_TRUE(point["violation"][level].is_number()) << level;
  EXPECT_EQ(json["points"][2]["method"], "index1/radau5:safety=0.8");
  ASSERT_EQ(json["recommendations"].size(), 3u);
  EXPECT_EQ(json["recommendations"][0]["ranking"].size(), 2u);
  EXPECT_TRUE(json["recommendations"][2]["ranking"].empty());  // 1e-9 is out of reach
}

TEST(CompareCommand, WritesPageTablesAndDiagrams) {
  write_file("swing.yaml", pendulum_model);
  const Called called = call(
      "compare swing.yaml --methods psf/radau5,partitioned/bdf --rtol 1e-3..1e-5 --samples 20 --repeat 1 "
      "--jobs 2");
  ASSERT_EQ(called.exit_code, 0) << called.err;
  EXPECT_EQ(called.err, "");
  EXPECT_NE(called.out.find("fastest to 1e-3: "), std::string::npos) << called.out;
  EXPECT_NE(called.out.find("reference: psf/radau5 at rtol 1e-12; "), std::string::npos) << called.out;
  const auto folder = scratch() / "swing-comparison";
  EXPECT_EQ(nlohmann::json::parse(read_file(folder / "compare.json"))["points"].size(), 6u);
  const std::string csv = read_file(folder / "compare.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  for (const char* file : {"time.svg", "evaluations.svg", "violation.svg", "index.html"})
    EXPECT_EQ(tag_fault(read_file(folder / file)), "") << file;
  EXPECT_EQ(occurrences(read_file(folder / "index.html"), "<svg"), 3u);
}

TEST(CompareCommand, OptionsAndParametersReachEveryRun) {
  write_file("swing.yaml", pendulum_model);
  const auto evaluations = [](const std::string& arguments) {
    return call_json("compare swing.yaml --rtol 1e-4 --until 0.3 " + quick +
                     arguments)["points"][0]["statistics"]["evaluations"]
        .get<int>();
  };
  const int plain = evaluations("--methods psf/radau5");
  EXPECT_NE(evaluations("--methods psf/radau5:max_step=0.01"), plain);
  EXPECT_EQ(evaluations("--methods psf/radau5 --option max_step=0.01"),
            evaluations("--methods psf/radau5:max_step=0.01"));
  EXPECT_NE(evaluations("--methods psf/radau5 --set length=0.1"), plain);
  EXPECT_NE(evaluations("--methods psf/radau5 --atol 1e-2"), plain);  // an angle of one has 1e-4 from rtol
}

TEST(CompareCommand, AnOptionIsForTheMethodsThatHaveIt) {
  write_file("swing.yaml", pendulum_model);
  const std::string two =
      "compare swing.yaml --rtol 1e-4 --until 0.3 --methods psf/radau5,projected/dop853 " + quick;
  const auto evaluations = [](const nlohmann::json& json, int point) {
    return json["points"][point]["statistics"]["evaluations"].get<int>();
  };
  const nlohmann::json plain = call_json(two), eager = call_json(two + " --option newton_stop=1e-6");
  EXPECT_NE(evaluations(plain, 0), evaluations(eager, 0));
  EXPECT_EQ(evaluations(plain, 1), evaluations(eager, 1));
  EXPECT_NE(eager["notes"].dump().find("newton_stop=1e-6 is not one of projected/dop853"), std::string::npos)
      << eager["notes"];
  EXPECT_NE(call_json(two + " --option order=5", 2)["message"].get<std::string>().find("*/dirk, */erk"),
            std::string::npos);
  EXPECT_NE(call_json("compare swing.yaml --methods projected/dop853:newton_stop=0.1", 2)["message"]
                .get<std::string>()
                .find("*/radau5"),
            std::string::npos);
}

TEST(CompareCommand, FailuresAreShown) {
  write_file("bars.yaml", four_bar_model);
  const Called called =
      call("compare bars.yaml --until 0.2 --methods psf/radau5,ggl/radau5 --rtol 1e-3,1e-4 " + quick);
  EXPECT_EQ(called.exit_code, 0) << called.err;
  EXPECT_NE(called.out.find("all  failed: the constraints are redundant"), std::string::npos) << called.out;
  EXPECT_NE(read_file(scratch() / "bars-comparison" / "index.html").find("failed: the constraints are"),
            std::string::npos);
  // if nothing works, the comparison has failed
  EXPECT_EQ(call_json("compare bars.yaml --until 0.2 --methods ggl/radau5 --rtol 1e-3 " + quick, 1)["status"],
            "failed");
}

TEST(CompareCommand, NoRunTakesLongerThanAllowed) {
  const nlohmann::json json = call_json(
      "compare hmmwv --until 100 --methods partitioned/adams --rtol 1e-3..1e-5 --timeout 0.3 --jobs 2 "
      "--reference-rtol 1e-7",
      1);
  EXPECT_EQ(json["reference"]["kind"], "none");
  EXPECT_EQ(json["points"][0]["status"], "timed out");
  EXPECT_NE(json["points"][0]["message"].get<std::string>().find("0.3 s"), std::string::npos);
  // the last is not even tried
  EXPECT_EQ(json["points"][2]["status"], "not run");
}

TEST(CompareCommand, NonsenseIsRefused) {
  const auto refused = [](const std::string& arguments, const std::string& word) {
    const Called called = call("compare " + arguments);
    EXPECT_EQ(called.exit_code, 2) << arguments;
    EXPECT_NE(called.err.find(word), std::string::npos) << arguments << ": " << called.err;
  };
  refused("problem:andrew", "did you mean 'andrews'");
  refused("andrew", "did you mean 'andrews'");
  refused("nowhere.yaml", "does not exist");
  refused("andrews --methods psf/radau", "did you mean 'psf/radau5'");
  refused("andrews --methods psf/radau5:safty=1", "did you mean 'safety'");
  refused("andrews --rtol 1e-3,x", "'x'");
  refused("andrews --rtol 1e-3..0", "'0'");
  refused("andrews --rtol 2", "between 0 and 1");
  refused("andrews --set mm=1", "did you mean 'mom'");
  refused("andrews --until 0.02 --measure published", "no published values");
  refused("andrews --measure nonsense", "nonsense");
  refused("andrews --jobs 0", "--jobs");
  refused("andrews --out /proc/nowhere", "/proc/nowhere");
  EXPECT_EQ(call("compare").exit_code, 2);
  EXPECT_EQ(call_json("compare andrew", 2)["status"], "failed");
}

TEST(CompareCommand, AFileComesBeforeAProblemOfItsName) {
  write_file("andrews", pendulum_model);
  EXPECT_EQ(call_json("compare andrews --methods psf/radau5 --rtol 1e-3 " + quick)["title"], "Pendulum");
  EXPECT_EQ(call_json("compare problem:andrews --methods psf/radau5 --rtol 1e-3 " + quick)["subject"],
            "andrews");
}

TEST(CompareCommand, ItsInnerWayIsNotOffered) {
  EXPECT_EQ(call("compare --help").out.find("one-run"), std::string::npos);
  EXPECT_EQ(call("completion bash").out.find("one-run"), std::string::npos);
  EXPECT_NE(call("completion bash").out.find("compare --methods"), std::string::npos);
}

// Ctrl-C while the reference is computed, which takes long.
TEST(CompareCommand, CanBeInterrupted) {
  const auto folder = scratch();
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::chdir(folder.c_str()) != 0 || std::freopen("out", "w", stdout) == nullptr) ::_exit(99);
    ::execl(TRAMMEL_PROGRAM, TRAMMEL_PROGRAM, "compare", "hmmwv", "--until", "1000", "--methods",
            "partitioned/adams", "--rtol", "1e-6", nullptr);
    ::_exit(98);
  }
  // when it has children, it can be interrupted
  const std::string children = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children";
  for (int i = 0; i < 2000 && read_file(children).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  EXPECT_NE(read_file(folder / "out").find("interrupted: not all runs were made"), std::string::npos);
}

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

std::vector<ChildAnswer> answers_of(const std::vector<std::vector<std::string>>& commands,
                                    const ChildLimits& limits) {
  std::vector<ChildAnswer> answers(commands.size());
  run_children(
      commands, limits, [](std::size_t) { return true; },
      [&](std::size_t i, ChildAnswer answer) { answers[i] = std::move(answer); });
  return answers;
}

TEST(Children, EachGivesItsOwnAnswer) {
  const auto answers = answers_of({shell("echo one; echo oops >&2; exit 3"),
                                   shell("kill -SEGV $$"),
                                   shell("sleep 1000"),
                                   {"/no/such/program"},
                                   shell("cat; echo four")},
                                  {.jobs = 2, .timeout = 0.5});
  EXPECT_EQ(answers[0].end, End::exited);
  EXPECT_EQ(answers[0].code, 3);
  EXPECT_EQ(answers[0].out, "one\n");
  EXPECT_EQ(answers[0].err, "oops\n");
  EXPECT_EQ(answers[1].end, End::killed);
  EXPECT_EQ(answers[1].code, SIGSEGV);
  EXPECT_NE(answers[1].trouble().find("Segmentation fault"), std::string::npos);
  EXPECT_EQ(answers[2].end, End::timed_out);
  EXPECT_EQ(answers[3].code, 127);
  EXPECT_NE(answers[3].err, "");
  EXPECT_EQ(answers[4].out, "four\n");  // there is nothing to read
}

TEST(Children, ALongAnswerArrivesWhole) {
  const auto answers = answers_of({shell("yes 0123456789 | head -n 200000; yes x | head -n 100000 >&2")},
                                  {.jobs = 1, .timeout = 60});
  EXPECT_EQ(answers[0].out.size(), 2200000u);
  EXPECT_EQ(answers[0].err.size(), 200000u);
}

TEST(Children, OneThatClosesItsOutputIsStillWaitedFor) {
  const auto answers =
      answers_of({shell("exec >&- 2>&-; exec sleep 0.05"), shell("exec >&- 2>&-; exec sleep 100")},
                 {.jobs = 2, .timeout = 0.5});
  EXPECT_EQ(answers[0].end, End::exited);
  EXPECT_EQ(answers[1].end, End::timed_out);
}

TEST(Children, AnInterruptEndsThemAll) {
  const auto folder = scratch();
  std::atomic<bool> interrupt{false};
  std::vector<std::vector<std::string>> commands;
  for (int i = 0; i < 4; ++i)
    commands.push_back(shell("echo $$ > '" + (folder / std::to_string(i)).string() + "'; exec sleep 1000"));
  std::thread later([&] {
    while (read_file(folder / "0").empty() || read_file(folder / "1").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    interrupt = true;
  });
  const auto answers = answers_of(commands, {.jobs = 2, .timeout = 100, .interrupt = &interrupt});
  later.join();
  for (const ChildAnswer& answer : answers) EXPECT_EQ(answer.end, End::interrupted);
  for (const char* file : {"0", "1"}) EXPECT_EQ(::kill(std::stoi(read_file(folder / file)), 0), -1);
  EXPECT_FALSE(std::filesystem::exists(folder / "2"));
}

TEST(Children, OneThatIsNotWantedIsNotStarted) {
  std::vector<std::size_t> done;
  run_children(
      {shell("true"), shell("true"), shell("true")}, {.jobs = 1, .timeout = 10},
      [](std::size_t i) { return i != 1; }, [&](std::size_t i, const ChildAnswer&) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 2}));
}

TEST(Children, WhatWentWrongIsInTheMeasurement) {
  const auto measured = [](const std::string& script) {
    return measurement_of(answers_of({shell(script)}, {.jobs = 1, .timeout = 0.3})[0], 0.3);
  };
  const Measurement crashed = measured("echo 'last words' >&2; kill -ABRT $$");
  EXPECT_EQ(crashed.outcome, Measurement::Outcome::crashed);
  EXPECT_NE(crashed.message.find("signal 6"), std::string::npos) << crashed.message;
  EXPECT_NE(crashed.message.find("last words"), std::string::npos) << crashed.message;
  EXPECT_EQ(measured("exec sleep 100").outcome, Measurement::Outcome::timed_out);
  const Measurement silent = measured("true");
  EXPECT_EQ(silent.outcome, Measurement::Outcome::failed);
  EXPECT_NE(silent.message.find("no answer that can be read"), std::string::npos) << silent.message;
  EXPECT_EQ(measured("echo '{}'").outcome, Measurement::Outcome::failed);
  EXPECT_EQ(measured("echo no; exit 2").outcome, Measurement::Outcome::failed);
}

TEST(ComparisonPage, TextCannotBecomeMarkup) {
  const std::string nasty = "</td><script>alert('\"')</script>&";
  Comparison comparison{.name = nasty, .title = nasty, .source = nasty};
  comparison.methods = {"psf/radau5:" + nasty};
  for (const double rtol : {1e-3, 1e-4}) {
    ComparedPoint point{.trial = {{"psf/radau5:" + nasty}, rtol}};
    point.measurement.outcome = rtol == 1e-3 ? Measurement::Outcome::finished : Measurement::Outcome::failed;
    point.measurement.message = nasty;
    point.measurement.seconds = 0.1;
    point.measurement.violation.position = 1e-9;
    if (rtol == 1e-3) point.error = 1e-5;
    comparison.points.push_back(point);
  }
  comparison.notes = {nasty};
  comparison.recommendations = {{1e-3, {}, nasty}};
  const std::string page = comparison_page(comparison);
  EXPECT_EQ(tag_fault(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script"), std::string::npos);
  // nothing is loaded from elsewhere
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(occurrences(page, "http"),
            occurrences(page, "http://www.w3.org/2000/svg") + occurrences(page, "http-equiv"));
}

TEST(ComparisonPage, PointsNearTheReferenceAreOutlined) {
  Comparison comparison{.name = "x"};
  comparison.methods = {"psf/radau5"};
  for (const bool near : {false, true}) {
    ComparedPoint point{.trial = {{"psf/radau5"}, near ? 1e-6 : 1e-3}};
    point.measurement.outcome = Measurement::Outcome::finished;
    point.measurement.seconds = 0.1;
    point.error = near ? 1e-9 : 1e-5;
    point.near_reference = near;
    comparison.points.push_back(point);
  }
  const std::string svg = time_diagram(comparison);
  EXPECT_EQ(occurrences(svg, "plot-marker plot-hollow"), 1u);
  EXPECT_EQ(occurrences(svg, "plot-marker plot-solid"), 2u);  // one in the legend
}

}  // namespace
}  // namespace trammel
