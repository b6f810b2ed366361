// trammel run: results, precedence of settings, refusals, determinism.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/cli/called_program.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

std::string refusal(const std::string& arguments) {
  const Called called = call(arguments);
  EXPECT_EQ(called.exit_code, 2) << arguments << ": " << called.err;
  EXPECT_EQ(called.out, "") << arguments;
  EXPECT_TRUE(called.err.starts_with("error: ")) << arguments << ": " << called.err;
  const nlohmann::json json = call_json(arguments, 2);
  EXPECT_EQ(json["status"], "failed") << arguments;
  EXPECT_TRUE(json["message"].is_string()) << arguments;
  return called.err;
}

TEST(RunCommand, RodsAreWhatIsAskedFor) {
  write_file("tie.yaml", R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  left: {at: [0, 0, 0], mass: 4, inertia: [0.05, 0.05, 0.05]}
  right: {at: [1, 0, 0], mass: 4, inertia: [0.05, 0.05, 0.05]}
  tie: {rod: {from: [0.1, 0, 0.2], to: [1.1, 0.1, 0.3], mass: 0.5, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 1, 0], initial: {angle_rate: 2}}
  D: {type: revolute, between: [ground, right], at: [1, 0, 0], axis: [0, 1, 0.2]}
  B: {type: spherical, between: [left, tie], at: [0.1, 0, 0.2]}
  C: {type: spherical, between: [tie, right], at: [1.1, 0.1, 0.3]}
simulation: {end: 0.1, output: 0.05}
)");
  const auto has_tie = [](const std::string& words) {
    EXPECT_EQ(call("run tie.yaml --out here" + words).exit_code, 0) << words;
    return read_file(scratch() / "here/results.csv").find("tie.position.x") != std::string::npos;
  };
  EXPECT_TRUE(has_tie(""));
  EXPECT_TRUE(has_tie(" --rods bodies"));
  EXPECT_FALSE(has_tie(" --rods distances"));
  EXPECT_EQ(call("run tie.yaml --rods strings").exit_code, 2);
}

// 467 bodies, so that there is work to share: double pendulums on a beam that turns.
TEST(RunCommand, ResultsDoNotDependOnTheNumberOfThreads) {
  std::string bodies = "  trunk: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 50, radius: 5 cm}}\n";
  std::string joints = "  T: {type: revolute, between: [ground, trunk], at: [0, 0, 0], axis: [0, 0, 1]}\n";
  for (int i = 0; i < 233; ++i) {
    const double x = 0.004 * i, z = 0.01 * (i % 7);
    bodies += fmt::format(
        "  a{0}: {{rod: {{from: [{1:.4f}, 0, 0], to: [{1:.4f}, -0.5, {2:.4f}], mass: 1, radius: 1 cm}}}}\n"
        "  b{0}: {{rod: {{from: [{1:.4f}, -0.5, {2:.4f}], to: [{3:.4f}, -0.6, {2:.4f}], mass: 1, radius: 1 "
        "cm}}}}\n",
        i, x, z, x + 0.3);
    joints += fmt::format(
        "  A{0}: {{type: revolute, between: [trunk, a{0}], at: [{1:.4f}, 0, 0], axis: [0, 0, 1], initial: "
        "{{angle_rate: 1}}}}\n"
        "  B{0}: {{type: revolute, between: [a{0}, b{0}], at: [{1:.4f}, -0.5, {2:.4f}], axis: [0, 0.1, "
        "1]}}\n",
        i, x, z);
  }
  write_file("branches.yaml",
             "trammel: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" + joints +
                 "simulation: {end: 0.05, output: 0.025, coordinates: joint, method: projected/dop853}\n");
  for (const std::string threads : {"1", "2", "5"})
    ASSERT_EQ(
        call("run branches.yaml --quiet --no-page --threads " + threads + " --out with-" + threads).exit_code,
        0);
  for (const char* file : {"results.csv", "steps.csv", "results.h5"}) {
    const std::string one = read_file(scratch() / "with-1" / file);
    EXPECT_GT(one.size(), 100u);
    EXPECT_TRUE(one == read_file(scratch() / "with-2" / file)) << file;
    EXPECT_TRUE(one == read_file(scratch() / "with-5" / file)) << file;
  }
  const Called none = call("run branches.yaml --threads 0");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--threads"), std::string::npos) << none.err;
}

TEST(RunCommand, LeavesResultsInItsOwnFolder) {
  write_file("pendulum.yaml", pendulum_model);
  const Called called = call("run pendulum.yaml");
  ASSERT_EQ(called.exit_code, 0) << called.err;
  EXPECT_EQ(called.err, "");
  EXPECT_NE(called.out.find("finished"), std::string::npos);
  EXPECT_NE(called.out.find("pivot.angle"), std::string::npos);
  const auto folder = scratch() / "pendulum-results";
  for (const char* file : {"results.csv", "results.h5", "steps.csv", "summary.json", "index.html"})
    EXPECT_GT(std::filesystem::file_size(folder / file), 0u) << file;
  const std::string csv = read_file(folder / "results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 12);
  EXPECT_TRUE(csv.starts_with("t,rod.position.x,"));
  EXPECT_FALSE(std::filesystem::exists(folder / "live.json")) << "of a run that goes on";

  Recording recording;
  const Failure failure = read_hdf5(folder / "results.h5", recording);
  ASSERT_FALSE(failure) << failure.message;
  EXPECT_EQ(recording.title, "Pendulum");
  EXPECT_EQ(recording.times().size(), 11u);
  EXPECT_NEAR(recording.find("pivot.angle")->values[0], std::numbers::pi / 6, 1e-12);
  EXPECT_EQ(recording.find("height")->unit, "m");
  EXPECT_EQ(*recording.metadata("parameter.length"), "1");
  EXPECT_EQ(*recording.metadata("model"), "pendulum.yaml");
  EXPECT_NE(recording.metadata("version"), nullptr);
  EXPECT_GT(recording.steps.samples(), 3);
  EXPECT_NE(recording.steps.find("position_violation"), nullptr);
}

TEST(RunCommand, JsonTellsHowItWent) {
  write_file("pendulum.yaml", pendulum_model);
  const nlohmann::json json =
      call_json("run pendulum.yaml --set length=2 start='10 deg' --end 0.5 --rtol 1e-8");
  EXPECT_EQ(json["status"], "finished");
  EXPECT_EQ(json["t"], 0.5);
  EXPECT_EQ(json["model"], "pendulum.yaml");
  EXPECT_EQ(json["parameters"]["length"], 2.0);
  EXPECT_NEAR(json["parameters"]["start"].get<double>(), std::numbers::pi / 18, 1e-15);
  EXPECT_EQ(json["degrees_of_freedom"], 1);
  EXPECT_EQ(json["rtol"], 1e-8);
  EXPECT_EQ(json["atol"], 1e-10);
  EXPECT_EQ(json["samples"], 6);
  EXPECT_FALSE(json["method"].get<std::string>().empty());
  EXPECT_TRUE(json["statistics"]["accepted"].is_number_integer());
  EXPECT_LT(json["violation"]["position"], 1e-10);
  EXPECT_TRUE(json["final"]["pivot.angle"].is_number());
  EXPECT_TRUE(json["final"]["pivot.reaction.force.z"].is_number());
  EXPECT_FALSE(json.contains("wall_seconds"));
}

TEST(RunCommand, TheSameInputGivesTheSameBytes) {
  write_file("four-bar.yaml", four_bar_model);
  ASSERT_EQ(call("run four-bar.yaml --out first").exit_code, 0);
  ASSERT_EQ(call("run four-bar.yaml --out second").exit_code, 0);
  for (const char* file : {"results.csv", "results.h5", "steps.csv", "summary.json", "index.html"})
    EXPECT_TRUE(read_file(scratch() / "first" / file) == read_file(scratch() / "second" / file)) << file;
}

TEST(RunCommand, CommandLineComesBeforeTheModel) {
  write_file("pendulum.yaml", pendulum_model);
  const auto times = [](const std::string& arguments) {
    EXPECT_EQ(call("run pendulum.yaml --out here --no-hdf5 --no-page " + arguments).exit_code, 0)
        << arguments;
    const std::string csv = read_file(scratch() / "here" / "results.csv");
    return std::count(csv.begin(), csv.end(), '\n') - 1;
  };
  EXPECT_EQ(times(""), 11);
  EXPECT_EQ(times("--until 0.5"), 6);
  EXPECT_EQ(times("--output-interval 0.05"), 21);
  EXPECT_EQ(times("--samples 4"), 5);
  EXPECT_EQ(times("--end 0"), 1);
  EXPECT_FALSE(std::filesystem::exists(scratch() / "here" / "results.h5"));
  EXPECT_FALSE(std::filesystem::exists(scratch() / "here" / "index.html"));
  EXPECT_EQ(call_json("run pendulum.yaml --method ggl/radau5")["method"], "ggl/radau5");
  const nlohmann::json automatic = call_json("run pendulum.yaml --option safety=0.8 controller=classical");
  EXPECT_EQ(automatic["options"],
            (nlohmann::json{{"safety", "0.8"}, {"controller", "classical"}, {"newton_matrix_at", "2"}}));
  EXPECT_EQ(automatic["options_of_auto"], (nlohmann::json{{"newton_matrix_at", "2"}}));
  EXPECT_NE(call("run pendulum.yaml").out.find("newton_matrix_at=2 (by auto)"), std::string::npos);
  EXPECT_EQ(call_json("run pendulum.yaml --option newton_matrix_at=1")["options"],
            (nlohmann::json{{"newton_matrix_at", "1"}}));
  EXPECT_EQ(call_json("run --set length=2 start=1 pendulum.yaml")["parameters"]["length"], 2.0);
}

TEST(RunCommand, ChannelsCanBeChosen) {
  write_file("pendulum.yaml", pendulum_model);
  ASSERT_EQ(call("run --channels energies,pivot.angle pendulum.yaml --out here").exit_code, 0);
  EXPECT_TRUE(read_file(scratch() / "here" / "results.csv")
                  .starts_with("t,energy.kinetic,energy.potential,energy.total,pivot.angle\n"));
  EXPECT_NE(refusal("run pendulum.yaml --channels pivot.angel").find("did you mean 'pivot.angle'"),
            std::string::npos);
}

TEST(RunCommand, ForeignFilesStay) {
  write_file("pendulum.yaml", pendulum_model);
  std::filesystem::create_directories(scratch() / "here");
  write_file("here/notes.txt", "mine");
  ASSERT_EQ(call("run pendulum.yaml --out here").exit_code, 0);
  ASSERT_EQ(call("run pendulum.yaml --out here").exit_code, 0);
  EXPECT_EQ(read_file(scratch() / "here" / "notes.txt"), "mine");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch() / "here")) ++files;
  EXPECT_EQ(files, 6u);
}

TEST(RunCommand, AFailedRunKeepsItsResults) {
  write_file("pendulum.yaml", pendulum_model);
  const Called called = call("run pendulum.yaml --end 100 --option max_steps=20 --out here");
  EXPECT_EQ(called.exit_code, 1);
  EXPECT_TRUE(called.err.starts_with("error: "));
  const nlohmann::json json = nlohmann::json::parse(read_file(scratch() / "here" / "summary.json"));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["reason"], "too_many_steps");
  EXPECT_GT(json["samples"], 1);
  EXPECT_GT(json["t"], 0.0);
  // the last sample is where it ended
  const std::string csv = read_file(scratch() / "here" / "results.csv");
  const std::string last = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
  EXPECT_EQ(std::stod(last), json["t"].get<double>());
}

TEST(RunCommand, AnInterruptedRunKeepsItsResults) {
  write_file("pendulum.yaml", pendulum_model);
  // the table is there when the run begins
  const std::string script =
      "cd '" + scratch().string() + "' && { '" + TRAMMEL_PROGRAM +
      "' run pendulum.yaml --end 1e6 --output-interval 1 --option max_steps=1000000000 "
      "--out here > .out & until [ -e here/results.csv ]; do sleep 0.01; done; kill -INT $!; wait $!; }";
  const int status = std::system(script.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const nlohmann::json json = nlohmann::json::parse(read_file(scratch() / "here" / "summary.json"));
  EXPECT_EQ(json["status"], "stopped");
  EXPECT_EQ(json["reason"], "interrupted");
  EXPECT_GE(json["samples"], 1);
}

// A measure is the user's own: the run is as good as without it, but nobody overlooks that.
TEST(RunCommand, AMeasureThatIsNotFiniteIsALoudNote) {
  std::string model = pendulum_model;
  model.replace(model.find("  height:"), 0, "  root: \"sqrt(0.55 - t)\"\n");
  write_file("root.yaml", model);
  for (const char* quiet : {"", " --quiet"}) {
    const Called called = call(std::string("run root.yaml --out here") + quiet);
    EXPECT_EQ(called.exit_code, 0) << called.err;
    EXPECT_NE(
        called.err.find("warning: the measure 'root' is not a finite number in 5 of 11 samples, first at "
                        "t = 0.6 (nan)"),
        std::string::npos)
        << called.err;
  }
  const nlohmann::json json = nlohmann::json::parse(read_file(scratch() / "here/summary.json"));
  EXPECT_EQ(json["status"], "finished");
  ASSERT_FALSE(json["notes"].empty());
  EXPECT_NE(json["notes"][0].get<std::string>().find("the measure 'root'"), std::string::npos);
  EXPECT_NE(read_file(scratch() / "here/index.html").find("the measure 'root'"), std::string::npos);
}

TEST(RunCommand, WhatCannotBeAssembledFails) {
  write_file("apart.yaml", four_bar_model +
                               "drivers:\n  far: {coordinate: \"distance(P,Q)\", position: 10}\n"
                               "markers:\n  P: {body: crank, at: [0, 1, 0]}\n"
                               "  Q: {body: ground, at: [0, 0, 0]}\n");
  const nlohmann::json json = call_json("run apart.yaml", 1);
  EXPECT_EQ(json["status"], "failed");
  EXPECT_TRUE(json["final"].empty());
}

TEST(RunCommand, AnOptionOfOtherMethodsIsRefused) {
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_NE(refusal("run pendulum.yaml --method partitioned/bdf --option safety=0.5")
                .find("*/radau5, */sdirk4, */dop853"),
            std::string::npos);
  // auto has taken psf/radau5
  EXPECT_NE(refusal("run pendulum.yaml --option baumgarte_alpha=3").find("baumgarte/*"), std::string::npos);

  // in a file, with the line; for another method than the file's own it is left out, and said
  const std::string mechanism = pendulum_model.substr(0, pendulum_model.find("simulation:"));
  write_file("bound.yaml",
             mechanism + "simulation:\n  method: projected/dop853\n  options:\n    newton_stop: 0.1\n");
  const std::string message = refusal("run bound.yaml");
  EXPECT_NE(message.find("bound.yaml:15:"), std::string::npos) << message;
  EXPECT_NE(message.find("newton_stop"), std::string::npos) << message;
  EXPECT_NE(refusal("check bound.yaml").find("newton_stop"), std::string::npos);
  write_file("stiff.yaml",
             mechanism + "simulation:\n  method: psf/radau5\n  options:\n    newton_stop: 0.1\n");
  const nlohmann::json other = call_json("run stiff.yaml --end 0.1 --method projected/dop853");
  EXPECT_TRUE(other["options"].empty());
  EXPECT_NE(other["notes"].dump().find("'newton_stop' of stiff.yaml is left out"), std::string::npos)
      << other["notes"];
}

TEST(RunCommand, NonsenseIsRefused) {
  write_file("pendulum.yaml", pendulum_model);
  for (const char* arguments :
       {"--end -1", "--end nan", "--end inf", "--output-interval 0", "--output-interval -1", "--samples 0",
        "--samples -3", "--samples 5 --output-interval 1", "--rtol 0", "--rtol -1", "--atol 0", "--rtol nan",
        "--h0 -1", "--set length", "--option safety", "--output-interval 1e-15"})
    refusal(std::string("run pendulum.yaml ") + arguments);
  EXPECT_NE(refusal("run pendulum.yaml --set lenght=2").find("did you mean 'length'"), std::string::npos);
  EXPECT_NE(refusal("run pendulum.yaml --method psf/radua5").find("did you mean 'psf/radau5'"),
            std::string::npos);
  EXPECT_NE(refusal("run pendulum.yaml --option saftey=0.5").find("did you mean 'safety'"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch() / "pendulum-results"));
  EXPECT_EQ(call("run").exit_code, 2);
  EXPECT_EQ(call("run pendulum.yaml --rtol abc").exit_code, 2);
}

TEST(RunCommand, BadFilesAreRefusedWithThePlace) {
  refusal("run nowhere.yaml");
  refusal("run .");
  write_file("empty.yaml", "");
  refusal("run empty.yaml");
  write_file("binary.yaml", std::string("\0\xff\xfe\x01", 4));
  refusal("run binary.yaml");
  write_file("bad.yaml", "trammel: 1\nbodies:\n  rod: {mas: 1}\n");
  EXPECT_NE(refusal("run bad.yaml").find("error: bad.yaml:3:9: "), std::string::npos);
  const nlohmann::json json = call_json("run bad.yaml", 2);
  EXPECT_EQ(json["file"], "bad.yaml");
  EXPECT_EQ(json["line"], 3);
  EXPECT_EQ(json["column"], 9);
  EXPECT_EQ(json["reason"], "invalid_model");
}

TEST(RunCommand, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_NE(refusal("run pendulum.yaml --out /proc/nowhere").find("/proc/nowhere"), std::string::npos);
  write_file("taken", "a file");
  refusal("run pendulum.yaml --out taken");
  refusal("run pendulum.yaml --out taken/below");
}

}  // namespace
}  // namespace trammel
