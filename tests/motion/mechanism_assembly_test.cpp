// Assembly of mechanisms: the same state, the same diagnosis, whether the equations are sparse from the start
// or differentiated densely, with angular velocities or with rates of Euler parameters.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <cstring>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/dense_tangent_motion.h"

namespace trammel {
namespace {

using Velocities = CartesianEquations::Velocities;

enum class Kind { sparse, dense, parameters };

class MechanismAssembly : public testing::TestWithParam<Kind> {
 protected:
  struct Assembled {
    std::unique_ptr<CartesianEquations> equations;
    std::unique_ptr<TangentMotion> motion;
    AssemblyOptions options;
    Vector guess, x;
    AssemblyReport report;

    Vector positions() const { return x.segment(equations->layout().p.begin, equations->layout().p.size); }
    AssemblyReport again() { return Assembly(*motion, options).run(0, x); }
  };

  static Assembled assemble(const Mechanism& mechanism) {
    Assembled result;
    result.equations = std::make_unique<CartesianEquations>(
        mechanism, GetParam() == Kind::parameters ? Velocities::parameter_rates : Velocities::angular);
    result.motion = GetParam() == Kind::dense ? std::make_unique<DenseTangentMotion>(*result.equations)
                                              : result.equations->tangent();
    result.options.conditions = result.equations->conditions();
    result.options.weights = result.equations->weights();
    result.guess = result.x = result.equations->initial_state();
    result.report = result.again();
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, MechanismAssembly,
                         testing::Values(Kind::sparse, Kind::dense, Kind::parameters), [](const auto& each) {
                           return each.param == Kind::sparse  ? "sparse"
                                  : each.param == Kind::dense ? "dense"
                                                              : "parameters";
                         });

#define EXPECT_ASSEMBLED(assembled) \
  EXPECT_FALSE((assembled).report.failure) << (assembled).report.failure.message

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

// The redundant rows of a planar linkage in space.
TEST_P(MechanismAssembly, FindsRedundantRowsAndFreedom) {
  const Assembled linkage = assemble(four_bar());
  EXPECT_ASSEMBLED(linkage);
  EXPECT_EQ(linkage.report.redundant.size(), 3u);
  EXPECT_EQ(linkage.report.degrees_of_freedom, 1);
  const Index lengths = GetParam() == Kind::parameters ? 3 : 0;  // of Euler parameters, as constraints
  EXPECT_EQ(linkage.report.position_rank, 17 + lengths);
  EXPECT_EQ(linkage.report.velocity_rank, 17 + lengths);
  EXPECT_TRUE(linkage.report.redundant_conditions.empty());
  EXPECT_EQ(linkage.report.largest_change, "");
}

TEST_P(MechanismAssembly, ConsistentStateIsUntouched) {
  Mechanism mechanism = four_bar({0.3, 0, 0.9}, {2.1, 0, 1.4});
  mechanism.joints[0].initial.emplace_back("angle_rate", 0.7);
  Assembled linkage = assemble(mechanism);
  EXPECT_ASSEMBLED(linkage);
  const Vector once = linkage.x;
  const AssemblyReport again = linkage.again();
  EXPECT_FALSE(again.failure) << again.failure.message;
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_TRUE(same_bits(linkage.x, once)) << (linkage.x - once).cwiseAbs().maxCoeff();
}

// A rod pushed off its hinge and tilted: the nearest position, by its definition.
TEST_P(MechanismAssembly, NearestPosition) {
  Mechanism mechanism = rod_pendulum(0.4);
  mechanism.bodies[1].reference.origin += Vec3<double>{0.2, 0.1, -0.15};
  mechanism.bodies[1].keep = 2;
  const Assembled rod = assemble(mechanism);
  EXPECT_ASSEMBLED(rod);
  EXPECT_TRUE(rod.report.changed);
  EXPECT_NE(rod.report.largest_change.find("rod"), std::string::npos) << rod.report.largest_change;
  // hinged, at any angle: of these the one of smallest change, a small turn by an angle for as much as a
  // displacement by the same number
  const auto change = [&](double angle) {
    const double x = 0.5 * std::sin(angle), z = -0.5 * std::cos(angle),
                 turn = 4 * std::sin((angle - 0.4) / 4);
    return std::pow(x - rod.guess[0], 2) + std::pow(z - rod.guess[2], 2) + turn * turn;
  };
  double best = 0.4;
  for (double step = 0.1; step > 1e-10; step /= 2)
    for (const double there : {best - step, best + step})
      if (change(there) < change(best)) best = there;
  EXPECT_NEAR(rod.x[0], 0.5 * std::sin(best), 1e-7);
  EXPECT_NEAR(rod.x[1], 0, 1e-10);
  EXPECT_NEAR(rod.x[2], -0.5 * std::cos(best), 1e-7);
}

TEST_P(MechanismAssembly, KeepsWhatIsToBeKept) {
  // two rods on one hinge that is 10 cm too far: the firm one stays
  Mechanism mechanism = four_bar();
  mechanism.joints.pop_back();  // an open chain
  mechanism.bodies[1].reference.origin += Vec3<double>{0.1, 0, 0};
  mechanism.bodies[2].keep = 1e4;
  const Assembled chain = assemble(mechanism);
  EXPECT_ASSEMBLED(chain);
  const Vector moved = chain.x - chain.guess;
  EXPECT_LE(moved.segment(7, 7).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT(moved.segment(0, 7).cwiseAbs().maxCoeff(), 1e-2);
}

TEST_P(MechanismAssembly, RedundantConditionsAreNamed) {
  Mechanism mechanism = four_bar();
  mechanism.joints[0].initial = {{"angle", 0.0}, {"angle_rate", 0.0}};
  mechanism.joints[3].initial = {{"angle", 0.0}, {"angle_rate", 0.0}};
  const Assembled linkage = assemble(mechanism);
  EXPECT_ASSEMBLED(linkage);
  EXPECT_EQ(linkage.report.redundant.size(), 3u);
  ASSERT_EQ(linkage.report.redundant_conditions.size(), 2u);
  for (const std::string& condition : linkage.report.redundant_conditions)
    EXPECT_EQ(condition.substr(0, 7), "D.angle") << condition;
}

TEST_P(MechanismAssembly, ContradictoryConditionsAreNamed) {
  Mechanism mechanism = four_bar();
  mechanism.joints[0].initial = {{"angle", 0.0}};
  mechanism.joints[3].initial = {{"angle", 0.3}};
  const Assembled positions = assemble(mechanism);
  EXPECT_EQ(positions.report.failure.reason, Reason::contradictory_conditions)
      << positions.report.failure.message;
  for (const char* word : {"positions", "'A.angle", "'D.angle"})
    EXPECT_NE(positions.report.failure.message.find(word), std::string::npos)
        << positions.report.failure.message;

  mechanism.joints[0].initial = {{"angle_rate", 1.0}};
  mechanism.joints[3].initial = {{"angle_rate", 5.0}};
  const Assembled velocities = assemble(mechanism);
  EXPECT_EQ(velocities.report.failure.reason, Reason::contradictory_conditions)
      << velocities.report.failure.message;
  for (const char* word : {"velocities", "'A.angle_rate", "'D.angle_rate"})
    EXPECT_NE(velocities.report.failure.message.find(word), std::string::npos)
        << velocities.report.failure.message;
}

// M a = f − Dᵀλ, with λ across all that acts on nothing.
TEST_P(MechanismAssembly, MultipliersAreOfMinimalNorm) {
  const Assembled linkage = assemble(four_bar({0.3, 0, 0.9}, {2.1, 0, 1.4}));
  EXPECT_ASSEMBLED(linkage);
  const Layout& l = linkage.equations->layout();
  const Vector lambda = linkage.x.segment(l.lambda.begin, l.lambda.size);
  EXPECT_GT(lambda.norm(), 1);
  linkage.motion->differentiate({0, linkage.x, linkage.report.accelerations}, TangentMotion::everything);
  const Matrix D = linkage.motion->slopes().jacobian;
  const Eigen::JacobiSVD<Matrix> svd(D, Eigen::ComputeFullU);
  EXPECT_LE((svd.matrixU().rightCols(3).transpose() * lambda).norm(), 1e-9 * lambda.norm());
  MotionValues values(l, false);
  linkage.motion->evaluate({0, linkage.x, linkage.report.accelerations},
                           part::dynamics | part::acceleration_level, values);
  EXPECT_LE((values.dynamics - linkage.motion->slopes().mass * linkage.report.accelerations).norm(), 1e-9);
  EXPECT_LE(values.gII.norm(), 1e-9);
}

TEST_P(MechanismAssembly, ProjectBringsAStateBack) {
  Mechanism mechanism = four_bar({0.3, 0, 0.9}, {2.1, 0, 1.4});
  mechanism.joints[0].initial.emplace_back("angle_rate", 0.7);
  Assembled linkage = assemble(mechanism);
  EXPECT_ASSEMBLED(linkage);
  const Layout& l = linkage.equations->layout();
  Assembly assembly(*linkage.motion, linkage.options);
  Vector x = linkage.x;
  EXPECT_FALSE(assembly.project(0, x));
  EXPECT_TRUE(same_bits(x, linkage.x));
  for (int time = 0; time < 3; ++time) {  // what was made for the first time serves again
    x = linkage.x;
    for (Index i = 0; i < l.p.size + l.v.size; ++i)
      x[i] += 1e-6 * std::sin(1.3 * static_cast<double>(i + time));
    const Failure failure = assembly.project(0, x);
    EXPECT_FALSE(failure) << failure.message;
    EXPECT_LE((x - linkage.x).head(l.p.size + l.v.size).cwiseAbs().maxCoeff(), 1e-5);
    MotionValues values(l, false);
    linkage.motion->evaluate({0, x, Vector::Zero(l.v.size)}, part::position_level | part::velocity_level,
                             values);
    EXPECT_LE(values.g.cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE(values.gI.cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE(linkage.motion->layout().normalizations > 0 ? values.n.cwiseAbs().maxCoeff() : 0.0, 1e-11);
  }
}

// Long enough that anything quadratic would be felt: rows and conditions by the thousand.
TEST(MechanismAssembly, OfManyBodiesWithManyConditions) {
  Mechanism mechanism;
  constexpr int links = 300;
  for (int i = 0; i < links; ++i) {
    const double x = 0.1 * i;
    mechanism.add(rod("link" + std::to_string(i), {x, 0, 0}, {x + 0.1, 0, 0}, 0.1));
    Joint& hinge = mechanism.add_joint("hinge" + std::to_string(i), JointType::revolute,
                                       i == 0 ? "ground" : "link" + std::to_string(i - 1),
                                       "link" + std::to_string(i), {x, 0, 0}, {0, 1, 0});
    hinge.initial = {{"angle", 0.02 * std::sin(i)}, {"angle_rate", 0.1 * std::cos(i)}};
  }
  CartesianEquations equations(mechanism);
  AssemblyOptions options;
  options.conditions = equations.conditions();
  Vector x = equations.initial_state();
  const AssemblyReport report = Assembly(equations, options).run(0, x);
  EXPECT_FALSE(report.failure) << report.failure.message;
  EXPECT_EQ(report.degrees_of_freedom, links);
  EXPECT_TRUE(report.redundant.empty());
  EXPECT_TRUE(report.redundant_conditions.empty());
  for (int i = 0; i < links; ++i)
    EXPECT_NEAR(coordinate(equations, "hinge" + std::to_string(i) + ".angle", x), 0.02 * std::sin(i), 1e-10);
}

}  // namespace
}  // namespace trammel
