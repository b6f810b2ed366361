#include "trammel/formulation/projection/coordinate_projection.h"

#include <gtest/gtest.h>

#include "tests/analysis/analysis_mechanisms.h"
#include "tests/motion/densely_derived.h"
#include "tests/published/run_problem.h"
#include "trammel/formulation/projection/projected_index1.h"
#include "trammel/integrator/dop853.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/mechanism_motion.h"
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
  for (const char* method : {"projected/adams", "projected/bdf", "projected-index1/ida"}) {
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

// Fixed steps: the order is that of the method for positions, Euler parameters among them, velocities and multipliers, in which
// projections take no part but at the end of steps.
TEST(CoordinateProjection, ImplicitStepsKeepTheirOrder) {
  struct Case {
    const char *method, *problem;
    double until, order;
    int steps;
  };
  for (const Case& one :
       {Case{"projected/radau5", "pendulum", 1.6, 5, 80}, Case{"projected/sdirk4", "pendulum", 1.6, 4, 160},
        Case{"projected/radau5", "heavy-top", 0.05, 5, 80},
        Case{"projected/sdirk4", "heavy-top", 0.05, 4, 160}}) {
    const auto end = [&](int steps) {
      return run(one.problem, 1e-10,
                 {.until = one.until, .h0 = one.until / steps, .options = {{"fixed_step", "yes"}}},
                 one.method)
          .summary.final_state;
    };
    const Vector exact = run(one.problem, 1e-12, {.until = one.until}).summary.final_state;
    const Vector coarse = end(one.steps) - exact, fine = end(2 * one.steps) - exact;
    EXPECT_GT(std::log2(coarse.norm() / fine.norm()), one.order - 0.5) << one.method << " " << one.problem;
  }
}

// The embedded solution goes on from constraints, too.
TEST(CoordinateProjection, ImplicitStepsEndOnTheConstraints) {
  for (const char* extrapolation : {"yes", "no"}) {
    const ProblemRun result =
        run("andrews", 1e-6, {.options = {{"local_extrapolation", extrapolation}}}, "projected/sdirk4");
    EXPECT_GT(result.digits.value(), 3.5) << extrapolation;
    EXPECT_LT(result.summary.violation.position, 1e-8) << extrapolation;
  }
  for (const char* method : {"projected/radau5", "projected/sdirk4"}) {
    const ProblemRun result = run("andrews", 1e-9, {}, method);
    EXPECT_GT(result.digits.value(), 6) << method;
    const Statistics& s = result.summary.statistics;
    EXPECT_GT(s.projections, 0) << method;
    EXPECT_LT(s.closing_jacobians, s.projections) << method;  // matrices are kept over steps
    EXPECT_LT(s.error_after_projection, s.error_before_projection) << method;
    EXPECT_EQ(s.steps, s.accepted + s.rejected()) << method;
  }
}

// It ended here when a projection failed; a failure is one more reason for a shorter step.
TEST(CoordinateProjection, CoarseTolerancesPassFoldedFourBars) {
  const ProblemRun result = run("n-four-bar", 1e-2, {.parameters = {{"N", 10}}}, "projected/adams");
  EXPECT_LT(result.summary.violation.position, 1e-3);
}

// Rates beside the constraints are of any size where positions are nearly singular: iterates that are not put on them first took 603
// steps here, and 172 past the singular positions of Bricard's linkage.
TEST(CoordinateProjection, FixedPointsPassSingularPositions) {
  const ProblemRun flat =
      run("n-four-bar", 1e-3, {.parameters = {{"N", 10}}, .options = {{"planar_reduction", "no"}}},
          "projected/adams");
  EXPECT_LT(flat.summary.statistics.accepted, 200);
  EXPECT_LT(run("bricard", 1e-3, {}, "projected/adams").summary.statistics.accepted, 100);
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

// --- the form of index 1

// (σE − J) δ = ρ for directions δ of the motion and multipliers, E and J from differences of the residual.
TEST(ProjectedIndex1, SolvesFitTheResidual) {
  for (const char* name : {"andrews", "four-bar", "spatial-four-bar", "force-element", "knife-edge"}) {
    const BuiltinProblem& builtin = *find_problem(name);
    ProblemCase instance = builtin.make(builtin.values({}));
    Vector x = instance.x0;
    ASSERT_FALSE(Assembly(*instance.equations).run(instance.t_start, x).failure) << name;
    ProjectedIndex1 problem(*instance.equations, {});
    const double t = instance.t_start;
    const Layout& l = instance.equations->layout();
    Vector rates = Vector::Zero(l.total), out(l.total), plus(l.total), minus(l.total), solution(l.total);
    ASSERT_EQ(problem.start(t, x), Outcome::ok) << name;
    ASSERT_EQ(problem.rates(t, x, rates), Outcome::ok) << name;
    ASSERT_EQ(problem.residual(t, x, rates, out), Outcome::ok) << name;
    EXPECT_LT(out.lpNorm<Eigen::Infinity>(), 1e-6 * (1 + x.lpNorm<Eigen::Infinity>())) << name;
    ASSERT_EQ(problem.linearize(t, x), Outcome::ok) << name;

    Vector direction = Vector::Zero(l.total);
    direction.segment(l.v.begin, l.v.size) = Vector::LinSpaced(l.v.size, -1.0, 1.3);
    direction.segment(l.r.begin, l.r.size).setConstant(0.7);
    const Index constraints = l.lambda.size + l.mu.size;
    direction.segment(l.lambda.begin, constraints) = Vector::LinSpaced(constraints, 0.3, 1.1);
    instance.equations->tangent()->displacement_to_positions(
        x.segment(l.p.begin, l.p.size), Vector::LinSpaced(l.v.size, 0.9, -0.4),
        Vector::Zero(l.normalizations), direction.segment(l.p.begin, l.p.size));
    const double h = 1e-6, shift = 37;
    ASSERT_EQ(problem.residual(t, x + h * direction, rates + h * shift * direction, plus), Outcome::ok);
    ASSERT_EQ(problem.residual(t, x - h * direction, rates - h * shift * direction, minus), Outcome::ok);
    const Vector change = (minus - plus) / (2 * h);
    // forces and multipliers of one problem have sizes of 1e3 and 1e-3
    ASSERT_EQ(problem.linearize(t, x), Outcome::ok) << name;
    ASSERT_EQ(problem.factor(shift), Outcome::ok);
    problem.solve(change, solution);
    // multipliers of rows that depend on others are not determined
    const Vector difference = (solution - direction).head(l.w.begin);
    EXPECT_LT(difference.lpNorm<Eigen::Infinity>(), 1e-4) << name;
  }
}

TEST(ProjectedIndex1, PassesRedundantConstraintsAndFactorsNothingElse) {
  const ProblemSettings settings{.until = 2.0};
  const ProblemRun index1 = run("four-bar", 1e-9, settings, "projected-index1/ida");
  const Vector psf = run("four-bar", 1e-9, settings, "psf/radau5").summary.final_state;
  EXPECT_LT((index1.summary.final_state - psf).lpNorm<Eigen::Infinity>(),
            1e-4 * psf.lpNorm<Eigen::Infinity>());
  const Statistics& s = index1.summary.statistics;
  EXPECT_GT(s.projections, s.accepted / 2);
  EXPECT_LT(s.closing_jacobians, s.projections / 20);  // the factors of Newton's matrix serve
  EXPECT_LT(s.decompositions, s.accepted / 2);
  EXPECT_LT(s.error_after_projection, s.error_before_projection);
  EXPECT_EQ(s.steps, s.accepted + s.rejected());
}

TEST(ProjectedIndex1, ProjectedErrorsAllowLongerSteps) {
  double product = 1;
  for (const double tolerance : {1e-4, 1e-6}) {
    const auto steps = [&](const char* projected) {
      return static_cast<double>(
          run("andrews", tolerance, {.options = {{"project_error", projected}}}, "projected-index1/ida")
              .summary.statistics.accepted);
    };
    product *= steps("yes") / steps("no");
  }
  EXPECT_LT(product, 0.8);
}

// --- violations at every step

// In the norm of the error test, with tolerances as of the end of a step: positions against what g = 0 leaves of them.
TEST(CoordinateProjection, ViolationsStayBelowTheConstraintToleranceAtEveryStep) {
  for (const char* integrator :
       {"projected/adams", "projected/bdf", "projected/radau5", "projected/sdirk4", "projected-index1/ida"})
    for (const char* name : {"pendulum", "four-bar", "andrews", "n-four-bar"})
      for (const double tolerance : {1e-3, 1e-7}) {
        const BuiltinProblem& builtin = *find_problem(name);
        ProblemCase instance = builtin.make(builtin.values({}));
        Options options;
        options.tolerances.relative = options.tolerances.absolute = tolerance;
        options.reduce_planar = false;
        options.assembly = instance.assembly;
        const std::string method = integrator;
        const std::size_t slash = method.find('/');
        Simulation simulation(*instance.equations, {method.substr(0, slash), method.substr(slash + 1)},
                              options);
        const CoordinateProjectionOptions own;
        const auto tangent = instance.equations->tangent();
        double worst = 0;
        simulation.on_step([&](const Point<double>& point, double h) {
          if (h == 0) return true;
          const Layout& l = instance.equations->layout();
          Vector x = Vector::Zero(l.total), scale(l.total);
          x.segment(l.p.begin, l.p.size) = Eigen::Map<const Vector>(point.p.data(), l.p.size);
          x.segment(l.v.begin, l.v.size) = Eigen::Map<const Vector>(point.v.data(), l.v.size);
          options.tolerances.fill(x, scale);
          WeightedProjection measure(*tangent, own);
          double size = 0;
          EXPECT_FALSE(measure.violation(point.t, x, scale, size));
          worst = std::max(worst, size);
          return true;
        });
        const double end = instance.t_start + 0.2 * (instance.t_end - instance.t_start);
        const Summary summary = simulation.run(instance.x0, instance.t_start, std::min(end, 2.0));
        ASSERT_EQ(summary.status, Status::finished) << integrator << " " << name << summary.message();
        EXPECT_LT(worst, 1e-3) << integrator << " " << name << " " << tolerance;
      }
}

// --- energy

Mechanism moving_four_bar() {
  Mechanism mechanism = four_bar();
  mechanism.bodies[1].angular_velocity = {0, 2, 0};
  return mechanism;
}

TEST(CoordinateProjection, KeepsTheEnergyIfAsked) {
  for (const char* method :
       {"projected/adams", "projected/bdf", "projected/radau5", "projected/sdirk4", "projected-index1/ida"})
    for (const char* coordinates : {"cartesian", "joint"}) {
      const std::string text = method;
      const std::size_t slash = text.find('/');
      std::array<double, 2> drift{};
      for (const bool kept : {false, true}) {
        const auto equations = make_equations(moving_four_bar(), coordinates);
        Options options;
        options.tolerances.relative = options.tolerances.absolute = 1e-5;
        options.projection.keeps_invariants = kept;
        Simulation simulation(*equations, {text.substr(0, slash), text.substr(slash + 1)}, options);
        const auto tangent = equations->tangent();
        EnergyState first, last;
        simulation.on_step([&](const Point<double>& point, double h) {
          const Layout& l = equations->layout();
          Vector x = Vector::Zero(l.total);
          x.segment(l.p.begin, l.p.size) = Eigen::Map<const Vector>(point.p.data(), l.p.size);
          x.segment(l.v.begin, l.v.size) = Eigen::Map<const Vector>(point.v.data(), l.v.size);
          tangent->energy(point.t, x, h == 0 ? first : last);
          if (h > 0)
            drift[kept ? 1 : 0] = std::max(drift[kept ? 1 : 0], std::abs(last.kinetic + last.potential -
                                                                         first.kinetic - first.potential));
          return true;
        });
        const Summary summary = simulation.run(equations->initial_state(), 0, 1);
        ASSERT_EQ(summary.status, Status::finished) << method << coordinates << summary.message();
      }
      EXPECT_LT(drift[1], 0.1 * drift[0]) << method << " " << coordinates;
      EXPECT_LT(drift[1], 1e-5) << method << " " << coordinates;
    }
}

TEST(CoordinateProjection, RefusesToKeepAnEnergyThatIsNotKept) {
  Mechanism mechanism = moving_four_bar();
  Force::SpringDamper damper;
  damper.name = "damper";
  damper.body_b = 1;
  damper.frame_a.origin = {0.5, 0, 0.2};
  damper.damping = 0.1;
  mechanism.add(damper);
  for (const char* integrator : {"adams", "bdf", "radau5", "sdirk4"}) {
    CartesianEquations equations(mechanism);
    Options options;
    options.projection.keeps_invariants = true;
    Simulation simulation(equations, {"projected", integrator}, options);
    const Summary summary = simulation.run(equations.initial_state(), 0, 1);
    EXPECT_EQ(summary.status, Status::failed);
    EXPECT_NE(summary.message().find("the energy of this mechanism is not kept"), std::string::npos)
        << summary.message();
  }
}

// The norm of the masses leads to the same motion.
TEST(CoordinateProjection, EitherNormServes) {
  for (const char* method : {"projected/adams", "projected/bdf", "projected/radau5", "projected/sdirk4"})
    for (const char* norm : {"error", "mass"})
      EXPECT_GT(run("andrews", 1e-9, {.options = {{"projection_norm", norm}}}, method).digits.value(), 5.5)
          << method << " " << norm;
}

// Auxiliary unknowns and contact coordinates follow the rest.
TEST(CoordinateProjection, TakesAuxiliaryUnknownsAndContacts) {
  for (const char* method : {"projected/dop853", "projected/adams", "projected/bdf", "projected/radau5",
                             "projected/sdirk4", "projected-index1/ida"})
    for (const char* name : {"force-element", "rolling-contact"}) {
      const ProblemRun result = run_problem(name, 1e-8, method);
      ASSERT_EQ(result.summary.status, Status::finished)
          << method << " " << name << ": " << result.summary.message();
      ASSERT_TRUE(result.digits) << name;
      // of order 5, bdf gets less for its steps
      EXPECT_GT(*result.digits, std::string(method).ends_with("adams") ? 5 : 4) << method << " " << name;
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
