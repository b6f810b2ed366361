// Gravity, mass and bias of a tree of bodies, as laws see them: slopes against differences, anywhere, and faults in words.
#include "trammel/mechanism/tree_forces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/mechanism/quantity.h"

namespace trammel {
namespace {

// A branched arm: A, then B and from there C and D; one of each kind of joint, some of them backwards.
Mechanism branched() {
  Mechanism mechanism;
  mechanism.gravity = {0.5, -1, -9.81};
  for (int i = 1; i <= 4; ++i) {
    Body body;
    body.name = "b" + std::to_string(i);
    body.mass = 1 + 0.3 * i;
    body.com = {0.1 * i, -0.05, 0.02};
    body.inertia = {{0.3, 0.01, 0.02}, {0.01, 0.4, -0.03}, {0.02, -0.03, 0.5}};
    body.reference.origin = {0.7 * i, 0.2 * i, -0.1 * i};
    mechanism.add(body);
  }
  mechanism.add_joint("A", JointType::revolute, "ground", "b1", {0.3, 0, 0}, {0.1, 1, 0.2});
  mechanism.add_joint("B", JointType::prismatic, "b2", "b1", {1, 0.1, 0}, {1, 0, 0.4});
  mechanism.add_joint("C", JointType::cylindrical, "b2", "b3", {1.7, 0.2, 0.1}, {0.2, 0.3, 1});
  mechanism.add_joint("D", JointType::screw, "b4", "b2", {2, 0.5, 0}, {0, 1, 1}).pitch = 0.3;
  return mechanism;
}

std::vector<BodyState> anywhere(const Mechanism& mechanism) {
  std::vector<BodyState> states(mechanism.bodies.size());
  for (std::size_t i = 1; i < states.size(); ++i) {
    const auto number = [&](double k) { return std::sin(1.7 * static_cast<double>(i) + k); };
    states[i].r = {number(0.1), number(1.2), number(2.5)};
    states[i].R = rotation_about({number(3), number(4), 1.0}, number(5));
    states[i].v = {number(6), number(7), number(8)};
    states[i].omega = {number(9), number(10), number(11)};
  }
  return states;
}

TEST(TreeForces, SlopesAreThoseOfTheValues) {
  const Mechanism mechanism = branched();
  TreeForces forces(mechanism);
  Index rows = 0;
  for (int a = 0; a < 4; ++a)
    for (int place = 0; place < (a == 2 ? 2 : 1); ++place) {
      forces.add_gravity(rows++, {a, place});
      forces.add_bias(rows++, {a, place});
      for (int b = 0; b < 4; ++b)
        if (!forces.unrelated(a, b)) forces.add_mass(rows++, {a, place}, {b, 0});
    }
  EXPECT_TRUE(forces.unrelated(2, 3));
  const std::vector<BodyState> states = anywhere(mechanism);
  const auto values = [&](const std::vector<BodyState>& at) {
    std::vector<double> rates(at_index(rows), 0.0);
    forces.evaluate(at, ConstraintBlock::velocity, {{}, rates, {}});
    return rates;
  };
  forces.differentiate(states, {}, ConstraintBlock::velocity);
  Matrix exact = Matrix::Zero(rows, 48);
  for (std::size_t i = 0; i < forces.elements().size(); ++i) {
    const ConstraintBlock::Element& element = forces.elements()[i];
    const ConstraintSlopes slopes = forces.slopes(static_cast<Index>(i));
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? element.body_a : element.body_b;
      for (int k = 0; k < 6 && body > 0; ++k) {
        exact(element.row, 12 * (body - 1) + k) += slopes.rate_pose[static_cast<std::size_t>(6 * side + k)];
        exact(element.row, 12 * (body - 1) + 6 + k) +=
            slopes.jacobian[static_cast<std::size_t>(6 * side + k)];
      }
    }
  }
  const double h = 1e-3;
  for (int column = 0; column < 48; ++column) {
    const auto moved = [&](double by) {
      std::vector<BodyState> at = states;
      BodyState& body = at[static_cast<std::size_t>(column / 12 + 1)];
      const int k = column % 12;
      Vec3<double> axis;
      axis[k % 3] = 1;
      if (k < 3) body.r += axis * by;
      if (k >= 3 && k < 6) body.R = body.R * rotation_about(axis, by);
      if (k >= 6 && k < 9) body.v += axis * by;
      if (k >= 9) body.omega += axis * by;
      return values(at);
    };
    const std::vector<double> far_up = moved(2 * h), up = moved(h), down = moved(-h),
                              far_down = moved(-2 * h);
    for (Index row = 0; row < rows; ++row) {
      const auto i = at_index(row);
      const double difference = (8 * (up[i] - down[i]) - far_up[i] + far_down[i]) / (12 * h);
      EXPECT_NEAR(exact(row, column), difference, 1e-8 * (1 + exact.row(row).lpNorm<Eigen::Infinity>()))
          << row << " " << column;
    }
  }
}

std::string fault_of(Mechanism mechanism, const std::string& law) {
  Force::Actuator motor;
  motor.name = "motor";
  motor.along.joint = "A";
  motor.law = Law(law);
  mechanism.add(motor);
  try {
    make_elements(mechanism);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(TreeForces, FaultsAreTold) {
  Mechanism arm = branched();
  const auto expect = [&](const std::string& law, const std::string& word) {
    const std::string fault = fault_of(arm, law);
    EXPECT_NE(fault.find(word), std::string::npos) << law << ": " << fault;
  };
  EXPECT_EQ(fault_of(arm, "gravity_torque(A)"), "");
  EXPECT_EQ(fault_of(arm, "gravity_force(B) + gravity_torque(C.angle)"), "");
  expect("gravity_torque(X)", "there is no joint 'X'");
  expect("gravity_torque(C)", "angle, displacement");
  expect("gravity_torque(A, B)", "of a coordinate");
  expect("inverse_dynamics(A)", "wanted_A");
  expect("inverse_dynamics(A, wanted)",
         "wanted_A, wanted_B, wanted_C_angle, wanted_C_displacement, wanted_D");
  for (const char* name : {"w_A", "w_B", "w_C_angle", "w_C_displacement", "w_D"})
    arm.measures.push_back({name, {}, Law("2 * t"), ""});
  EXPECT_EQ(fault_of(arm, "inverse_dynamics(A, w)"), "");
  // what C does not move is not asked for
  arm.measures.pop_back();
  EXPECT_EQ(fault_of(arm, "inverse_dynamics(C.angle, w)"), "");
  expect("inverse_dynamics(A, w)", "no measure w_D");

  Mechanism closed = arm;
  closed.add_joint("loop", JointType::spherical, "b3", "b4", {1, 1, 1});
  EXPECT_EQ(fault_of(closed, "gravity_torque(A)"), "");  // it carries all of the loop
  EXPECT_NE(fault_of(closed, "gravity_torque(C.angle)").find("loop"), std::string::npos);
  EXPECT_NE(fault_of(closed, "inverse_dynamics(A, w)").find("loop"), std::string::npos);
  Mechanism other = branched();
  other.joints[3].type = JointType::universal;
  EXPECT_NE(fault_of(other, "inverse_dynamics(A, w)").find("universal"), std::string::npos);
}

}  // namespace
}  // namespace trammel
