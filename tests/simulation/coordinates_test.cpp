// Every example, in Cartesian and in joint coordinates: the same start, the same channels, the same values.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/examples/models"))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// What a channel is compared with: the largest of its kind, "reaction.force" of all joints.
std::string kind_of(const std::string& channel) {
  const std::size_t dot = channel.find('.');
  std::string kind = dot == std::string::npos ? channel : channel.substr(dot + 1);
  if (kind.size() > 2 && kind[kind.size() - 2] == '.') kind.resize(kind.size() - 2);
  return kind;
}

class Coordinates : public testing::TestWithParam<std::string> {};

// At the assembled start; all joints' reactions are among the channels.
TEST_P(Coordinates, GiveTheSameStartAndChannels) {
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/" + GetParam() + ".yaml");
  std::map<std::string, Recording> recordings;
  for (const char* coordinates : {"cartesian", "joint"}) {
    const std::unique_ptr<MechanismEquations> equations = make_equations(model.mechanism, coordinates);
    Vector x = equations->initial_state();
    const AssemblyReport report = assemble_mechanism(*equations, 0, x);
    ASSERT_FALSE(report.failure) << coordinates << ": " << report.failure.message;
    MechanismRecorder recorder(*equations, recordings[coordinates]);
    recorder.follow(0, x);
    recorder.append(0, x);
  }
  const std::vector<Channel>&first = recordings["cartesian"].channels(),
        &second = recordings["joint"].channels();
  ASSERT_EQ(first.size(), second.size());
  std::map<std::string, double> sizes;
  for (const Channel& channel : first)
    sizes[kind_of(channel.name)] = std::max(sizes[kind_of(channel.name)], std::abs(channel.values[0]));
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, second[i].name);
    EXPECT_EQ(first[i].unit, second[i].unit);
    EXPECT_EQ(first[i].group, second[i].group);
    EXPECT_EQ(first[i].description, second[i].description);
    // springs of 1e7 N/m make 1e-10 of a metre a millinewton; of what is zero round-off is left
    EXPECT_NEAR(first[i].values[0], second[i].values[0], 1e-7 * sizes[kind_of(first[i].name)] + 1e-8)
        << first[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, Coordinates, testing::ValuesIn(examples()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Bodies are moved as little as possible, not joints: a chain whose first angle is given.
TEST(CommonStart, DoesNotDependOnTheCoordinates) {
  const Model model = read_model_text(R"yaml(trammel: 1
bodies:
  b1: {at: [0.5, 0, 0], mass: 1, inertia: [1, 1, 1]}
  b2: {at: [1.5, 0, 0.02], mass: 1, inertia: [1, 1, 1]}
  b3: {at: [2.5, 0, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, between: [ground, b1], on_first: {at: [0, 0, 0], axis: [0, 1, 0]}, on_second: {at: [-0.5, 0, 0], axis: [0, 1, 0]}}
  B: {type: revolute, between: [b1, b2], on_first: {at: [0.5, 0, 0], axis: [0, 1, 0]}, on_second: {at: [-0.5, 0, 0], axis: [0, 1, 0]}}
  C: {type: revolute, between: [b2, b3], on_first: {at: [0.5, 0, 0], axis: [0, 1, 0]}, on_second: {at: [-0.5, 0, 0], axis: [0, 1, 0]}}
initial: {A.angle: 0.4}
)yaml",
                                      "chain");
  std::vector<Vec3<double>> ends;
  for (const char* coordinates : {"cartesian", "joint"}) {
    const std::unique_ptr<MechanismEquations> equations = make_equations(model.mechanism, coordinates);
    Vector x = equations->initial_state();
    ASSERT_FALSE(assemble_mechanism(*equations, 0, x).failure);
    const std::unique_ptr<MechanismMotion> motion = equations->mechanism_motion();
    motion->set_state(0, x, Vector());
    ends.push_back(motion->bodies()[3].r);
    EXPECT_NEAR(motion->measured().value[at_index(equations->elements().coordinates[0].row)], 0.4, 1e-10);
  }
  // both end where the joints are closed to round-off, on ways of their own: how little was moved is not met to round-off
  EXPECT_LT(length(ends[0] - ends[1]), 1e-8);
  EXPECT_GT(length(ends[0] - Vec3<double>{2.5 * std::cos(0.4), 0, -2.5 * std::sin(0.4)}),
            0.1);  // not turned as a whole
}

// The shaft turns by half a radian and more in a step, and a thin rod on a ball has a hundred times less inertia about its
// own axis than across: Newton's matrix has the masses of the beginning of the step.
TEST(JointCoordinates, LightAxesThatTurnFarInAStepAreNoTrouble) {
  const std::string text = R"yaml(
trammel: 1
bodies:
  shaft: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 3 cm}}
  thin: {rod: {from: [1, 0, 0], to: [2, 0.5, 0], mass: 1, radius: 3 cm}}
joints:
  A: {type: revolute, between: [ground, shaft], at: [0, 0, 0], axis: [1, 0, 0], initial: {angle_rate: 20}}
  U: {type: spherical, between: [shaft, thin], at: [1, 0, 0]}
gravity: [0, 0, -9.81]
simulation: {end: 1, output: 0.5, rtol: 1e-4, coordinates: )yaml";
  const auto run = [&](const std::string& coordinates, const char* method) {
    const Model model = read_model_text(text + coordinates + "}\n", "test.yaml");
    auto result = std::make_unique<MechanismRun>(model, RunRequest{.method = method});
    result->run();
    EXPECT_EQ(result->summary().status, Status::finished) << result->summary().message();
    return result;
  };
  const auto joint = run("joint", "psf/radau5"), cartesian = run("cartesian", "projected/dop853"),
             state_space = run("joint", "partitioned/radau5");
  const Statistics &implicit = joint->summary().statistics, &other = state_space->summary().statistics;
  // the other form divides by the masses of each stage, and has no such trouble
  EXPECT_LT(implicit.steps, 2 * other.steps);
  EXPECT_LT(3 * implicit.rejected_convergence, implicit.steps);
  const double wanted = cartesian->recording().find("thin.position.y")->values.back();
  EXPECT_NEAR(joint->recording().find("thin.position.y")->values.back(), wanted, 1e-2);
}

}  // namespace
}  // namespace trammel
