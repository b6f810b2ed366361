// Elements of a user's own: a force and two constraints in a few lines each.
#include "trammel/mechanism/user_elements.h"

#include <gtest/gtest.h>

#include "tests/mechanism/joint_rig.h"

namespace trammel {
namespace {

struct Wind {
  double drag = 0.1;

  template <class T>
  void operator()(const BodyMotion<T>&, const BodyMotion<T>& B, const ForceInputs<T>& inputs, Wrench<T>&,
                  Wrench<T>& on_b) const {
    on_b.force.x += 3.0 * inputs.t - drag * B.v.x * B.v.x;
  }
};

struct OnParabola {
  static constexpr int rows = 1;

  template <class T>
  std::array<T, 1> operator()(const Pose<T>&, const Pose<T>& B) const {
    return {B.r.z - B.r.x * B.r.x};
  }
};

struct NoLift {
  static constexpr int rows = 1;

  template <class T>
  std::array<T, 1> operator()(const BodyMotion<T>&, const BodyMotion<T>& B) const {
    return {B.v.z};
  }
};

Mechanism bead() {
  Mechanism mechanism;
  Body body;
  body.name = "bead";
  body.mass = 1;
  mechanism.add(body);
  return mechanism;
}

std::vector<BodyState> moving() {
  std::vector<BodyState> bodies(2);
  bodies[1].r = {2, 0, 1};
  bodies[1].v = {3, 0, 5};
  return bodies;
}

TEST(UserElements, Force) {
  Mechanism mechanism = bead();
  add_force_element(mechanism, "wind", "ground", "bead", Wind{});
  const auto elements = make_elements(mechanism);
  ASSERT_EQ(elements->forces.size(), 1u);
  EXPECT_EQ(elements->forces[0]->elements()[0].name, "wind");
  std::vector<Wrench<double>> wrenches(2);
  elements->forces[0]->evaluate(moving(), 2.0, {}, wrenches);
  EXPECT_NEAR(wrenches[1].force.x, 6 - 0.9, 1e-15);
  elements->forces[0]->differentiate(moving(), 2.0, {});
  // row 6: the force on B along x; column 18: its velocity along x
  EXPECT_NEAR(elements->forces[0]->pose_and_twist_slopes(0)[6 * 24 + 18], -0.6, 1e-15);
}

TEST(UserElements, Constraints) {
  Mechanism mechanism = bead();
  add_constraint_element(mechanism, "wire", "ground", "bead", {"height"}, OnParabola{});
  add_constraint_element(mechanism, "floor", "ground", "bead", {"lift"}, NoLift{});
  const auto elements = make_elements(mechanism);
  EXPECT_EQ(elements->holonomic.names, std::vector<std::string>{"wire.height"});
  EXPECT_EQ(elements->nonholonomic.names, std::vector<std::string>{"floor.lift"});
  const SystemRows wire = evaluate_rows(elements->holonomic, moving());
  EXPECT_NEAR(wire.value[0], 1 - 4, 1e-15);
  EXPECT_NEAR(wire.rate[0], 5 - 2 * 2 * 3, 1e-15);
  EXPECT_NEAR(wire.acceleration[0], -2 * 9, 1e-15);
  EXPECT_NEAR(evaluate_rows(elements->nonholonomic, moving()).rate[0], 5, 1e-15);
}

TEST(UserElements, Refusals) {
  Mechanism mechanism = bead();
  EXPECT_THROW(add_force_element(mechanism, "wind", "ground", "bed", Wind{}), ModelError);
  EXPECT_THROW(add_constraint_element(mechanism, "wire", "ground", "bead", {"a", "b"}, OnParabola{}),
               ModelError);
}

}  // namespace
}  // namespace trammel
