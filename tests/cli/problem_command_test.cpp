// The program as a user calls it: exit codes, exactly one JSON object, messages that help.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/cli/called_program.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {
namespace {

TEST(ProblemCommand, JsonHasEveryKey) {
  const nlohmann::json json =
      call_json("problem pendulum --set v10=2.9 --rtol 1e-8 --atol 1e-8 --h0 0.01 --until 5");
  EXPECT_EQ(json["status"], "finished");
  EXPECT_EQ(json["problem"], "pendulum");
  EXPECT_EQ(json["method"], "psf/radau5");
  EXPECT_EQ(json["t"], 5.0);
  EXPECT_GT(json["wall_seconds"], 0.0);
  EXPECT_TRUE(json["message"].is_string());
  for (const char* counter :
       {"accepted", "steps", "rejected_error", "rejected_convergence", "evaluations", "mass_evaluations",
        "jacobians", "selectors", "predecompositions", "decompositions", "backsubstitutions"})
    EXPECT_TRUE(json["statistics"][counter].is_number_integer()) << counter;
  for (const char* level : {"position", "velocity", "acceleration"})
    EXPECT_LT(json["violation"][level], 1e-10) << level;
  EXPECT_LT(json["invariant_error"], 1e-5);
  for (const char* name : {"x", "y", "vx", "vy", "lambda"})
    EXPECT_TRUE(json["final"][name].is_number()) << name;
  EXPECT_GT(json["digits"], 6.0);
  EXPECT_FALSE(json.contains("energy_drift"));
}

TEST(ProblemCommand, DigitsWhereAReferenceIsKnown) {
  EXPECT_GT(call_json("problem andrews --rtol 1e-10")["digits"], 8.0);
  EXPECT_GT(call_json("problem pendulum --set angle=1.5707963267948966 --set v10=0 "
                      "--set g=13.750371636040745655 --until 10 --rtol 1e-9")["digits"],
            5.0);
  EXPECT_FALSE(call_json("problem andrews --until 0.02").contains("digits"));
}

TEST(ProblemCommand, ErrorByTheCriterionOfTheSource) {
  const nlohmann::json known = call_json("problem andrews --rtol 1e-10");
  EXPECT_NEAR(-std::log10(known["error"].get<double>()), known["digits"].get<double>(), 1e-9);
  EXPECT_NE(known["error_is"].get<std::string>().find("relative error of the seven angles"),
            std::string::npos);
  const nlohmann::json unknown = call_json("problem four-bar --until 0.1");
  EXPECT_FALSE(unknown.contains("error"));
  EXPECT_EQ(unknown["error_is"], "none: no reference solution");
  // the IFToMM library counts the drift of the energy
  for (const char* name : {"simple-pendulum", "n-four-bar", "bricard"}) {
    const double drift = call_json(std::string("problem ") + name + " --until 0.25")["energy_drift"];
    EXPECT_GT(drift, 0) << name;
    EXPECT_LT(drift, 1e-4) << name;
  }
  const std::string plain = call("problem bricard --until 0.25").out;
  EXPECT_NE(plain.find("largest error of the joint P3"), std::string::npos);
  EXPECT_NE(plain.find("drift of the energy"), std::string::npos);
  for (const auto& problem : nlohmann::json::parse(call("problem list --json").out))
    EXPECT_FALSE(problem["error_is"].get<std::string>().empty()) << problem["name"];
}

TEST(ProblemCommand, EveryProblemRunsWithItsDefaults) {
  for (const auto& problem : nlohmann::json::parse(call("problem list --json").out)) {
    const std::string name = problem["name"];
    EXPECT_EQ(call_json("problem " + name)["status"], "finished") << name;
  }
}

TEST(ProblemCommand, OptionsReachTheMethod) {
  EXPECT_EQ(call_json("problem pendulum --option max_steps=10", 1)["reason"], "too_many_steps");
  const nlohmann::json fixed = call_json("problem pendulum --until 1 --h0 0.02 --option fixed_step=yes");
  EXPECT_EQ(fixed["statistics"]["accepted"], 50);
  EXPECT_LT(call_json("problem pendulum --option invariants=keep")["invariant_error"], 1e-10);
}

TEST(ProblemCommand, SettingsMayBeGivenTogetherOrApart) {
  const auto final_x = [](const std::string& arguments) {
    return call_json(arguments)["final"]["x"].get<double>();
  };
  const double apart =
      final_x("problem pendulum --set v10=2.9 --set g=9.81 --option max_step=0.1 --option safety=0.8");
  EXPECT_EQ(final_x("problem pendulum --set v10=2.9 g=9.81 --option max_step=0.1 safety=0.8"), apart);
  EXPECT_EQ(final_x("problem --option max_step=0.1 safety=0.8 --set v10=2.9 g=9.81 pendulum"), apart);
  EXPECT_NE(final_x("problem pendulum --set v10=2.8 g=9.81"), apart);
}

TEST(ProblemCommand, NonsenseIsRefusedWithTheNearestName) {
  const auto refused = [](const std::string& arguments, const std::string& word) {
    const Called called = call(arguments);
    EXPECT_EQ(called.exit_code, 2) << arguments;
    EXPECT_TRUE(called.out.empty()) << arguments;
    EXPECT_NE(called.err.find(word), std::string::npos) << arguments << ": " << called.err;
    const nlohmann::json json = call_json(arguments, 2);
    EXPECT_EQ(json["status"], "failed");
    EXPECT_NE(json["message"].get<std::string>().find(word), std::string::npos);
  };
  refused("problem pendulm", "did you mean 'pendulum'");
  refused("problem pendulum --set mm=2", "did you mean 'm'");
  refused("problem pendulum --set m=-1", "'m'");
  refused("problem pendulum --set m=heavy", "not a number");
  refused("problem pendulum --set m=nan", "not a number");
  refused("problem pendulum --set m", "key=value");
  refused("problem pendulum --method psf/radua5", "did you mean 'psf/radau5'");
  refused("problem pendulum --option algebraic=cholesky", "lu, qr, svd");
  refused("problem pendulum --option algebriac=lu", "did you mean 'algebraic'");
  refused("problem chain --set N=2.5", "whole number");
  refused("problem pendulum --resume results", "there is no folder 'results'");
}

TEST(ProblemCommand, BadTolerancesAndTimesFail) {
  EXPECT_EQ(call_json("problem pendulum --rtol 0", 2)["reason"], "invalid_options");
  EXPECT_EQ(call_json("problem pendulum --rtol 1e-6 --atol -1", 2)["reason"], "invalid_options");
  EXPECT_EQ(call_json("problem pendulum --until -1", 2)["reason"], "end_before_start");
  EXPECT_EQ(call("problem pendulum --rtol abc").exit_code, 2);
  EXPECT_EQ(call("problem").exit_code, 2);
  EXPECT_EQ(call("").exit_code, 2);
}

TEST(ProblemCommand, OutputFolder) {
  const auto folder = scratch() / "a b'c";
  const Called called = call("problem four-bar --samples 50 --out \"" + folder.string() + "\"");
  EXPECT_EQ(called.exit_code, 0) << called.err;
  for (const char* file : {"results.csv", "steps.csv", "results.h5", "summary.json", "index.html"})
    EXPECT_TRUE(std::filesystem::file_size(folder / file) > 0) << file;
  EXPECT_FALSE(std::filesystem::exists(folder / "live.json"));
  const std::string csv = read_file(folder / "results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 52);
  EXPECT_EQ(nlohmann::json::parse(read_file(folder / "summary.json"))["status"], "finished");
  const Called nowhere = call("problem pendulum --json --out /proc/nowhere");
  EXPECT_EQ(nowhere.exit_code, 2);
  const nlohmann::json refused = nlohmann::json::parse(nowhere.out);
  EXPECT_EQ(refused["status"], "failed");
  EXPECT_FALSE(refused.contains("t")) << "it is not even begun";
  EXPECT_NE(refused["message"].get<std::string>().find("/proc/nowhere"), std::string::npos);
}

// The same files as those of `trammel run`, and read by the same commands.
TEST(ProblemCommand, FilesLikeThoseOfARun) {
  ASSERT_EQ(call("problem pendulum --until 0.5 --out pendulum").exit_code, 0);
  Recording recording;
  ASSERT_FALSE(read_hdf5(scratch() / "pendulum" / "results.h5", recording));
  EXPECT_EQ(*recording.metadata("problem"), "pendulum");
  EXPECT_EQ(*recording.metadata("status"), "finished");
  EXPECT_EQ(recording.groups(), (std::vector<std::string>{"positions", "velocities", "multipliers"}));
  EXPECT_EQ(recording.find("vx")->group, "velocities");
  const std::string steps = read_file(scratch() / "pendulum" / "steps.csv");
  EXPECT_TRUE(steps.starts_with(
      "t,h,position_violation,velocity_violation,acceleration_violation,invariant_error\n"));
  EXPECT_EQ(call("plot pendulum x y").exit_code, 0);

  // a mechanism: its bodies, joints and energies
  ASSERT_EQ(call("problem n-four-bar --until 0.5 --out bars --channels joints,energies --no-page --no-hdf5")
                .exit_code,
            0);
  const std::string csv = read_file(scratch() / "bars" / "results.csv");
  EXPECT_TRUE(csv.starts_with("t,A0.angle,A0.angle_rate,")) << csv.substr(0, 80);
  EXPECT_NE(csv.find("energy.total"), std::string::npos);
  for (const char* file : {"results.h5", "index.html"})
    EXPECT_FALSE(std::filesystem::exists(scratch() / "bars" / file)) << file;

  const Called unknown = call("problem pendulum --out never --channels z");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch() / "never"));
  EXPECT_NE(call("problem pendulum --no-csv").err.find("--no-csv is about files"), std::string::npos);
  EXPECT_EQ(call("problem pendulum --until 0.1 --quiet").out, "");
}

TEST(MethodsCommand, ListsEveryPair) {
  const nlohmann::json list = nlohmann::json::parse(call("methods --json").out);
  EXPECT_EQ(list[0]["method"], "psf/radau5");
  for (const auto& entry : list) EXPECT_FALSE(entry["when_to_use"].get<std::string>().empty());
  EXPECT_NE(call("methods").out.find("ggl/radau5"), std::string::npos);
}

// By a method that has it.
TEST(OptionsCommand, EveryListedDefaultCanBeSet) {
  for (const auto& entry : nlohmann::json::parse(call("options --json").out)) {
    const std::string setting = entry["key"].get<std::string>() + "=" + entry["default"].get<std::string>();
    ASSERT_FALSE(entry["methods"].empty()) << setting;
    const std::string method = entry["methods"][0];
    const std::string command = "problem pendulum --until 0.1 --method " + method + " --option ";
    const Called called = call(command + "'" + setting + "'");
    if (entry["set_by"].is_null()) {
      EXPECT_EQ(called.exit_code, 0) << setting << ": " << called.err;
    } else {
      EXPECT_EQ(called.exit_code, 2) << setting;
      EXPECT_NE(called.err.find(entry["set_by"].get<std::string>()), std::string::npos) << called.err;
    }
  }
}

TEST(OptionsCommand, ListsThoseOfOneMethodWithItsDefaults) {
  const auto listed = [](const std::string& arguments) {
    std::map<std::string, std::string> result;
    for (const auto& entry : nlohmann::json::parse(call("options --json " + arguments).out))
      result[entry["key"]] = entry["default"];
    return result;
  };
  const auto sdirk = listed("partitioned/sdirk4");
  EXPECT_EQ(sdirk, listed("--method partitioned/sdirk4"));
  EXPECT_EQ(sdirk.at("max_newton_iterations"), "7");
  EXPECT_TRUE(sdirk.contains("repartition_growth"));
  EXPECT_TRUE(sdirk.contains("initial_values"));
  EXPECT_FALSE(sdirk.contains("newton_matrix_at"));
  EXPECT_FALSE(sdirk.contains("projection_tolerance"));
  EXPECT_GT(listed("").size(), sdirk.size());
  const std::string text = call("options").out;
  EXPECT_NE(text.find("methods: */radau5, */sdirk4, */dop853"), std::string::npos) << text;
  EXPECT_EQ(call("options psf/adams").exit_code, 2);
}

TEST(MethodsCommand, TellsAllAboutOne) {
  const std::string text = call("methods cm/ida").out;
  for (const char* word : {"IDAS", "friction", "velocity_index", "to the tolerance"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
  const Called none = call("methods psf/adams");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("ordinary differential equations"), std::string::npos) << none.err;
}

TEST(ProblemCommand, AnOptionOfOtherMethodsIsRefused) {
  const nlohmann::json json =
      call_json("problem pendulum --method projected/dop853 --option newton_matrix_at=2", 2);
  EXPECT_NE(json["message"].get<std::string>().find("*/radau5"), std::string::npos) << json["message"];
}

TEST(Program, SaysItsVersion) { EXPECT_NE(call("--version").out.find("trammel 0."), std::string::npos); }

TEST(ProblemCommand, TellsHowNewtonsIterationConverged) {
  const nlohmann::json json = call_json(
      "problem bushing --set preloaded=1 --method cm/ida --h0 0.001 --until 0.001 --rtol 1e-10 --out out "
      "--option max_order=1 max_iterations=100 fixed_step=yes newton_stop=0.33 convergence=yes");
  ASSERT_EQ(json["convergence"].size(), 1U);
  EXPECT_EQ(json["convergence"][0]["iterations"], 8);
  EXPECT_EQ(json["convergence"][0]["converged"], true);
  const std::string csv = read_file(scratch() / "out" / "convergence.csv");
  EXPECT_TRUE(csv.starts_with("t,h,iterations,rate,converged\n0.001,0.001,8,0.12")) << csv;
  EXPECT_NE(call("problem bushing --option convergence=yes --until 0.001").out.find("mean rate"),
            std::string::npos);
  EXPECT_FALSE(call_json("problem bushing --until 0.001").contains("convergence"));
}

}  // namespace
}  // namespace trammel
