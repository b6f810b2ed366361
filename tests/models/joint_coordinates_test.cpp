// Runs in joint coordinates against runs in Cartesian ones: the same motion, the same reactions, the same channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trammel/model/model.h"
#include "trammel/motion/coordinate_choice.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

Model example(const std::string& name) {
  return read_model(std::string(TRAMMEL_SOURCE_DIR) + "/examples/models/" + name + ".yaml");
}

class JointCoordinates : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(JointCoordinates, GiveTheSameMotion) {
  const auto& [name, method] = GetParam();
  Model model = example(name);
  const RunRequest request{.end = 1.0, .output_interval = 0.05, .method = method, .rtol = 1e-8};
  model.simulation.options.clear();
  model.simulation.coordinates = "cartesian";
  MechanismRun cartesian(model, request);
  model.simulation.coordinates = "joint";
  MechanismRun joint(model, request);
  ASSERT_TRUE(cartesian.run().ok()) << cartesian.summary().message();
  ASSERT_TRUE(joint.run().ok()) << joint.summary().message();
  EXPECT_LE(joint.summary().violation.position, 1e-10);

  const Recording &one = joint.recording(), &other = cartesian.recording();
  ASSERT_EQ(one.channels().size(), other.channels().size());
  ASSERT_EQ(one.times().size(), other.times().size());
  for (std::size_t i = 0; i < one.channels().size(); ++i) {
    EXPECT_EQ(one.channels()[i].name, other.channels()[i].name);
    double size = 1, error = 0;
    for (std::size_t k = 0; k < one.times().size(); ++k) {
      const double value = one.channels()[i].values[k], reference = other.channels()[i].values[k];
      size = std::max(size, std::abs(reference));
      error = std::max(error, std::abs(value - reference));
    }
    // reactions lose two or three digits against positions
    const double tolerance = one.channels()[i].group == "reactions" ? 1e-4 : 1e-5;
    EXPECT_LE(error, tolerance * size) << one.channels()[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointCoordinates,
                         testing::Combine(testing::Values("four-bar", "double-pendulum", "stewart-platform",
                                                          "rolling-disk", "gyroscope", "bricard", "engine"),
                                          testing::Values("psf/radau5", "partitioned/sdirk4",
                                                          "projected/dop853")),
                         [](const auto& test) {
                           std::string text =
                               std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                           std::replace_if(
                               text.begin(), text.end(), [](char c) { return c == '-' || c == '/'; }, '_');
                           return text;
                         });

// The other formulations, once each.
class Formulations : public testing::TestWithParam<const char*> {};

TEST_P(Formulations, WorkInJointCoordinates) {
  Model model = example("four-bar");
  model.simulation.coordinates = "joint";
  MechanismRun run(model, {.end = 0.5, .method = GetParam(), .rtol = 1e-6});
  EXPECT_TRUE(run.run().ok()) << run.summary().message();
  model.simulation.coordinates = "cartesian";
  MechanismRun reference(model, {.end = 0.5, .method = "psf/radau5", .rtol = 1e-8});
  ASSERT_TRUE(reference.run().ok());
  const Recording &one = run.recording(), &other = reference.recording();
  for (std::size_t i = 0; i < one.channels().size(); ++i)
    if (one.channels()[i].group == "joints") {
      // index3 holds velocities to a lower order
      const double tolerance = one.channels()[i].name.ends_with("_rate") ? 1e-3 : 2e-4;
      EXPECT_NEAR(one.channels()[i].values.back(), other.channels()[i].values.back(), tolerance)
          << one.channels()[i].name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Formulations,
                         testing::Values("psf/sdirk4", "psf1/radau5", "cs/radau5", "cm/radau5", "csm/radau5",
                                         "ggl/radau5", "index1/radau5", "index2/radau5", "index3/radau5",
                                         "baumgarte/radau5", "geoms/radau5", "projected/adams",
                                         "partitioned/bdf"),
                         [](const auto& test) {
                           std::string text = test.param;
                           std::replace(text.begin(), text.end(), '/', '_');
                           return text;
                         });

TEST(CoordinatesSetting, UnknownOnesAreRefused) {
  Model model = example("pendulum");
  model.simulation.coordinates = "jont";
  EXPECT_THROW(MechanismRun run(model), ModelError);
}

TEST(CoordinatesSetting, AreChosenUnlessAskedFor) {
  Model model = example("pendulum");
  const MechanismRun run(model);
  EXPECT_EQ(run.settings().coordinates, "joint");
  EXPECT_EQ(run.settings().why_coordinates, "auto: 1 velocity in place of 6");
  model.simulation.coordinates = "cartesian";
  const MechanismRun asked(model);
  EXPECT_EQ(asked.settings().coordinates, "cartesian");
  EXPECT_EQ(asked.settings().why_coordinates, "");
}

// The methods are the same in all coordinates, and so are the options that go with them.
TEST(CoordinatesSetting, DoNotDecideOnTheMethods) {
  Model model = example("pendulum");
  for (const char* coordinates : {"cartesian", "joint"}) {
    model.simulation.coordinates = coordinates;
    const MechanismRun run(model, {.method = "auto"});
    EXPECT_EQ(run.settings().methods_report(), "projected/dop853 or psf/radau5") << coordinates;
  }
}

TEST(CoordinatesSetting, AutoSaysWhatItTakes) {
  Model model = example("four-bar");
  model.simulation.coordinates = "auto";
  const auto choice = [&](const char* method) {
    const MechanismRun run(model, {.method = method});
    EXPECT_EQ(run.settings().why_coordinates.rfind("auto: ", 0), 0u) << run.settings().why_coordinates;
    return run.settings().coordinates;
  };
  EXPECT_EQ(choice("psf/radau5"), "joint");
  EXPECT_EQ(choice("projected/dop853"), "joint");
  EXPECT_EQ(choice("geoms/radau5"), "cartesian");  // kept as published
}

Mechanism chain_of(int count, bool planar) {
  Mechanism chain;
  for (int i = 0; i < count; ++i) {
    Body body;
    body.name = "b" + std::to_string(i);
    body.mass = 1;
    body.inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    body.reference.origin = {i + 0.5, 0, 0};
    chain.add(body);
    chain.add_joint("j" + std::to_string(i), JointType::revolute,
                    i == 0 ? "ground" : "b" + std::to_string(i - 1), body.name, {1.0 * i, 0, 0},
                    !planar && i % 2 == 1 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1});
  }
  return chain;
}

// Long chains: by recursion in joint coordinates, by sparse matrices in Cartesian ones.
TEST(CoordinatesSetting, AutoLooksAtTheDepthOfTheTree) {
  const Mechanism chain = chain_of(160, false);
  EXPECT_EQ(choose_coordinates(chain, "projected/dop853").coordinates, "joint");
  EXPECT_EQ(choose_coordinates(chain, "partitioned/sdirk4").coordinates, "joint");
  EXPECT_EQ(choose_coordinates(chain, "psf/radau5").coordinates, "cartesian");
  EXPECT_EQ(choose_coordinates(chain, "auto").coordinates, "cartesian");
}

// Of a planar mechanism Cartesian methods keep half of the unknowns, so that shorter chains are long ones.
TEST(CoordinatesSetting, AutoLooksWhetherMotionIsPlanar) {
  const auto choice = [](int count, bool planar, const char* method) {
    return choose_coordinates(chain_of(count, planar), method).coordinates;
  };
  EXPECT_EQ(choice(50, false, "psf/radau5"), "joint");
  EXPECT_EQ(choice(50, true, "psf/radau5"), "cartesian");
  EXPECT_EQ(choice(20, true, "psf/radau5"), "joint");
  EXPECT_EQ(choice(130, true, "csm/radau5"), "cartesian");
  EXPECT_EQ(choice(130, true, "partitioned/radau5"), "cartesian");
  EXPECT_EQ(choice(130, true, "partitioned/sdirk4"), "joint");
  EXPECT_EQ(choice(130, false, "partitioned/radau5"), "joint");
  EXPECT_EQ(choice(100, true, "projected/dop853"), "joint");
}

// A net has loops that share joints, each of them with many others; four-bars side by side have short ones.
TEST(CoordinatesSetting, AutoLooksAtLoopsThatShareJoints) {
  for (const char* method : {"auto", "projected/dop853", "psf/radau5"}) {
    EXPECT_EQ(choose_coordinates(example("net").mechanism, method).coordinates, "cartesian") << method;
    EXPECT_EQ(choose_coordinates(example("n-four-bar").mechanism, method).coordinates, "joint") << method;
  }
}

// Bodies that nothing holds have six velocities in all coordinates.
TEST(CoordinatesSetting, AutoLeavesFreeBodiesAlone) {
  Mechanism free;
  for (const char* name : {"one", "other"}) {
    Body body;
    body.name = name;
    body.mass = 1;
    body.inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    free.add(body);
  }
  EXPECT_EQ(choose_coordinates(free, "projected/dop853").coordinates, "cartesian");
}

TEST(CoordinatesSetting, JointsOutOfTheTreeAreReadAndWritten) {
  Model model = example("four-bar");
  ASSERT_TRUE(model.mechanism.joints[1].in_tree);
  model.mechanism.joints[1].in_tree = false;
  const Model again = read_model_text(write_model(model), "written.yaml");
  EXPECT_TRUE(again.mechanism.joints[0].in_tree);
  EXPECT_FALSE(again.mechanism.joints[1].in_tree);
}

}  // namespace
}  // namespace trammel
