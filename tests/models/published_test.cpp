// Published and exact results, from the model files of examples/ where there is one.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "trammel/model/model.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

std::string example(const std::string& name) {
  return std::string(TRAMMEL_SOURCE_DIR) + "/examples/models/" + name + ".yaml";
}

const std::vector<double>& channel(const MechanismRun& run, const std::string& name) {
  const Channel* found = run.recording().find(name);
  if (found == nullptr) throw std::runtime_error("there is no channel " + name);
  return found->values;
}

double energy_drift(const MechanismRun& run) {
  const std::vector<double>&total = channel(run, "energy.total"), &kinetic = channel(run, "energy.kinetic");
  double drift = 0, scale = 0;
  for (std::size_t i = 0; i < total.size(); ++i) {
    drift = std::max(drift, std::abs(total[i] - total[0]));
    scale = std::max(scale, kinetic[i]);
  }
  return drift / scale;
}

double at_time(const MechanismRun& run, const std::string& name, double t) {
  const std::vector<double>& times = run.recording().times();
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::abs(times[i] - t) < 1e-9) return channel(run, name)[i];
  throw std::runtime_error("no sample at that time");
}

TEST(FourBar, RunsWithRedundantConstraints) {
  MechanismRun run(read_model(example("four-bar")));
  const Summary& summary = run.run();
  ASSERT_EQ(summary.status, Status::finished) << summary.failure.message;
  EXPECT_EQ(summary.degrees_of_freedom, 1);
  EXPECT_EQ(summary.redundant.size(), 3u);
  EXPECT_LT(energy_drift(run), 1e-6);
  EXPECT_LT(summary.violation.position, 1e-12);
  EXPECT_LT(summary.violation.velocity, 1e-11);
  EXPECT_LT(summary.violation.acceleration, 1e-9);
}

// The published procedure and psf are two implementations of one form.
TEST(FourBar, GeomsAndPsfAgree) {
  RunRequest published, ours;
  published.end = ours.end = 1;
  published.method = "geoms/radau5";
  ours.method = "psf/radau5";
  MechanismRun first(read_model(example("four-bar")), published),
      second(read_model(example("four-bar")), ours);
  ASSERT_EQ(first.run().status, Status::finished) << first.summary().failure.message;
  ASSERT_EQ(second.run().status, Status::finished) << second.summary().failure.message;
  for (const char* name : {"A.angle", "A.angle_rate", "D.angle"})
    EXPECT_NEAR(channel(first, name).back(), channel(second, name).back(), 2e-6) << name;
  // multipliers of minimal norm in both
  for (const char* name : {"A.reaction.force.x", "B.reaction.force.y", "C.reaction.torque.x"})
    EXPECT_NEAR(channel(first, name).back(), channel(second, name).back(), 2e-4) << name;
}

// Six velocities a body, or the rates of all seven coordinates: two ways to write the same motion.
TEST(FourBar, BothKindsOfVelocitiesAgree) {
  const Model model = read_model(example("four-bar"));
  std::vector<Vector> final;
  for (const auto kind :
       {CartesianEquations::Velocities::angular, CartesianEquations::Velocities::parameter_rates}) {
    CartesianEquations equations(model.mechanism, kind);
    Options options;
    options.tolerances.relative = options.tolerances.absolute = 1e-8;
    options.assembly.conditions = equations.conditions();
    options.assembly.weights = equations.weights();
    options.radau.newton_matrix_at = 2;
    Simulation simulation(equations, {"psf", "radau5"}, options);
    const Summary summary = simulation.run(equations.initial_state(), 0, 0.5);
    ASSERT_EQ(summary.status, Status::finished) << summary.failure.message;
    EXPECT_EQ(summary.degrees_of_freedom, 1);
    final.push_back(summary.final_state.head(21));
  }
  EXPECT_LT((final[0] - final[1]).lpNorm<Eigen::Infinity>(), 1e-6);

  // the same from a model file
  Model other = model;
  other.simulation.coordinates = "cartesian-parameters";
  RunRequest request;
  request.end = 0.5;
  MechanismRun first(model, request), second(other, request);
  ASSERT_EQ(first.run().status, Status::finished) << first.summary().failure.message;
  ASSERT_EQ(second.run().status, Status::finished) << second.summary().failure.message;
  EXPECT_EQ(second.equations().layout().v.size, 21);
  for (const char* name : {"A.angle", "D.angle_rate", "coupler.position.x", "energy.kinetic"})
    EXPECT_NEAR(channel(first, name).back(), channel(second, name).back(), 1e-5) << name;
}

// On the branch of parallelograms the mechanism has one degree of freedom:
// I θ'' = (½ (N+1) + N) g sin θ with I = (N+1)/3 + N, θ from the vertical (reference/A02); rods are thin.
double exact_angle(int n, double t_end, double inertia_of_crank = 1.0 / 3) {
  const double factor = (0.5 * (n + 1) + n) * 9.81 / ((n + 1) * inertia_of_crank + n);
  double theta = 0, omega = 1;
  const int steps = 200000;
  const double h = t_end / steps;
  for (int i = 0; i < steps; ++i) {
    const auto f = [&](double angle) { return factor * std::sin(angle); };
    const double k1 = omega, l1 = f(theta), k2 = omega + h / 2 * l1, l2 = f(theta + h / 2 * k1);
    const double k3 = omega + h / 2 * l2, l3 = f(theta + h / 2 * k2), k4 = omega + h * l3,
                 l4 = f(theta + h * k3);
    theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    omega += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return theta;
}

class NFourBar : public testing::TestWithParam<int> {};

TEST_P(NFourBar, FollowsTheExactSolutionThroughFlatPoses) {
  const int n = GetParam();
  // the published values for N = 2 and N = 40 check the formula
  if (n == 2) {
    EXPECT_NEAR(std::sin(exact_angle(2, 10)), 0.32845811154, 1e-9);
  }
  if (n == 40) {
    EXPECT_NEAR(std::sin(exact_angle(40, 10)), 0.18051222668, 1e-9);
  }
  RunRequest request;
  request.samples = 10;
  MechanismRun run(read_model(example("n-four-bar"), {{{"n", std::to_string(n)}}}), request);
  const Summary& summary = run.run();
  ASSERT_EQ(summary.status, Status::finished) << summary.failure.message;
  EXPECT_EQ(summary.degrees_of_freedom, 1);
  EXPECT_EQ(summary.redundant.size(), static_cast<std::size_t>(3 * n));
  for (const double t : {1.0, 5.0, 10.0}) {
    // rtol 1e-6 is of the local error; a run of ten seconds passes the unstable equilibrium five times, and
    // the tip moves with up to 6.7 m/s: this is 0.15 ms
    EXPECT_NEAR(at_time(run, "x", t), std::sin(exact_angle(n, t)), 1e-3) << "t = " << t;
    EXPECT_NEAR(at_time(run, "y", t), std::cos(exact_angle(n, t)), 1e-3) << "t = " << t;
  }
  // five full turns, clockwise: the branch was never left
  EXPECT_NEAR(channel(run, "A0.angle").back(), -exact_angle(n, 10), 2e-3);
  EXPECT_LT(summary.violation.position, 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Windows, NFourBar, testing::Values(1, 2, 5, 10, 40),
                         [](const auto& test) { return "N" + std::to_string(test.param); });

// At a tight tolerance round-off shows within a thousandth of a second of a flat pose, and stages of a step that leads across fall
// there: rates across the constraints are of any size, and are no errors of the motion. Runs that stopped.
class TightNFourBar : public testing::TestWithParam<std::tuple<int, const char*, double>> {};

TEST_P(TightNFourBar, PassesFlatPosesInStepsAsLongAsElsewhere) {
  const auto& [n, coordinates, end] = GetParam();
  RunRequest request;
  request.samples = 10;
  request.rtol = 1e-9;
  request.end = end;
  Model model = read_model(example("n-four-bar"), {{{"n", std::to_string(n)}}});
  model.simulation.coordinates = coordinates;
  MechanismRun run(model, request);
  const Summary& summary = run.run();
  ASSERT_EQ(summary.status, Status::finished) << summary.failure.message;
  EXPECT_TRUE(summary.method_changes.empty());
  const double radius = 1e-3;
  const double angle = exact_angle(n, end, 1.0 / 3 + radius * radius / 4);
  EXPECT_NEAR(channel(run, "A0.angle").back(), -angle, 5e-6);
  EXPECT_NEAR(channel(run, "A" + std::to_string(n) + ".angle").back(), -angle, 5e-6);
  EXPECT_LT(summary.violation.position, 1e-11);
  EXPECT_LT(summary.statistics.steps, 32 * end);
}
INSTANTIATE_TEST_SUITE_P(Windows, TightNFourBar,
                         testing::Values(std::tuple(9, "joint", 23.0), std::tuple(80, "joint", 3.0),
                                         std::tuple(2, "cartesian", 15.0), std::tuple(5, "cartesian", 5.0),
                                         std::tuple(70, "cartesian", 12.7)),
                         [](const auto& test) {
                           return "N" + std::to_string(std::get<0>(test.param)) + std::get<1>(test.param);
                         });

// Against reference/bricard_A04_selfref.csv (joint angles, minimal-norm multipliers, rtol 1e-11), whose own
// energy drifts by 3e-9 of 29 J.
TEST(Bricard, FollowsTheReference) {
  MechanismRun run(read_model(example("bricard")));
  const Summary& summary = run.run();
  ASSERT_EQ(summary.status, Status::finished) << summary.failure.message;
  EXPECT_EQ(summary.degrees_of_freedom, 1);
  EXPECT_EQ(summary.redundant.size(), 1u);
  struct Row {
    double t, x, y, z;
  };
  for (const Row& row :
       {Row{1, 0.274481319, -0.886707939, -0.462330003}, Row{5, 0.999932742, -0.999999998, -0.000067255},
        Row{7.5, -0.999848674, -0.999999989, -0.000151314},
        Row{10, 0.999730987, -0.999999964, -0.000268976}}) {
    EXPECT_NEAR(at_time(run, "x", row.t), row.x, 2e-5) << row.t;
    EXPECT_NEAR(at_time(run, "y", row.t), row.y, 2e-5) << row.t;
    EXPECT_NEAR(at_time(run, "z", row.t), row.z, 2e-5) << row.t;
  }
  EXPECT_LT(energy_drift(run), 1e-6);
}

// kynema's verification run with steps of 2e-6 s, confirmed independently to 1e-7 (reference/heavy_top.md).
TEST(HeavyTop, MeetsPublishedValues) {
  MechanismRun run(read_model(example("heavy-top")));
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().failure.message;
  EXPECT_NEAR(at_time(run, "x", 2), -0.1504168894608856, 1e-4);
  EXPECT_NEAR(at_time(run, "y", 2), 1 - 1.7241654846852867, 1e-4);
  EXPECT_NEAR(at_time(run, "z", 2), -0.6730223697288009, 1e-4);
  EXPECT_NEAR(at_time(run, "x", 0.2), 0.60555056138, 1e-5);
  EXPECT_NEAR(at_time(run, "z", 1), -0.74849079113, 1e-5);
  EXPECT_LT(energy_drift(run), 1e-6);
}

TEST(TorqueFreeBody, KeepsEnergyAndAngularMomentum) {
  RunRequest request;
  request.end = 100;
  request.samples = 100;
  request.rtol = 1e-8;
  MechanismRun run(read_model_text(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  book: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.01, 1, 0.01]}
)",
                                   "book.yaml"),
                   request);
  ASSERT_EQ(run.run().status, Status::finished) << run.summary().failure.message;
  EXPECT_LT(energy_drift(run), 1e-6);
  // momentum in the world: R J Rᵀ ω
  Vec3<double> first;
  double turned_over = 1;
  for (std::size_t i = 0; i < run.recording().times().size(); ++i) {
    const auto value = [&](const char* name) { return channel(run, name)[i]; };
    const Mat3<double> R =
        rotation_matrix(Quaternion<double>{value("book.quaternion.w"), value("book.quaternion.x"),
                                           value("book.quaternion.y"), value("book.quaternion.z")});
    const Vec3<double> omega =
        transposed_times(R, Vec3<double>{value("book.angular_velocity.x"), value("book.angular_velocity.y"),
                                         value("book.angular_velocity.z")});
    const Vec3<double> momentum = R * Vec3<double>{1 * omega.x, 2 * omega.y, 2.5 * omega.z};
    if (i == 0) first = momentum;
    EXPECT_LT(length(momentum - first), 1e-6 * length(first)) << "at sample " << i;
    turned_over = std::min(turned_over, omega.y);
  }
  // the middle axis is unstable: it does turn over
  EXPECT_LT(turned_over, -0.5);
}

// Positions, velocities and reactions of the sparse form converge with order 5, as theory says of Radau IIA
// for equations of index 1.
TEST(Order, IsFiveOnADoublePendulum) {
  const auto final = [](double h) {
    RunRequest request;
    request.end = 0.8;
    request.samples = 1;
    request.h0 = h;
    request.rtol = request.atol = 1e-12;
    request.options = {{"fixed_step", "yes"}};
    Model model = read_model(example("double-pendulum"));
    model.simulation.coordinates = "cartesian";  // in joint coordinates nothing is constrained
    MechanismRun run(model, request);
    EXPECT_EQ(run.run().status, Status::finished) << run.summary().failure.message;
    return std::vector<double>{channel(run, "B.angle").back(), channel(run, "B.angle_rate").back(),
                               channel(run, "B.reaction.force.x").back()};
  };
  const std::vector<double> exact = final(0.0025), coarse = final(0.04), fine = final(0.02);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double order = std::log2(std::abs(coarse[i] - exact[i]) / std::abs(fine[i] - exact[i]));
    EXPECT_NEAR(order, 5, 0.6) << "component " << i;
  }
}

TEST(Runs, GiveTheSameBytesTwice) {
  const auto states = [] {
    RunRequest request;
    request.end = 1;
    MechanismRun run(read_model(example("four-bar")), request);
    run.run();
    return channel(run, "A.angle");
  };
  EXPECT_EQ(states(), states());
}

}  // namespace
}  // namespace trammel
