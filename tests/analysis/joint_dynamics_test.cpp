// Terms of the equations in joint coordinates: against the textbook's arm, and against each other.
#include "trammel/analysis/joint_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/analysis/chosen_state.h"
#include "trammel/motion/joint_motion.h"

namespace trammel {
namespace {

// Two links in a vertical plane, hinges about y, angles from the horizontal x axis downward.
struct Arm {
  double l1 = 0.8, c1 = 0.3, c2 = 0.25, m1 = 3, m2 = 2, I1 = 0.2, I2 = 0.1, g = 9.81;

  Mechanism mechanism() const {
    Mechanism result;
    result.gravity = {0, 0, -g};
    const auto link = [&](const std::string& name, double at, double com, double mass, double inertia) {
      Body body;
      body.name = name;
      body.mass = mass;
      body.com = {com, 0, 0};
      body.inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}};
      body.reference.origin = {at, 0, 0};
      result.add(body);
    };
    link("upper", 0, c1, m1, I1);
    link("fore", l1, c2, m2, I2);
    result.add_joint("A", JointType::revolute, "ground", "upper", {0, 0, 0}, {0, 1, 0});
    result.add_joint("B", JointType::revolute, "upper", "fore", {l1, 0, 0}, {0, 1, 0});
    result.markers.push_back({"hand", {}, 2, {{0.6, 0, 0}, Mat3<double>::identity()}});
    return result;
  }
};

TEST(JointDynamics, AnArmOfTwoLinksIsTheTextbooks) {
  const Arm arm;
  JointDynamics dynamics(arm.mechanism());
  ASSERT_EQ(dynamics.velocities(), 2);
  Vector x = dynamics.equations().initial_state();
  const double q1 = 0.4, q2 = -0.9, u1 = 1.3, u2 = -0.7;
  x.head<4>() << q1, q2, u1, u2;
  dynamics.set_state(0, x);

  const double h = arm.m2 * arm.l1 * arm.c2, M22 = arm.I2 + arm.m2 * arm.c2 * arm.c2;
  const double M12 = M22 + h * std::cos(q2);
  const double M11 =
      arm.I1 + arm.m1 * arm.c1 * arm.c1 + M22 + arm.m2 * arm.l1 * arm.l1 + 2 * h * std::cos(q2);
  const Matrix M = dynamics.mass();
  EXPECT_NEAR(M(0, 0), M11, 1e-13);
  EXPECT_NEAR(M(0, 1), M12, 1e-13);
  EXPECT_NEAR(M(1, 0), M12, 1e-13);
  EXPECT_NEAR(M(1, 1), M22, 1e-13);

  // angles turn the links down, so gravity helps them
  const double g2 = -arm.m2 * arm.g * arm.c2 * std::cos(q1 + q2);
  const double g1 = g2 - (arm.m1 * arm.c1 + arm.m2 * arm.l1) * arm.g * std::cos(q1);
  EXPECT_NEAR(dynamics.gravity()[0], g1, 1e-12);
  EXPECT_NEAR(dynamics.gravity()[1], g2, 1e-12);
  EXPECT_NEAR(dynamics.bias()[0] - g1, -h * std::sin(q2) * (2 * u1 * u2 + u2 * u2), 1e-12);
  EXPECT_NEAR(dynamics.bias()[1] - g2, h * std::sin(q2) * u1 * u1, 1e-12);
  EXPECT_EQ(dynamics.own_forces().norm(), 0);

  Matrix J(6, 2);
  dynamics.jacobian(dynamics.point("hand"), J);
  EXPECT_NEAR(J(0, 0), -arm.l1 * std::sin(q1) - 0.6 * std::sin(q1 + q2), 1e-13);
  EXPECT_NEAR(J(2, 0), -arm.l1 * std::cos(q1) - 0.6 * std::cos(q1 + q2), 1e-13);
  EXPECT_NEAR(J(0, 1), -0.6 * std::sin(q1 + q2), 1e-13);
  EXPECT_NEAR(J(4, 1), 1, 1e-15);
  const Six drift = dynamics.jacobian_drift(dynamics.point("hand"));
  const double u12 = u1 + u2;
  EXPECT_NEAR(drift[0], -arm.l1 * std::cos(q1) * u1 * u1 - 0.6 * std::cos(q1 + q2) * u12 * u12, 1e-12);
  EXPECT_NEAR(drift[2], arm.l1 * std::sin(q1) * u1 * u1 + 0.6 * std::sin(q1 + q2) * u12 * u12, 1e-12);
}

// All kinds of joints, springs, a loop if wanted.
Mechanism mixed(bool closed) {
  Mechanism mechanism;
  mechanism.gravity = {0.3, -9.81, 0.1};
  const std::vector<JointType> types{JointType::revolute, JointType::universal, JointType::spherical,
                                     JointType::prismatic};
  std::string before = "ground";
  for (int i = 0; i < 4; ++i) {
    Body body;
    body.name = "b" + std::to_string(i + 1);
    body.mass = 1.5 - 0.2 * i;
    body.com = {0.1, -0.05, 0.02};
    body.inertia = {{0.3, 0.01, 0.02}, {0.01, 0.4, -0.03}, {0.02, -0.03, 0.5}};
    body.reference.origin = {1.0 * i, 0.2 * i, -0.1 * i};
    body.reference.axes = rotation_about({1, 2, 3}, 0.4 * i);
    mechanism.add(body);
    mechanism.add_joint("J" + std::to_string(i + 1), types[static_cast<std::size_t>(i)], before, body.name,
                        {i - 0.4, 0.1 * i, 0.3}, {0.3, 1, 0.2 * i});
    before = body.name;
  }
  if (closed)
    mechanism.add_joint("rod", JointType::distance, "ground", "b4", {2.0, 1.0, 0.5}).frame_b.origin = {0.2, 0,
                                                                                                       0};
  Force::SpringDamper spring;
  spring.name = "spring";
  spring.body_a = 1;
  spring.body_b = 4;
  spring.frame_a.origin = {0.1, 0.2, 0.3};
  spring.stiffness = 20;
  spring.damping = 3;
  spring.free_length = 0.7;
  mechanism.add(spring);
  Force::Actuator motor;
  motor.name = "motor";
  motor.along.joint = "J1";
  motor.law = Law(1000.0);
  mechanism.add(motor);
  return mechanism;
}

Vector moving_state(JointEquations& equations) {
  Vector x = equations.initial_state();
  const Layout& l = equations.layout();
  for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] = std::sin(1.0 + static_cast<double>(i));
  EXPECT_FALSE(Assembly(equations).run(0, x).failure);
  return x;
}

TEST(JointDynamics, TermsFitTogether) {
  for (const bool closed : {false, true}) {
    JointDynamics dynamics(mixed(closed));
    const Index size = dynamics.velocities();
    dynamics.set_state(0, moving_state(dynamics.equations()));
    const Matrix M = dynamics.mass();
    Vector a(size), forces(size), again(size), loops(dynamics.loop_rows());
    for (Index i = 0; i < size; ++i) a[i] = std::cos(2.0 * static_cast<double>(i));

    // inverse dynamics is M a + c − Q; the motor of the model is not in Q
    dynamics.inverse_dynamics(a, forces);
    const Vector sum = M * a + dynamics.bias() - dynamics.own_forces();
    EXPECT_LT((forces - sum).norm(), 1e-12 * sum.norm());
    EXPECT_GT(dynamics.own_forces().norm(), 1);
    EXPECT_LT(dynamics.own_forces().norm(), 500);

    ASSERT_TRUE(dynamics.forward_dynamics(forces, again, loops));
    if (!closed) {
      EXPECT_LT((again - a).norm(), 1e-10 * a.norm());
      continue;
    }
    // loops closed: D u' = −γ, and what is left is along Dᵀ
    ASSERT_EQ(dynamics.loop_rows(), 1);
    const Matrix D = dynamics.loop_jacobian();
    EXPECT_LT((D * again + dynamics.loop_drift()).norm(), 1e-9);
    EXPECT_LT((M * again + D.transpose() * loops - (M * a)).norm(), 1e-9 * sum.norm());
    const JointDynamics::LoopMotion& motion = dynamics.loop_motion();
    ASSERT_EQ(motion.R.cols(), size - 1);
    EXPECT_LT((D * motion.R).norm(), 1e-12);
    Vector z(size - 1);
    for (Index i = 0; i < z.size(); ++i) {
      z[i] = again[motion.free[at_index(i)]];
      EXPECT_EQ(motion.R(motion.free[at_index(i)], i), 1);
    }
    const Vector along = motion.R.transpose() * (forces + dynamics.own_forces());
    EXPECT_LT((motion.mass * z + motion.bias - along).norm(), 1e-9 * along.norm());
  }
}

TEST(JointDynamics, PointsMoveAsTheirJacobianSays) {
  JointDynamics dynamics(mixed(false));
  const Index size = dynamics.velocities();
  const Layout& l = dynamics.equations().layout();
  const Vector x = moving_state(dynamics.equations());
  const JointDynamics::BodyPoint point{4, {0.3, -0.2, 0.5}};
  Matrix J(6, size);
  const auto velocity = [&](const Vector& state) -> Six {
    dynamics.set_state(0, state);
    dynamics.jacobian(point, J);
    return J * state.segment(l.v.begin, size);
  };
  JointMotion motion(dynamics.equations());
  motion.set_state(0, x, Vector());
  const BodyState& body = motion.bodies()[4];
  const Vec3<double> omega = body.R * body.omega;
  const Vec3<double> arm = body.R * (point.at - dynamics.equations().mechanism().bodies[4].com);
  const Six seen = velocity(x);
  EXPECT_LT((seen.head<3>() - eigen(body.v + cross(omega, arm))).norm(), 1e-13);
  EXPECT_LT((seen.tail<3>() - eigen(omega)).norm(), 1e-13);

  // along the motion with u' = 0
  const double h = 1e-3;
  const auto moved = [&](double dt) {
    Vector state = x;
    MotionValues values(l, false);
    const int pieces = 20;
    for (int i = 0; i < pieces; ++i) {  // the midpoint rule; Euler parameters stay of length one well enough
      Vector half = state;
      motion.evaluate({0, state, Vector::Zero(size)}, part::kinematics, values);
      half.segment(l.p.begin, l.p.size) += 0.5 * dt / pieces * values.kinematics;
      motion.evaluate({0, half, Vector::Zero(size)}, part::kinematics, values);
      state.segment(l.p.begin, l.p.size) += dt / pieces * values.kinematics;
    }
    for (const JointTree::Node& node : dynamics.equations().tree().nodes())
      if (node.is_ball()) state.segment<4>(l.p.begin + node.p).normalize();
    return state;
  };
  const Six difference =
      (8 * (velocity(moved(h)) - velocity(moved(-h))) - velocity(moved(2 * h)) + velocity(moved(-2 * h))) /
      (12 * h);
  dynamics.set_state(0, x);
  EXPECT_LT((difference - dynamics.jacobian_drift(point)).norm(), 1e-6);

  SixBySix mobility;
  ASSERT_TRUE(dynamics.operational_mobility(point, mobility));
  dynamics.jacobian(point, J);
  const Matrix expected = J * Matrix(dynamics.mass()).ldlt().solve(J.transpose());
  EXPECT_LT((mobility - expected).norm(), 1e-9 * expected.norm());
  EXPECT_THROW(dynamics.point("nose"), std::invalid_argument);
}

TEST(ChosenState, HasTheValuesThatWereGiven) {
  const Mechanism mechanism = Arm().mechanism();
  JointDynamics dynamics(mechanism);
  Vector x;
  ASSERT_FALSE(
      find_chosen_state(mechanism, dynamics.equations(), 0, {{"A.angle", 0.5}, {"B.angle_rate", -2}}, x));
  EXPECT_NEAR(x[0], 0.5, 1e-12);
  EXPECT_NEAR(x[1], 0, 1e-12);
  EXPECT_NEAR(x[2], 0, 1e-12);
  EXPECT_NEAR(x[3], -2, 1e-12);
  // by where a point is to be
  ASSERT_FALSE(
      find_chosen_state(mechanism, dynamics.equations(), 0, {{"hand.position.x", 0.9}, {"A.angle", 0.3}}, x));
  EXPECT_NEAR(0.8 * std::cos(x[0]) + 0.6 * std::cos(x[0] + x[1]), 0.9, 1e-10);
  EXPECT_NEAR(x[0], 0.3, 1e-12);
  try {
    find_chosen_state(mechanism, dynamics.equations(), 0, {{"C.angle", 1}}, x);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("A.angle, A.angle_rate, B.angle"), std::string::npos)
        << error.what();
  }
}

TEST(ChosenState, LoopsCloseAroundThem) {
  const Mechanism mechanism = mixed(true);
  JointDynamics dynamics(mechanism);
  Vector x;
  ASSERT_FALSE(
      find_chosen_state(mechanism, dynamics.equations(), 0, {{"J1.angle", 0.2}, {"J1.angle_rate", 1.5}}, x));
  MotionValues values(dynamics.equations().layout(), false);
  dynamics.equations().evaluate({0, x, Vector::Zero(dynamics.velocities())}, part::g | part::gI, values);
  EXPECT_LT(values.g.norm() + values.gI.norm(), 1e-11);
  EXPECT_NEAR(x[0], 0.2, 1e-11);
  EXPECT_NEAR(x[dynamics.equations().layout().v.begin], 1.5, 1e-11);
}

// Against differences of fourth order: with nothing but gravity, and with a spring and friction.
TEST(JointDynamics, SlopesOfInverseDynamicsAreExact) {
  for (const bool with_forces : {false, true}) {
    Mechanism mechanism = Arm().mechanism();
    mechanism.joints[1].frame_a.axes = rotation_about({1, 0, 0}, 0.4) * mechanism.joints[1].frame_a.axes;
    if (with_forces) {
      Force::JointFriction friction;
      friction.name = "friction";
      friction.along.joint = "B";
      friction.viscous = 0.3;
      friction.dry = 0.2;
      friction.friction_velocity = 0.5;
      mechanism.add(friction);
      Force::TorsionSpring spring;
      spring.name = "spring";
      spring.along.joint = "A";
      spring.stiffness = 7;
      spring.law = Law("3*angle^3 + 0.1*rate*B.angle_rate");
      mechanism.add(spring);
    }
    JointDynamics dynamics(mechanism);
    Vector x = dynamics.equations().initial_state(), a(2);
    x.head<4>() << 0.4, -0.9, 1.3, -0.7;
    a << 2.1, -1.4;
    dynamics.set_state(0, x);
    Matrix by_position(2, 2), by_velocity(2, 2);
    dynamics.inverse_dynamics_slopes(a, by_position, by_velocity);
    for (Index k = 0; k < 4; ++k) {
      constexpr double h = 1e-3;
      Vector sum = Vector::Zero(2), forces(2);
      for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
        Vector moved = x;
        moved[k] += steps * h;
        dynamics.set_state(0, moved);
        dynamics.inverse_dynamics(a, forces);
        sum += weight / (12 * h) * forces;
      }
      const Vector exact = k < 2 ? by_position.col(k) : by_velocity.col(k - 2);
      EXPECT_NEAR((exact - sum).norm(), 0, 1e-9 * (1 + sum.norm())) << with_forces << ", " << k;
    }
  }
}

}  // namespace
}  // namespace trammel
