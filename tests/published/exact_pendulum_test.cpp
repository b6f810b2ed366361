// The exact pendulum against solutions computed otherwise: in quadruple precision, or by a method of order 8,
// and with them the references of `pendulum`, `simple-pendulum` and `n-four-bar`.
#include "trammel/published/exact_pendulum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "run_problem.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

struct State {
  double t, x, y, vx, vy;
};

void expect_state(const ExactPendulum& exact, const State& state, double tolerance) {
  const auto motion = exact.at(state.t);
  ASSERT_TRUE(motion);
  EXPECT_NEAR(motion->sine, state.x, tolerance) << state.t;
  EXPECT_NEAR(-motion->cosine, state.y, tolerance) << state.t;
  EXPECT_NEAR(motion->speed * motion->cosine, state.vx, tolerance) << state.t;
  EXPECT_NEAR(motion->speed * motion->sine, state.vy, tolerance) << state.t;
}

TEST(ExactPendulum, MeetsSolutionsInQuadruplePrecision) {
  // m = L = g = 1, from the horizontal upwards with speed 1, and from rest
  const ExactPendulum upwards(1, pi / 2, 1);
  expect_state(upwards,
               {1, 8.673486406004393217e-01, 4.977010504796729294e-01, -3.374801806095451961e-02,
                5.881301146525000754e-02},
               1e-14);
  expect_state(upwards,
               {10, 8.843923830927202540e-01, 4.667441619641097752e-01, 1.203726552417017963e-01,
                -2.280835372003925465e-01},
               1e-14);
  const ExactPendulum rest(1, pi / 2, 0);
  expect_state(rest,
               {1, 8.795481324118891546e-01, -4.758099229427207971e-01, -4.641573588509940116e-01,
                -8.580080373224432478e-01},
               1e-14);
  expect_state(rest,
               {10, -8.115864461913038343e-01, -5.842323513453957011e-01, -6.315291490650175810e-01,
                8.772887988410693290e-01},
               1e-14);
  // g = 9.81
  expect_state(ExactPendulum(std::sqrt(9.81), pi / 2, 0),
               {1, -9.862917511318753194e-01, -1.650108531255411688e-01, -2.969055159163158216e-01,
                1.774643641112655626e+00},
               1e-14);
}

// SUNDIALS, cvsPendulum_dns: gravity is chosen so that the period is 2.
TEST(ExactPendulum, HasThePeriodOfCvsPendulum) {
  const ExactPendulum exact(std::sqrt(13.750371636040745654980191559621), pi / 2, 0);
  for (const double t : {0.0, 2.0, 30.0, 1000.0}) expect_state(exact, {t, 1, 0, 0, 0}, 1e-13 * (1 + t));
}

TEST(ExactPendulum, SatisfiesItsDifferentialEquation) {
  const double omega = 1.7, h = 1e-4;
  for (const double angle : {-3.0, -1.0, 0.0, 0.4, 2.0, 3.1, 7.0})
    for (const double speed : {-9.0, -3.0, -0.3, 0.2, 2.0, 8.0}) {
      const ExactPendulum exact(omega, angle, speed);
      const auto start = exact.at(0);
      ASSERT_TRUE(start);
      EXPECT_NEAR(start->sine, std::sin(angle), 1e-13);
      EXPECT_NEAR(start->cosine, std::cos(angle), 1e-13);
      EXPECT_NEAR(start->speed, speed, 1e-12);
      for (const double t : {0.3, 2.9, 11.0}) {
        const auto before = exact.at(t - h), now = exact.at(t), after = exact.at(t + h);
        EXPECT_NEAR(now->sine * now->sine + now->cosine * now->cosine, 1, 1e-14);
        EXPECT_NEAR((after->speed - before->speed) / (2 * h), -omega * omega * now->sine, 2e-6);
        EXPECT_NEAR((after->sine - before->sine) / (2 * h), now->speed * now->cosine, 1e-5);
      }
    }
}

TEST(ExactPendulum, DoesNotKnowTheMotionThatTakesForever) {
  EXPECT_FALSE(ExactPendulum(1, 0, 2).at(1));
  EXPECT_FALSE(ExactPendulum(1, pi, 0).at(1));
}

// Benchmark A01, order 8, 12 digits.
TEST(ExactPendulum, MeetsTheTableOfTheSimplePendulum) {
  const double table[][3] = {
      {0.1, -0.998797482750, -0.049026405665},  {0.25, -0.953664612211, -0.300871745792},
      {0.5, -0.391048791551, -0.920369948785},  {1, 0.986291751132, -0.165010853126},
      {2, -0.793566195343, -0.608483930444},    {3, 0.176651789923, -0.984273409738},
      {4, 0.577563628249, -0.816345671468},     {5, -0.942305435044, -0.334754338414},
      {6, 0.999497539939, -0.031696492790},     {7, -0.998618779175, -0.052540782998},
      {8, 0.919857983108, -0.392251565852},     {9, -0.498373709057, -0.866962309516},
      {9.99, -0.316436469914, -0.948613704576}, {10, -0.275087462577, -0.961419205099}};
  const ExactPendulum exact(std::sqrt(9.81), -pi / 2, 0);
  for (const auto& [t, x, y] : table) {
    EXPECT_NEAR(exact.at(t)->sine, x, 2e-12) << t;
    EXPECT_NEAR(-exact.at(t)->cosine, y, 2e-12) << t;
  }
}

// Benchmark A02: t and B0 with its velocity, order 8, 11 decimals. At t = 10 the start near the top has made
// the last of them uncertain.
void expect_four_bar(int N, std::span<const State> table) {
  const double inertia = (N + 1) / 3.0 + N, moment = (0.5 * (N + 1) + N) * 9.81;
  const ExactPendulum exact(std::sqrt(moment / inertia), pi, 1);
  for (const State& state : table) {
    const auto motion = exact.at(state.t);
    // from upright and clockwise: x is the other way round
    EXPECT_NEAR(-motion->sine, state.x, 3e-11) << N << ", " << state.t;
    EXPECT_NEAR(-motion->cosine, state.y, 3e-11) << N << ", " << state.t;
    EXPECT_NEAR(-motion->speed * motion->cosine, state.vx, 2e-10) << N << ", " << state.t;
    EXPECT_NEAR(motion->speed * motion->sine, state.vy, 2e-10) << N << ", " << state.t;
  }
}

TEST(ExactPendulum, MeetsTheTablesOfTheNFourBar) {
  const State two[] = {{0.1, 0.10174111557, 0.99481090937, 1.05223453928, -0.10761393432},
                       {0.25, 0.27710225606, 0.96084043404, 1.32315872848, -0.38159329666},
                       {0.5, 0.69528663316, 0.71873256344, 1.96020542537, -1.89626114059},
                       {1, -0.19502030195, -0.98079920566, -6.67667803688, 1.32757832516},
                       {2, 0.05781579577, 0.99832726786, 1.01726013662, -0.05891224871},
                       {3, -0.54933973930, -0.83559909695, -5.48046403125, 3.60296785045},
                       {4, 0.11761610238, 0.99305913845, 1.06903926503, -0.12661504917},
                       {5, -0.81131046100, -0.58461554535, -3.56911739721, 4.95310517130},
                       {6, 0.18138112622, 0.98341287720, 1.15511428769, -0.21304981384},
                       {7, -0.95827075489, -0.28586213517, -1.57700023520, 5.28644062977},
                       {8, 0.25105591463, 0.96797258625, 1.27431210574, -0.33050893772},
                       {9, -0.99996227255, 0.00868639623, 0.04227979528, 4.86717380100},
                       {10, 0.32845811154, 0.94451853818, 1.42305147020, -0.49486884548}};
  const State forty[] = {{0.1, 0.10167644340, 0.99481752139, 1.05028756379, -0.10734582146},
                         {0.25, 0.27607114759, 0.96113720221, 1.31066664439, -0.37646783808},
                         {0.5, 0.68792597079, 0.72578086136, 1.92916231127, -1.82854209371},
                         {1, -0.11535688063, -0.99332411130, -6.66998752394, 0.77460009866},
                         {2, 0.03446630730, 0.99940586033, 1.00595117281, -0.03469203417},
                         {3, -0.33851814904, -0.94095986246, -6.23669275926, 2.24370217397},
                         {4, 0.06934203223, 0.99759294432, 1.02380438799, -0.07116397251},
                         {5, -0.54019005067, -0.84154305247, -5.43636911260, 3.48962836518},
                         {6, 0.10503646944, 0.99446837058, 1.05354979788, -0.11127669258},
                         {7, -0.70961456704, -0.70459006964, -4.38334661725, 4.41460467018},
                         {8, 0.14195804135, 0.98987267590, 1.09514019722, -0.15705449921},
                         {9, -0.84038648414, -0.54198759882, -3.21129313443, 4.97931567562},
                         {10, 0.18051222668, 0.98357274058, 1.14844127746, -0.21077006677}};
  expect_four_bar(2, two);
  expect_four_bar(40, forty);
}

TEST(SimplePendulum, MeetsTheExactSolutionAndKeepsTheEnergyOfTheBenchmark) {
  const ProblemRun result = run_problem("simple-pendulum", 1e-8, "geoms/radau5");
  ASSERT_EQ(result.summary.status, Status::finished) << result.summary.message();
  EXPECT_GT(*result.digits, 6);
  const BuiltinProblem& builtin = *find_problem("simple-pendulum");
  const ProblemCase problem = builtin.make(builtin.values({}));
  EXPECT_NEAR(problem.energy(0, problem.x0), 0, 1e-14);
  const double drift = problem.energy_drift(result.trajectory).value();
  EXPECT_LT(drift, 5e-5);  // what a published run of the benchmark keeps [J]
  EXPECT_NEAR(drift, result.summary.violation.invariant, 0.01 * drift);
}

}  // namespace
}  // namespace trammel
