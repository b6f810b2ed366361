// Assembly: redundant, contradictory and impossible constraints, masses that are missing, and states put back.
#include <gtest/gtest.h>

#include "tests/motion/assembly_rig.h"
#include "trammel/motion/assembly.h"

namespace trammel {
namespace {

using namespace assembly_rig;

// --- redundant and contradictory constraints

struct TwoRods : Pendulum {
  double second_length = 1, factor = 1;
  Sizes sizes() const { return {.positions = 2, .holonomic = 2}; }
  Names names() const { return {.p = {"x", "y"}, .g = {"rod", "twin"}}; }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    const T square = x.p[0] * x.p[0] + x.p[1] * x.p[1];
    g[0] = square - length * length;
    g[1] = factor * (square - second_length * second_length);
  }
};

TEST(Assembly, DoubledConstraintIsNamedAndSharesItsMultiplier) {
  for (const double guess : {0.0, 5.0}) {
    SCOPED_TRACE(guess);
    Vector x(6);
    x << 0.9, -1.3, 0.3, 0.5, guess, -guess / 2;
    const AssemblyReport report = assemble(TwoRods{}, x);
    EXPECT_ASSEMBLED(report);
    EXPECT_NEAR(x.head(2).norm(), 1, accuracy);
    // one of the two is named, once
    ASSERT_EQ(report.redundant.size(), 1u);
    EXPECT_TRUE(report.redundant[0] == "rod" || report.redundant[0] == "twin") << report.redundant[0];
    EXPECT_EQ(report.position_rank, 1);
    EXPECT_EQ(report.velocity_rank, 1);
    EXPECT_EQ(report.degrees_of_freedom, 1);
    // minimal norm: halves, whatever the guess was
    const double single = Pendulum{}.multiplier(x);
    EXPECT_NEAR(x[4], single / 2, 1e-10);
    EXPECT_NEAR(x[5], single / 2, 1e-10);
  }
}

TEST(Assembly, MultipliersOfMinimalNormForUnlikeRows) {
  // the twin counts threefold: λ₁ + 3 λ₂ = λ, shortest for (1, 3) λ / 10
  TwoRods rods;
  rods.factor = 3;
  Vector x(6);
  x << 0.6, -0.8, 0.8, 0.6, 0, 0;
  EXPECT_ASSEMBLED(assemble(rods, x));
  const double single = Pendulum{}.multiplier(x);
  EXPECT_NEAR(x[4], 0.1 * single, 1e-10);
  EXPECT_NEAR(x[5], 0.3 * single, 1e-10);
}

TEST(Assembly, ConsistentMultipliersOfRedundantConstraintsAreUntouched) {
  Vector x(6);
  x << 0.6, -0.8, 0.8, 0.6, 0, 0;
  x[4] = Pendulum{}.multiplier(x);  // all on the first rod: not minimal, but consistent
  const Vector consistent = x;
  const AssemblyReport report = assemble(TwoRods{}, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(same_bits(x, consistent));
}

TEST(Assembly, ContradictoryConstraintsAreNamed) {
  TwoRods rods;
  rods.second_length = 2;
  Vector x(6);
  x << 0.9, -1.3, 0, 0, 0, 0;
  expect_failure(assemble(rods, x), Reason::contradictory_conditions, {"positions", "'rod'", "'twin'"});
  // the best state found: between the two
  EXPECT_GT(x.head(2).norm(), 1.1);
  EXPECT_LT(x.head(2).norm(), 1.9);
}

// Rows that are parallel at the guess only.
struct Hinge {
  Sizes sizes() const { return {.positions = 3, .holonomic = 2}; }
  void g(const auto& x, auto g) const {
    g[0] = x.p[0] + x.p[2] - 1.0;
    g[1] = x.p[0] * x.p[1] + x.p[2] - 0.5;  // slope (p₁, p₀, 1): that of g₀ at p₁ = 1, p₀ = 0
  }
};

TEST(Assembly, RedundancyIsJudgedAtTheAssembledState) {
  Vector x(8);
  x << 0, 1, 0.8, 0, 0, 0, 0, 0;
  const AssemblyReport report = assemble(Hinge{}, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_TRUE(report.redundant.empty());
  EXPECT_EQ(report.position_rank, 2);
  EXPECT_EQ(report.degrees_of_freedom, 1);
}

// --- what cannot be computed

TEST(Assembly, NonFiniteGuessNamesTheVariable) {
  const double nothing = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::string> names{"'x'", "'y'", "'v_x'", "'v_y'", "'lambda_rod'"};
  for (Index i = 0; i < 5; ++i)
    for (const double bad : {nothing, infinity}) {
      Vector x = Pendulum{}.swinging(0.3, 1);
      x[i] = bad;
      expect_failure(assemble(Pendulum{}, x), Reason::not_finite, {names[std::size_t(i)]});
    }
}

struct Vertical : Pendulum {
  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    f[0] = 1.0 / x.p[0];
    f[1] = T(0.0);
  }
};

TEST(Assembly, NonFiniteFunctionIsNamed) {
  Vector x = Pendulum{}.swinging(0, 1);
  expect_failure(assemble(Vertical{}, x), Reason::not_finite, {"force on 'v_x'"});
}

struct WrongArgument : Pendulum {
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.v[0];
  }
};

TEST(Assembly, ConstraintThatLooksAtVelocitiesIsFoundOut) {
  Vector x = Pendulum{}.swinging(0.3, 1);
  expect_failure(assemble(WrongArgument{}, x), Reason::not_finite, {"constraint 'rod'", "arguments"});
}

struct Throwing : Pendulum {
  template <class T>
  void f(const Point<T>&, std::span<T>) const {
    throw std::runtime_error("no data for this speed");
  }
};

TEST(Assembly, ThrowingFunctionIsAFailureNotAnException) {
  Vector x = Pendulum{}.swinging(0.3, 1);
  expect_failure(assemble(Throwing{}, x), Reason::user_function_failed, {"no data for this speed"});
}

TEST(Assembly, GuessOfTheWrongSize) {
  for (const Index size : {0, 4, 6}) {
    Vector x = Vector::Ones(size);
    expect_failure(assemble(Pendulum{}, x), Reason::invalid_model, {std::to_string(size), "5"});
    EXPECT_EQ(x, Vector::Ones(size));
  }
}

TEST(Assembly, WeightsThatMeanNothing) {
  const Vector guess = Vector{{0.9, -1.3, 0.3, 0.5, 0.0}};
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(bad);
    Vector x = guess;
    AssemblyOptions options;
    options.weights = Vector::Ones(5);
    options.weights[1] = bad;
    expect_failure(assemble(Pendulum{}, x, options), Reason::invalid_options, {"weight"});
    EXPECT_TRUE(same_bits(x, guess));
  }
  Vector x = guess;
  AssemblyOptions options;
  options.weights = Vector::Ones(4);
  expect_failure(assemble(Pendulum{}, x, options), Reason::invalid_options, {"4", "5"});
}

TEST(Assembly, NoRodReachesFromHere) {
  // at the centre of the circle there is no direction to go
  Vector x = Vector::Zero(5);
  const AssemblyReport report = assemble(Pendulum{}, x);
  EXPECT_TRUE(report.failure);
  expect_failure(report, report.failure.reason, {"'rod'", "guess"});
}

// --- singular mass, auxiliary equations, forces that depend on multipliers

// No mass in y, but the weight stays.
struct HalfMassless : Pendulum {
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = T(mass);
  }
};

TEST(Assembly, SingularMassThatTheConstraintsMakeUpFor) {
  const HalfMassless pendulum;
  Vector x(5);
  x << 0.6, -0.8, 0.8, 0.6, 0;
  const AssemblyReport report = assemble(pendulum, x);
  EXPECT_ASSEMBLED(report);
  // 0 = −m g − 2 y λ, m x'' = −2 x λ, x x'' + y y'' = −v²
  const double lambda = pendulum.mass * pendulum.gravity / 1.6, ax = -1.2 * lambda / pendulum.mass;
  EXPECT_NEAR(x[4], lambda, 1e-11);
  EXPECT_NEAR(report.accelerations[0], ax, 1e-11);
  EXPECT_NEAR(report.accelerations[1], (1 + 0.6 * ax) / 0.8, 1e-11);

  // now it is consistent, and nothing changes any more
  const Vector once = x;
  const AssemblyReport again = assemble(pendulum, x);
  EXPECT_ASSEMBLED(again);
  EXPECT_TRUE(same_bits(x, once)) << (x - once).transpose();
  EXPECT_FALSE(again.changed);
  EXPECT_LE((again.accelerations - report.accelerations).norm(), 1e-10);
}

TEST(Assembly, MotionWithoutInertiaIsNamed) {
  // at three o'clock the free direction is the one without mass
  Vector x(5);
  x << 1, 0, 0, 0, 0;
  expect_failure(assemble(HalfMassless{}, x), Reason::mass_singular, {"'v_y'"});
}

// A third coordinate that nothing holds, and the rod once or twice.
struct LooseEnd {
  Index rods = 1;
  Sizes sizes() const { return {.positions = 3, .holonomic = rods}; }
  Names names() const { return {.p = {"x", "y", "loose"}}; }
  void M(const auto&, auto M) const { M(0, 0) = M(1, 1) = 2.0; }
  void g(const auto& x, auto g) const {
    for (auto& value : g) value = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
  }
};

TEST(Assembly, MotionWithoutInertiaIsNamedAmongRedundantConstraints) {
  for (const Index rods : {1, 2, 3}) {
    SCOPED_TRACE(rods);
    Vector x = Vector::Zero(6 + rods);
    x[0] = 0.6;
    x[1] = -0.8;
    expect_failure(assemble(LooseEnd{rods}, x), Reason::mass_singular, {"'v_loose'"});
  }
}

// A force w on a particle; d determines w, or not.
struct Auxiliary {
  double w_in_d = 1, force_per_w = 1;
  Sizes sizes() const { return {.positions = 1, .auxiliaries = 2}; }
  Names names() const { return {.p = {"x"}, .w = {"spring", "damper"}}; }
  void f(const auto& x, auto f) const { f[0] = x.w[0] + force_per_w * x.w[1]; }
  void d(const auto& x, auto d) const {
    d[0] = x.w[0] + 4.0 * x.p[0];
    d[1] = w_in_d * x.w[1] + 0.5 * x.v[0];
  }
};

TEST(Assembly, AuxiliaryVariablesFollowFromTheirEquations) {
  Vector x(4);
  x << 0.3, 2.0, 0, 0;
  const AssemblyReport report = assemble(Auxiliary{}, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_NEAR(x[2], -1.2, accuracy);
  EXPECT_NEAR(x[3], -1.0, accuracy);
  EXPECT_NEAR(report.accelerations[0], -2.2, accuracy);
  // consistent: untouched
  const Vector once = x;
  EXPECT_FALSE(assemble(Auxiliary{}, x).changed);
  EXPECT_TRUE(same_bits(x, once));
}

TEST(Assembly, AuxiliaryVariableThatNothingDetermines) {
  // whether or not it acts on the motion: it is not the mass that is missing
  for (const double force : {0.0, 1.0}) {
    SCOPED_TRACE(force);
    Vector x(4);
    x << 0.3, 2.0, 0, 0;
    expect_failure(assemble(Auxiliary{.w_in_d = 0, .force_per_w = force}, x), Reason::auxiliary_singular,
                   {"'damper'"});
  }
}

// A block on a slope of direction n, with a force along x that grows with the normal force: λ is found with
// n·(F + μ λ e_x + κ λ² e_y) = λ.
struct Friction {
  double mu = 0, kappa = 0;
  static constexpr double nx = -0.6, ny = 0.8, Fx = 1.0, Fy = -10.0;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  void g(const auto& x, auto g) const { g[0] = nx * x.p[0] + ny * x.p[1]; }
  void f(const auto& x, auto f) const {
    f[0] = Fx + mu * x.lambda[0];
    f[1] = Fy + kappa * x.lambda[0] * x.lambda[0];
  }
};

TEST(Assembly, ForceThatDependsOnTheMultiplier) {
  const double F_n = Friction::nx * Friction::Fx + Friction::ny * Friction::Fy;
  for (const double mu : {0.0, 0.3, -0.8}) {
    SCOPED_TRACE(mu);
    Vector x = Vector::Zero(5);
    EXPECT_ASSEMBLED(assemble(Friction{.mu = mu}, x));
    EXPECT_NEAR(x[4], F_n / (1 - mu * Friction::nx), 1e-11);
  }
  // κ n_y λ² − (1 − μ n_x) λ + F_n = 0: the root that tends to F_n for small κ
  const double mu = 0.3, kappa = 0.05;
  const double a = kappa * Friction::ny, b = 1 - mu * Friction::nx;
  Vector x = Vector::Zero(5);
  const AssemblyReport report = assemble(Friction{mu, kappa}, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_NEAR(x[4], (b - std::sqrt(b * b - 4 * a * F_n)) / (2 * a), 1e-10);
  EXPECT_NEAR(Friction::nx * report.accelerations[0] + Friction::ny * report.accelerations[1], 0, 1e-10);
}

TEST(Assembly, FrictionThatJams) {
  // μ n_x = 1: no multiplier, or any, holds the block on the slope. The mass matrix is not to blame.
  Vector x = Vector::Zero(5);
  const AssemblyReport report = assemble(Friction{.mu = 1 / Friction::nx}, x);
  expect_failure(report, Reason::acceleration_rank, {"multipliers"});
}

// --- back onto the constraints, for interpolated states

TEST(Assembly, ProjectBringsAStateBack) {
  const Pendulum pendulum;
  TemplatedEquations<Pendulum> equations{pendulum};
  AssemblyOptions options;
  options.conditions = {diagonal()};  // for the start only
  Assembly assembly(equations, options);
  const Vector consistent = pendulum.swinging(0.3, 2);
  Vector x = consistent;
  EXPECT_FALSE(assembly.project(0, x));
  EXPECT_TRUE(same_bits(x, consistent));
  x += 1e-6 * Vector{{0.3, -0.8, 0.5, 0.9, 2.0}};
  EXPECT_FALSE(assembly.project(0, x));
  EXPECT_NEAR(x.head(2).norm(), 1, accuracy);
  EXPECT_NEAR(x.head(2).dot(x.segment(2, 2)), 0, 2 * accuracy);
  EXPECT_NEAR(x[4], pendulum.multiplier(x), 1e-10);
  EXPECT_LE((x.head(4) - consistent.head(4)).norm(), 1e-5);
}

TEST(Assembly, ProjectKeepsMultipliersOfRedundantConstraintsShort) {
  // also with a twin in units that hide it
  for (const double factor : {1.0, 1e-10}) {
    SCOPED_TRACE(factor);
    TwoRods rods;
    rods.factor = factor;
    TemplatedEquations<TwoRods> equations{rods};
    Vector x(6);
    x << Pendulum{}.swinging(0.3, 2).head(4), 0, 0;
    const Failure failure = Assembly(equations).project(0, x);
    EXPECT_FALSE(failure) << failure.message;
    const double single = Pendulum{}.multiplier(x);
    EXPECT_NEAR(x[4] + factor * x[5], single, 1e-9);
    EXPECT_NEAR(x[5], factor * x[4], 1e-9);
  }
}

TEST(Assembly, ProjectFindsMultipliersOfUnlikeUnits) {
  // the same constraint forces Gᵀλ, in whatever units
  const auto forces = [](double unit_x, double unit_y) {
    TemplatedEquations<UnlikeUnits> equations{UnlikeUnits{unit_x, unit_y}};
    Vector x = Vector::Zero(8);
    x.head(6) << 2.0, 2.0, 1.0, -2.0, -0.25, 1.0;  // consistent, and curved on its way
    const Failure failure = Assembly(equations).project(0, x);
    EXPECT_FALSE(failure) << failure.message;
    return Vector{{unit_x * x[6], unit_y * x[7]}};
  };
  const Vector plain = forces(1, 1);
  EXPECT_GT(plain.cwiseAbs().minCoeff(), 1e-2);
  EXPECT_LE((forces(1e6, 1e-6) - plain).norm(), 1e-9);
  EXPECT_LE((forces(1e-6, 1e6) - plain).norm(), 1e-9);
}

TEST(Assembly, ProjectThatFailsLeavesTheStateAlone) {
  TwoRods rods;
  rods.second_length = 2;
  TemplatedEquations<TwoRods> equations{rods};
  Vector x = Vector::Constant(6, 0.3);
  const Vector before = x;
  const Failure failure = Assembly(equations).project(0, x);
  EXPECT_EQ(name(failure.reason), name(Reason::contradictory_conditions));
  EXPECT_TRUE(same_bits(x, before));

  TemplatedEquations<Throwing> throwing{Throwing{}};
  Vector y = Pendulum{}.swinging(0.3, 1);
  EXPECT_EQ(name(Assembly(throwing).project(0, y).reason), name(Reason::user_function_failed));
}

}  // namespace
}  // namespace trammel
