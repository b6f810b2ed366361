// Drivers and couplers as rows, and the time functions of drivers.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "tests/mechanism/joint_rig.h"
#include "trammel/mechanism/expression_parser.h"
#include "trammel/mechanism/time_function.h"

namespace trammel {
namespace {

constexpr double accuracy = 1e-13;
constexpr double pi = std::numbers::pi;
const Vec3<double> z{0, 0, 1};

Driver driver(const std::string& coordinate, Driver::Level level, Law motion) {
  Driver result;
  result.name = "motor";
  result.place = {"model.yaml", 7, 3};
  result.coordinate = coordinate;
  result.level = level;
  result.motion = std::move(motion);
  return result;
}

Coupler coupler(std::vector<Coupler::Term> terms, std::optional<double> offset = {}) {
  Coupler result;
  result.name = "tie";
  result.place = {"model.yaml", 9, 3};
  result.terms = std::move(terms);
  result.offset = offset;
  return result;
}

std::string refusal(JointRig& rig) {
  try {
    rig.make();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// ---- drivers

TEST(Driver, OfPositionIsARow) {
  JointRig rig(JointType::revolute);
  rig.mechanism.parameters["speed"] = 3;
  rig.mechanism.drivers = {driver("J.angle", Driver::Level::position, Law("speed*t^2 + 1"))};
  rig.make();
  const RowSystem& rows = rig.elements->holonomic;
  ASSERT_EQ(rows.size(), 6);
  EXPECT_EQ(rows.names[5], "motor.driver");
  ASSERT_EQ(rows.driven.size(), 1u);
  EXPECT_EQ(rows.driven[0].row, 5);
  const Taylor<double> motion = (*rows.driven[0].function)(2.0);
  EXPECT_NEAR(motion.value, 13, accuracy);
  EXPECT_NEAR(motion.first, 12, accuracy);
  EXPECT_NEAR(motion.second, 6, accuracy);
  EXPECT_NEAR(rig.holonomic(turned(z, 1.5))[5], 1.5, accuracy);
  EXPECT_EQ(rig.elements->driver_rows[0].first, 5);
  EXPECT_EQ(rig.elements->driver_rows[0].count, 1);
}

TEST(Driver, StartsTheAngleOnItsTurn) {
  JointRig rig(JointType::revolute);
  rig.joint.initial = {{"angle", 1.0}};
  rig.mechanism.drivers = {driver("J.angle", Driver::Level::position, Law("-20 + t"))};
  rig.make();
  EXPECT_NEAR(rig.holonomic(turned(z, -20.2))[5], -20.2, accuracy);
  EXPECT_NEAR(rig.coordinate("J.angle", turned(z, -20.2)), -20.2, accuracy);
}

TEST(Driver, OfVelocityIsARowAtVelocityLevel) {
  JointRig rig(JointType::prismatic);
  rig.mechanism.drivers = {driver("J.displacement", Driver::Level::velocity, Law("sin(2*t)"))};
  rig.make();
  EXPECT_EQ(rig.elements->holonomic.size(), 5);
  const RowSystem& rows = rig.elements->nonholonomic;
  ASSERT_EQ(rows.names, std::vector<std::string>{"motor.driver"});
  const Taylor<double> motion = (*rows.driven[0].function)(0.3);
  EXPECT_NEAR(motion.first, std::sin(0.6), accuracy);
  EXPECT_NEAR(motion.second, 2 * std::cos(0.6), accuracy);
  EXPECT_EQ(rig.elements->driver_rows[0].count, 0);
  EXPECT_EQ(rig.elements->driver_rows[0].count_nonholonomic, 1);

  std::vector<BodyState> bodies = rig.bodies({});
  bodies[2].v = compose(rig.mechanism.bodies[1].reference, rig.joint.frame_a).axes.column[2] * 4.0;
  EXPECT_NEAR(evaluate_rows(rows, bodies).rate[0], 4, accuracy);
}

TEST(Driver, OfAccelerationStartsAtTheInitialRate) {
  JointRig rig(JointType::revolute);
  rig.joint.initial = {{"angle_rate", 5.0}};
  rig.mechanism.drivers = {driver("J.angle", Driver::Level::acceleration, Law("6*t"))};
  rig.make();
  const Taylor<double> motion = (*rig.elements->nonholonomic.driven[0].function)(2.0);
  EXPECT_NEAR(motion.first, 5 + 12, accuracy);
  EXPECT_NEAR(motion.second, 12, accuracy);
}

TEST(Driver, OfADistanceOrAnAngularVelocity) {
  JointRig rig(JointType::spherical);
  rig.mechanism.drivers = {
      driver("distance(ground, first)", Driver::Level::position, Law(2.0)),
      driver("second.angular_velocity.x", Driver::Level::velocity, Law("t")),
  };
  rig.mechanism.drivers[1].name = "spinner";
  rig.make();
  const std::vector<BodyState> bodies = rig.bodies({});
  const Vec3<double> origin = rig.mechanism.bodies[1].reference.origin;
  EXPECT_NEAR(evaluate_rows(rig.elements->holonomic, bodies).value[3], length(origin), accuracy);
  EXPECT_EQ(rig.elements->nonholonomic.names, std::vector<std::string>{"spinner.driver"});
}

TEST(Driver, DependsOnTimeAlone) {
  JointRig rig(JointType::revolute);
  Law law("1 + 2*J.angle_rate", {"model.yaml", 7, 20});
  rig.mechanism.drivers = {driver("J.angle", Driver::Level::position, law)};
  EXPECT_EQ(refusal(rig),
            "model.yaml:7:26: only time and parameters may be used here, and 'J.angle_rate' depends on the "
            "motion");

  // nor on a measure of the motion, but on one of time
  JointRig of_measure(JointType::revolute);
  Measure measure;
  measure.name = "profile";
  measure.value = Law("2*t");
  of_measure.mechanism.measures = {measure};
  of_measure.mechanism.drivers = {driver("J.angle", Driver::Level::position, Law("profile"))};
  EXPECT_EQ(refusal(of_measure), "");
  EXPECT_NEAR((*of_measure.elements->holonomic.driven[0].function)(3.0).value, 6, accuracy);
  JointRig of_motion(JointType::revolute);
  measure.value = Law("first.position.x");
  of_motion.mechanism.measures = {measure};
  of_motion.mechanism.drivers = {driver("J.angle", Driver::Level::position, Law("profile"))};
  EXPECT_NE(refusal(of_motion).find("'profile' depends on the motion"), std::string::npos);
}

TEST(Driver, Refusals) {
  const auto refused = [](const std::string& coordinate, Driver::Level level, const std::string& law = "t") {
    JointRig rig(JointType::revolute);
    rig.mechanism.drivers = {driver(coordinate, level, Law(law))};
    return refusal(rig);
  };
  EXPECT_EQ(refused("J.angel", Driver::Level::position),
            "model.yaml:7:3: there is no quantity 'J.angel' (did you mean 'J.angle'?)");
  EXPECT_EQ(refused("2*J.angle", Driver::Level::velocity).find("model.yaml:7:3: there is no quantity"), 0u);
  EXPECT_EQ(refused("J.angle_rate", Driver::Level::velocity),
            "model.yaml:7:3: driver 'motor' is on a rate; name the coordinate itself, 'J.angle'");
  EXPECT_EQ(
      refused("first.angular_velocity.x", Driver::Level::position),
      "model.yaml:7:3: driver 'motor' is on 'first.angular_velocity.x', which has no position; give its "
      "velocity");
  EXPECT_EQ(refused("ground.position.x", Driver::Level::position),
            "model.yaml:7:3: driver 'motor' is on 'ground.position.x', which cannot change");
  EXPECT_EQ(refused("J.angle", Driver::Level::position, "log(t)"),
            "model.yaml:7:3: driver 'motor': its motion, or a derivative of it, is not finite at the start");

  JointRig twice(JointType::revolute);
  twice.mechanism.drivers = {driver("J.angle", Driver::Level::position, Law("t")),
                             driver("'J'.angle", Driver::Level::velocity, Law("t"))};
  twice.mechanism.drivers[1].name = "other";
  EXPECT_EQ(refusal(twice),
            "model.yaml:7:3: driver 'other' is on 'J.angle', which driver 'motor' moves already");
}

// ---- couplers

TEST(Coupler, TiesCoordinates) {
  JointRig rig(JointType::cylindrical);
  rig.mechanism.couplers = {coupler({{"J.angle", 2, {}}, {"J.displacement", -3, {}}}, 0.5)};
  rig.make();
  const RowSystem& rows = rig.elements->holonomic;
  ASSERT_EQ(rows.size(), 5);
  EXPECT_EQ(rows.names[4], "tie.tie");
  EXPECT_EQ(rows.offsets[4], 0.5);
  EXPECT_TRUE(rig.elements->offsets_from_assembly.empty());
  EXPECT_NEAR(rig.holonomic(compose(shifted(0, 0, 0.2), turned(z, 0.7)))[4], 2 * 0.7 - 3 * 0.2, accuracy);
  EXPECT_EQ(rig.elements->coupler_rows[0].first, 4);
  EXPECT_EQ(rig.elements->coupler_rows[0].count, 1);
}

TEST(Coupler, KeepsItsAssembledOffsetIfNoneIsGiven) {
  JointRig rig(JointType::cylindrical);
  rig.mechanism.couplers = {coupler({{"J.angle", 2, {}}})};
  rig.make();
  EXPECT_EQ(rig.elements->offsets_from_assembly, std::vector<Index>{4});
}

// A rope over a point: two distances in one row.
TEST(Coupler, OfDistances) {
  JointRig rig(JointType::spherical);
  rig.mechanism.couplers = {
      coupler({{"distance(ground, first)", 1, {}}, {"distance(ground, second)", 1, {}}}, 3.0)};
  rig.make();
  const double total =
      length(rig.mechanism.bodies[1].reference.origin) + length(rig.mechanism.bodies[2].reference.origin);
  EXPECT_NEAR(rig.holonomic({})[3], total, accuracy);
}

TEST(Coupler, Refusals) {
  const auto refused = [](const std::string& coordinate) {
    JointRig rig(JointType::revolute);
    rig.mechanism.couplers = {coupler({{coordinate, 1, {"model.yaml", 10, 5}}})};
    return refusal(rig);
  };
  EXPECT_EQ(refused("K.angle"), "model.yaml:10:5: there is no quantity 'K.angle' (did you mean 'J.angle'?)");
  EXPECT_NE(refused("J.angle_rate").find("is on a rate"), std::string::npos);
  EXPECT_NE(refused("first.angular_velocity.x").find("which is a velocity"), std::string::npos);
}

// ---- time functions

class OnlyTime final : public ExpressionScope {
 public:
  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override {
    if (reference.name == "t") return ExpressionSymbol(0);
    return std::nullopt;
  }
  std::vector<std::string> names() const override { return {"t"}; }
};
TimeIntegral integral_of(const std::string& text) { return TimeIntegral(parse_expression(text, OnlyTime())); }

TEST(TimeIntegral, OfSmoothFunctionsIsExactToRoundOff) {
  // in any order of times, over many cells
  const TimeIntegral cosine = integral_of("cos(7*t)");
  const TimeIntegral bell = integral_of("exp(-(t - 3)^2 / 0.02)");
  const double width = std::sqrt(0.02);
  for (const double t : {10.0, 0.1, 3.0, 0.5, 25.25, -1.3, 0.0}) {
    EXPECT_NEAR(cosine(t), std::sin(7 * t) / 7, 1e-14) << t;
    const double exact = 0.5 * std::sqrt(pi) * width * (std::erf((t - 3) / width) + std::erf(3 / width));
    EXPECT_NEAR(bell(t), exact, 1e-15) << t;
  }
  EXPECT_EQ(integral_of("3.5")(2.0), 7.0);
}

TEST(TimeIntegral, ClosesInOnCornersAndJumps) {
  const TimeIntegral jump = integral_of("t < 0.3 ? 1 : -2"), corner = integral_of("abs(t - 1.2345)");
  EXPECT_NEAR(jump(0.2), 0.2, 1e-15);
  EXPECT_NEAR(jump(0.45), 0.3 - 2 * 0.15, 1e-14);
  EXPECT_NEAR(jump(5), 0.3 - 2 * 4.7, 1e-13);
  EXPECT_NEAR(corner(3), 0.5 * (1.2345 * 1.2345 + 1.7655 * 1.7655), 1e-14);
}

// A pulse that lies between the nodes of a quadrature for some ends and not for others.
TEST(TimeIntegral, DoesNotMissAShortPulse) {
  const TimeIntegral pulse = integral_of("if(t > 0.6534 and t < 0.6744, 1, 0)");
  const TimeIntegral later = integral_of("if(t > 20.001 and t < 20.0012, 1, 0)");
  for (double t = 0.68; t < 3; t += 0.0037) EXPECT_NEAR(pulse(t), 0.021, 1e-14) << t;
  EXPECT_NEAR(pulse(0.66), 0.0066, 1e-14);
  EXPECT_EQ(later(20), 0);
  for (double t = 20.5; t < 40; t += 0.37) EXPECT_NEAR(later(t), 2e-4, 1e-14) << t;
}

TEST(TimeIntegral, EndsWhateverTheIntegrand) {
  // noise that no halving improves, and what is not a number
  EXPECT_TRUE(std::isfinite(integral_of("mod(sin(1e9*t)*1e9, 1)")(0.7)));
  EXPECT_TRUE(std::isnan(integral_of("t")(std::nan(""))));
  EXPECT_TRUE(std::isnan(integral_of("t")(std::numeric_limits<double>::infinity())));
}

}  // namespace
}  // namespace trammel
