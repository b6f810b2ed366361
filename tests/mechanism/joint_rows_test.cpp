// Every type of joint: how many rows it has, which motions it leaves free and how its coordinates report
// them, which it locks.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/mechanism/joint_rig.h"
#include "trammel/mechanism/joint_elements.h"

namespace trammel {
namespace {

constexpr double accuracy = 1e-14;
constexpr double pi = std::numbers::pi;
const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

struct FreeMotion {
  Frame to;
  std::vector<std::pair<std::string, double>> coordinates;
};

struct JointCase {
  JointType type;
  std::vector<std::string> rows, velocity_rows;
  std::vector<FreeMotion> free;
  std::vector<Frame> locked;
  Frame reference = {};
};

Frame together(std::initializer_list<Frame> frames) {
  Frame all;
  for (const Frame& frame : frames) all = compose(all, frame);
  return all;
}

// For a joint that leaves no motion in a direction free, some motion in that direction.
const std::vector<Frame> shifts = {shifted(0.1, 0, 0), shifted(0, 0.1, 0), shifted(0, 0, 0.1)};
const std::vector<Frame> turns = {turned(x, 0.1), turned(y, 0.1), turned(z, 0.1)};

std::vector<Frame> operator+(std::vector<Frame> a, const std::vector<Frame>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<JointCase> joints_with_points() {
  const std::vector<FreeMotion> any_turn = {{turned({1, 2, 3}, 2.0), {}}, {turned({-1, 0, 1}, 3.0), {}}};
  return {
      {JointType::fixed, {"x", "y", "z", "axis-1", "axis-2", "rotation"}, {}, {{{}, {}}}, shifts + turns},
      {JointType::revolute,
       {"x", "y", "z", "axis-1", "axis-2"},
       {},
       {{turned(z, 0.7), {{"angle", 0.7}}}, {turned(z, -3), {{"angle", -3}}}},
       shifts + std::vector<Frame>{turned(x, 0.1), turned(y, 0.1), turned({0.1, 0, 1}, 0.5)}},
      {JointType::spherical, {"x", "y", "z"}, {}, any_turn, shifts},
      {JointType::universal,
       {"x", "y", "z", "axis"},
       {},
       {{turned(z, 0.7), {{"angle_1", 0.7}, {"angle_2", 0}}},
        {turned(x, 0.6), {{"angle_1", 0}, {"angle_2", 0.6}}},
        {together({turned(z, -2.5), turned(x, 1.1)}), {{"angle_1", -2.5}, {"angle_2", 1.1}}}},
       shifts + std::vector<Frame>{turned(y, 0.1), together({turned(x, 0.5), turned(z, 0.5)})}},
      {JointType::constant_velocity,
       {"x", "y", "z", "rotation"},
       {},
       {{turned(x, 0.7), {}},
        {turned(y, -1.0), {}},
        // bent to any side: the first shaft turned by 0.8, the second by as much
        {together({turned(z, 0.8), turned(x, 0.9), turned(z, -0.8)}), {}}},
       shifts + std::vector<Frame>{turned(z, 0.1), together({turned(z, 0.8), turned(x, 0.9)})}},
  };
}

std::vector<JointCase> sliding_joints() {
  return {
      {JointType::prismatic,
       {"offset-1", "offset-2", "axis-1", "axis-2", "rotation"},
       {},
       {{shifted(0, 0, 0.7), {{"displacement", 0.7}}}, {shifted(0, 0, -3), {{"displacement", -3}}}},
       turns + std::vector<Frame>{shifted(0.1, 0, 0), shifted(0, 0.1, 0.5)}},
      {JointType::cylindrical,
       {"offset-1", "offset-2", "axis-1", "axis-2"},
       {},
       {{together({shifted(0, 0, 0.7), turned(z, 2)}), {{"displacement", 0.7}, {"angle", 2}}}},
       {shifted(0.1, 0, 0), shifted(0, 0.1, 0), turned(x, 0.1), turned(y, 0.1)}},
      {JointType::screw,
       {"offset-1", "offset-2", "pitch", "axis-1", "axis-2"},
       {},
       // of pitch 0.01
       {{together({shifted(0, 0, 0.0025), turned(z, pi / 2)}),
         {{"displacement", 0.0025}, {"angle", pi / 2}}}},
       {shifted(0.1, 0, 0), shifted(0, 0.1, 0), shifted(0, 0, 0.1), turned(x, 0.1), turned(y, 0.1),
        turned(z, 0.5)}},
      {JointType::planar,
       {"offset", "axis-1", "axis-2"},
       {},
       {{together({shifted(0.4, -0.7, 0), turned(z, 2)}), {{"x", 0.4}, {"y", -0.7}, {"angle", 2}}}},
       {shifted(0, 0, 0.1), turned(x, 0.1), turned(y, 0.1)}},
      {JointType::translational,
       {"axis-1", "axis-2", "rotation"},
       {},
       {{shifted(0.4, -0.7, 3), {{"x", 0.4}, {"y", -0.7}, {"z", 3}}}},
       turns},
      {JointType::point_on_line,
       {"offset-1", "offset-2"},
       {},
       {{together({shifted(0, 0, 0.7), turned({1, 2, 3}, 2.0)}), {{"displacement", 0.7}}}},
       {shifted(0.1, 0, 0), shifted(0, 0.1, 0)}},
      {JointType::point_in_plane,
       {"offset"},
       {},
       {{together({shifted(0.4, -0.7, 0), turned({1, 2, 3}, 2.0)}), {{"x", 0.4}, {"y", -0.7}}}},
       {shifted(0, 0, 0.1)}},
  };
}

// A distance, and what rolls or cuts on a plane with radius 0.5.
std::vector<JointCase> other_joints() {
  const double tilt = 0.4;
  const Frame standing = together({shifted(0, 0, 0.5), turned(x, pi / 2)});
  return {
      {JointType::distance,
       {"distance"},
       {},
       {{shifted(0, -0.5, 0), {}}, {together({turned({1, 2, 3}, 2.0), shifted(0.3, 0.4, 0)}), {}}},
       {shifted(0.3, 0.41, 0), shifted(0, 0, 0.1)},
       shifted(0.3, 0.4, 0)},
      {JointType::rolling_disk,
       {"height"},
       {"roll-1", "roll-2"},
       {{standing, {}},
        {together({shifted(3, 2, 0), turned(z, 1.0), standing, turned(z, 2.0)}), {}},
        // leaning over, its centre is lower
        {together({shifted(1, 2, 0.5 * std::cos(tilt)), turned(x, pi / 2 - tilt)}), {}}},
       {together({shifted(0, 0, 0.1), standing}), together({standing, turned(x, 0.3)})},
       standing},
      {JointType::rolling_sphere,
       {"height"},
       {"roll-1", "roll-2"},
       {{together({shifted(3, 2, 0.5), turned({1, 2, 3}, 2.0)}), {}}},
       {shifted(0, 0, 0.6)},
       shifted(0, 0, 0.5)},
      {JointType::knife_edge, {}, {"slip"}, {{together({shifted(3, 2, 0.5), turned(z, 2.0)}), {}}}, {}},
  };
}

class JointRows : public testing::TestWithParam<JointCase> {
 protected:
  JointRows() : rig_(GetParam().type, GetParam().reference) { rig_.make(); }
  JointRig rig_;
};

std::string case_name(const testing::TestParamInfo<JointCase>& info) { return name(info.param.type); }
INSTANTIATE_TEST_SUITE_P(Points, JointRows, testing::ValuesIn(joints_with_points()), case_name);
INSTANTIATE_TEST_SUITE_P(Sliding, JointRows, testing::ValuesIn(sliding_joints()), case_name);
INSTANTIATE_TEST_SUITE_P(Others, JointRows, testing::ValuesIn(other_joints()), case_name);

TEST(JointTypes, AreAllTestedHere) {
  EXPECT_EQ(joints_with_points().size() + sliding_joints().size() + other_joints().size(),
            joint_types().size());
}

TEST_P(JointRows, HasItsRows) {
  const auto full = [](std::vector<std::string> names) {
    for (std::string& name : names) name = "J." + name;
    return names;
  };
  const Elements& elements = *rig_.elements;
  EXPECT_EQ(elements.holonomic.names, full(GetParam().rows));
  EXPECT_EQ(elements.nonholonomic.names, full(GetParam().velocity_rows));
  ASSERT_EQ(elements.joint_rows.size(), 1u);
  EXPECT_EQ(elements.joint_rows[0].first, 0);
  EXPECT_EQ(elements.joint_rows[0].count, elements.holonomic.size());
  EXPECT_EQ(elements.joint_rows[0].count_nonholonomic, elements.nonholonomic.size());
}

TEST_P(JointRows, ReferenceIsMet) {
  const Vector rows = rig_.holonomic(GetParam().reference);
  for (Index i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(rows[i], 0, accuracy) << rig_.elements->holonomic.names[static_cast<std::size_t>(i)];
}

TEST_P(JointRows, RowsAreIndependent) {
  // also where the joint has moved, and of positions and velocities together
  for (const FreeMotion& motion : GetParam().free) {
    const std::vector<BodyState> bodies = rig_.bodies(motion.to);
    const Matrix g = jacobian_of(rig_.elements->holonomic, bodies);
    const Matrix h = jacobian_of(rig_.elements->nonholonomic, bodies);
    Matrix all(g.rows() + h.rows(), 18);
    all << g, h;
    const Vector singular = all.jacobiSvd().singularValues();
    EXPECT_GT(singular[all.rows() - 1], 0.001);
  }
}

TEST_P(JointRows, FreeMotionsAreFreeAndReported) {
  std::size_t coordinates = 0;
  for (const FreeMotion& motion : GetParam().free) {
    const Vector rows = rig_.holonomic(motion.to);
    for (Index i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], 0, accuracy);
    for (const auto& [name, value] : motion.coordinates)
      EXPECT_NEAR(rig_.coordinate("J." + name, motion.to), value, accuracy) << name;
    coordinates = std::max(coordinates, motion.coordinates.size());
  }
  EXPECT_EQ(rig_.elements->coordinates.size(), coordinates);
  for (const JointCoordinate& coordinate : rig_.elements->coordinates)
    EXPECT_EQ(coordinate.is_angle, coordinate.name.find("angle") != std::string::npos);
}

TEST_P(JointRows, LockedMotionsAreSeen) {
  for (const Frame& to : GetParam().locked) {
    EXPECT_GT(rig_.holonomic(to).cwiseAbs().maxCoeff(), 0.0007)
        << to.origin.x << " " << to.origin.y << " " << to.origin.z;
  }
}

// The multipliers that reaction_force() lists are the components of one force: of equal size, whichever it
// is.
TEST_P(JointRows, ReactionForceHasTheSizeOfItsMultipliers) {
  const Elements& elements = *rig_.elements;
  const std::vector<Input> parts = reaction_force(GetParam().type, elements.joint_rows[0]);
  EXPECT_EQ(parts.empty(), GetParam().type == JointType::translational);
  Vector lambda = Vector::Zero(elements.holonomic.size()), mu = Vector::Zero(elements.nonholonomic.size());
  double square = 0;
  for (const Input& part : parts) {
    const double value = 1.0 + static_cast<double>(part.index) * 0.7;
    (part.kind == Input::Kind::multiplier ? lambda : mu)[part.index] = value;
    square += value * value;
  }
  const std::vector<BodyState> bodies = rig_.bodies(GetParam().free.back().to);
  Wrench<double> on_first, on_second;
  for (const auto& [system, multipliers] :
       {std::pair{&elements.holonomic, &lambda}, std::pair{&elements.nonholonomic, &mu}})
    for (const auto& block : system->blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i)
        block->react(bodies, static_cast<Index>(i), as_span(*multipliers), on_first, on_second);
  EXPECT_NEAR(length(on_second.force), std::sqrt(square), accuracy * 10);

  // and no other multiplier makes a force
  lambda.setOnes();
  for (const Input& part : parts)
    if (part.kind == Input::Kind::multiplier) lambda[part.index] = 0;
  Wrench<double> torque_a, torque_b;
  for (const auto& block : elements.holonomic.blocks)
    for (std::size_t i = 0; i < block->elements().size(); ++i)
      block->react(bodies, static_cast<Index>(i), as_span(lambda), torque_a, torque_b);
  EXPECT_LE(length(torque_b.force), accuracy);
}

}  // namespace
}  // namespace trammel
