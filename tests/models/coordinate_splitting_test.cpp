// Coordinate splitting on a four-bar of plain revolute joints that turns all the way: three equations too
// many, and a splitting that must be chosen anew again and again.
#include "trammel/formulation/splitting/coordinate_splitting.h"

#include <gtest/gtest.h>

#include "tests/models/run_text.h"
#include "trammel/motion/cartesian_equations.h"

namespace trammel {
namespace {

// Where the centres of the three bodies are at the end.
Vector turn(const std::string& method, const std::string& coordinates, double tolerance,
            Statistics* statistics = nullptr) {
  Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/four-bar.yaml");
  model.simulation.coordinates = coordinates;
  RunRequest request;
  request.method = method;
  request.rtol = request.atol = tolerance;
  request.end = 4;
  request.samples = 4;
  MechanismRun run(model, request);
  const Summary& summary = run.run();
  EXPECT_EQ(summary.status, Status::finished) << method << ": " << summary.failure.message;
  EXPECT_LT(summary.violation.position, 1e-13) << method;
  if (statistics != nullptr) *statistics = summary.statistics;
  std::vector<double> places;
  for (const char* body : {"crank", "coupler", "rocker"})
    for (const char* axis : {".position.x", ".position.y", ".position.z"})
      places.push_back(run.recording().find(std::string(body) + axis)->values.back());
  return Eigen::Map<const Vector>(places.data(), static_cast<Index>(places.size()));
}

// IDAS leaves positions off the constraints by the tolerance, where rows that depend on others do so no more:
// they must not be chosen there.
TEST(CoordinateSplittingOfModels, TurnsAFourBarWithRedundantConstraints) {
  const Vector reference = turn("psf/radau5", "cartesian", 1e-10);
  for (const std::string coordinates : {"cartesian", "joint"})
    for (const std::string method : {"csm/radau5", "csm/ida", "cm/ida", "cs/ida"}) {
      SCOPED_TRACE(method + " in " + coordinates + " coordinates");
      double previous = 0;
      for (const double tolerance : {1e-4, 1e-7}) {
        Statistics statistics;
        const double error =
            (turn(method, coordinates, tolerance, &statistics) - reference).lpNorm<Eigen::Infinity>();
        EXPECT_LT(error, 3000 * tolerance) << tolerance;  // over two turns of 5 rad/s
        EXPECT_GT(statistics.selectors, 5);
        if (previous > 0) {
          EXPECT_LT(error, previous / 20);
        }
        previous = error;
      }
    }
}

// There are no multipliers in these equations: those of a sample must belong to its positions and velocities,
// and not to what was extrapolated from step to step.
TEST(CoordinateSplittingOfModels, ReactionsAreRightAtEverySample) {
  const std::string text = R"(
trammel: 1
title: a body on a rod, hung beside its centre of mass
bodies:
  block: {at: [-0.8, 1.5, 0], mass: 2, inertia: [0.1, 0.2, 0.25]}
joints:
  rod: {type: distance, between: [ground, block], from: [0.5, 0, 0], to: [0.7, 1.5, 0]}
simulation: {end: 5, output: 0.01, rtol: 1e-8}
)";
  const MechanismRun reference = run_text(text, {.method = "psf/radau5", .rtol = 1e-11});
  for (const std::string method : {"cs/radau5", "cm/radau5", "csm/radau5", "cs/ida", "partitioned/radau5"}) {
    SCOPED_TRACE(method);
    const MechanismRun run = run_text(text, {.method = method});
    // up to 400 N, for a moment: an error of 5e-7 m in the positions is one of 2e-3 N there, with cm one of
    // 7e-3 N
    for (const std::string channel : {"rod.reaction.force.x", "rod.reaction.force.y", "rod.reaction.force.z"})
      // partitioned counts the errors of what is independent only: 2.6e-2 N were seen
      expect_same(run, channel, reference, channel,
                  method == "cs/ida"               ? 0.5
                  : method == "partitioned/radau5" ? 3e-2
                                                   : 2e-2);
  }
}

// Corrections against differences of the residual, with rates p' = Zv but accelerations that belong to nothing,
// so that the projector has much to take out. Bodies turn in space, rows are redundant, wheels roll, forces
// have states.
TEST(CoordinateSplittingOfModels, CsHasExactNewtonMatrices) {
  const std::string examples = TRAMMEL_SOURCE_DIR "/examples/models/";
  const std::string arm = R"(
trammel: 1
title: an arm on two hinges, one too many, with a motor that lags behind
bodies:
  arm: {at: [0.5, 0.1, 0.2], mass: 2, inertia: [0.1, 0.2, 0.25], angular_velocity: [0, 0, 3]}
  tip: {at: [1.2, 0.1, 0.3], mass: 1, inertia: [0.02, 0.03, 0.04]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [ground, arm], at: [0, 0, 1], axis: [0, 0, 1]}
  C: {type: spherical, between: [arm, tip], at: [1, 0, 0]}
states:
  command: {rate: "(A.angle + 0.2*A.angle_rate - command)/0.1", initial: 0.3}
forces:
  motor: {type: actuator, joint: A, torque: "10*(command - angle) - rate*rate"}
  mount: {type: bushing, between: [arm, tip], at: [1, 0, 0], stiffness: [0, 0, 0, 50, 20, 30], damping: [0, 0, 0, 1, 1, 2]}
simulation: {end: 1}
)";
  for (const Model& model : {read_model(examples + "four-bar.yaml"),
                             read_model(examples + "rolling-disk.yaml"), read_model_text(arm, "arm.yaml")}) {
    SCOPED_TRACE(model.file);
    CartesianEquations equations(model.mechanism);
    const Layout& l = equations.layout();
    Vector x = equations.initial_state();
    ASSERT_FALSE(assemble_mechanism(equations, 0, x).failure);
    CoordinateSplitting problem(equations, {.iteration = CoordinateSplittingOptions::Iteration::cs});
    ASSERT_EQ(problem.start(0, x), Outcome::ok) << problem.failure().message;
    MotionValues values(l);
    equations.evaluate({0, x, Vector::Zero(l.v.size)}, part::kinematics, values);
    Vector rate = Vector::Zero(l.total);
    rate.segment(l.p.begin, l.p.size) = values.kinematics;
    for (Index i = 0; i < l.v.size + l.r.size; ++i)
      rate[l.v.begin + i] = 5 * std::cos(static_cast<double>(3 * i));
    const Index m = problem.equations();
    Vector plus(m), minus(m), change(l.total);
    ASSERT_EQ(problem.residual(0, x, rate, plus), Outcome::ok);
    ASSERT_EQ(problem.linearize(0, x), Outcome::ok);
    const double shift = 40;
    ASSERT_EQ(problem.factor(shift), Outcome::ok);
    for (Index j = 0; j < m; ++j) {
      if (j >= l.v.size && j < l.v.size + l.normalizations) continue;
      const Vector rho = Vector::Unit(m, j);
      problem.solve(rho, change);
      const double h = 1e-5 / change.lpNorm<Eigen::Infinity>();
      ASSERT_EQ(problem.residual(0, x + h * change, rate + h * shift * change, plus), Outcome::ok);
      ASSERT_EQ(problem.residual(0, x - h * change, rate - h * shift * change, minus), Outcome::ok);
      EXPECT_LT((-(plus - minus) / (2 * h) - rho).lpNorm<Eigen::Infinity>(), 1e-5) << j;
    }
  }
}

}  // namespace
}  // namespace trammel
