// The data of the page of a run, and the page around it.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/cli/called_program.h"
#include "trammel/page/case_page.h"
#include "trammel/page/live_data.h"
#include "trammel/page/run_page.h"
#include "trammel/page/viewer_page.h"

namespace trammel {
namespace {

// The bytes of base64 text.
std::string decoded(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    buffer = buffer << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(buffer >> (bits -= 8) & 255U);
  }
  return bytes;
}

template <class Number>
std::vector<double> numbers(const nlohmann::json& array, const char* type) {
  const std::string bytes = decoded(array.at(type));
  std::vector<double> result;
  for (std::size_t i = 0; i + sizeof(Number) <= bytes.size(); i += sizeof(Number)) {
    Number value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    result.push_back(static_cast<double>(value));
  }
  return result;
}

struct ExampleRun {
  explicit ExampleRun(const std::string& name, RunRequest request = {.end = 0.5, .samples = 20})
      : model(read_model(TRAMMEL_SOURCE_DIR "/examples/models/" + name + ".yaml")), run(model, request) {
    run.run();
    data = nlohmann::json::parse(viewer_data(model, run));
  }
  const nlohmann::json* channel(const std::string& wanted) const {
    for (const auto& each : data["channels"])
      if (each["name"] == wanted) return &each;
    return nullptr;
  }

  Model model;
  MechanismRun run;
  nlohmann::json data;
};

TEST(ViewerData, HasEveryChannelAndTheSteps) {
  const ExampleRun example("four-bar");
  const nlohmann::json& data = example.data;
  EXPECT_EQ(data["format"], 1);
  EXPECT_EQ(data["status"], "finished");
  const std::vector<double> times = numbers<double>(data["times"], "f64");
  EXPECT_EQ(times, example.run.recording().times());
  ASSERT_EQ(data["channels"].size(), example.run.recording().channels().size());
  for (std::size_t i = 0; i < data["channels"].size(); ++i) {
    const Channel& channel = example.run.recording().channels()[i];
    const std::vector<double> values = numbers<float>(data["channels"][i]["data"], "f32");
    ASSERT_EQ(values.size(), times.size()) << channel.name;
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_NEAR(values[k], channel.values[k], 1e-6 * (1 + std::abs(channel.values[k]))) << channel.name;
  }
  EXPECT_EQ(numbers<double>(data["steps"]["times"], "f64").size(), example.run.steps().size());
  EXPECT_EQ(data["steps"]["channels"].size(), 4U);
  // what plots ask for is there
  std::set<std::string> names;
  for (const auto& each : data["channels"]) names.insert(each["name"]);
  for (const auto& each : data["steps"]["channels"]) names.insert(each["name"]);
  ASSERT_GT(data["plots"].size(), 2U);
  for (const auto& plot : data["plots"])
    for (const auto& channel : plot["channels"]) EXPECT_TRUE(names.contains(channel)) << channel;
}

TEST(ViewerData, SceneOfAPlanarLoop) {
  const ExampleRun example("four-bar");
  const nlohmann::json& scene = example.data["scene"];
  EXPECT_EQ(scene["planar"]["normal"], nlohmann::json({0, 0, 1}));
  EXPECT_EQ(scene["up"], nlohmann::json({0, 1, 0}));
  ASSERT_EQ(scene["bodies"].size(), 4U);
  EXPECT_EQ(scene["bodies"][0]["fixed"], true);
  for (std::size_t b = 1; b < 4; ++b) {
    ASSERT_EQ(scene["bodies"][b]["pose"].size(), 7U);
    for (const auto& name : scene["bodies"][b]["pose"]) EXPECT_NE(example.channel(name), nullptr) << name;
  }
  int loops = 0;
  for (const auto& joint : scene["joints"]) {
    loops += joint["loop"].get<bool>() ? 1 : 0;
    EXPECT_EQ(joint["type"], "revolute");
    EXPECT_EQ(joint["reaction"].size(), 3U);
  }
  EXPECT_EQ(loops, 1);
}

// Points of a joint on both bodies coincide in the world, at the end as well.
TEST(ViewerData, PosesAndPointsFitTogether) {
  for (const std::string name : {"stewart-platform", "four-bar", "robot"}) {
    const ExampleRun example(name);
    const nlohmann::json& scene = example.data["scene"];
    EXPECT_EQ(scene["planar"].is_null(), name == std::string("stewart-platform")) << name;
    const auto world = [&](std::size_t body, const nlohmann::json& local) {
      const Vec3<double> point{local[0], local[1], local[2]};
      if (body == 0) return point;
      std::array<double, 7> pose;
      for (std::size_t k = 0; k < 7; ++k)
        pose[k] = numbers<float>((*example.channel(scene["bodies"][body]["pose"][k]))["data"], "f32").back();
      const Mat3<double> R = rotation_matrix(Quaternion<double>{pose[3], pose[4], pose[5], pose[6]});
      return Vec3<double>{pose[0], pose[1], pose[2]} + R * point;
    };
    for (const auto& joint : scene["joints"]) {
      if (joint["type"] == "prismatic" || joint["type"] == "cylindrical") continue;
      const Vec3<double> gap =
          world(joint["bodies"][0], joint["points"][0]) - world(joint["bodies"][1], joint["points"][1]);
      EXPECT_LT(length(gap), 1e-5) << name << " " << joint["name"];
    }
  }
}

// Forces that arrows can show name channels that are there.
TEST(ViewerData, ArrowsOfForces) {
  const ExampleRun example("hmmwv", {.end = 0.05, .samples = 2});
  int springs = 0, tyres = 0;
  for (const auto& force : example.data["scene"]["forces"]) {
    if (force.contains("tension")) {
      ++springs;
      EXPECT_NE(example.channel(force["tension"]), nullptr);
    }
    if (force.contains("push")) {
      ++tyres;
      EXPECT_NE(example.channel(force["push"]["channel"]), nullptr);
      EXPECT_EQ(force["push"]["direction"], nlohmann::json({0, 0, 1}));
    }
  }
  EXPECT_GE(springs, 8);  // springs and dampers of four wheels
  EXPECT_EQ(tyres, 4);
}

TEST(ViewerData, SaysWhyARunFailed) {
  const ExampleRun example("pendulum", {.end = 1.0, .samples = 10, .options = {{"max_steps", "3"}}});
  EXPECT_EQ(example.data["status"], "failed");
  EXPECT_NE(example.data["message"].get<std::string>().find("3 steps"), std::string::npos)
      << example.data["message"];
}

nlohmann::json case_data(const std::string& name, double end = 0.05) {
  CaseRun run(*find_problem(name), {}, {.end = end});
  run.record();
  run.run();
  return nlohmann::json::parse(viewer_data(run));
}

// Every case: its channels, and a scene whose points follow channels that are there.
TEST(ViewerData, OfEveryPublishedCase) {
  for (const BuiltinProblem& problem : builtin_problems()) {
    const nlohmann::json data = case_data(problem.name, problem.make(problem.values({})).t_start + 0.05);
    EXPECT_EQ(data["status"], "finished") << problem.name;
    EXPECT_EQ(data["title"], problem.name);
    std::set<std::string> names;
    for (const auto& channel : data["channels"]) names.insert(channel["name"]);
    for (const auto& channel : data["steps"]["channels"]) names.insert(channel["name"]);
    for (const auto& plot : data["plots"])
      for (const auto& channel : plot["channels"])
        EXPECT_TRUE(names.contains(channel)) << problem.name << " " << channel;
    if (data["scene"].is_null()) continue;
    const std::size_t bodies = data["scene"]["bodies"].size();
    ASSERT_GT(bodies, 1U) << problem.name;
    for (std::size_t b = 1; b < bodies; ++b)
      for (const auto& part : data["scene"]["bodies"][b]["pose"])
        EXPECT_TRUE(part.is_number() || names.contains(part)) << problem.name << " " << part;
    for (const auto& line : data["scene"].value("lines", nlohmann::json::array()))
      for (const auto& body : line["bodies"]) EXPECT_LT(body.get<std::size_t>(), bodies) << problem.name;
  }
}

TEST(ViewerData, ADrawingIsAScene) {
  const nlohmann::json scene = case_data("pendulum")["scene"];
  EXPECT_EQ(scene["up"], nlohmann::json({0, 1, 0}));
  EXPECT_EQ(scene["planar"]["normal"], nlohmann::json({0, 0, 1}));
  ASSERT_EQ(scene["bodies"].size(), 2U);
  EXPECT_EQ(scene["bodies"][1]["pose"], nlohmann::json({"x", "y", 0, 1, 0, 0, 0}));
  EXPECT_EQ(scene["bodies"][1]["shapes"][0]["type"], "sphere");
  ASSERT_EQ(scene["lines"].size(), 1U);
  EXPECT_EQ(scene["lines"][0]["bodies"], nlohmann::json({0, 1}));
  EXPECT_EQ(scene["markers"][0]["trace"], true);
  // a track stays where it is
  const nlohmann::json track = case_data("circular-track", 1.05)["scene"];
  ASSERT_EQ(track["bodies"].size(), 3U);
  EXPECT_EQ(track["bodies"][2]["pose"], nlohmann::json({0, 0, 0, 1, 0, 0, 0}));
  ASSERT_EQ(track["bodies"][2]["shapes"].size(), 1U);
  EXPECT_EQ(track["bodies"][2]["shapes"][0]["type"], "line");
  EXPECT_EQ(track["bodies"][2]["shapes"][0]["points"][0], nlohmann::json({1, 0, 0}));
  // one that is not planar has none
  EXPECT_TRUE(case_data("truck")["scene"].is_null());
}

TEST(ViewerData, ACaseSaysHowGoodItIs) {
  const nlohmann::json data = case_data("pendulum", 0.5);
  std::map<std::string, std::string> facts;
  for (const auto& pair : data["summary"]) facts[pair[0]] = pair[1];
  EXPECT_GT(std::stod(facts.at("correct digits")), 5);
  EXPECT_EQ(facts.at("method"), "psf/radau5");
  EXPECT_EQ(data["parameters"].size(), 5U);
  EXPECT_EQ(data["steps"]["channels"].back()["name"], "error of invariants");
}

TEST(ViewerData, WhileTheRunGoesOn) {
  const std::filesystem::path folder = scratch() / "live";
  std::filesystem::create_directories(folder);
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/pendulum.yaml");
  std::unique_ptr<LiveData> live;
  std::string seen;
  RunRequest request{.end = 10.0, .samples = 100};
  request.on_step = [&](double, double) {
    if (live) live->step();
    if (std::filesystem::exists(folder / "live.json")) {
      seen = read_file(folder / "live.json");
      return false;  // enough
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return true;
  };
  MechanismRun run(model, request);
  write_file("live/live.json", "of a run that was killed");
  live = std::make_unique<LiveData>(folder.string(),
                                    [&](std::ostream& out) { write_viewer_data(model, run, true, out); });
  EXPECT_FALSE(std::filesystem::exists(folder / "live.json"));
  run.run();
  ASSERT_FALSE(seen.empty());
  const nlohmann::json data = nlohmann::json::parse(seen);
  EXPECT_EQ(data["status"], "running");
  EXPECT_GT(numbers<double>(data["times"], "f64").size(), 0U);
  live.reset();
  EXPECT_FALSE(std::filesystem::exists(folder / "live.json"));
}

TEST(ViewerPage, NothingInTheDataEndsItsElement) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \"quoted\" & 'more'";
  const std::string data = nlohmann::json{{"format", 1}, {"title", hostile}}.dump();
  const std::string page = viewer_page(hostile, data);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const std::string back = viewer_data_of_page(page);
  EXPECT_EQ(nlohmann::json::parse(back)["title"], hostile);
  EXPECT_EQ(viewer_data_of_page("<html>another page</html>"), "");
  EXPECT_NE(live_viewer_page("x", "/data").find("\"live\":\"/data\""), std::string::npos);
}

TEST(ViewerPage, NumbersAreLittleEndianAndExact) {
  const std::vector<double> values{0, 1, -2.5, 1e-300, std::numeric_limits<double>::infinity(), 3};
  for (std::size_t size = 0; size <= values.size(); ++size) {
    const std::vector<double> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(numbers<double>({{"f64", base64_doubles(some)}}, "f64"), some);
  }
  EXPECT_EQ(base64_floats(std::vector<double>{1.0}), "AACAPw==");
}

}  // namespace
}  // namespace trammel
