// The truck against its published equilibrium and the multipliers of the reference solution.
#include <gtest/gtest.h>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

ProblemCase make(const std::map<std::string, double>& changes = {}) {
  const BuiltinProblem truck = truck_problem();
  return truck.make(truck.values(changes));
}

TEST(TruckEquations, StandsStillWithThePublishedMultipliers) {
  for (const double pneumatic : {0.0, 1.0}) {
    ProblemCase truck = make({{"pneumatic", pneumatic}});
    Vector x = truck.x0;
    x.tail(2).setZero();
    const AssemblyReport report = Assembly(*truck.equations).run(0, x);
    ASSERT_FALSE(report.failure) << report.failure.message;
    EXPECT_NEAR(x[18], 0, 1e-8);
    EXPECT_NEAR(x[19], 6.80562088888888e4, 1e-8);
    EXPECT_LE(report.accelerations.lpNorm<Eigen::Infinity>(), 1e-11);
  }
}

// Positions, velocities and multipliers of the independent solution in quadruple precision, linear springs.
struct Reference {
  double t;
  double x[20];
};
constexpr Reference references[] = {
    {5, {5.944035887275714542092849e-01,  2.097729330975250708272842e+00, 1.258512840338078049359315e-03,
         6.021497585728680396530484e-01,  3.001256670316892931259291e+00, 1.255225803652849004030275e-03,
         -1.461155234993959148312503e+00, 2.995941961150114480995322e+00, 1.290066485546606641863637e-03,
         2.954852532813644728705651e-02,  2.744568393080073450028584e-02, -9.357218282455806365441801e-04,
         2.397116347656275416994164e-02,  2.491572778915062721329182e-02, -9.417229869736138723002488e-04,
         8.358484502455297087604445e-04,  2.882282168923368623696807e-02, -9.295672483072813313046127e-04,
         6.172849850377448521618829e+01,  6.795851225254955857372820e+04}},
    {10, {5.536009608850898151110624e-01,  2.051278825366635101383539e+00,  -9.203829991124574752923161e-04,
          5.479859275762861634265262e-01,  2.948739803977986160462206e+00,  -9.195772585655757178145003e-04,
          -1.459163098398098123783346e+00, 2.952605120264533542733910e+00,  -9.309889232905072401418080e-04,
          -2.000385127804732587582198e-02, -1.953020545151327769589018e-02, 2.030507577549060215096099e-04,
          -1.878873570905845611216154e-02, -1.897993061204929663907781e-02, 2.040239409483926638847870e-04,
          -1.823654930081816021381220e-04, -1.982788726968336931006392e-02, 2.021830310003180899325419e-04,
          -4.251030446699979104653825e+01, 6.806426145988038212689095e+04}},
    {20, {5.001777786222601899263936e-01,  2.000163777125959967716113e+00,  -5.219169265063816953134789e-06,
          5.001454081416157801674602e-01,  2.900149172470335826495753e+00,  -5.186642943055164872411803e-06,
          -1.459995206638554769630593e+00, 2.900171190826452726854187e+00,  -5.347289680379118661751989e-06,
          -1.232833106290797993678911e-04, -1.138805593200529156624718e-04, 3.518877171276155492825409e-06,
          -1.014822169716178318332069e-04, -1.040421044439841161555278e-04, 3.498251899892131100286322e-06,
          -3.229720880957470917998930e-06, -1.188834937815472970475727e-04, 3.602485249545165566247068e-06,
          -2.151114390708175595470349e-01, 6.805667490565886036087601e+04}}};

TEST(TruckEquations, MultipliersOnTheWayAreThoseOfTheReference) {
  ProblemCase truck = make();
  for (const Reference& reference : references) {
    Vector x = Eigen::Map<const Vector>(reference.x, 20);
    EXPECT_GE(truck.digits(reference.t, x).value(), 15) << reference.t;
    x.tail(2).setZero();
    const AssemblyReport report = Assembly(*truck.equations).run(reference.t, x);
    ASSERT_FALSE(report.failure) << report.failure.message;
    EXPECT_TRUE(report.largest_change.empty()) << report.largest_change;
    EXPECT_NEAR(x[18], reference.x[18], 1e-6) << reference.t;
    EXPECT_NEAR(x[19], reference.x[19], 1e-6) << reference.t;
  }
}

TEST(TruckEquations, AirSpringHasTheStiffnessOfTheLinearOneAtFirst) {
  ProblemCase linear = make(), pneumatic = make({{"pneumatic", 1}});
  const Vector a = Vector::Zero(9);
  MotionDerivatives K(linear.equations->layout()), K_air(linear.equations->layout());
  linear.equations->differentiate({0, linear.x0, a}, part::dynamics, K);
  pneumatic.equations->differentiate({0, linear.x0, a}, part::dynamics, K_air);
  // front axle against its own height: tyre and spring
  EXPECT_NEAR(K.dynamics(3, 3), -(22e5 + 2.711e5), 1e-6);
  EXPECT_NEAR(K_air.dynamics(3, 3), K.dynamics(3, 3), 1e-4 * 2.711e5);
  EXPECT_NE(K_air.dynamics(3, 3), K.dynamics(3, 3));
}

TEST(TruckEquations, DigitsAreKnownForThePublishedTruckOnly) {
  const ProblemCase truck = make();
  EXPECT_FALSE(truck.digits(7, truck.x0).has_value());
  Vector x = Eigen::Map<const Vector>(references[2].x, 20);
  x[2] += 1e-9;  // an angle of 5e-6: counts against 1e-3
  EXPECT_NEAR(truck.digits(20, x).value(), 6, 1e-3);
  EXPECT_FALSE(make({{"pneumatic", 1}}).digits);
  EXPECT_FALSE(make({{"speed", 10}}).digits);
}

TEST(TruckEquations, SlowerTruckReachesTheHumpLater) {
  // at 10 m/s the front wheel is lifted after 0.2 s, the rear wheel after 0.65 s
  ProblemCase truck = make({{"speed", 10}});
  MotionValues values(truck.equations->layout());
  const auto lift = [&](double t, Index wheel) {
    truck.equations->evaluate({t, truck.x0, Vector::Zero(9)}, part::dynamics, values);
    return values.dynamics[wheel];
  };
  EXPECT_NEAR(lift(0.2, 3), 0, 1e-8);
  EXPECT_GT(lift(0.3, 3), 1e-4);
  EXPECT_NEAR(lift(0.65, 0), 0, 1e-8);
  EXPECT_GT(lift(0.75, 0), 1e-4);
}

}  // namespace
}  // namespace trammel
