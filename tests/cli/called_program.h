// The program as a user calls it, in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace trammel {

struct Called {
  int exit_code = -1;
  std::string out, err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder of this test's own; all are removed at the end.
inline std::filesystem::path scratch_base() {
  return std::filesystem::path(testing::TempDir()) / ("trammel-tests-" + std::to_string(::getpid()));
}
inline std::filesystem::path scratch() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto path = scratch_base() / (std::string(test->test_suite_name()) + "-" + test->name());
  std::filesystem::create_directories(path);
  return path;
}
class ScratchFolders : public testing::Environment {
  void TearDown() override { std::filesystem::remove_all(scratch_base()); }
};
[[maybe_unused]] inline const auto* const cleanup = testing::AddGlobalTestEnvironment(new ScratchFolders);

// In the scratch folder.
inline Called call(const std::string& arguments) {
  const auto folder = scratch();
  const auto out = folder / ".out", err = folder / ".err";
  const std::string command = "cd '" + folder.string() + "' && '" + TRAMMEL_PROGRAM + "' " + arguments +
                              " >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

inline nlohmann::json call_json(const std::string& arguments, int expected_exit = 0) {
  const Called called = call(arguments + " --json");
  EXPECT_EQ(called.exit_code, expected_exit) << called.err << called.out;
  nlohmann::json json = nlohmann::json::parse(called.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << "not one JSON object: " << called.out;
  return json;
}

// Writes a file into the scratch folder; its name is returned.
inline std::string write_file(const std::string& name, const std::string& text) {
  std::ofstream(scratch() / name, std::ios::binary) << text;
  return name;
}

// A rod that hangs in the xz plane, a little off the vertical.
inline const std::string pendulum_model = R"(trammel: 1
title: Pendulum
parameters: {length: 1, start: 30 deg}
bodies:
  rod: {rod: {from: [0, 0, 0], to: [0, 0, -length], mass: 2, radius: 1 cm}}
joints:
  pivot: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0], initial: {angle: start}}
markers:
  tip: {body: rod, at: [0, 0, -length]}
measures:
  height: {value: "tip.position.z", unit: m}
simulation: {end: 1, output: 0.1}
)";

// A planar four-bar: its loop has three constraints more than a plane needs.
inline const std::string four_bar_model = R"(trammel: 1
title: Four-bar
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {from: [0, 0, 0], to: [0, 1, 0], mass: 1, radius: 1 cm}}
  coupler: {rod: {from: [0, 1, 0], to: [2, 2, 0], mass: 2, radius: 1 cm}}
  rocker: {rod: {from: [2, 0, 0], to: [2, 2, 0], mass: 2, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: revolute, between: [coupler, rocker], at: [2, 2, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [ground, rocker], at: [2, 0, 0], axis: [0, 0, 1]}
simulation: {end: 1}
)";

}  // namespace trammel
