// The state-space form on the example models.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/formulation/state_space_check.h"
#include "trammel/formulation/state_space/coordinate_partitioning.h"
#include "trammel/model/model.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/examples/models"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EveryExample : public testing::TestWithParam<std::string> {
 protected:
  EveryExample()
      : model_(read_model(TRAMMEL_SOURCE_DIR "/examples/models/" + GetParam() + ".yaml")),
        equations_(model_.mechanism),
        x_(equations_.initial_state()) {
    const AssemblyReport report = assemble_mechanism(equations_, 0, x_);
    EXPECT_FALSE(report.failure) << report.failure.message;
  }

  Model model_;
  CartesianEquations equations_;
  Vector x_;
};

constexpr double shift = 200;

// Differences lose digits to the stiffness of 2e8 N/m in the bushings of the beam.
double exact(const std::string& name) { return name == "beam" ? 1e-5 : 1e-6; }

TEST_P(EveryExample, HasExactNewtonMatricesByTheReducedSystem) {
  CoordinatePartitioning problem(equations_, {.reduced_up_to = 1000000});
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), exact(GetParam()));
}

TEST_P(EveryExample, HasExactNewtonMatricesByOneSparseSystem) {
  CoordinatePartitioning problem(equations_, {.reduced_up_to = -1});
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), exact(GetParam()));
}

// What depends on an independent coordinate is near by in the tree: most of these products are of zeros.
TEST_P(EveryExample, HasExactNewtonMatricesInJointCoordinates) {
  JointEquations equations(model_.mechanism);
  Vector x = equations.initial_state();
  const AssemblyReport report = assemble_mechanism(equations, 0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  CoordinatePartitioning problem(equations, {.reduced_up_to = 1000000});
  EXPECT_LT(shifted_solve_deviation(problem, 0, x, shift), exact(GetParam()));
}

// The same equations as a user would give them: dense derivatives by all coordinates, from which the
// tangent motion is squeezed.
class DenseEquations final : public EquationsOfMotion {
 public:
  explicit DenseEquations(EquationsOfMotion& equations)
      : EquationsOfMotion(sizes(equations.layout()), equations.structure(), equations.names()),
        equations_(equations) {}
  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override {
    equations_.evaluate(at, wanted, out);
  }
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override {
    equations_.differentiate(at, wanted, out);
  }

 private:
  static Sizes sizes(const Layout& l) {
    return {.positions = l.p.size,
            .velocities = l.v.size,
            .force_states = l.r.size,
            .auxiliaries = l.w.size,
            .contacts = l.s.size,
            .holonomic = l.lambda.size,
            .nonholonomic = l.mu.size,
            .invariants = l.invariants,
            .normalizations = l.normalizations};
  }

  EquationsOfMotion& equations_;
};

TEST_P(EveryExample, HasExactNewtonMatricesWithDenseDerivatives) {
  if (x_.size() > 400) GTEST_SKIP() << "too large for dense matrices";
  DenseEquations equations(equations_);
  CoordinatePartitioning problem(equations, {});
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), exact(GetParam()));
}

TEST_P(EveryExample, HasExactNewtonMatricesInABasisOfTheKernel) {
  if (x_.size() > 400) GTEST_SKIP() << "too many degrees of freedom for a full basis";
  CoordinatePartitioning problem(equations_, {.kind = CoordinatePartitioningOptions::Kind::tangent});
  EXPECT_LT(shifted_solve_deviation(problem, 0, x_, shift), exact(GetParam()));
}

// A step of implicit Euler with the matrix taken at each iterate: an exact one makes Newton's iteration
// converge quadratically, so that after a correction of 1e-5 the next but one is round-off. Nothing turns by
// more than 0.01 rad: displacements are counted in the frames at the beginning of the step.
TEST_P(EveryExample, LetsNewtonConvergeQuadratically) {
  CoordinatePartitioning problem(equations_, {});
  const Layout& l = equations_.layout();
  const double h = 0.01 / std::max(10.0, x_.segment(l.v.begin, l.v.size).lpNorm<Eigen::Infinity>());
  ASSERT_EQ(problem.start(0, x_), Outcome::ok) << problem.failure().message;
  Vector guess = x_, change(problem.unknowns());
  int after_small = 0;
  double size = 1;
  for (int iteration = 0; iteration < 12 && after_small < 3; ++iteration) {
    ASSERT_EQ(problem.complete(h, guess), Outcome::ok) << problem.failure().message;
    ASSERT_EQ(problem.linearize(h, guess), Outcome::ok) << problem.failure().message;
    ASSERT_EQ(problem.factor(1 / h), Outcome::ok);
    Vector residual(problem.equations());
    ASSERT_EQ(problem.residual(h, guess, (guess - x_) / h, residual), Outcome::ok);
    problem.solve(residual, change);
    guess += change;
    size = change.cwiseQuotient(Vector::Ones(guess.size()) + guess.cwiseAbs()).lpNorm<Eigen::Infinity>();
    if (after_small > 0 || size < 1e-5) ++after_small;
  }
  EXPECT_EQ(after_small, 3) << "no correction below 1e-5";
  EXPECT_LT(size, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(StateSpace, EveryExample, testing::ValuesIn(example_names()),
                         [](const auto& parameters) {
                           std::string name = parameters.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// --- a crank that turns all the way: other coordinates must become independent again and again

struct FourBarEnd {
  Vector x;
  Statistics statistics;
  Violation violation;
};

// A crank of 1 m at 6 rad/s, no gravity: four turns in 4 s.
FourBarEnd run_four_bar(const std::string& method, double tolerance, double fixed_step = 0,
                        const std::string& parametrization = "") {
  Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/four-bar.yaml");
  model.mechanism.gravity = {0, 0, 0};
  model.simulation.coordinates = "cartesian";  // which of many become independent is what is looked at
  RunRequest request;
  request.method = method;
  request.rtol = request.atol = tolerance;
  request.end = 4;
  request.samples = 4;
  request.options = {{"max_steps", "1000000"}};
  if (!parametrization.empty()) request.options.emplace_back("parametrization", parametrization);
  if (fixed_step > 0) {
    request.h0 = fixed_step;
    request.options.emplace_back("fixed_step", "yes");
  }
  MechanismRun run(model, request);
  const Summary& summary = run.run();
  EXPECT_EQ(summary.status, Status::finished) << method << ": " << summary.failure.message;
  return {summary.final_state.head(39), summary.statistics, summary.violation};  // three bodies: p and v
}

class TurningFourBar : public testing::TestWithParam<std::string> {};

TEST_P(TurningFourBar, KeepsItsAccuracyWhileOtherCoordinatesBecomeIndependent) {
  static const FourBarEnd reference = run_four_bar("psf/radau5", 1e-11);
  double previous = 0;
  for (const double tolerance : {1e-5, 1e-8}) {
    const FourBarEnd end = run_four_bar(GetParam(), tolerance);
    const double error = (end.x - reference.x).lpNorm<Eigen::Infinity>();
    // speeds of 6 over four turns: errors of single steps add up to about this
    EXPECT_LT(error, 2000 * tolerance) << tolerance;
    if (previous > 0) {
      EXPECT_LT(error, previous / 20);
    }
    previous = error;
    EXPECT_GE(end.statistics.selectors, 4) << tolerance;
    EXPECT_LT(end.violation.position, 1e-13);
    EXPECT_LT(end.violation.velocity, 1e-12);
    EXPECT_LT(end.violation.acceleration, 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(StateSpace, TurningFourBar,
                         testing::Values("partitioned/sdirk4", "partitioned/radau5", "partitioned/bdf",
                                         "partitioned/adams", "partitioned/dirk", "partitioned/erk"),
                         [](const auto& parameters) { return parameters.param.substr(12); });

TEST(TurningFourBarOrder, IsThatOfTheIntegrator) {
  const FourBarEnd reference = run_four_bar("psf/radau5", 1e-12);
  const auto error = [&](const std::string& method, double step, const std::string& parametrization) {
    return (run_four_bar(method, 1e-9, step, parametrization).x - reference.x).lpNorm<Eigen::Infinity>();
  };
  for (const std::string parametrization : {"partition", "tangent", "nullspace"}) {
    const double coarse = error("partitioned/sdirk4", 0.005, parametrization);
    const double fine = error("partitioned/sdirk4", 0.0025, parametrization);
    const double order = std::log2(coarse / fine);
    EXPECT_GT(order, 3.7) << parametrization << ": " << coarse << ", " << fine;
    // in a tangent plane, which turns with every step, terms of order 4 nearly cancel: 4.6 was seen
    EXPECT_LT(order, parametrization == "tangent" ? 5.0 : 4.3) << parametrization;
  }
  // the error of Radau IIA is not yet smooth at steps where it is above that of Newton's iteration: two
  // halvings
  const double coarse = error("partitioned/radau5", 0.02, "partition");
  const double fine = error("partitioned/radau5", 0.005, "partition");
  EXPECT_GT(std::log2(coarse / fine) / 2, 4.7) << coarse << ", " << fine;
}

// Output is computed between the steps and leaves no trace in them.
TEST(StateSpaceOutput, DoesNotChangeTheSteps) {
  for (const char* method : {"partitioned/sdirk4", "partitioned/bdf"}) {
    Vector end[2];
    long steps[2];
    for (int i = 0; i < 2; ++i) {
      RunRequest request;
      request.method = method;
      request.rtol = request.atol = 1e-3;
      request.end = 1;
      request.samples = i == 0 ? 1 : 150;
      MechanismRun run(read_model(TRAMMEL_SOURCE_DIR "/examples/models/hmmwv.yaml"), request);
      ASSERT_EQ(run.run().status, Status::finished) << run.summary().failure.message;
      end[i] = run.summary().final_state;
      steps[i] = run.summary().statistics.accepted;
    }
    EXPECT_EQ(steps[0], steps[1]) << method;
    EXPECT_LT((end[0] - end[1])
                  .cwiseQuotient(Vector::Ones(end[0].size()) + end[0].cwiseAbs())
                  .lpNorm<Eigen::Infinity>(),
              1e-9)
        << method;
  }
}

// Newton's matrix of the middle of a step serves stiff directions that turn; unasked, only where a problem puts that middle on its
// constraints.
TEST(MatrixMidway, IsTakenWhereItServes) {
  const auto evaluations = [](const std::string& model, const char* method, const char* place) {
    RunRequest request;
    request.method = method;
    request.rtol = 1e-3;
    request.samples = 1;
    request.options = {{"matrix_midway", place}};
    MechanismRun run(read_model(TRAMMEL_SOURCE_DIR "/examples/models/" + model + ".yaml"), request);
    EXPECT_EQ(run.run().status, Status::finished) << model << " " << run.summary().failure.message;
    return run.summary().statistics.evaluations;
  };
  const long midway = evaluations("hmmwv", "partitioned/sdirk4", "auto");
  EXPECT_LT(midway, evaluations("hmmwv", "partitioned/sdirk4", "no"));
  EXPECT_LE(std::abs(midway - evaluations("hmmwv", "partitioned/sdirk4", "yes")), midway / 50);
  EXPECT_EQ(evaluations("bricard", "psf/sdirk4", "auto"), evaluations("bricard", "psf/sdirk4", "no"));
}

// Many states beside few degrees of freedom: a chain of lags, of which the k-th is tᵏ/k! e⁻ᵗ, and a body that one of them pushes.
TEST(StateSpaceStates, AreSolvedForBesideTheMotion) {
  std::string text = R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}
forces: {f: {type: actuator, joint: A, force: s3}}
simulation: {end: 1, output: 0.1, rtol: 1e-8}
states:
  s0: {rate: "-s0", initial: 1}
)";
  for (int k = 1; k < 200; ++k)
    text += "  s" + std::to_string(k) + ": {rate: \"s" + std::to_string(k - 1) + " - s" + std::to_string(k) +
            "\"}\n";
  for (const char* method : {"partitioned/sdirk4", "partitioned/radau5", "partitioned/bdf"}) {
    RunRequest request;
    request.method = method;
    MechanismRun run(read_model_text(text, "test.yaml"), request);
    ASSERT_EQ(run.run().status, Status::finished) << run.summary().failure.message;
    const auto last = [&](const char* channel) { return run.recording().find(channel)->values.back(); };
    EXPECT_NEAR(last("s3"), std::exp(-1) / 6, 1e-6) << method;
    EXPECT_NEAR(last("s8"), std::exp(-1) / 40320, 1e-6) << method;
    EXPECT_NEAR(last("A.displacement_rate"), 1 - std::exp(-1) * (1 + 1 + 1.0 / 2 + 1.0 / 6), 1e-6) << method;
  }
}

// The vehicle's fastest mode decays with 2.6e5 1/s: what an explicit method can take, whatever the tolerance.
TEST(StateSpaceVehicle, ExplicitStepsAreBoundByStability) {
  for (const double tolerance : {1e-2, 1e-5}) {
    RunRequest request;
    request.method = "partitioned/adams";
    request.rtol = request.atol = tolerance;
    request.end = 0.004;
    request.samples = 1;
    MechanismRun run(read_model(TRAMMEL_SOURCE_DIR "/examples/models/hmmwv.yaml"), request);
    ASSERT_EQ(run.run().status, Status::finished) << run.summary().failure.message;
    const double step = 0.004 / static_cast<double>(run.summary().statistics.accepted);
    EXPECT_GT(step, 1e-6);
    EXPECT_LT(step, 1e-5);
  }
}

}  // namespace
}  // namespace trammel
