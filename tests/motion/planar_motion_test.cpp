#include "trammel/motion/planar_motion.h"

#include <gtest/gtest.h>

#include "tests/analysis/analysis_mechanisms.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

// The four-bar linkage in a plane that is no plane of coordinates.
Mechanism tilted_four_bar() {
  Mechanism mechanism = four_bar();
  const double c = std::cos(0.7), s = std::sin(0.7);
  const Mat3<double> turn{{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
  Mechanism tilted = four_bar();
  for (Body& body : tilted.bodies) {
    body.reference.origin = turn * body.reference.origin;
    body.reference.axes = turn * body.reference.axes;
  }
  for (Joint& joint : tilted.joints)
    if (joint.body_a == 0) {
      joint.frame_a.origin = turn * joint.frame_a.origin;
      joint.frame_a.axes = turn * joint.frame_a.axes;
    }
  tilted.bodies[0] = mechanism.bodies[0];
  return tilted;
}

TEST(PlanarMotion, IsFoundForHingesWithParallelAxes) {
  for (const Mechanism& mechanism : {four_bar(), tilted_four_bar(), rod_pendulum(0.4)}) {
    CartesianEquations equations(mechanism);
    const Vector x = assembled(equations);
    const auto planar = PlanarMotion::find(equations, 0, x);
    ASSERT_NE(planar, nullptr);
    EXPECT_EQ(planar->layout().v.size, 3 * (static_cast<Index>(mechanism.bodies.size()) - 1));
    EXPECT_LT((planar->restore(0, planar->reduce(x)).head(equations.layout().lambda.begin) -
               x.head(equations.layout().lambda.begin))
                  .lpNorm<Eigen::Infinity>(),
              1e-14);
  }
  // two equations for each of four hinges: nothing is redundant in the plane
  CartesianEquations equations(four_bar());
  EXPECT_EQ(PlanarMotion::find(equations, 0, assembled(equations))->layout().lambda.size, 8);
}

TEST(PlanarMotion, IsNotFoundWhereBodiesCanLeaveThePlane) {
  Mechanism spherical = rod_pendulum(0.4);
  spherical.joints[0].type = JointType::spherical;
  Mechanism skew = rod_pendulum(0.4);
  skew.add(rod("second", {1, 0, -1}, {2, 0, -1}, 1));
  skew.add_joint("B", JointType::revolute, "rod", "second", {1, 0, -1}, {0, 0, 1});
  Mechanism free = rod_pendulum(0.4);
  free.add(rod("thrown", {1, 0, -1}, {2, 0, -1}, 1));
  for (const Mechanism& mechanism : {spherical, skew, free}) {
    CartesianEquations equations(mechanism);
    EXPECT_EQ(PlanarMotion::find(equations, 0, equations.initial_state()), nullptr);
  }
}

// All matrices against those of the spatial equations: T = L S R, with C as the product that restores
// velocities.
TEST(PlanarMotion, SlopesAreThoseOfSpaceAlongThePlane) {
  CartesianEquations equations(tilted_four_bar());
  const Vector x = assembled(equations);
  const auto planar = PlanarMotion::find(equations, 0, x);
  ASSERT_NE(planar, nullptr);
  const Layout &l = planar->layout(), &all = equations.layout();
  Vector reduced = planar->reduce(x);
  for (Index i = l.v.begin; i < l.total; ++i) reduced[i] = std::sin(2.0 * static_cast<double>(i));
  Vector a(l.v.size);
  for (Index i = 0; i < a.size(); ++i) a[i] = std::cos(3.0 * static_cast<double>(i));
  Matrix C(all.v.size, l.v.size);
  for (Index column = 0; column < l.v.size; ++column) {
    Vector unit = Vector::Zero(l.total);
    unit.head(l.p.size) = reduced.head(l.p.size);
    unit[l.v.begin + column] = 1;
    C.col(column) = planar->restore(0, unit).segment(all.v.begin, all.v.size);
  }
  EXPECT_LT((C.transpose() * C - Matrix::Identity(l.v.size, l.v.size)).norm(), 1e-13);

  const std::unique_ptr<TangentMotion> tangent = planar->tangent();
  tangent->differentiate({0, reduced, a}, TangentMotion::everything);
  const TangentSlopes slopes = tangent->slopes();
  const Matrix mass = slopes.mass, jacobian = slopes.jacobian, force_twist = slopes.force_twist,
               force_pose = slopes.force_pose;
  const Vector whole = planar->restore(0, reduced), whole_a = C * a;
  CartesianMotion motion(equations);
  motion.differentiate({0, whole, whole_a}, TangentMotion::everything);
  const TangentSlopes spatial = motion.slopes();
  EXPECT_LT((mass - C.transpose() * (spatial.mass * C)).norm(), 1e-12);
  EXPECT_LT((force_twist - C.transpose() * (spatial.force_twist * C)).norm(), 1e-12);
  EXPECT_LT((force_pose - C.transpose() * (spatial.force_pose * C)).norm(), 1e-12);
  const Matrix every_row = spatial.jacobian * C;
  EXPECT_NEAR(jacobian.norm(), every_row.norm(), 1e-12);  // rows that are left out are zero
}

// The motion and all reactions, forces across the plane among them, are those of the spatial equations.
TEST(PlanarMotion, GivesTheMotionAndTheReactionsOfSpace) {
  for (const std::string method : {"psf/radau5", "partitioned/radau5", "projected/dop853"}) {
    Mechanism mechanism = tilted_four_bar();
    mechanism.gravity = {0.4, 3.0, -9.81};  // not along the plane
    std::array<Summary, 2> summaries;
    for (const bool reduce : {true, false}) {
      CartesianEquations equations(mechanism);
      Options options;
      options.tolerances.relative = options.tolerances.absolute = 1e-10;
      options.reduce_planar = reduce;
      options.record = false;
      Method parsed;
      ASSERT_FALSE(parse_method(method, parsed));
      Simulation simulation(equations, parsed, options);
      summaries[reduce ? 0 : 1] = simulation.run(equations.initial_state(), 0, 0.7);
      ASSERT_EQ(summaries[reduce ? 0 : 1].status, Status::finished)
          << method << (reduce ? " planar: " : " spatial: ") << summaries[reduce ? 0 : 1].message();
      EXPECT_LT(summaries[reduce ? 0 : 1].violation.position, 1e-11);
    }
    const Vector &planar = summaries[0].final_state, &spatial = summaries[1].final_state;
    const Layout l = CartesianEquations(mechanism).layout();
    EXPECT_LT((planar - spatial).head(l.lambda.begin).lpNorm<Eigen::Infinity>(), 1e-7) << method;
    EXPECT_LT((planar - spatial).tail(l.lambda.size).lpNorm<Eigen::Infinity>(),
              1e-5 * spatial.tail(l.lambda.size).lpNorm<Eigen::Infinity>())
        << method;
  }
}

}  // namespace
}  // namespace trammel
