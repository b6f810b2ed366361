#include "trammel/formulation/projection/coordinate_projection.h"

#include <gtest/gtest.h>

#include "tests/analysis/analysis_mechanisms.h"
#include "tests/motion/densely_derived.h"
#include "tests/published/run_problem.h"
#include "trammel/integrator/dop853.h"
#include "trammel/motion/cartesian_equations.h"

namespace trammel {
namespace {

ProblemRun run(const std::string& problem, double tolerance, const ProblemSettings& settings = {},
               const std::string& method = "projected/dop853") {
  ProblemRun result = run_problem(problem, tolerance, method, settings);
  EXPECT_EQ(result.summary.status, Status::finished) << problem << ": " << result.summary.message();
  return result;
}

TEST(CoordinateProjection, MeetsKnownSolutionsAndHoldsTheConstraints) {
  for (const auto& [problem, tolerance, digits] :
       std::vector<std::tuple<std::string, double, double>>{{"andrews", 1e-9, 7.5},
                                                            {"chain", 1e-9, 7.5},
                                                            {"chaplygin-sleigh", 1e-9, 8},
                                                            {"knife-edge", 1e-9, 7.5}}) {
    const ProblemRun result = run(problem, tolerance);
    EXPECT_GT(result.digits.value(), digits) << problem;
    EXPECT_LT(result.summary.violation.position, 1.1e-12) << problem;
    EXPECT_LT(result.summary.violation.velocity, 1e-9) << problem;  // speeds of up to 1e3
    EXPECT_LT(result.summary.violation.acceleration, 1e-6) << problem;
  }
}

// Fixed steps: the order of positions, velocities and multipliers is that of the integrator.
TEST(CoordinateProjection, KeepsTheOrderOfTheIntegrator) {
  std::array<Vector, 3> states;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const double h = k == 2 ? 0.01 : 0.16 / (1 + static_cast<double>(k));
    states[k] = run("pendulum", 1e-6, {.until = 1.6, .h0 = h, .options = {{"fixed_step", "yes"}}})
                    .summary.final_state;
  }
  // x = (p1, p2, v1, v2, λ)
  for (const auto& [begin, size] : {std::pair<Index, Index>{0, 2}, {2, 2}, {4, 1}}) {
    const double coarse = (states[0] - states[2]).segment(begin, size).norm();
    const double fine = (states[1] - states[2]).segment(begin, size).norm();
    EXPECT_GT(std::log2(coarse / fine), 7) << begin;
  }
}

TEST(CoordinateProjection, PassesRedundantConstraintsAndPresentsMinimalMultipliers) {
  const ProblemSettings settings{.until = 2.0};
  const Vector projected = run("four-bar", 1e-9, settings).summary.final_state;
  const Vector psf = run("four-bar", 1e-9, settings, "psf/radau5").summary.final_state;
  EXPECT_LT((projected - psf).lpNorm<Eigen::Infinity>(), 1e-5 * psf.lpNorm<Eigen::Infinity>());
}

TEST(CoordinateProjection, AdamsAgrees) {
  EXPECT_GT(run("andrews", 1e-9, {}, "projected/adams").digits.value(), 5.5);
  EXPECT_LT(run("pendulum", 1e-8, {}, "projected/adams").summary.violation.position, 1.1e-12);
}

// Auxiliary unknowns and contact coordinates follow the rest.
TEST(CoordinateProjection, TakesAuxiliaryUnknownsAndContacts) {
  for (const char* name : {"force-element", "rolling-contact"}) {
    const ProblemRun result = run_problem(name, 1e-8, "projected/dop853");
    ASSERT_EQ(result.summary.status, Status::finished) << name << ": " << result.summary.message();
    ASSERT_TRUE(result.digits) << name;
    EXPECT_GT(*result.digits, 5) << name;
  }
}

// The four-bar in space with its own sparse derivatives, and with dense ones squeezed.
TEST(CoordinateProjection, SparseAndDenseDerivativesAgree) {
  CartesianEquations mechanism(four_bar());
  DenselyDerived dense(mechanism);
  std::array<Vector, 2> states;
  for (const bool sparse : {false, true}) {
    EquationsOfMotion& equations = sparse ? static_cast<EquationsOfMotion&>(mechanism) : dense;
    Options options;
    options.tolerances.relative = options.tolerances.absolute = 1e-10;
    options.reduce_planar = false;
    Simulation simulation(equations, {"projected", "dop853"}, options);
    const Summary summary = simulation.run(mechanism.initial_state(), 0, 0.5);
    ASSERT_EQ(summary.status, Status::finished) << summary.message();
    EXPECT_FALSE(summary.redundant.empty());
    states[sparse ? 1 : 0] = summary.final_state;
  }
  EXPECT_LT((states[0] - states[1]).lpNorm<Eigen::Infinity>(), 1e-6);
}

// Closer to a singular position than any step: an accurate passage at all tolerances, on the branch.
TEST(CoordinateProjection, PassesTheFlatPositionOfAParallelogram) {
  Mechanism mechanism;
  mechanism.add(rod("left", {0, 0, 0}, {0, 0, 1}, 1));
  mechanism.add(rod("top", {0, 0, 1}, {1, 0, 1}, 1));
  mechanism.add(rod("right", {1, 0, 0}, {1, 0, 1}, 1));
  mechanism.add_joint("A", JointType::revolute, "ground", "left", {0, 0, 0}, {0, 1, 0});
  mechanism.add_joint("B", JointType::revolute, "left", "top", {0, 0, 1}, {0, 1, 0});
  mechanism.add_joint("C", JointType::revolute, "top", "right", {1, 0, 1}, {0, 1, 0});
  mechanism.add_joint("D", JointType::revolute, "ground", "right", {1, 0, 0}, {0, 1, 0});
  for (std::size_t body = 1; body <= 3; ++body)
    mechanism.bodies[body].angular_velocity = {0, body == 2 ? 0.0 : 1.0, 0};
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    CartesianEquations equations(mechanism);
    Options options;
    options.tolerances.relative = options.tolerances.absolute = tolerance;
    Simulation simulation(equations, {"projected", "dop853"}, options);
    double worst = 0;  // both cranks stay parallel
    simulation.on_step([&](const Point<double>& x, double) {
      worst = std::max(worst, std::abs(x.p[2] - x.p[16]));
      return true;
    });
    const Summary summary = simulation.run(equations.initial_state(), 0, 4);
    ASSERT_EQ(summary.status, Status::finished) << summary.message();
    EXPECT_LT(worst, 1e-6) << tolerance;
  }
}

}  // namespace
}  // namespace trammel
