#include "trammel/formulation/projection/coordinate_projection.h"

#include <gtest/gtest.h>

#include "tests/analysis/analysis_mechanisms.h"
#include "tests/motion/densely_derived.h"
#include "tests/published/run_problem.h"
#include "trammel/integrator/dop853.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"

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

// Multistep methods leave constraints at a fraction of the tolerance, 1e-3; residuals of the pendulum are twice its
// distance from the circle.
TEST(CoordinateProjection, MultistepMethodsAgree) {
  for (const char* method : {"projected/adams", "projected/bdf"}) {
    EXPECT_GT(run("andrews", 1e-9, {}, method).digits.value(), 5.5) << method;
    const ProblemRun pendulum = run("pendulum", 1e-8, {}, method);
    EXPECT_LT(pendulum.summary.violation.position, 4e-3 * 2e-8) << method;
    const Statistics& s = pendulum.summary.statistics;
    EXPECT_GT(s.projections, 0) << method;
    EXPECT_GE(s.projection_iterations, s.projections) << method;
    EXPECT_LT(s.closing_jacobians, s.projections) << method;  // matrices are kept over steps
    EXPECT_LT(s.error_after_projection, s.error_before_projection) << method;
    EXPECT_EQ(s.steps, s.accepted + s.rejected()) << method;
  }
}

TEST(CoordinateProjection, WithoutProjectionConstraintsDrift) {
  for (const char* integrator : {"dop853", "adams", "bdf"}) {
    const std::string with = std::string("projected/") + integrator;
    const std::string without = std::string("unprojected/") + integrator;
    const double held = run("pendulum", 1e-6, {.until = 20}, with).summary.violation.position;
    const double drifted = run("pendulum", 1e-6, {.until = 20}, without).summary.violation.position;
    EXPECT_GT(drifted, 100 * held) << integrator;
    EXPECT_LT(drifted, 0.1) << integrator;
  }
}

// It ended here when a projection failed; a failure is one more reason for a shorter step.
TEST(CoordinateProjection, CoarseTolerancesPassFoldedFourBars) {
  const ProblemRun result = run("n-four-bar", 1e-2, {.parameters = {{"N", 10}}}, "projected/adams");
  EXPECT_LT(result.summary.violation.position, 1e-3);
}

// (σ − J) δ = ρ for directions δ of the motion, J from differences of the rates.
TEST(CoordinateProjection, SolvesFitTheRates) {
  for (const char* name : {"andrews", "four-bar", "spatial-four-bar", "force-element", "knife-edge"}) {
    const BuiltinProblem& builtin = *find_problem(name);
    ProblemCase instance = builtin.make(builtin.values({}));
    Vector x = instance.x0;
    ASSERT_FALSE(Assembly(*instance.equations).run(instance.t_start, x).failure) << name;
    CoordinateProjection problem(*instance.equations, {});
    const double t = instance.t_start;
    ASSERT_EQ(problem.start(t, x), Outcome::ok) << name;
    ASSERT_EQ(problem.linearize(t, x), Outcome::ok) << name;

    const Layout& l = instance.equations->layout();
    const auto tangent = instance.equations->tangent();
    Vector direction = Vector::Zero(l.total);
    direction.segment(l.v.begin, l.v.size) = Vector::LinSpaced(l.v.size, -1.0, 1.3);
    direction.segment(l.r.begin, l.r.size).setConstant(0.7);
    const Vector q = Vector::LinSpaced(l.v.size, 0.9, -0.4);
    tangent->displacement_to_positions(x.segment(l.p.begin, l.p.size), q, Vector::Zero(l.normalizations),
                                       direction.segment(l.p.begin, l.p.size));
    const double h = 1e-6, shift = 37;
    Vector plus(l.total), minus(l.total), solution(l.total);
    ASSERT_EQ(problem.rates(t, x + h * direction, plus), Outcome::ok) << name;
    ASSERT_EQ(problem.rates(t, x - h * direction, minus), Outcome::ok) << name;
    const Vector slope = (plus - minus) / (2 * h);
    ASSERT_EQ(problem.factor(shift), Outcome::ok);
    problem.solve(shift * direction - slope, solution);
    EXPECT_LT((solution - direction).lpNorm<Eigen::Infinity>(), 1e-4) << name;

    const std::complex<double> complex_shift(20, 30);
    ASSERT_EQ(problem.factor(complex_shift), Outcome::ok);
    ComplexVector complex_solution(l.total);
    problem.solve(complex_shift * direction - slope, complex_solution);
    EXPECT_LT((complex_solution - direction).lpNorm<Eigen::Infinity>(), 1e-4) << name;
  }
}

// A double pendulum whose rows are written with any factor.
struct ScaledPendulum {
  double first = 1, second = 1;
  Sizes sizes() const { return {.positions = 4, .holonomic = 2}; }
  Names names() const { return {}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = 1;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = f[3] = -9.81;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    const T dx = x.p[2] - x.p[0], dy = x.p[3] - x.p[1];
    g[0] = first * (x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1);
    g[1] = second * (dx * dx + dy * dy - 1);
  }
};

TEST(CoordinateProjection, UnitsOfConstraintsDoNotMatter) {
  for (const char* integrator : {"adams", "bdf"}) {
    std::array<Summary, 2> summaries;
    for (const bool scaled : {false, true}) {
      TemplatedEquations<ScaledPendulum> equations{scaled ? ScaledPendulum{1e6, 1e-6} : ScaledPendulum{}};
      Options options;
      options.tolerances.relative = options.tolerances.absolute = 1e-7;
      options.watch_constraints = false;  // which measures residuals as they are written
      Simulation simulation(equations, {"projected", integrator}, options);
      Vector start = Vector::Zero(equations.layout().total);
      start.head(4) << 1, 0, 2, 0;
      summaries[scaled ? 1 : 0] = simulation.run(start, 0, 2);
      ASSERT_EQ(summaries[scaled ? 1 : 0].status, Status::finished) << summaries[scaled ? 1 : 0].message();
    }
    const auto steps = [&](int i) { return static_cast<double>(summaries[at_index(i)].statistics.accepted); };
    EXPECT_NEAR(steps(1), steps(0), 0.05 * steps(0)) << integrator;
    EXPECT_LT((summaries[0].final_state - summaries[1].final_state).head(8).norm(), 1e-3) << integrator;
  }
}

TEST(CoordinateProjection, OwnOperatorsTakeTheirPlace) {
  long projected = 0, measured = 0;
  Options options;
  options.tolerances.relative = options.tolerances.absolute = 1e-7;
  // as rough as can be: lengths one after the other, velocities likewise
  options.projection.project = [&](double, VectorIn, double, VectorOut x) {
    ++projected;
    Eigen::Ref<Eigen::Vector2d> p = x.segment<2>(0), v = x.segment<2>(4);
    p.normalize();
    v -= p.dot(v) * p;
    const Eigen::Vector2d rod = (x.segment<2>(2) - p).normalized();
    x.segment<2>(2) = p + rod;
    x.segment<2>(6) -= rod.dot(x.segment<2>(6) - v) * rod;
    return Outcome::ok;
  };
  options.projection.violation = [&](double, VectorIn, VectorIn) {
    ++measured;
    return 1.0;
  };
  TemplatedEquations<ScaledPendulum> equations{ScaledPendulum{}};
  Simulation simulation(equations, {"projected", "adams"}, options);
  Vector start = Vector::Zero(equations.layout().total);
  start.head(4) << 1, 0, 2, 0;
  const Summary summary = simulation.run(start, 0, 1);
  ASSERT_EQ(summary.status, Status::finished) << summary.message();
  EXPECT_EQ(measured, summary.statistics.projections);
  EXPECT_EQ(projected, summary.statistics.projections);
  EXPECT_LT(summary.violation.position, 1e-12);
}

// The norm of the masses leads to the same motion.
TEST(CoordinateProjection, EitherNormServes) {
  for (const char* method : {"projected/adams", "projected/bdf"})
    for (const char* norm : {"error", "mass"})
      EXPECT_GT(run("andrews", 1e-9, {.options = {{"projection_norm", norm}}}, method).digits.value(), 5.5)
          << method << " " << norm;
}

// Auxiliary unknowns and contact coordinates follow the rest.
TEST(CoordinateProjection, TakesAuxiliaryUnknownsAndContacts) {
  for (const char* method : {"projected/dop853", "projected/adams", "projected/bdf"})
    for (const char* name : {"force-element", "rolling-contact"}) {
      const ProblemRun result = run_problem(name, 1e-8, method);
      ASSERT_EQ(result.summary.status, Status::finished)
          << method << " " << name << ": " << result.summary.message();
      ASSERT_TRUE(result.digits) << name;
      // of order 5, bdf gets less for its steps
      EXPECT_GT(*result.digits, std::string(method) == "projected/bdf" ? 4 : 5) << method << " " << name;
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
  for (const char* integrator : {"dop853", "adams", "bdf"})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      CartesianEquations equations(mechanism);
      Options options;
      options.tolerances.relative = options.tolerances.absolute = tolerance;
      Simulation simulation(equations, {"projected", integrator}, options);
      double worst = 0;  // both cranks stay parallel
      simulation.on_step([&](const Point<double>& x, double) {
        worst = std::max(worst, std::abs(x.p[2] - x.p[16]));
        return true;
      });
      const Summary summary = simulation.run(equations.initial_state(), 0, 4);
      ASSERT_EQ(summary.status, Status::finished) << integrator << ": " << summary.message();
      EXPECT_LT(worst, std::max(1e-6, tolerance)) << integrator << tolerance;
    }
}

}  // namespace
}  // namespace trammel
