// Channels of a mechanism against what is known of simple ones: places, reactions in the joint's frame,
// turns, efforts, energies.
#include "trammel/simulation/mechanism_recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;

// A slender rod of length 1 and mass 2 that hangs from the origin by a revolute joint about y. Its frame is
// in the pivot, so that the centre of mass is elsewhere.
Mechanism pendulum() {
  Mechanism mechanism;
  Body rod;
  rod.name = "rod";
  rod.mass = 2;
  rod.com = {0, 0, -0.5};
  rod.inertia = {{2.0 / 12, 0, 0}, {0, 2.0 / 12, 0}, {0, 0, 1e-3}};
  mechanism.add(rod);
  mechanism.add_joint("pivot", JointType::revolute, "ground", "rod", {0, 0, 0}, {0, 1, 0});
  return mechanism;
}

Model model_of(Mechanism mechanism) {
  Model model;
  model.mechanism = std::move(mechanism);
  model.file = "test.yaml";
  return model;
}

const std::vector<double>& values(const Recording& recording, const std::string& name) {
  static const std::vector<double> none;
  const Channel* channel = recording.find(name);
  EXPECT_NE(channel, nullptr) << name;
  return channel == nullptr ? none : channel->values;
}

TEST(MechanismRecorder, AHangingRodPullsAtItsPivot) {
  Mechanism mechanism = pendulum();
  // the joint's frame on the ground is turned about its axis: x of it points down, along the load
  Joint& pivot = mechanism.joints[0];
  const Mat3<double> axes{{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}};
  pivot.frame_a.axes = pivot.frame_b.axes = axes;
  MechanismRun run(model_of(mechanism), {.end = 0.0});
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().message();
  const Recording& recording = run.recording();
  ASSERT_EQ(recording.times().size(), 1u);
  // the ground holds the rod up
  EXPECT_NEAR(values(recording, "pivot.reaction.force.x")[0], -2 * g, 1e-9);
  EXPECT_NEAR(values(recording, "pivot.reaction.force.y")[0], 0, 1e-9);
  EXPECT_NEAR(values(recording, "pivot.reaction.force.z")[0], 0, 1e-9);
  EXPECT_NEAR(values(recording, "pivot.reaction.torque.x")[0], 0, 1e-9);
  EXPECT_NEAR(values(recording, "rod.position.z")[0], 0, 1e-12);
  EXPECT_NEAR(values(recording, "energy.potential")[0], -2 * g * 0.5, 1e-9);
}

TEST(MechanismRecorder, TheReactionIsOnTheSecondBodyInTheFrameOfTheFirst) {
  // the same joint the other way round: now on the ground, in the axes of the rod, which is held at 30
  // degrees
  Mechanism mechanism = pendulum();
  mechanism.bodies[1].reference.axes = rotation_about({0, 1, 0}, pi / 6);
  mechanism.joints.clear();
  mechanism.add_joint("clamp", JointType::fixed, "rod", "ground", {0, 0, 0}, {0, 0, 1});
  mechanism.joints[0].frame_a.axes = Mat3<double>::identity();
  mechanism.joints[0].frame_b.axes = mechanism.bodies[1].reference.axes;
  MechanismRun run(model_of(mechanism), {.end = 0.0});
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().message();
  const Recording& recording = run.recording();
  // weight on the ground, seen from the rod
  EXPECT_NEAR(values(recording, "clamp.reaction.force.x")[0], 2 * g * std::sin(pi / 6), 1e-9);
  EXPECT_NEAR(values(recording, "clamp.reaction.force.z")[0], -2 * g * std::cos(pi / 6), 1e-9);
  // its centre of mass is at x = −sin/2, so that it turns the ground about −y there, about the point of the
  // joint
  EXPECT_NEAR(values(recording, "clamp.reaction.torque.y")[0], -2 * g * 0.5 * std::sin(pi / 6), 1e-9);
}

TEST(MechanismRecorder, TurnsAreCountedAndQuaternionsDoNotJump) {
  Mechanism mechanism = pendulum();
  mechanism.joints[0].initial = {{"angle_rate", 20.0}};
  MechanismRun run(model_of(mechanism), {.end = 2.0, .output_interval = 0.01, .rtol = 1e-8});
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().message();
  const Recording& recording = run.recording();
  const auto& angle = values(recording, "pivot.angle");
  const auto& rate = values(recording, "pivot.angle_rate");
  EXPECT_NEAR(rate[0], 20, 1e-9);
  EXPECT_GT(angle.back(), 10 * pi);
  double smallest_product = 1;
  for (std::size_t i = 1; i < angle.size(); ++i) {
    EXPECT_GT(angle[i], angle[i - 1]);
    double product = 0;
    for (const char* part : {"w", "x", "y", "z"}) {
      const auto& q = values(recording, std::string("rod.quaternion.") + part);
      product += q[i] * q[i - 1];
    }
    smallest_product = std::min(smallest_product, product);
  }
  EXPECT_GT(smallest_product, 0.9);
  // after an odd number of turns the quaternion has the other sign
  EXPECT_LT(*std::min_element(values(recording, "rod.quaternion.w").begin(),
                              values(recording, "rod.quaternion.w").end()),
            -0.9);
  // the frame is in the pivot and stays there, the velocities are about it
  for (const double x : values(recording, "rod.position.x")) EXPECT_NEAR(x, 0, 1e-10);
  for (const double v : values(recording, "rod.velocity.x")) EXPECT_NEAR(v, 0, 1e-8);
  EXPECT_NEAR(values(recording, "rod.angular_velocity.y")[0], 20, 1e-9);
  // (m l²/3 ω²) / 2 = 133.3 J, kept within the tolerance
  EXPECT_NEAR(values(recording, "energy.kinetic")[0], 0.5 * (2.0 / 3) * 400, 1e-6);
  for (const double energy : values(recording, "energy.total"))
    EXPECT_NEAR(energy, values(recording, "energy.total")[0], 1e-4);
}

TEST(MechanismRecorder, DriversForcesStatesAndMeasures) {
  Mechanism mechanism = pendulum();
  Driver motor;
  motor.name = "motor";
  motor.coordinate = "pivot.angle";
  motor.motion = Law("0.5*t^2");
  mechanism.drivers.push_back(motor);
  Force::TorsionSpring spring;
  spring.name = "spring";
  spring.along.joint = "pivot";
  spring.stiffness = 10;
  spring.free_angle = 0;
  mechanism.add(spring);
  mechanism.states.push_back({"charge", {}, 1.0, Law("-charge")});
  mechanism.measures.push_back({"doubled", {}, Law("2*pivot.angle + t"), "rad"});
  MechanismRun run(model_of(mechanism), {.end = 1.0, .samples = 10, .rtol = 1e-9});
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().message();
  const Recording& recording = run.recording();
  ASSERT_EQ(recording.times().size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) {
    const double t = recording.times()[i], angle = 0.5 * t * t;
    EXPECT_NEAR(values(recording, "pivot.angle")[i], angle, 1e-10);
    // J θ'' + m g l/2 sin θ + k θ is what the motor does
    EXPECT_NEAR(values(recording, "motor.effort")[i], 2.0 / 3 + g * std::sin(angle) + 10 * angle, 1e-8);
    EXPECT_NEAR(std::abs(values(recording, "spring.torque")[i]), 10 * angle, 1e-8);
    EXPECT_NEAR(values(recording, "doubled")[i], t * t + t, 1e-10);
    EXPECT_NEAR(values(recording, "charge")[i], std::exp(-t), 1e-7);
  }
  EXPECT_EQ(recording.find("motor.effort")->unit, "N m");
  EXPECT_EQ(recording.find("spring.torque")->unit, "N m");
  EXPECT_EQ(recording.find("spring.rate")->unit, "rad/s");
  EXPECT_EQ(recording.find("doubled")->unit, "rad");
  EXPECT_EQ(recording.find("doubled")->group, "measures");
}

TEST(MechanismRecorder, NamesThatWouldBeTheSameAreToldApart) {
  Mechanism mechanism = pendulum();
  Force::TorsionSpring spring;
  spring.name = "pivot";
  spring.along.joint = "pivot";
  spring.stiffness = 10;
  mechanism.add(spring);
  CartesianEquations equations(mechanism);
  Recording recording;
  const MechanismRecorder recorder(equations, recording);
  ASSERT_NE(recording.find("pivot.angle_2"), nullptr);
  EXPECT_EQ(recording.find("pivot.angle")->group, "joints");
  EXPECT_EQ(recording.find("pivot.angle_2")->group, "forces");
}

TEST(MechanismRun, StepsMetadataAndStoppingInBetween) {
  RunRequest request{.end = 5.0, .output_interval = 1.0};
  request.options = {{"safety", "0.8"}};
  double reached = 0;
  request.on_step = [&](double t, double) {
    reached = t;
    return t < 1.5;
  };
  Mechanism mechanism = pendulum();
  mechanism.parameters["length"] = 1;
  mechanism.joints[0].initial = {{"angle", 0.3}};
  MechanismRun run(model_of(mechanism), request);
  run.run();
  EXPECT_EQ(run.summary().status, Status::stopped);
  const Recording& recording = run.recording();
  EXPECT_EQ(recording.times().back(), reached);
  EXPECT_EQ(recording.times().size(), 3u);
  EXPECT_EQ(recording.steps.samples(), static_cast<Index>(run.steps().size()));
  EXPECT_EQ(*recording.metadata("option.safety"), "0.8");
  EXPECT_EQ(*recording.metadata("parameter.length"), "1");
  EXPECT_EQ(*recording.metadata("status"), "stopped");
  EXPECT_EQ(*recording.metadata("rtol"), "1e-06");
}

TEST(MechanismRun, TheRequestComesBeforeTheModel) {
  Model model = model_of(pendulum());
  model.simulation.end = 3.0;
  model.simulation.output = 0.5;
  model.simulation.rtol = 1e-4;
  model.simulation.options = {{"safety", "0.7", {}}};
  EXPECT_EQ(MechanismRun(model).settings().end, 3.0);
  EXPECT_EQ(MechanismRun(model).settings().options.output_times.size(), 7u);
  EXPECT_EQ(MechanismRun(model).settings().options.radau.safety, 0.7);
  RunRequest request{.end = 0.7, .rtol = 1e-8};
  request.options = {{"safety", "0.8"}};
  const MechanismRun run(model, request);
  EXPECT_EQ(run.settings().options.output_times, (std::vector<double>{0, 0.5, 0.7}));
  EXPECT_EQ(run.settings().options.tolerances.relative, 1e-8);
  EXPECT_EQ(run.settings().options.tolerances.absolute, 1e-10);
  EXPECT_EQ(run.settings().options.radau.safety, 0.8);
}

TEST(MechanismRun, NonsenseIsRefused) {
  const Model model = model_of(pendulum());
  const double nan = std::nan("");
  EXPECT_THROW(MechanismRun(model, {.end = -1.0}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.end = nan}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.output_interval = 0.0}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.output_interval = nan}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.output_interval = 1e-12}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.samples = 0}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.output_interval = 1.0, .samples = 10}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.method = "psf/radua5"}), std::invalid_argument);
  EXPECT_THROW(MechanismRun(model, {.rtol = 0.0}), std::invalid_argument);
  Model other = model;
  other.simulation.coordinates = "polar";
  EXPECT_THROW(MechanismRun{other}, ModelError);
  other = model;
  other.simulation.method = "psf";
  EXPECT_THROW(MechanismRun{other}, ModelError);
}

// A multiplier that is not finite is no motion, whatever the integrator says.
TEST(MechanismRecorder, AReactionThatIsNotFiniteIsAFailure) {
  CartesianEquations equations(pendulum());
  Recording recording;
  MechanismRecorder recorder(equations, recording);
  Vector x = equations.initial_state();
  recorder.append(0, x);
  Summary summary;
  summary.status = Status::finished;
  recorder.judge(summary);
  EXPECT_EQ(summary.status, Status::finished) << summary.message();

  x[equations.layout().lambda.begin] = std::numeric_limits<double>::infinity();
  recorder.append(0.25, x);
  recorder.append(0.5, x);
  recorder.judge(summary);
  EXPECT_EQ(summary.status, Status::failed);
  EXPECT_EQ(summary.failure.reason, Reason::not_finite);
  EXPECT_NE(summary.failure.message.find("'pivot.reaction."), std::string::npos) << summary.failure.message;
  EXPECT_NE(summary.failure.message.find("t = 0.25"), std::string::npos) << summary.failure.message;
  EXPECT_EQ(recording.times().size(), 3u) << "all of it is kept";
}

// The steps are there while the run goes on.
TEST(MechanismRecorder, StepsGrowWithTheRun) {
  Recording recording;
  std::vector<StepRecord> steps;
  add_steps(steps, recording);
  EXPECT_EQ(recording.steps.channels().size(), 4u);
  steps.push_back({.t = 0.1, .h = 0.1});
  add_steps(steps, recording);
  steps.push_back({.t = 0.3, .h = 0.2});
  add_steps(steps, recording);
  EXPECT_EQ(recording.steps.times(), (std::vector<double>{0.1, 0.3}));
  EXPECT_EQ(recording.steps.find("h")->values, (std::vector<double>{0.1, 0.2}));
}

}  // namespace
}  // namespace trammel
