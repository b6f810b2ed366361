// The pendulum on a creeping strut against the same system in its angle, and its balance of power.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

constexpr double m = 1.4, L = 0.9, gravity = 9.81, xa = 1.5, ya = 0.5, k = 30, beta = 2, c = 20, start = 1.1;

ProblemCase make() {
  const BuiltinProblem problem = force_element_problem();
  return problem.make(problem.values({{"m", m}, {"L", L}, {"angle", start}}));
}

double strut_length(double theta) { return std::hypot(L * std::sin(theta) - xa, -L * std::cos(theta) - ya); }

// The real root of q + beta q³ = elongation (Cardano), times k.
double spring_force(double elongation) {
  const double p = 1 / (3 * beta), q = elongation / (2 * beta), root = std::sqrt(q * q + p * p * p);
  return k * (std::cbrt(q + root) + std::cbrt(q - root));
}

TEST(ForceElementEquations, AgreeWithThePendulumInItsAngle) {
  ProblemCase problem = make();
  AssemblyOptions options;
  MotionValues values(problem.equations->layout());
  for (const auto& [theta, rate, dashpot] :
       {std::tuple(0.4, -1.5, 0.1), {-0.7, 2.0, 0.6}, {2.0, 0.3, -0.2}}) {
    const double sine = std::sin(theta), cosine = std::cos(theta);
    Vector x = Vector::Zero(7);
    x << L * sine, -L * cosine, L * cosine * rate, L * sine * rate, dashpot, 0, 0;
    const AssemblyReport report = Assembly(*problem.equations, options).run(0, x);
    ASSERT_FALSE(report.failure) << report.failure.message;

    // spring and dashpot
    const double l = strut_length(theta), w = spring_force(l - strut_length(start) - dashpot);
    EXPECT_NEAR(x[5], w, 1e-11);
    problem.equations->evaluate({0, x, report.accelerations}, part::all, values);
    EXPECT_NEAR(values.b[0], w / c, 1e-12);
    EXPECT_LE(std::abs(values.d[0]), 1e-13);

    // the moment of weight and strut about the support; the force along the rod
    const double angular = (-m * gravity * L * sine + w / l * L * (xa * cosine + ya * sine)) / (m * L * L);
    const Eigen::Vector2d along(sine, -cosine), across(cosine, sine);
    EXPECT_LE((report.accelerations - L * (angular * across - rate * rate * along)).norm(), 1e-11);
    const double pull = w / l * (xa * sine - ya * cosine - L);  // of the strut, outwards
    EXPECT_NEAR(2 * L * x[6], m * (rate * rate * L + gravity * cosine) + pull, 1e-10);

    // the energy of bob and spring falls by what the dashpot takes
    const double strut_rate = L * rate * -(xa * cosine + ya * sine) / l;
    const double bob_power = m * Eigen::Vector2d(x[2], x[3]).dot(report.accelerations) + m * gravity * x[3];
    const double spring_power = w * (strut_rate - values.b[0]);  // dU = w d(elongation of the spring)
    EXPECT_NEAR(bob_power + spring_power, -w * w / c, 1e-11);
  }
}

TEST(ForceElementEquations, DigitsAreKnownForTheDefaultsOnly) {
  const BuiltinProblem problem = force_element_problem();
  const ProblemCase defaults = problem.make(problem.values({}));
  ASSERT_TRUE(defaults.digits);
  Vector x = Vector::Zero(7);
  x << 1.6045373662899490453e-01, -9.8704336196632878166e-01, 0, 0, 1.2146816728123678242e+00,
      7.8819312851228746216e-01, 0;
  EXPECT_GE(defaults.digits(5, x).value(), 15);
  x[5] += 1e-6;
  EXPECT_NEAR(defaults.digits(5, x).value(), 6, 1e-6);
  EXPECT_FALSE(defaults.digits(4, x).has_value());
  EXPECT_FALSE(make().digits);
}

TEST(ForceElementEquations, StrutMustNotEndOnTheCircleOfTheBob) {
  const BuiltinProblem problem = force_element_problem();
  EXPECT_THROW(problem.make(problem.values({{"xa", 0.6}, {"ya", 0.8}})), std::invalid_argument);
}

}  // namespace
}  // namespace trammel
