#include "trammel/formulation/penalty/penalty_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/integrator/second_order_method.h"
#include "trammel/model/model.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

using Form = PenaltyOptions::Form;

struct Assembled {
  ProblemCase problem;
  Vector x;
  explicit Assembled(const std::string& name, const std::map<std::string, double>& values = {}) {
    const BuiltinProblem* builtin = find_problem(name);
    problem = builtin->make(builtin->values(values));
    x = problem.x0;
    AssemblyOptions options = problem.assembly;
    options.meet_invariants = false;
    EXPECT_FALSE(Assembly(*problem.equations, options).run(problem.t_start, x).failure);
  }
};

struct Ended {
  Vector x;
  double position = 0, velocity = 0, acceleration = 0;  // the largest violations
  Statistics statistics;
};

Ended run(EquationsOfMotion& equations, const Vector& x, double t_end, const PenaltyOptions& penalty,
          double step, double tolerance = 1e-11) {
  PenaltyMotion problem(equations, penalty);
  SecondOrderOptions options;
  options.step = step;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  SecondOrderMethod method(problem, options);
  EXPECT_EQ(method.start(0, x, t_end, 0), Outcome::ok) << method.failure().message;
  const std::unique_ptr<TangentMotion> watched = equations.tangent();
  ConsistentState state(*watched);
  EXPECT_FALSE(state.start(0, x));
  Ended ended;
  while (method.t() < t_end) {
    if (method.step(t_end) != Outcome::ok) {
      ADD_FAILURE() << method.failure().message;
      break;
    }
    Violation violation;
    const Vector* a = problem.accelerations_at(method.t(), method.x());
    EXPECT_NE(a, nullptr);
    if (a == nullptr) break;
    EXPECT_FALSE(state.measure(method.t(), method.x(), *a, violation));
    ended.position = std::max(ended.position, violation.position);
    ended.velocity = std::max(ended.velocity, violation.velocity);
    ended.acceleration = std::max(ended.acceleration, violation.acceleration);
  }
  ended.x = method.x();
  ended.statistics = problem.statistics();
  return ended;
}

// What differs from the same steps with multipliers on top is the penalty's own error, which goes with 1/α.
TEST(PenaltyMotion, ErrorHasAFloorThatGoesWithTheInverseOfThePenalty) {
  Assembled at("four-bar");
  const Layout& l = at.problem.equations->layout();
  const auto positions = [&](Form form, double factor) {
    PenaltyOptions options;
    options.form = form;
    options.factor = factor;
    const Ended ended = run(*at.problem.equations, at.x, 0.2, options, 1e-3);
    return Vector(ended.x.segment(l.p.begin, l.p.size));
  };
  const Vector without = positions(Form::augmented, 1e9);
  const double soft = (positions(Form::penalty, 1e8) - without).lpNorm<Eigen::Infinity>();
  const double firm = (positions(Form::penalty, 1e9) - without).lpNorm<Eigen::Infinity>();
  EXPECT_GT(soft, 1e-8);
  EXPECT_NEAR(soft / firm, 10, 1);
}

TEST(PenaltyMotion, ProjectionsTakeViolationsOfVelocitiesAndAccelerations) {
  Assembled at("four-bar");
  PenaltyOptions options;
  const Ended penalty = run(*at.problem.equations, at.x, 0.5, options, 1e-3);
  EXPECT_LT(penalty.position, 1e-6);
  EXPECT_LT(penalty.velocity, 1e-4);
  options.form = Form::augmented;
  options.level = 1e-9;
  const Ended augmented = run(*at.problem.equations, at.x, 0.5, options, 1e-3);
  EXPECT_LT(augmented.position, 1e-9);
  EXPECT_LT(augmented.velocity, 1e-9 * 50);  // relative to the largest velocity
  EXPECT_LT(augmented.acceleration, 1e-9 * 5000);
}

// A driver moves the constraint: Φ_t and its rate are part of the projections.
TEST(PenaltyMotion, ConstraintsThatDependOnTimeAreProjected) {
  Assembled at("spatial-four-bar");
  PenaltyOptions options;
  options.form = Form::augmented;
  const Ended ended = run(*at.problem.equations, at.x, 0.2, options, 1e-3);
  EXPECT_LT(ended.position, 1e-9);
  EXPECT_LT(ended.velocity, 1e-8);
  const double error = at.problem.error(0.2, ended.x).value();
  EXPECT_LT(error, 1e-8);

  // a penalty alone leaves a floor; were g_t left out of the projection, velocities would be off by those of the driver, 6 rad/s
  options.form = Form::penalty;
  options.factor = 1e10;
  const Ended penalty = run(*at.problem.equations, at.x, 0.2, options, 1e-3);
  // the floor was not derived: limits are a thousandth of the driver's speed, and a few times what was seen of positions (2e-6)
  EXPECT_LT(penalty.position, 1e-5);
  EXPECT_LT(penalty.velocity, 6e-3);
  EXPECT_LT(at.problem.error(0.2, penalty.x).value(), 1e-4);
}

// Derivatives of forces are found anew after three iterations, factors in each of them.
TEST(PenaltyMotion, DerivativesServeThreeIterations) {
  Assembled at("four-bar");
  const Ended ended = run(*at.problem.equations, at.x, 0.1, {}, 1e-3);
  EXPECT_EQ(ended.statistics.decompositions, ended.statistics.newton_iterations);
  EXPECT_NEAR(static_cast<double>(ended.statistics.newton_iterations) /
                  static_cast<double>(ended.statistics.jacobians),
              3, 0.1);
}

TEST(PenaltyMotion, NonholonomicConstraintsAndStatesHaveOrderTwo) {
  for (const char* name : {"knife-edge", "force-element", "rolling-contact"})
    for (const Form form : {Form::augmented, Form::index3, Form::ggl}) {
      Assembled at(name);
      PenaltyOptions options;
      options.form = form;
      double error[2];
      for (const int i : {0, 1}) {
        PenaltyMotion problem(*at.problem.equations, options);
        SecondOrderOptions own;
        own.kind = SecondOrderOptions::Kind::alpha;
        own.rho = 0.7;
        own.step = at.problem.t_end / 1000 / (1 + i);
        own.tolerances.relative = own.tolerances.absolute = 1e-11;
        SecondOrderMethod method(problem, own);
        ASSERT_EQ(method.start(0, at.x, at.problem.t_end, 0), Outcome::ok) << name;
        while (method.t() < at.problem.t_end)
          ASSERT_EQ(method.step(at.problem.t_end), Outcome::ok) << name << ": " << method.failure().message;
        error[i] = at.problem.error(at.problem.t_end, method.x()).value();
      }
      EXPECT_GT(std::log2(error[0] / error[1]), 1.7)
          << name << " " << static_cast<int>(form) << " " << error[1];
      EXPECT_LT(error[1], 2e-2) << name;
    }
}

// Penalties of velocities act over a time of their own: with half a step instead, shorter steps would let more slip.
TEST(PenaltyMotion, NonholonomicConstraintsHoldInShortStepsToo) {
  Assembled at("knife-edge");
  const Block& p = at.problem.equations->layout().p;
  const auto slip = [&](double factor, double step) {
    PenaltyOptions penalty, multipliers;
    penalty.factor = factor;
    multipliers.form = Form::augmented;
    const Vector off = run(*at.problem.equations, at.x, 0.1, penalty, step).x -
                       run(*at.problem.equations, at.x, 0.1, multipliers, step).x;
    return off.segment(p.begin, p.size).lpNorm<Eigen::Infinity>();
  };
  const double in_long_steps = slip(1e5, 1e-3), in_short_steps = slip(1e5, 2e-5);
  EXPECT_GT(in_short_steps, 1e-9);  // above round-off
  EXPECT_LT(in_short_steps, 2 * in_long_steps);
  EXPECT_NEAR(slip(1e6, 2e-5) / in_short_steps, 0.1, 0.02);
}

// The matrix is dense for few velocities and sparse for many: both give the same motion, Cartesian and joint coordinates too.
TEST(PenaltyMotion, CoordinatesAndStorageAgree) {
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/stewart-platform.yaml");
  Vector found[2];
  int i = 0;
  for (const char* coordinates : {"cartesian", "joint"}) {
    Model one = model;
    one.simulation.coordinates = coordinates;
    MechanismRun run(one, {.end = 0.2,
                           .output_interval = {},
                           .samples = 4,
                           .method = "augmented/alpha",
                           .rtol = 1e-9,
                           .atol = {},
                           .h0 = {},
                           .options = {{"step", "1e-3"}}});
    ASSERT_EQ(run.run().status, Status::finished) << run.summary().message();
    const std::vector<Channel>& channels = run.recording().channels();
    found[i].resize(static_cast<Index>(channels.size()));
    for (std::size_t k = 0; k < channels.size(); ++k)
      found[i][static_cast<Index>(k)] =
          channels[k].name.find("position") != std::string::npos ? channels[k].values.back() : 0.0;
    ++i;
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  EXPECT_GT(found[0].norm(), 1);
  // both are of order two, with different errors
  EXPECT_LT((found[0] - found[1]).lpNorm<Eigen::Infinity>(), 1e-4);
}

}  // namespace
}  // namespace trammel
