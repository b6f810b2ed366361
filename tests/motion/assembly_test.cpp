// Assembly: the nearest consistent state, what it leaves alone, and what it says when there is none.
#include "trammel/motion/assembly.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

#include "trammel/motion/templated_equations.h"

namespace trammel {
namespace {

// What assembly promises: 1e-12 relative to 1 + the size of the unknowns.
constexpr double accuracy = 4e-12;
// The nearest of the consistent states is found to 1e-9 of their size.
constexpr double nearest_accuracy = 1e-8;

// A pendulum in Cartesian coordinates. Its multiplier is λ = m (v² − g y) / (2 L²).
struct Pendulum {
  double mass = 1.5, length = 1, gravity = 9.81;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  Names names() const { return {.p = {"x", "y"}, .g = {"rod"}}; }
  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void f(const Point<T>&, std::span<T> f) const {
    f[1] = -mass * gravity;
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
  }

  double multiplier(const Vector& x) const {
    return mass * (x.segment(2, 2).squaredNorm() - gravity * x[1]) / (2 * length * length);
  }
  // On the rod at this angle from straight down, turning at this speed.
  Vector swinging(double angle, double speed) const {
    Vector x(5);
    x << length * std::sin(angle), -length * std::cos(angle), length * speed * std::cos(angle),
        length * speed * std::sin(angle), 0;
    x[4] = multiplier(x);
    return x;
  }
};

template <class System>
AssemblyReport assemble(const System& system, Vector& x, AssemblyOptions options = {}, double t = 0) {
  TemplatedEquations<System> equations{system};
  return Assembly(equations, std::move(options)).run(t, x);
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void expect_failure(const AssemblyReport& report, Reason reason, const std::vector<std::string>& words) {
  EXPECT_EQ(name(report.failure.reason), name(reason)) << report.failure.message;
  for (const std::string& word : words)
    EXPECT_NE(report.failure.message.find(word), std::string::npos)
        << "'" << word << "' is missing in: " << report.failure.message;
}

#define EXPECT_ASSEMBLED(report) EXPECT_FALSE((report).failure) << (report).failure.message

// --- the nearest state

TEST(Assembly, GuessOffTheCircleGoesToTheNearestPoint) {
  const Pendulum pendulum;
  for (const auto& [px, py] : {std::pair{0.9, -1.3}, {0.3, 0.2}, {-30.0, 40.0}, {-0.02, -0.05}}) {
    SCOPED_TRACE(testing::Message() << "x = " << px << ", y = " << py);
    Vector x(5);
    x << px, py, 0.3, 0.5, 0;
    const Vector p = x.head(2).normalized(), v = x.segment(2, 2) - p * p.dot(x.segment(2, 2));
    const AssemblyReport report = assemble(pendulum, x);
    EXPECT_ASSEMBLED(report);
    // the circle is curved: the last digits come from the size of the guess
    EXPECT_LE((x.head(2) - p).norm(), accuracy * (1 + std::hypot(px, py)));
    EXPECT_LE((x.segment(2, 2) - v).norm(), accuracy * (1 + std::hypot(px, py)));
    EXPECT_NEAR(x[4], pendulum.multiplier(x), 1e-10);
    // M a = f − Gᵀλ
    ASSERT_EQ(report.accelerations.size(), 2);
    EXPECT_NEAR(report.accelerations[0], -2 * x[0] * x[4] / pendulum.mass, 1e-10);
    EXPECT_NEAR(report.accelerations[1], -pendulum.gravity - 2 * x[1] * x[4] / pendulum.mass, 1e-10);

    EXPECT_TRUE(report.changed);
    EXPECT_GT(report.iterations, 0);
    EXPECT_EQ(report.position_rank, 1);
    EXPECT_EQ(report.velocity_rank, 1);
    EXPECT_EQ(report.degrees_of_freedom, 1);
    EXPECT_TRUE(report.redundant.empty());
    EXPECT_TRUE(report.redundant_conditions.empty());
  }
}

TEST(Assembly, SaysWhatChangedMost) {
  Vector x(5);
  x << 0.0, -1.25, 0, 0, 0;
  EXPECT_EQ(assemble(Pendulum{}, x).largest_change, "'y' by 0.25");
  x << 0.0, -1.0, 0.1, 0.5, 0;
  EXPECT_EQ(assemble(Pendulum{}, x).largest_change, "'v_y' by -0.5");
  // multipliers are computed, not given: they do not count
  x << 0.0, -1.0, 0, 0, 123;
  const AssemblyReport report = assemble(Pendulum{}, x);
  EXPECT_EQ(report.largest_change, "");
  EXPECT_TRUE(report.changed);
}

struct DoublePendulum {
  Sizes sizes() const { return {.positions = 4, .holonomic = 2}; }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    const T dx = x.p[2] - x.p[0], dy = x.p[3] - x.p[1];
    g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
    g[1] = dx * dx + dy * dy - 1.0;
  }
};

// The nearest state by another way: weighted distance as a function of two angles, Newton's method with exact
// second derivatives from the best point of a grid.
Vector nearest_double_pendulum(const Vector& guess, const Vector& weight) {
  const auto distance = [&](const auto& alpha, const auto& beta) {
    using std::sin, std::cos;
    const auto x1 = sin(alpha), y1 = -cos(alpha), x2 = x1 + sin(beta), y2 = y1 - cos(beta);
    const auto square = [&](const auto& value, Index i) {
      const auto change = (value - guess[i]) * weight[i];
      return change * change;
    };
    return square(x1, 0) + square(y1, 1) + square(x2, 2) + square(y2, 3);
  };
  Vector best(2);
  double least = std::numeric_limits<double>::infinity();
  const double step = std::numbers::pi / 90;
  for (int i = 0; i < 180; ++i)
    for (int j = 0; j < 180; ++j)
      if (const double d = distance(i * step, j * step); d < least) {
        least = d;
        best << i * step, j * step;
      }
  using D = Dual<Dual<double, 2>, 2>;
  for (int iteration = 0; iteration < 20; ++iteration) {
    D alpha, beta;
    alpha.value = Dual<double, 2>::variable(best[0], 0);
    beta.value = Dual<double, 2>::variable(best[1], 1);
    alpha.derivative[0] = 1.0;
    beta.derivative[1] = 1.0;
    const D d = distance(alpha, beta);
    Matrix hessian(2, 2);
    Vector gradient(2);
    for (std::size_t i = 0; i < 2; ++i) {
      gradient[Index(i)] = d.derivative[i].value;
      for (std::size_t j = 0; j < 2; ++j) hessian(Index(i), Index(j)) = d.derivative[i].derivative[j];
    }
    best -= hessian.partialPivLu().solve(gradient);
  }
  Vector p(4);
  p << std::sin(best[0]), -std::cos(best[0]), std::sin(best[0]) + std::sin(best[1]),
      -std::cos(best[0]) - std::cos(best[1]);
  return p;
}

TEST(Assembly, NearestStateOfCoupledConstraints) {
  // from a slightly wrong drawing to one at thrice the size, where sliding along the circles at full length
  // overshoots
  for (const double factor : {0.6, 1.05, 1.6, 2.2, 3.0}) {
    SCOPED_TRACE(factor);
    Vector x = Vector::Zero(10);
    x.head(4) << 0.5, -0.8, 1.4, -1.2;
    x.head(4) *= factor;
    const Vector nearest = nearest_double_pendulum(x, Vector::Ones(4));
    const AssemblyReport report = assemble(DoublePendulum{}, x);
    EXPECT_ASSEMBLED(report);
    EXPECT_LE((x.head(4) - nearest).norm(), nearest_accuracy) << x.head(4).transpose() << "\n"
                                                              << nearest.transpose();
    EXPECT_EQ(report.degrees_of_freedom, 2);
  }
}

TEST(Assembly, NearestStateInTheWeightedNorm) {
  Vector x = Vector::Zero(10);
  x.head(4) << 0.7, -0.9, 1.1, -1.9;
  Vector weights = Vector::Ones(10);
  weights.head(4) << 3.0, 0.5, 1.0, 2.0;
  const Vector nearest = nearest_double_pendulum(x, weights);
  AssemblyOptions options;
  options.weights = weights;
  EXPECT_ASSEMBLED(assemble(DoublePendulum{}, x, options));
  EXPECT_LE((x.head(4) - nearest).norm(), nearest_accuracy);
}

TEST(Assembly, LargeWeightKeepsAVariable) {
  for (const double weight : {1e4, 1e8, 1e12}) {
    SCOPED_TRACE(weight);
    Vector x(5);
    x << 0.6, -0.5, 1, 0.1, 0;
    AssemblyOptions options;
    options.weights = Vector::Ones(5);
    options.weights[0] = weight;
    options.weights[2] = weight;
    EXPECT_ASSEMBLED(assemble(Pendulum{}, x, options));
    // what is left of the change of x falls with the square of the weight
    EXPECT_NEAR(x[0], 0.6, 1e-8);
    EXPECT_NEAR(x[1], -0.8, 1e-8);
    EXPECT_NEAR(x[2], 1.0, 1e-8);
    EXPECT_NEAR(x[3], 0.75, 1e-8);
  }
}

TEST(Assembly, WeightlessVariableMovesAlone) {
  Vector x(5);
  x << 0.6, -0.5, 0, 0, 0;
  AssemblyOptions options;
  options.weights = Vector::Ones(5);
  options.weights[1] = 0;
  EXPECT_ASSEMBLED(assemble(Pendulum{}, x, options));
  EXPECT_NEAR(x[0], 0.6, 1e-8);
  EXPECT_NEAR(x[1], -0.8, 1e-8);
}

// Two rules in units of their own: tonnes here, micrometres there.
struct UnlikeUnits {
  double unit_x = 1, unit_y = 1;
  Sizes sizes() const { return {.positions = 3, .holonomic = 2}; }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = unit_x * (x.p[0] + x.p[2] * x.p[2] - 3.0);
    g[1] = unit_y * (x.p[1] * x.p[1] + x.p[2] - 5.0);
  }
};

TEST(Assembly, UnitsOfConstraintsDoNotMatter) {
  Vector plain = Vector::Zero(8);
  plain.head(3) << 0.5, 1.5, 1.0;
  plain.segment(3, 3) << 1.0, -1.0, 0.4;
  const Vector guess = plain;
  ASSERT_FALSE(assemble(UnlikeUnits{}, plain).failure);
  for (const auto& [unit_x, unit_y] : {std::pair{1e6, 1e-6}, {1e-6, 1e6}, {1e-7, 1e-7}}) {
    SCOPED_TRACE(testing::Message() << unit_x << " and " << unit_y);
    Vector x = guess;
    const AssemblyReport report = assemble(UnlikeUnits{unit_x, unit_y}, x);
    EXPECT_ASSEMBLED(report);
    EXPECT_TRUE(report.redundant.empty());
    EXPECT_EQ(report.degrees_of_freedom, 1);
    EXPECT_LE((x.head(6) - plain.head(6)).norm(), nearest_accuracy) << x.transpose();
  }
}

TEST(Assembly, SmallViolationBesideLargeUnitsIsCured) {
  Vector x = Vector::Zero(8);
  x.head(3) << 2.0, 2.0, 1.0;
  x[1] += 1e-10;
  EXPECT_ASSEMBLED(assemble(UnlikeUnits{1e6, 1}, x));
  EXPECT_NEAR(x[1] * x[1] + x[2], 5.0, 4 * accuracy);
}

// An arm of two links by its angles, told where its hand is.
struct Arm {
  Sizes sizes() const { return {.positions = 2, .holonomic = 2}; }
  void g(const auto& x, auto g) const {
    using std::sin, std::cos;
    g[0] = cos(x.p[0]) + cos(x.p[0] + x.p[1]) - 1.2;
    g[1] = sin(x.p[0]) + sin(x.p[0] + x.p[1]) - 0.5;
  }
};

TEST(Assembly, GuessesFromWhichNewtonsMethodLosesItsWay) {
  for (const auto& [shoulder, elbow] :
       {std::pair{-0.968358, -0.461998}, {0.900352, 0.8504}, {2.667569, -2.821192}, {2.565051, -0.832434}}) {
    SCOPED_TRACE(testing::Message() << shoulder << ", " << elbow);
    Vector x = Vector::Zero(6);
    x.head(2) << shoulder, elbow;
    EXPECT_ASSEMBLED(assemble(Arm{}, x));
    EXPECT_NEAR(std::cos(x[0]) + std::cos(x[0] + x[1]), 1.2, accuracy * 4);
    EXPECT_NEAR(std::sin(x[0]) + std::sin(x[0] + x[1]), 0.5, accuracy * 4);
  }
}

TEST(Assembly, HeavilyKeptVariableStillMovesWhereItMust) {
  // nothing but x can cure the first constraint
  Vector x = Vector::Zero(8);
  x.head(3) << 0.5, 2.2, 0.0;
  AssemblyOptions options;
  options.weights = Vector::Ones(8);
  options.weights[0] = options.weights[2] = 1e11;
  EXPECT_ASSEMBLED(assemble(UnlikeUnits{}, x, options));
  EXPECT_NEAR(x[0] + x[2] * x[2], 3.0, accuracy * 10);
  EXPECT_NEAR(x[1] * x[1] + x[2], 5.0, accuracy * 10);
}

// a cart that is driven: x = sin t
struct Driven {
  Sizes sizes() const { return {.positions = 1, .holonomic = 1}; }
  void g(const auto& x, auto g) const {
    using std::sin;
    g[0] = x.p[0] - sin(x.t);
  }
};

TEST(Assembly, PositionsMovedByTime) {
  Vector x = Vector::Zero(3);
  const AssemblyReport report = assemble(Driven{}, x, {}, 0.4);
  EXPECT_ASSEMBLED(report);
  EXPECT_NEAR(x[0], std::sin(0.4), accuracy);
  EXPECT_NEAR(x[1], std::cos(0.4), accuracy);
  EXPECT_NEAR(report.accelerations[0], -std::sin(0.4), accuracy);
  EXPECT_NEAR(x[2], std::sin(0.4), accuracy);  // a = −λ
  EXPECT_EQ(report.degrees_of_freedom, 0);
}

// A particle on the parabola y = x²/2 reached through a contact coordinate s = x, with a skate's constraint
// on two more coordinates, a quaternion-like pair of unit length and an auxiliary force.
struct ALittleOfEverything {
  Sizes sizes() const {
    return {.positions = 6,
            .force_states = 1,
            .auxiliaries = 1,
            .contacts = 1,
            .holonomic = 1,
            .nonholonomic = 1,
            .normalizations = 1};
  }
  void c(const auto& x, auto c) const { c[0] = 2.0 * (x.s[0] - x.p[0]); }
  void g(const auto& x, auto g) const { g[0] = x.p[1] - 0.5 * x.s[0] * x.s[0]; }
  void H(const auto& x, auto H) const {
    H(0, 2) = x.p[3];
    H(0, 3) = 1.0;
  }
  void h(const auto& x, auto h) const { h[0] = 0.0 * x.t - 0.5; }
  void n(const auto& x, auto n) const { n[0] = x.p[4] * x.p[4] + x.p[5] * x.p[5] - 1.0; }
  void f(const auto& x, auto f) const { f[0] = x.w[0]; }
  void b(const auto& x, auto b) const { b[0] = -x.r[0]; }
  void d(const auto& x, auto d) const { d[0] = x.w[0] * x.w[0] * x.w[0] + x.w[0] - 10.0; }
};

TEST(Assembly, EveryKindOfEquation) {
  Vector x(17);  // p v r w s λ μ
  x << 0.8, 0.1, 0.3, 0.6, 1.2, -0.9, 0.5, 0.1, 0.7, 0.2, 0.3, 0.4, 42, 1.0, 0.2, 0, 0;
  const Vector guess = x;
  const AssemblyReport report = assemble(ALittleOfEverything{}, x);
  EXPECT_ASSEMBLED(report);
  const double s = x[14];
  EXPECT_NEAR(x[0], s, accuracy);
  EXPECT_NEAR(x[1], 0.5 * s * s, accuracy);
  // what no constraint touches keeps its value, and so does r
  EXPECT_EQ(x[2], guess[2]);
  EXPECT_EQ(x[3], guess[3]);
  EXPECT_EQ(x[12], 42);
  // x and s share the change: (s, s²/2) nearest to (p₁, s; p₂) of the guess
  const double slope = 2 * (s - 0.8 / 2 - 0.2 / 2) + s * (0.5 * s * s - 0.1);
  EXPECT_NEAR(slope, 0, nearest_accuracy);
  // unit length is reached by stretching
  EXPECT_NEAR(x[4], 1.2 / 1.5, accuracy);
  EXPECT_NEAR(x[5], -0.9 / 1.5, accuracy);
  // velocities: on the parabola, and over the skate's constraint by the shortest way
  EXPECT_NEAR(x[7], s * x[6], accuracy);
  const double lack = (0.6 * 0.7 + 0.2 - 0.5) / (0.36 + 1);
  EXPECT_NEAR(x[8], 0.7 - 0.6 * lack, accuracy);
  EXPECT_NEAR(x[9], 0.2 - lack, accuracy);
  // w³ + w = 10
  EXPECT_NEAR(x[13], 2, 1e-10);
  // accelerations: x'' = w + s λ, y'' = −λ, y'' = x'² + s x''
  const Vector& a = report.accelerations;
  EXPECT_NEAR(a[0], 2 + s * x[15], 1e-10);
  EXPECT_NEAR(a[1], -x[15], 1e-10);
  EXPECT_NEAR(a[1], x[6] * x[6] + s * a[0], 1e-10);
  // d/dt (p₃ v₂ + v₃) = 0 with M = I
  EXPECT_NEAR(0.6 * a[2] + a[3] + x[9] * x[8], 0, 1e-10);

  EXPECT_EQ(report.position_rank, 1);
  EXPECT_EQ(report.velocity_rank, 2);
  EXPECT_EQ(report.degrees_of_freedom, 4);
  EXPECT_TRUE(report.redundant.empty());
}

struct Filter {
  Sizes sizes() const { return {.positions = 0, .force_states = 1}; }
  void b(const auto& x, auto b) const { b[0] = -x.r[0]; }
};

TEST(Assembly, ForceStatesAlone) {
  Vector x{{3.0}};
  const AssemblyReport report = assemble(Filter{}, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_FALSE(report.changed);
  EXPECT_EQ(x[0], 3.0);
}

// --- conditions of the user

Condition diagonal() {
  return Condition::on_positions("45 degrees", [](const auto& x) { return x.p[0] + x.p[1]; });
}
Condition angular_speed(double omega) {
  return Condition::on_velocities("angular speed", [omega](const auto& x) {
    using std::sqrt;
    return sqrt(x.v[0] * x.v[0] + x.v[1] * x.v[1]) - omega;
  });
}

TEST(Assembly, ConditionsOnPositionsAndVelocities) {
  const Pendulum pendulum;
  Vector x(5);
  x << 0.6, -0.9, 0.2, 0.1, 0;
  AssemblyOptions options;
  options.conditions = {angular_speed(3), diagonal()};
  const AssemblyReport report = assemble(pendulum, x, options);
  EXPECT_ASSEMBLED(report);
  const double root = std::sqrt(0.5);
  EXPECT_NEAR(x[0], root, accuracy);
  EXPECT_NEAR(x[1], -root, accuracy);
  // of the two directions, the one of the guess
  EXPECT_NEAR(x[2], 3 * root, 4 * accuracy);
  EXPECT_NEAR(x[3], 3 * root, 4 * accuracy);
  EXPECT_NEAR(x[4], pendulum.multiplier(x), 1e-10);
  EXPECT_TRUE(report.redundant_conditions.empty());
  // conditions are not constraints
  EXPECT_EQ(report.position_rank, 1);
  EXPECT_EQ(report.degrees_of_freedom, 1);
}

TEST(Assembly, ConditionsMayBeFewerThanFreedoms) {
  // two degrees of freedom, one condition: the rest follows the guess
  Vector x = Vector::Zero(10);
  x.head(4) << 0.6, -0.8, 1.5, -1.3;
  AssemblyOptions options;
  options.conditions = {
      Condition::on_positions("first rod hangs", [](const auto& at) { return at.p[0] - 0.0; })};
  EXPECT_ASSEMBLED(assemble(DoublePendulum{}, x, options));
  EXPECT_NEAR(x[0], 0, accuracy);
  EXPECT_NEAR(x[1], -1, accuracy);
  // the second joint: nearest to the guess on the circle around (0, −1)
  const Vector direction = Vector{{1.5, -0.3}}.normalized();
  EXPECT_NEAR(x[2], direction[0], nearest_accuracy);
  EXPECT_NEAR(x[3], -1 + direction[1], nearest_accuracy);
}

TEST(Assembly, ConditionOnManyVariables) {
  // more than are differentiated at once
  struct Free {
    Sizes sizes() const { return {.positions = 11}; }
  };
  Vector x = Vector::Zero(22);
  AssemblyOptions options;
  options.conditions = {Condition::on_positions("sum", [](const auto& at) {
    auto sum = at.p[0] - 1.0;
    for (std::size_t i = 1; i < at.p.size(); ++i) sum += static_cast<double>(i + 1) * at.p[i];
    return sum;
  })};
  EXPECT_ASSEMBLED(assemble(Free{}, x, options));
  // the foot of the perpendicular: n / nᵀn, with nᵀn = 1² + ... + 11² = 506
  for (Index i = 0; i < 11; ++i) EXPECT_NEAR(x[i], static_cast<double>(i + 1) / 506, accuracy);
}

TEST(Assembly, ConditionsMayUseTimeAndContacts) {
  Vector x(17);
  x << 0.8, 0.1, 0.3, 0.6, 0.8, -0.6, 0.5, 0.1, 0.7, 0.2, 0.3, 0.4, 42, 1.0, 0.2, 0, 0;
  AssemblyOptions options;
  options.conditions = {
      Condition::on_positions("contact at t", [](const auto& at) { return at.s[0] - at.t; })};
  EXPECT_ASSEMBLED(assemble(ALittleOfEverything{}, x, options, 1.5));
  EXPECT_NEAR(x[14], 1.5, accuracy);
  EXPECT_NEAR(x[0], 1.5, accuracy);
  EXPECT_NEAR(x[1], 1.125, accuracy);
}

TEST(Assembly, RedundantConditionsAreReportedAndDoNoHarm) {
  Vector x(5);
  x << 0.6, -0.9, 0.2, 0.1, 0;
  AssemblyOptions options;
  options.conditions = {
      diagonal(),
      Condition::on_positions("again", [](const auto& at) { return 3.0 * at.p[0] + 3.0 * at.p[1]; }),
      Condition::on_velocities("across",
                               [](const auto& at) { return at.p[0] * at.v[0] + at.p[1] * at.v[1]; }),
      angular_speed(2)};
  const AssemblyReport report = assemble(Pendulum{}, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_EQ(report.redundant_conditions, (std::vector<std::string>{"again", "across"}));
  EXPECT_TRUE(report.redundant.empty());
  EXPECT_NEAR(x[0], std::sqrt(0.5), accuracy);
  EXPECT_NEAR(x[2], std::sqrt(2.0), 4 * accuracy);
}

struct Line {
  Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
  void g(const auto& x, auto g) const { g[0] = x.p[0] + x.p[1] - 1.0; }
};

TEST(Assembly, ConditionIsJudgedWhereItHoldsNotAtTheGuess) {
  // p₁² has no slope at the guess p₁ = 0, but it has one at the answer
  Vector x = Vector::Zero(5);
  AssemblyOptions options;
  options.conditions = {
      Condition::on_positions("quarter", [](const auto& at) { return at.p[1] * at.p[1] - 0.09; })};
  const AssemblyReport report = assemble(Line{}, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_NEAR(x[1], 0.3, accuracy);
  EXPECT_TRUE(report.redundant_conditions.empty());
}

TEST(Assembly, ContradictoryConditionsAreNamed) {
  Vector x(5);
  x << 0.6, -0.8, 0.8, 0.6, 0;
  AssemblyOptions options;
  options.conditions = {Condition::on_positions("x is two", [](const auto& at) { return at.p[0] - 2.0; })};
  expect_failure(assemble(Pendulum{}, x, options), Reason::contradictory_conditions,
                 {"positions", "'x is two'", "'rod'"});

  x << 0.6, -0.8, 0.8, 0.6, 0;
  options.conditions = {diagonal(),
                        Condition::on_velocities("slow", [](const auto& at) { return at.v[0] - 1.0; }),
                        Condition::on_velocities("fast", [](const auto& at) { return at.v[0] - 2.0; })};
  const AssemblyReport report = assemble(Pendulum{}, x, options);
  expect_failure(report, Reason::contradictory_conditions, {"velocities", "'slow'", "'fast'"});
  // what has no part in the contradiction is not accused
  EXPECT_EQ(report.failure.message.find("'45 degrees'"), std::string::npos);
  EXPECT_EQ(report.failure.message.find("'rod'"), std::string::npos);
}

TEST(Assembly, ConditionWithoutADerivativeIsNotTakenForMet) {
  // the length of a velocity of zero has no derivative
  Vector x(5);
  x << 0.0, -1.0, 0, 0, 0;
  AssemblyOptions options;
  options.conditions = {angular_speed(3)};
  expect_failure(assemble(Pendulum{}, x, options), Reason::not_finite, {"'angular speed'"});
  options.conditions = {Condition::on_positions("nonsense", [](const auto& at) {
    using std::log;
    return log(-1.0 - at.p[0] * at.p[0]);
  })};
  expect_failure(assemble(Pendulum{}, x, options), Reason::not_finite, {"'nonsense'"});
}

TEST(Assembly, ConditionThatThrows) {
  Vector x = Pendulum{}.swinging(0.3, 1);
  AssemblyOptions options;
  options.conditions = {Condition::on_velocities("broken", [](const auto& at) {
    if (at.v[0] > -1e300) throw std::runtime_error("table exhausted");
    return at.v[0];
  })};
  expect_failure(assemble(Pendulum{}, x, options), Reason::user_function_failed, {"table exhausted"});
}

// --- what is consistent is left alone

TEST(Assembly, ConsistentStateIsUntouched) {
  const Pendulum pendulum{.length = 0.7};
  for (int i = 0; i < 50; ++i) {
    const Vector consistent = pendulum.swinging(0.37 * i, std::sin(i) * i);
    Vector x = consistent;
    const AssemblyReport report = assemble(pendulum, x);
    EXPECT_ASSEMBLED(report);
    EXPECT_TRUE(same_bits(x, consistent)) << i << ": " << (x - consistent).transpose();
    EXPECT_FALSE(report.changed) << i;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.largest_change, "");
    EXPECT_EQ(report.accelerations.size(), 2);
  }
}

TEST(Assembly, AssembledStateIsUntouchedTheSecondTime) {
  AssemblyOptions options;
  options.conditions = {diagonal(), angular_speed(3)};
  Vector x(5);
  x << 0.6, -0.9, 0.2, 0.1, 0;
  ASSERT_FALSE(assemble(Pendulum{}, x, options).failure);
  const Vector once = x;
  const AssemblyReport report = assemble(Pendulum{}, x, options);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(same_bits(x, once)) << (x - once).transpose();
}

TEST(Assembly, OnlyWhatIsInconsistentChanges) {
  const Vector consistent = Pendulum{}.swinging(0.4, 1.2);
  // a wrong multiplier: the motion keeps every bit
  Vector x = consistent;
  x[4] = 0;
  AssemblyReport report = assemble(Pendulum{}, x);
  EXPECT_TRUE(report.changed);
  EXPECT_TRUE(same_bits(x.head(4), consistent.head(4)));
  EXPECT_NEAR(x[4], consistent[4], 1e-12);
  // a wrong velocity: the positions keep theirs
  x = consistent;
  x[2] += 0.1;
  report = assemble(Pendulum{}, x);
  EXPECT_TRUE(same_bits(x.head(2), consistent.head(2)));
  EXPECT_GT((x.segment(2, 2) - consistent.segment(2, 2)).norm(), 0.01);
}

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

// --- invariants

struct WithEnergy : Pendulum {
  double energy = 0;
  Sizes sizes() const { return {.positions = 2, .holonomic = 1, .invariants = 1}; }
  Names names() const { return {.p = {"x", "y"}, .g = {"rod"}, .e = {"energy"}}; }
  template <class T>
  void e(const Point<T>& x, std::span<T> e) const {
    e[0] = 0.5 * mass * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + mass * gravity * x.p[1] - energy;
  }
  // of a state
  static double of(const Vector& x) {
    const Pendulum p;
    return 0.5 * p.mass * x.segment(2, 2).squaredNorm() + p.mass * p.gravity * x[1];
  }
};

TEST(Assembly, EnergyIsMetByTheSpeed) {
  const Vector guess = Pendulum{}.swinging(0.5, 1.0), faster = Pendulum{}.swinging(0.5, 2.5);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(faster);
  Vector x = guess;
  AssemblyReport report = assemble(pendulum, x);
  EXPECT_ASSEMBLED(report);
  EXPECT_TRUE(same_bits(x.head(2), guess.head(2)));
  EXPECT_LE((x - faster).norm(), 1e-10) << (x - faster).transpose();
  EXPECT_EQ(report.degrees_of_freedom, 1);

  // not asked for: not touched
  AssemblyOptions options;
  options.meet_invariants = false;
  x = guess;
  report = assemble(pendulum, x, options);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(same_bits(x, guess));
}

TEST(Assembly, AtRestWithTheRightEnergy) {
  // the energy has no slope in v there, which is nobody's redundancy
  const Vector rest = Pendulum{}.swinging(0.5, 0);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(rest);
  Vector x = rest;
  AssemblyOptions options;
  options.conditions = {Condition::on_velocities("along x", [](const auto& at) { return at.v[0]; }),
                        Condition::on_velocities("along y", [](const auto& at) { return at.v[1]; })};
  const AssemblyReport report = assemble(pendulum, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(same_bits(x, rest));
  EXPECT_TRUE(report.redundant.empty());
  // the rod and the first condition leave nothing for the second; the energy is not among them
  EXPECT_EQ(report.redundant_conditions, std::vector<std::string>{"along y"});
}

TEST(Assembly, InvariantsAreNotListedAsConditions) {
  // moving: with the speed given by the energy, a condition on the speed is one too many
  const Vector moving = Pendulum{}.swinging(0.5, 1.5);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(moving);
  Vector x = moving;
  AssemblyOptions options;
  options.conditions = {angular_speed(1.5)};
  const AssemblyReport report = assemble(pendulum, x, options);
  EXPECT_ASSEMBLED(report);
  EXPECT_EQ(report.redundant_conditions, std::vector<std::string>{"angular speed"});
}

TEST(Assembly, EnergyThatNoSpeedCanHave) {
  const Vector rest = Pendulum{}.swinging(0.5, 0.1);
  WithEnergy pendulum;
  pendulum.energy = WithEnergy::of(rest) - 5;
  Vector x = rest;
  const AssemblyReport report = assemble(pendulum, x);
  EXPECT_TRUE(report.failure);
  expect_failure(report, report.failure.reason, {"velocities", "'energy'"});
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
