// Every kernel of a constraint in general positions and motions: its rate and acceleration, its reaction and
// all slopes against differences, action and reaction, and that only relative motion counts.
#include "trammel/mechanism/constraint_kernels.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/mechanism/moved_bodies.h"
#include "trammel/mechanism/constraint_block_implementation.h"
#include "trammel/mechanism/velocity_kernels.h"

namespace trammel {
namespace {

constexpr double step = 1e-5;
// Central differences with this step of functions of size one: step² and round-off / step.
constexpr double difference_accuracy = 2e-8;
constexpr double accuracy = 1e-13;

const Vec3<double> point_a{0.3, -0.2, 0.5}, point_b{-0.4, 0.1, 0.7};

Mat3<double> some_frame(unsigned seed) { return RandomBodies(seed).rotation(); }
Vec3<double> some_direction(unsigned seed) { return RandomBodies(seed).direction(); }

struct ACoincidentPoints {
  static CoincidentPoints kernel() { return {point_a, point_b}; }
};
struct APointInFrame {
  static PointInFrame kernel() { return {some_frame(14), point_a, point_b}; }
};
struct APerpendicular {
  static Perpendicular kernel() { return {some_direction(1), some_direction(2)}; }
};
struct AnOffset {
  static Offset kernel() { return {some_direction(3), point_a, point_b}; }
};
struct ADistance {
  static Distance kernel() { return {point_a, point_b, 1.3}; }
};
struct AnAngle {
  static Angle kernel() { return {some_frame(4), some_frame(5), 7.0}; }
};
struct APointDistance {
  static PointDistance kernel() { return {point_a, point_b}; }
};
struct ADiskHeight {
  static DiskHeight kernel() { return {some_direction(6), point_a, point_b, some_direction(7), 0.6}; }
};
struct ASphereHeight {
  static DiskHeight kernel() { return {some_direction(6), point_a, point_b, {}, 0.6}; }
};
struct APointSpeed {
  static PointSpeed kernel() { return {point_b, some_direction(8)}; }
};
struct ARollingDisk {
  static Rolling kernel() { return {some_frame(9), point_b, some_direction(10), 0.6}; }
};
struct ARollingSphere {
  static Rolling kernel() { return {some_frame(9), point_b, {}, 0.6}; }
};
struct ASpin {
  static Spin kernel() { return {some_direction(11)}; }
};

// One element whose rows start at row 1, between bodies 2 and 1, with a factor.
template <class Sample>
class ConstraintKernel : public testing::Test {
 protected:
  using Kernel = decltype(Sample::kernel());
  static constexpr int rows = Kernel::rows;
  static constexpr double factor = 1.7;
  static constexpr unsigned everything = ConstraintBlock::position | ConstraintBlock::velocity |
                                         ConstraintBlock::acceleration | ConstraintBlock::reaction;

  ConstraintKernel() {
    block_.add({2, 1, 1, factor}, Sample::kernel());
    RandomBodies random(12);
    bodies_ = {random.body(), random.body(), random.body()};
    multipliers_ = Vector::LinSpaced(rows + 1, 1.5, -0.8);
  }

  struct Rows {
    Vector value, rate, acceleration;
  };
  using Bodies = std::vector<BodyState>;

  Rows evaluate(const Bodies& bodies, unsigned wanted = everything) const {
    Rows rows_of{Vector::Zero(rows + 1), Vector::Zero(rows + 1), Vector::Zero(rows + 1)};
    block_.evaluate(bodies, wanted,
                    {as_span(rows_of.value), as_span(rows_of.rate), as_span(rows_of.acceleration)});
    return rows_of;
  }

  // Dᵀλ: force and torque on A, on B.
  Vector reaction(const Bodies& bodies, const Vector& multipliers) const {
    Wrench<double> on_a, on_b;
    block_.react(bodies, 0, as_span(multipliers), on_a, on_b);
    Vector all(12);
    for (int i = 0; i < 3; ++i) {
      all[i] = on_a.force[i];
      all[3 + i] = on_a.torque[i];
      all[6 + i] = on_b.force[i];
      all[9 + i] = on_b.torque[i];
    }
    return all;
  }
  Vector reaction(const Bodies& bodies) const { return reaction(bodies, multipliers_); }

  // The two bodies of the element, moved or hastened in one of its twelve directions.
  template <class Change>
  Bodies changed(const Change& change, int direction, double by) const {
    Bodies bodies = bodies_;
    BodyState& body = bodies[direction < 6 ? 2 : 1];
    body = change(body, direction % 6, by);
    return bodies;
  }
  template <class Change, class Function>
  Matrix differences(const Change& change, const Function& function) const {
    Matrix result(function(bodies_).size(), 12);
    for (int k = 0; k < 12; ++k)
      result.col(k) = (function(changed(change, k, step)) - function(changed(change, k, -step))) / (2 * step);
    return result;
  }

  // The rows of the element from a span of slopes.
  static Matrix slopes_of(std::span<const double> span) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(span.data(), static_cast<Index>(span.size()) / 12, 12);
  }
  void differentiate(unsigned wanted) { block_.differentiate(bodies_, as_span(multipliers_), wanted); }

  static double largest(const Matrix& matrix) { return matrix.cwiseAbs().maxCoeff(); }

  Constraints<Kernel> block_;
  Bodies bodies_;
  Vector multipliers_;
};

using Samples = testing::Types<ACoincidentPoints, APointInFrame, APerpendicular, AnOffset, ADistance, AnAngle,
                               APointDistance, ADiskHeight, ASphereHeight, APointSpeed, ARollingDisk,
                               ARollingSphere, ASpin>;
TYPED_TEST_SUITE(ConstraintKernel, Samples);

TYPED_TEST(ConstraintKernel, FillsItsOwnRowsOnly) {
  const auto all = this->evaluate(this->bodies_);
  EXPECT_EQ(all.value[0], 0);
  EXPECT_EQ(all.rate[0], 0);
  EXPECT_EQ(all.acceleration[0], 0);
  EXPECT_GT(this->largest(all.rate), 1e-3);
  EXPECT_GT(this->largest(all.acceleration), 1e-3);
  if (this->block_.holonomic()) {
    EXPECT_GT(this->largest(all.value), 1e-3);
    const auto positions = this->evaluate(this->bodies_, ConstraintBlock::position);
    EXPECT_LE(this->largest(positions.value - all.value), accuracy);
    EXPECT_EQ(this->largest(positions.rate), 0);
  } else {
    EXPECT_EQ(this->largest(all.value), 0);
  }
}

TYPED_TEST(ConstraintKernel, RatesAreDerivativesAlongTheMotion) {
  const auto at = [this](double time) {
    auto bodies = this->bodies_;
    for (BodyState& body : bodies) body = after(body, time);
    return this->evaluate(bodies);
  };
  const auto later = at(step), earlier = at(-step), now = at(0);
  if (this->block_.holonomic()) {
    EXPECT_LE(this->largest((later.value - earlier.value) / (2 * step) - now.rate), difference_accuracy);
  }
  EXPECT_LE(this->largest((later.rate - earlier.rate) / (2 * step) - now.acceleration), difference_accuracy);
}

TYPED_TEST(ConstraintKernel, ReactionWorksOnTheTwistsAsTheRateDoes) {
  // the rate is linear in the twists: differences are exact
  const auto rate = [this](const auto& bodies) { return this->evaluate(bodies).rate; };
  const Matrix D = this->differences(hastened, rate);
  const Vector expected = D.transpose() * this->multipliers_;
  EXPECT_GT(this->largest(expected), 0.1);
  EXPECT_LE(this->largest(this->reaction(this->bodies_) - expected), 1e-9);
}

TYPED_TEST(ConstraintKernel, JacobianIsThatOfRateAndOfValue) {
  this->differentiate(this->everything);
  const Matrix jacobian = this->slopes_of(this->block_.slopes(0).jacobian);
  const auto rate = [this](const auto& bodies) {
    return Vector(this->evaluate(bodies).rate.tail(this->rows));
  };
  EXPECT_LE(this->largest(jacobian - this->differences(hastened, rate)), 1e-9);
  if (!this->block_.holonomic()) return;
  const auto value = [this](const auto& bodies) {
    return Vector(this->evaluate(bodies).value.tail(this->rows));
  };
  EXPECT_LE(this->largest(jacobian - this->differences(moved, value)), difference_accuracy);
  // and it does not depend on what else is wanted
  this->differentiate(ConstraintBlock::position);
  EXPECT_LE(this->largest(jacobian - this->slopes_of(this->block_.slopes(0).jacobian)), accuracy);
}

TYPED_TEST(ConstraintKernel, SlopesOfRateAndAcceleration) {
  this->differentiate(this->everything);
  const ConstraintSlopes slopes = this->block_.slopes(0);
  const auto rate = [this](const auto& bodies) {
    return Vector(this->evaluate(bodies).rate.tail(this->rows));
  };
  const auto acceleration = [this](const auto& bodies) {
    return Vector(this->evaluate(bodies).acceleration.tail(this->rows));
  };
  EXPECT_LE(this->largest(this->slopes_of(slopes.rate_pose) - this->differences(moved, rate)),
            difference_accuracy);
  EXPECT_LE(this->largest(this->slopes_of(slopes.acceleration_pose) - this->differences(moved, acceleration)),
            difference_accuracy);
  EXPECT_LE(
      this->largest(this->slopes_of(slopes.acceleration_twist) - this->differences(hastened, acceleration)),
      difference_accuracy);
}

TYPED_TEST(ConstraintKernel, SlopesOfTheReaction) {
  this->differentiate(this->everything);
  const auto reaction = [this](const auto& bodies) { return this->reaction(bodies); };
  const Matrix expected = this->differences(moved, reaction);
  EXPECT_LE(this->largest(this->slopes_of(this->block_.slopes(0).reaction_pose) - expected),
            difference_accuracy);
}

// The same function without slopes of its own, which is differentiated by duals.
template <class Kernel>
struct ByDuals {
  static constexpr int rows = Kernel::rows;
  Kernel kernel;
  template <class T>
  std::array<T, static_cast<std::size_t>(rows)> operator()(const Pose<T>& A, const Pose<T>& B) const {
    return kernel(A, B);
  }
};

template <class Sample>
class ClosedForm : public ConstraintKernel<Sample> {};
using InClosedForm = testing::Types<ACoincidentPoints, APointInFrame, APerpendicular, AnOffset, ADistance>;
TYPED_TEST_SUITE(ClosedForm, InClosedForm);

TYPED_TEST(ClosedForm, SlopesAreThoseOfDuals) {
  static_assert(detail::has_slopes<typename TestFixture::Kernel>);
  Constraints<ByDuals<typename TestFixture::Kernel>> by_duals;
  by_duals.add(this->block_.elements()[0], {TypeParam::kernel()});
  by_duals.differentiate(this->bodies_, as_span(this->multipliers_), this->everything);
  this->differentiate(this->everything);
  const ConstraintSlopes expected = by_duals.slopes(0), slopes = this->block_.slopes(0);
  const auto differ = [this](std::span<const double> a, std::span<const double> b) {
    return this->largest(this->slopes_of(a) - this->slopes_of(b));
  };
  EXPECT_LE(differ(slopes.jacobian, expected.jacobian), accuracy);
  EXPECT_LE(differ(slopes.rate_pose, expected.rate_pose), accuracy);
  EXPECT_LE(differ(slopes.acceleration_pose, expected.acceleration_pose), accuracy);
  EXPECT_LE(differ(slopes.acceleration_twist, expected.acceleration_twist), accuracy);
  EXPECT_LE(differ(slopes.reaction_pose, expected.reaction_pose), accuracy);
  EXPECT_GT(this->largest(this->slopes_of(slopes.reaction_pose)), 0.1);
  // what is left out is not computed, the rest is the same
  const Matrix acceleration = this->slopes_of(slopes.acceleration_pose);
  this->differentiate(ConstraintBlock::velocity | ConstraintBlock::acceleration);
  EXPECT_EQ(this->largest(acceleration - this->slopes_of(slopes.acceleration_pose)), 0);
}

TYPED_TEST(ConstraintKernel, ActionEqualsReaction) {
  // equal forces at points that should coincide make a torque while they do not
  if constexpr (std::is_same_v<TypeParam, ACoincidentPoints>) {
    const Vector gap = this->evaluate(this->bodies_).value / this->factor;
    this->bodies_[1].r -= Vec3<double>{gap[1], gap[2], gap[3]};
  }
  const Vector all = this->reaction(this->bodies_);
  const auto vector = [&](Index first) { return Vec3<double>{all[first], all[first + 1], all[first + 2]}; };
  const BodyState &a = this->bodies_[2], &b = this->bodies_[1];
  EXPECT_LE(length(vector(0) + vector(6)), accuracy);
  // about the origin of the world
  const Vec3<double> torque =
      cross(a.r, vector(0)) + a.R * vector(3) + cross(b.r, vector(6)) + b.R * vector(9);
  EXPECT_LE(length(torque), accuracy);
}

TYPED_TEST(ConstraintKernel, OnlyRelativeMotionCounts) {
  RandomBodies random(13);
  const Mat3<double> Q = random.rotation();
  const Vec3<double> shift = random.vector();
  auto bodies = this->bodies_;
  for (BodyState& body : bodies) body = carried(body, Q, shift);

  auto before = this->evaluate(this->bodies_);
  const auto now = this->evaluate(bodies);
  Vector multipliers = this->multipliers_;
  // coincident points are compared in world axes, which do not turn along
  if constexpr (std::is_same_v<TypeParam, ACoincidentPoints>) {
    Eigen::Matrix3d turn;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) turn(i, j) = Q(i, j);
    for (Vector* part : {&before.value, &before.rate, &before.acceleration, &multipliers})
      part->tail(3) = (turn * part->tail(3)).eval();
  }
  EXPECT_LE(this->largest(now.value - before.value), accuracy);
  EXPECT_LE(this->largest(now.rate - before.rate), accuracy);
  EXPECT_LE(this->largest(now.acceleration - before.acceleration), accuracy);

  // forces are given in world axes and turn along, torques in body axes stay
  const Vector old_reaction = this->reaction(this->bodies_),
               new_reaction = this->reaction(bodies, multipliers);
  for (Index first : {0, 6}) {
    const Vec3<double> force =
        Q * Vec3<double>{old_reaction[first], old_reaction[first + 1], old_reaction[first + 2]};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(new_reaction[first + i], force[i], accuracy);
      EXPECT_NEAR(new_reaction[first + 3 + i], old_reaction[first + 3 + i], accuracy);
    }
  }
}

// ---- what is particular to one kernel

double angle_of(const Constraints<Angle>& block, const BodyState& a, const BodyState& b) {
  double value = 0;
  const BodyState bodies[] = {a, b};
  block.evaluate(bodies, ConstraintBlock::position, {{&value, 1}, {}, {}});
  return value;
}

TEST(AngleKernel, CountsTurns) {
  Constraints<Angle> block;
  block.add({0, 1, 0, 1.0}, {Mat3<double>::identity(), Mat3<double>::identity()});
  BodyState bodies[2];
  // three turns forwards, then five back, in steps just short of half a turn
  const double large_step = 3.1;
  double angle = 0;
  for (const double sign : {1.0, -1.0})
    for (int i = 0; i < (sign > 0 ? 6 : 10); ++i) {
      angle += sign * large_step;
      bodies[1].R = rotation_about({0, 0, 1}, angle);
      EXPECT_NEAR(angle_of(block, bodies[0], bodies[1]), angle, 1e-12);
      block.track(bodies, 0);
    }
  EXPECT_NEAR(angle, -12.4, 1e-12);
  EXPECT_NEAR(block.kernel(0).expected, angle, 1e-12);
}

TEST(AngleKernel, StaysOnItsTurnUntilTracked) {
  Constraints<Angle> block;
  constexpr double turn = 2 * std::numbers::pi;
  block.add({0, 1, 0, 1.0}, {Mat3<double>::identity(), Mat3<double>::identity(), 5 * turn});
  BodyState a, b;
  b.R = rotation_about({0, 0, 1}, 3.0);
  EXPECT_NEAR(angle_of(block, a, b), 5 * turn + 3.0, 1e-12);
  b.R = rotation_about({0, 0, 1}, -3.0);
  EXPECT_NEAR(angle_of(block, a, b), 5 * turn - 3.0, 1e-12);
}

TEST(DistanceKernel, IsTheChangeOfLengthNearItsLength) {
  const Distance kernel{{}, {}, 2.0};
  const Pose<double> a{{}, Mat3<double>::identity()}, b{{2.001, 0, 0}, Mat3<double>::identity()};
  EXPECT_NEAR(kernel(a, b)[0], 0.001, 1e-6);
}

TEST(PointDistanceKernel, HasNoSlopeWherePointsCoincide) {
  Constraints<PointDistance> block;
  block.add({0, 1, 0, 1.0}, {});
  const BodyState bodies[2];
  block.differentiate(bodies, {}, ConstraintBlock::velocity);
  for (const double slope : block.slopes(0).jacobian) EXPECT_EQ(slope, 0);
}

TEST(DiskHeightKernel, LowestPointOfATiltedDisk) {
  // the axis 30 degrees above the plane: the rim is radius · cos 30° below the centre
  const double radius = 0.5, tilt = std::numbers::pi / 6;
  const DiskHeight kernel{{0, 0, 1}, {}, {}, {0, 0, 1}, radius};
  const Pose<double> plane{{}, Mat3<double>::identity()};
  const Pose<double> disk{{7, 3, 1.0}, rotation_about({1, 0, 0}, std::numbers::pi / 2 - tilt)};
  EXPECT_NEAR(kernel(plane, disk)[0], 1.0 - radius * std::cos(tilt), accuracy);
}

}  // namespace
}  // namespace trammel
