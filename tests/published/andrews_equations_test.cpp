// Andrews' squeezing mechanism against its published initial accelerations and multipliers, and those of the
// reference.
#include <gtest/gtest.h>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

ProblemCase make(const std::map<std::string, double>& changes = {}) {
  const BuiltinProblem andrews = andrews_problem();
  return andrews.make(andrews.values(changes));
}

TEST(AndrewsEquations, InitialAccelerationsAndMultipliersAreThePublishedOnes) {
  ProblemCase andrews = make();
  Vector x = andrews.x0;
  x.tail(6).setZero();
  const AssemblyReport report = Assembly(*andrews.equations).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  Vector w0 = Vector::Zero(7), lambda0 = Vector::Zero(6);
  w0.head(2) << 14222.4439199541138705911625887, -10666.8329399655854029433719415;
  lambda0.head(2) << 98.5668703962410896057654982170, -6.12268834425566265503114393122;
  EXPECT_LE((report.accelerations - w0).lpNorm<Eigen::Infinity>(), 1e-7);
  EXPECT_LE((x.tail(6) - lambda0).lpNorm<Eigen::Infinity>(), 1e-10);
}

TEST(AndrewsEquations, FinalAccelerationsAndMultipliersAreThoseOfTheReference) {
  ProblemCase andrews = make();
  Vector x(20), w(7), lambda(6);
  x << 1.581077119515370709711939e+01, -1.575637105841183946972775e+01, 4.082224011964580485828232e-02,
      -5.347301163420795937701850e-01, 5.244099658799540693716558e-01, 5.347301163420795937701850e-01,
      1.048080741041937873068515e+00, 1.139920302259106064198097e+03, -1.424379295177540073196026e+03,
      1.103291191061859374532731e+01, 1.929337410503204083162756e+01, 5.735699148295024538176879e-01,
      -1.929337410503204083162756e+01, 3.231791492491308749907484e-01, 0, 0, 0, 0, 0, 0;
  w << -2.463176312287463447005080e+04, 5.185031963646423153375400e+04, 3.241026007075786058119411e+05,
      5.667494220009953264932948e+05, 1.674363541834544460964463e+04, -5.667494220009953264932948e+05,
      9.826507801544162688490504e+03;
  lambda << 1.991753481045386281862395e+02, -2.975530997497176332441573e+01, 2.306654361162215112861737e+01,
      3.145272527577113707538454e+01, 2.264249478639437857771292e+01, 1.161739235261125590680148e+01;
  EXPECT_GE(andrews.digits(0.03, x).value(), 15);
  const AssemblyReport report = Assembly(*andrews.equations).run(0.03, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  EXPECT_LE(((report.accelerations - w).array() / w.array()).abs().maxCoeff(), 1e-9);
  EXPECT_LE(((x.tail(6) - lambda).array() / lambda.array()).abs().maxCoeff(), 1e-9);
}

TEST(AndrewsEquations, DigitsAreTheSmallestNumberOfSignificantOnes) {
  const ProblemCase andrews = make();
  // the published solution, correct to 9.5 digits
  Vector x = Vector::Zero(20);
  x.head(7) << 0.1581077119629904e+2, -0.1575637105984298e+2, 0.4082224013073101e-1, -0.5347301163226948e+0,
      0.5244099658805304e+0, 0.5347301163226948e+0, 0.1048080741042263e+1;
  EXPECT_NEAR(andrews.digits(0.03, x).value(), 9.566, 0.01);
  EXPECT_FALSE(andrews.digits(0.02, x).has_value());
  EXPECT_FALSE(make({{"mom", 0.02}}).digits);
}

}  // namespace
}  // namespace trammel
