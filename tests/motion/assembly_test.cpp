// Assembly: the nearest consistent state, and what it leaves alone.
#include "trammel/motion/assembly.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/motion/assembly_rig.h"

namespace trammel {
namespace {

using namespace assembly_rig;

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

}  // namespace
}  // namespace trammel
