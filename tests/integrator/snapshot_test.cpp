// A run that is saved half way goes on, from there and from the copy, as if nothing had been.
#include <gtest/gtest.h>

#include <memory>

#include "tests/integrator/ode_runs.h"
#include "trammel/formulation/geoms/geoms.h"
#include "trammel/formulation/projection/coordinate_projection.h"
#include "trammel/formulation/state_space/coordinate_partitioning.h"
#include "trammel/integrator/arkode.h"
#include "trammel/integrator/cvodes.h"
#include "trammel/integrator/dop853.h"
#include "trammel/integrator/ida.h"
#include "trammel/integrator/radau.h"
#include "trammel/integrator/sdirk.h"
#include "trammel/motion/assembly.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

using namespace test;
using Form = IndexReductionOptions::Form;

// A formulation of a published problem, ready to be integrated.
template <class Formulation, class Settings>
struct Motion {
  ProblemCase instance;
  Formulation problem;
  Vector x0;
  double h0 = 0;

  Motion(const char* name, const Settings& settings)
      : instance(make(name)), problem(*instance.equations, settings) {
    Vector start = instance.x0;
    EXPECT_FALSE(Assembly(*instance.equations).run(instance.t_start, start).failure);
    x0 = Vector::Zero(problem.unknowns());
    x0.head(start.size()) = start;
    h0 = instance.h0;
  }
  static ProblemCase make(const char* name) {
    const BuiltinProblem& builtin = *find_problem(name);
    return builtin.make(builtin.values({}));
  }
};

template <class System>
struct Equation : OdeRun<System> {
  Vector x0 = System::initial();
  double h0 = 0;
};

template <class Options>
Options with(double tolerance) {
  Options options;
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  return options;
}

Outcome run_to(Integrator& integrator, double t_end, double t) {
  Outcome outcome = Outcome::ok;
  while (outcome == Outcome::ok && integrator.t() < t) outcome = integrator.step(t_end);
  return outcome;
}

template <class Method, class Options, class Make>
struct Integration {
  explicit Integration(const Make& make) : of(make()), integrator(of->problem, with<Options>(1e-7)) {}
  decltype(std::declval<Make>()()) of;
  Method integrator;

  void start(double t_end) {
    ASSERT_EQ(integrator.start(0, of->x0, t_end, of->h0), Outcome::ok) << integrator.failure().message;
  }
};

// `exactly`: what goes on from the copy is the same to the last bit.
template <class Method, class Options, class Make>
void expect_going_on(const Make& make, double t_end, bool exactly = true) {
  Integration<Method, Options, Make> whole(make), saved(make), restored(make);
  whole.start(t_end);
  ASSERT_EQ(run_to(whole.integrator, t_end, t_end), Outcome::ok);

  saved.start(t_end);
  ASSERT_EQ(run_to(saved.integrator, t_end, 0.5 * t_end), Outcome::ok);
  Snapshot snapshot, again;
  ASSERT_EQ(saved.integrator.save(snapshot), Outcome::ok) << saved.integrator.failure().message;
  ASSERT_EQ(restored.integrator.restore(snapshot), Outcome::ok) << restored.integrator.failure().message;
  EXPECT_EQ(restored.integrator.t(), saved.integrator.t());
  EXPECT_EQ(restored.integrator.x(), saved.integrator.x());
  if (exactly) {
    ASSERT_EQ(restored.integrator.save(again), Outcome::ok);
    EXPECT_TRUE(again == snapshot);
  }

  for (auto* run : {&saved, &restored}) {
    ASSERT_EQ(run_to(run->integrator, t_end, t_end), Outcome::ok) << run->integrator.failure().message;
    const double size = 1 + whole.integrator.x().template lpNorm<Eigen::Infinity>();
    EXPECT_LT((run->integrator.x() - whole.integrator.x()).template lpNorm<Eigen::Infinity>(), 2e-4 * size);
  }
  if (!exactly) return;
  EXPECT_EQ(restored.integrator.x(), saved.integrator.x());
  EXPECT_EQ(restored.integrator.next_step(), saved.integrator.next_step());
  const Statistics &ours = restored.of->problem.statistics(), &theirs = saved.of->problem.statistics();
  EXPECT_EQ(ours.steps, theirs.steps);
  EXPECT_EQ(ours.accepted, theirs.accepted);
  EXPECT_EQ(ours.evaluations, theirs.evaluations);
  EXPECT_EQ(ours.newton_iterations, theirs.newton_iterations);
  // inside the last step too
  const double middle = 0.5 * (saved.integrator.previous_t() + saved.integrator.t());
  Vector inside(whole.of->x0.size()), copied = inside;
  saved.integrator.interpolate(middle, inside);
  restored.integrator.interpolate(middle, copied);
  EXPECT_EQ(inside, copied);
}

const auto known = [] { return std::make_unique<Equation<KnownSolution>>(); };
const auto stiff = [] { return std::make_unique<Equation<StiffVanDerPol>>(); };
auto classical(const char* name, Form form) {
  return [=] {
    return std::make_unique<Motion<IndexReduction, IndexReductionOptions>>(
        name, IndexReductionOptions{.form = form});
  };
}
auto geoms(const char* name) {
  return [=] { return std::make_unique<Motion<Geoms, GeomsOptions>>(name, GeomsOptions{}); };
}
auto projected(const char* name) {
  return [=] {
    return std::make_unique<Motion<CoordinateProjection, CoordinateProjectionOptions>>(
        name, CoordinateProjectionOptions{});
  };
}

auto partitioned(const char* name) {
  return [=] {
    return std::make_unique<Motion<CoordinatePartitioning, CoordinatePartitioningOptions>>(
        name, CoordinatePartitioningOptions{});
  };
}

TEST(Snapshot, RadauGoesOnFromOne) {
  expect_going_on<Radau, RadauOptions>(known, 5);
  expect_going_on<Radau, RadauOptions>(stiff, 2);
  expect_going_on<Radau, RadauOptions>(classical("pendulum", Form::index1), 2);
  expect_going_on<Radau, RadauOptions>(classical("pendulum", Form::ggl), 2);
  for (const char* name : {"pendulum", "pendulum-energy", "andrews", "chain", "truck"}) {
    SCOPED_TRACE(name);
    const double t_end = std::string(name) == "andrews" ? 0.03 : 2;
    expect_going_on<Radau, RadauOptions>(geoms(name), t_end);
  }
}

TEST(Snapshot, SdirkGoesOnFromOne) {
  expect_going_on<Sdirk, SdirkOptions>(known, 5);
  expect_going_on<Sdirk, SdirkOptions>(stiff, 2);
  expect_going_on<Sdirk, SdirkOptions>(classical("pendulum", Form::index1), 2);
  expect_going_on<Sdirk, SdirkOptions>(geoms("pendulum"), 2);
  expect_going_on<Sdirk, SdirkOptions>(partitioned("pendulum"), 2);
  expect_going_on<Sdirk, SdirkOptions>(partitioned("andrews"), 0.03);
}

TEST(Snapshot, Dop853GoesOnFromOne) {
  expect_going_on<Dop853, Dop853Options>(known, 5);
  expect_going_on<Dop853, Dop853Options>(projected("pendulum"), 2);
  expect_going_on<Dop853, Dop853Options>(projected("andrews"), 0.03);
}

TEST(Snapshot, CodesOfSundialsBeginAnewFromOne) {
  expect_going_on<Cvodes, CvodesOptions>(known, 5, false);
  expect_going_on<Arkode, ArkodeOptions>(known, 5, false);
  expect_going_on<Ida, IdaOptions>(known, 5, false);
  expect_going_on<Ida, IdaOptions>(classical("pendulum", Form::ggl), 2, false);
}

TEST(Snapshot, BelongsToItsProblemAndMethod) {
  Integration<Radau, RadauOptions, decltype(known)> one(known);
  one.start(5);
  ASSERT_EQ(run_to(one.integrator, 5, 1), Outcome::ok);
  Snapshot snapshot;
  EXPECT_TRUE(snapshot.is_empty());
  ASSERT_EQ(one.integrator.save(snapshot), Outcome::ok);
  EXPECT_FALSE(snapshot.is_empty());

  Integration<Sdirk, SdirkOptions, decltype(known)> other_method(known);
  EXPECT_EQ(other_method.integrator.restore(snapshot), Outcome::fail);
  EXPECT_EQ(other_method.integrator.failure().reason, Reason::invalid_options);
  const auto pendulum = classical("pendulum", Form::ggl);
  Integration<Radau, RadauOptions, decltype(pendulum)> other_problem(pendulum);
  EXPECT_EQ(other_problem.integrator.restore(snapshot), Outcome::fail);
  EXPECT_EQ(other_problem.integrator.restore({}), Outcome::fail);
}

TEST(Snapshot, CanBeGoneOnFromMoreThanOnce) {
  Integration<Radau, RadauOptions, decltype(known)> run(known);
  run.start(5);
  ASSERT_EQ(run_to(run.integrator, 5, 2), Outcome::ok);
  Snapshot snapshot;
  ASSERT_EQ(run.integrator.save(snapshot), Outcome::ok);
  ASSERT_EQ(run_to(run.integrator, 5, 5), Outcome::ok);
  const Vector end = run.integrator.x();
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(run.integrator.restore(snapshot), Outcome::ok);
    EXPECT_LT(run.integrator.t(), 5);
    ASSERT_EQ(run_to(run.integrator, 5, 5), Outcome::ok);
    EXPECT_EQ(run.integrator.x(), end);
  }
}

}  // namespace
}  // namespace trammel
