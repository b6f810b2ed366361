// A step allocates nothing after the first ones: every call of malloc is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>

#include "trammel/analysis/joint_dynamics.h"
#include "trammel/formulation/classical/index_reduction.h"
#include "trammel/formulation/geoms/geoms.h"
#include "trammel/formulation/psf/projected_strangeness_free.h"
#include "trammel/integrator/radau.h"
#include "trammel/model/model.h"
#include "trammel/motion/joint_motion.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/real_time_run.h"

namespace {
std::atomic<long> allocations{0};
}

// glibc's own allocator behind a counter; operator new and Eigen both end here
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* pointer, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(pointer, size);
}
}

namespace trammel {
namespace {

TEST(Allocation, IsCounted) {
  const long before = allocations;
  Vector v = Vector::Ones(100);
  EXPECT_GT(allocations, before) << v.sum();
}

// Steps after a warm-up of a fifth of the interval.
long allocations_in_steps(const char* name, ImplicitProblem& problem, const ProblemCase& instance) {
  Vector x = Vector::Zero(problem.unknowns());
  Vector start = instance.x0;
  EXPECT_FALSE(Assembly(*instance.equations).run(instance.t_start, start).failure);
  x.head(start.size()) = start;
  RadauOptions options;
  options.tolerances.relative = options.tolerances.absolute = 1e-7;
  Radau radau(problem, options);
  EXPECT_EQ(radau.start(instance.t_start, x, instance.t_end, instance.h0), Outcome::ok);
  const double warm = instance.t_start + 0.2 * (instance.t_end - instance.t_start);
  while (radau.t() < warm) EXPECT_EQ(radau.step(instance.t_end), Outcome::ok) << name;
  const long steps_before = problem.statistics().accepted;
  const long before = allocations;
  while (radau.t() < instance.t_end)
    if (radau.step(instance.t_end) != Outcome::ok) break;
  const long counted = allocations - before;
  EXPECT_EQ(radau.t(), instance.t_end) << name;
  EXPECT_GT(problem.statistics().accepted - steps_before, 10) << name;
  return counted;
}

class StepAllocations : public testing::TestWithParam<const char*> {};

TEST_P(StepAllocations, AreNone) {
  const BuiltinProblem& builtin = *find_problem(GetParam());
  for (const bool complete : {true, false}) {
    ProblemCase instance = builtin.make(builtin.values({}));
    GeomsOptions options;
    options.form = complete ? GeomsOptions::Form::complete : GeomsOptions::Form::incomplete;
    options.enforce_invariants = instance.enforce_invariants;
    Geoms problem(*instance.equations, options);
    EXPECT_EQ(allocations_in_steps(GetParam(), problem, instance), 0)
        << GetParam() << (complete ? " psf" : " psf1");
  }
  ProblemCase instance = builtin.make(builtin.values({}));
  IndexReduction ggl(*instance.equations, {.form = IndexReductionOptions::Form::ggl});
  EXPECT_EQ(allocations_in_steps(GetParam(), ggl, instance), 0) << GetParam() << " ggl";
}

INSTANTIATE_TEST_SUITE_P(Problems, StepAllocations,
                         testing::Values("pendulum", "pendulum-energy", "andrews", "truck", "chain",
                                         "knife-edge", "force-element", "rolling-contact"));

// The default method on mechanisms in space. A step allocates nothing either, but where KLU looks for new pivots: such
// steps are counted.
struct PivotChanges {
  const char* problem;
  double share;  // of the steps, at most
};
inline void PrintTo(const PivotChanges& one, std::ostream* out) { *out << one.problem; }

class DefaultMethodAllocations : public testing::TestWithParam<PivotChanges> {};

TEST_P(DefaultMethodAllocations, AreNoneButForNewPivots) {
  const BuiltinProblem& builtin = *find_problem(GetParam().problem);
  ProblemCase instance = builtin.make(builtin.values({}));
  ProjectedStrangenessFree problem(*instance.equations, {.enforce_invariants = instance.enforce_invariants});
  Vector start = instance.x0, x = Vector::Zero(problem.unknowns());
  ASSERT_FALSE(Assembly(*instance.equations).run(instance.t_start, start).failure);
  x.head(start.size()) = start;
  RadauOptions options;
  options.tolerances.relative = options.tolerances.absolute = 1e-7;
  Radau radau(problem, options);
  ASSERT_EQ(radau.start(instance.t_start, x, instance.t_end, instance.h0), Outcome::ok);
  const double warm = instance.t_start + 0.2 * (instance.t_end - instance.t_start);
  int steps = 0, with_allocations = 0;
  while (radau.t() < instance.t_end) {
    const long before = allocations;
    ASSERT_EQ(radau.step(instance.t_end), Outcome::ok);
    if (radau.t() < warm) continue;
    ++steps;
    if (allocations != before) ++with_allocations;
  }
  EXPECT_GT(steps, 50);
  EXPECT_LE(with_allocations, GetParam().share * steps) << "of " << steps;
}

INSTANTIATE_TEST_SUITE_P(Problems, DefaultMethodAllocations,
                         testing::Values(PivotChanges{"heavy-top", 0.02}, PivotChanges{"bricard", 0.2}));

// Joint coordinates: forces, constraints, accelerations of a tree, and all slopes.
TEST(JointMotion, AllocatesNothing) {
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/hmmwv.yaml");
  JointEquations equations(model.mechanism);
  const Layout& l = equations.layout();
  JointMotion motion(equations);
  TreeAccelerations tree(equations.tree());
  MotionValues values(l, false);
  const Vector x = equations.initial_state(), a = Vector::Zero(l.v.size);
  Vector forces = a;
  const auto work = [&] {
    motion.evaluate({0, x, a}, part::all & ~Parts{part::e | part::c | part::d}, values);
    motion.differentiate({0, x, a}, TangentMotion::everything);
    motion.take_tree({0, x, a}, tree);
    EXPECT_TRUE(tree.factor());
    forces = values.dynamics;
    tree.solve(forces);
  };
  work();
  const long before = allocations;
  work();
  EXPECT_EQ(allocations - before, 0);
}

// All terms at one state after another, of an arm and of a robot with a loop.
TEST(JointDynamics, AllocatesNothing) {
  for (const char* file : {"double-pendulum.yaml", "robot.yaml"}) {
    const Model model = read_model(std::string(TRAMMEL_SOURCE_DIR "/examples/models/") + file);
    JointDynamics dynamics(model.mechanism);
    const JointDynamics::BodyPoint point{1, {0.1, 0.2, 0.3}};
    Vector x = dynamics.equations().initial_state();
    const Vector ones = Vector::Ones(dynamics.velocities());
    Vector forces = ones, accelerations = ones, loops = Vector::Zero(dynamics.loop_rows());
    Matrix jacobian = Matrix::Zero(6, dynamics.velocities());
    SixBySix mobility;
    double sum = 0;
    const auto work = [&](double angle) {
      x[0] = angle;
      dynamics.set_state(0, x);
      sum += dynamics.mass().coeff(0, 0) + dynamics.bias().sum() + dynamics.gravity().sum() +
             dynamics.own_forces().sum();
      sum += dynamics.loop_drift().sum() + dynamics.loop_jacobian().nonZeros();
      dynamics.inverse_dynamics(ones, forces);
      EXPECT_TRUE(dynamics.forward_dynamics(forces, accelerations, loops));
      dynamics.jacobian(point, jacobian);
      sum += dynamics.jacobian_drift(point).sum();
      EXPECT_TRUE(dynamics.operational_mobility(point, mobility));
    };
    for (const double angle : {0.1, 0.2, 0.3}) work(angle);
    const long before = allocations;
    for (const double angle : {0.11, 0.15, 0.22}) work(angle);
    EXPECT_EQ(allocations - before, 0) << file << sum;
  }
}

// Ten thousand steps of a coach with its loops, tyres and laws.
TEST(RealTimeRun, AllocatesNothing) {
  const Model model = read_model(TRAMMEL_SOURCE_DIR "/examples/models/coach.yaml");
  for (const char* method : {"penalty/trapezoidal", "augmented/trapezoidal", "ggl/alpha"}) {
    MechanismRun run(model, {.end = 11, .method = method, .rtol = 1e-4});
    RealTimeRun steps(run, {.rate = 1000});
    ASSERT_TRUE(steps.start());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(steps.step());
    const long before = allocations;
    for (int i = 0; i < 10000; ++i) ASSERT_TRUE(steps.step()) << method;
    EXPECT_EQ(allocations - before, 0) << method;
  }
}

}  // namespace
}  // namespace trammel
