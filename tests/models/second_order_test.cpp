// Methods of second order on all example models, held against methods of high order; and on models whose steps end at switches:
// two of these may be as close as round-off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

MechanismRun run_example(const char* file, const char* method, double rtol) {
  const Model model = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/examples/models/" + file);
  RunRequest request;
  request.method = method;
  request.rtol = rtol;
  MechanismRun run(model, request);
  run.run();
  EXPECT_EQ(run.summary().status, Status::finished) << run.summary().message();
  return run;
}

// index3 takes accelerations from displacements, which are lost in the round-off of positions where a step is 1e-14 s long.
TEST(SecondOrder, VeryShortStepsLeaveTheMotionAsItIs) {
  const MechanismRun run = run_example("engine.yaml", "index3/alpha", 1e-4);
  const MechanismRun reference = run_example("engine.yaml", "psf/radau5", 1e-9);
  // a hundred times the tolerance; the wrist was 0.49 off
  for (const char* channel : {"piston0.position.z", "wrist0.angle"})
    for (std::size_t i = 0; i < run.recording().times().size(); ++i)
      EXPECT_NEAR(values(run, channel)[i], values(reference, channel)[i], 1e-2) << channel;
  EXPECT_LT(run.summary().statistics.accepted, 1500);  // 5129 where accelerations were round-off
}

// A nut that comes down on its screw, four turns ever faster. Its accelerations do not change, so that by these a step could be of any
// length; a displacement that is added to a quaternion at once is not the turn that it stands for. It was 6 rad off, in nine steps.
TEST(SecondOrder, ATurnIsAsExactAsItsSteps) {
  for (const char* method : {"ggl/alpha", "augmented/trapezoidal", "index3/hht"}) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-6;
    const MechanismRun run = run_text(R"yaml(
trammel: 1
bodies: {n: {mass: 1, at: [0, 0, 0.5], inertia: [0.01, 0.01, 0.01]}}
joints: {N: {type: screw, between: [ground, n], at: [0, 0, 0.5], axis: [0, 0, 1], pitch: 0.02}}
simulation: {end: 4, output: 0.05, coordinates: cartesian}
)yaml",
                                      request);
    const double lead = 0.02 / (2 * std::numbers::pi), acceleration = -9.81 * lead / (0.01 + lead * lead);
    // a thousandth of a radian of 25
    expect_follows(run, "N.angle", 5e-3, [&](double t) { return 0.5 * acceleration * t * t; });
  }
}

// --- all examples, in joint coordinates

struct Example {
  std::string name;
  double end = 0.3;
  const char* reference = "psf/radau5";
};
void PrintTo(const Example& one, std::ostream* out) { *out << one.name; }

std::vector<Example> all_examples() {
  std::vector<Example> examples;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TRAMMEL_SOURCE_DIR) + "/examples/models")) {
    if (entry.path().extension() != ".yaml") continue;
    Example& one = examples.emplace_back();
    one.name = entry.path().stem().string();
    if (one.name == "hmmwv") one.end = 1;                       // it rests before it comes to its bump
    if (one.name == "net") one.reference = "projected/dop853";  // psf takes minutes at 1e-9
  }
  std::sort(examples.begin(), examples.end(),
            [](const Example& a, const Example& b) { return a.name < b.name; });
  return examples;
}

bool is_one_of(const std::string& channel, std::initializer_list<const char*> quantities) {
  return std::any_of(quantities.begin(), quantities.end(),
                     [&](const char* quantity) { return channel.find(quantity) != std::string::npos; });
}

class SecondOrderOnExamples : public testing::TestWithParam<Example> {
 protected:
  MechanismRun run(const std::string& method, double rtol,
                   std::vector<std::pair<std::string, std::string>> options = {}) const {
    Model model =
        read_model(std::string(TRAMMEL_SOURCE_DIR) + "/examples/models/" + GetParam().name + ".yaml");
    model.simulation.coordinates = "joint";
    model.simulation.tolerances.clear();
    model.simulation.output.reset();
    MechanismRun result(model, {.end = GetParam().end,
                                .samples = 10,
                                .method = method,
                                .rtol = rtol,
                                .atol = rtol,
                                .options = std::move(options)});
    result.run();
    EXPECT_EQ(result.summary().status, Status::finished) << method << ": " << result.summary().message();
    return result;
  }

  // The largest error of a position, an orientation or an angle at a sample.
  double error(const MechanismRun& run) const {
    double largest = 0;
    for (const Channel& channel : run.recording().channels()) {
      if (!is_one_of(channel.name, {".position.", ".quaternion."}) && !channel.name.ends_with(".angle"))
        continue;
      const std::vector<double>& expected = values(*reference_, channel.name);
      EXPECT_EQ(channel.values.size(), expected.size());
      for (std::size_t i = 0; i < std::min(expected.size(), channel.values.size()); ++i)
        largest = std::max(largest, std::abs(channel.values[i] - expected[i]));
    }
    return largest;
  }

  double largest_velocity() const {
    double largest = 1;
    for (const Channel& channel : reference_->recording().channels())
      if (is_one_of(channel.name, {".velocity.", ".angular_velocity.", "_rate"}))
        for (const double value : channel.values) largest = std::max(largest, std::abs(value));
    return largest;
  }

  void SetUp() override { reference_.emplace(run(GetParam().reference, 1e-9)); }

 private:
  std::optional<MechanismRun> reference_;
};
INSTANTIATE_TEST_SUITE_P(Models, SecondOrderOnExamples, testing::ValuesIn(all_examples()),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Errors go with the square of the step, and the step with the third root of the tolerance: a hundredth of the tolerance leaves
// 1/22 of the error. Laws with corners and laws that are stiff leave a little more. `augmented` has no floor but round-off and the
// level of its constraints; that of `penalty` is in proportion to 1/α.
TEST_P(SecondOrderOnExamples, AgreeWithPsfToTheirOrder) {
  for (const std::string integrator : {"trapezoidal", "hht", "alpha"}) {
    SCOPED_TRACE(integrator);
    const double coarse = error(run("augmented/" + integrator, 1e-4));
    const MechanismRun finer = run("augmented/" + integrator, 1e-6);
    const double fine = error(finer);
    EXPECT_LT(coarse, 3e-2);  // most of it for the heavy top, which turns seven times
    EXPECT_LT(fine, coarse / 8 + 1e-10);
    // what constraint_level says, which for velocities is relative to the largest of them
    EXPECT_LE(finer.summary().violation.position, 1e-10);
    EXPECT_LE(finer.summary().violation.velocity, 1e-10 * largest_velocity());

    std::vector<double> by_factor;
    for (const char* factor : {"1e8", "1e9", "1e10"}) {
      const MechanismRun penalty = run("penalty/" + integrator, 1e-6, {{"penalty_factor", factor}});
      const double found = error(penalty);
      if (!by_factor.empty()) {
        EXPECT_LT(found, 0.12 * by_factor.back() + 2 * fine) << factor;
        if (by_factor.back() > 50 * fine) {
          EXPECT_GT(found, 0.08 * by_factor.back()) << factor;
        }
        // penalties that get weaker as steps get shorter make them shorter without end
        EXPECT_LT(penalty.summary().statistics.accepted, 3 * finer.summary().statistics.accepted) << factor;
      }
      by_factor.push_back(found);
    }
  }
}

}  // namespace
}  // namespace trammel
