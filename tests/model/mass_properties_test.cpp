// Masses and inertias of solids against their formulas, and as a model file gives them.
#include "trammel/model/mass_properties.h"

#include <gtest/gtest.h>

#include <numbers>

#include "trammel/model/model.h"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

void expect_near(const Mat3<double>& actual, const Mat3<double>& expected, double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(actual(i, j), expected(i, j), tolerance) << i << ", " << j;
}
void expect_near(const Vec3<double>& actual, const Vec3<double>& expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
}
Mat3<double> diagonal(double x, double y, double z) { return {{x, 0, 0}, {0, y, 0}, {0, 0, z}}; }

Body body_of(const std::string& keys) {
  return read_model_text("trammel: 1\nbodies:\n  b: {" + keys + "}\n", "m.yaml").mechanism.bodies[1];
}

// By slices along z, each a disk (or box): independent of the formulas.
MassProperties by_slices(double length, double density, const std::function<double(double)>& radius) {
  std::vector<MassProperties> slices;
  const int count = 4000;
  for (int i = 0; i < count; ++i) {
    const double h = length / count, z = -length / 2 + (i + 0.5) * h, r = radius(z);
    const double m = density * pi * r * r * h;
    slices.push_back({m, {0, 0, z}, diagonal(m * r * r / 4, m * r * r / 4, m * r * r / 2)});
  }
  return together(slices);
}

TEST(MassProperties, BoxWithDensity) {
  const Body body = body_of("density: 1000, shapes: {box: [0.1, 0.2, 0.3]}");
  const double m = 1000 * 0.1 * 0.2 * 0.3;
  EXPECT_NEAR(body.mass, m, 1e-12);
  expect_near(body.com, {}, 1e-15);
  expect_near(body.inertia, diagonal(m * (0.04 + 0.09) / 12, m * (0.01 + 0.09) / 12, m * (0.01 + 0.04) / 12),
              1e-12);
}

TEST(MassProperties, RoundSolidsAgreeWithSlices) {
  const double r = 0.3, l = 0.8, density = 500;
  const auto expect_same = [&](Shape::Kind kind, double length, const std::function<double(double)>& radius) {
    Shape shape;
    shape.kind = kind;
    shape.size = {r, r, l};
    const MassProperties exact = *solid(shape, density), sliced = by_slices(length, density, radius);
    EXPECT_NEAR(exact.mass, sliced.mass, 1e-6 * exact.mass);
    expect_near(exact.com, sliced.com, 1e-6);
    expect_near(exact.inertia, sliced.inertia, 1e-5 * exact.inertia(0, 0));
  };
  expect_same(Shape::Kind::cylinder, l, [&](double) { return r; });
  expect_same(Shape::Kind::cone, l, [&](double z) { return r * (0.5 - z / l); });
  expect_same(Shape::Kind::sphere, 2 * r, [&](double z) { return std::sqrt(r * r - z * z); });
  expect_same(Shape::Kind::capsule, l + 2 * r, [&](double z) {
    const double beyond = std::max(std::abs(z) - l / 2, 0.0);
    return std::sqrt(r * r - beyond * beyond);
  });
}

TEST(MassProperties, SeveralShapesAddUp) {
  // two cubes side by side are one box
  const Body two =
      body_of("density: 10, shapes: [{box: [1, 1, 1], at: [-0.5, 0, 0]}, {box: [1, 1, 1], at: [0.5, 0, 0]}]");
  const Body one = body_of("density: 10, shapes: {box: [2, 1, 1]}");
  EXPECT_NEAR(two.mass, one.mass, 1e-12);
  expect_near(two.inertia, one.inertia, 1e-12);
  expect_near(two.com, {}, 1e-15);
  EXPECT_EQ(two.shapes.size(), 2U);

  const Body mixed =
      body_of("density: 10, shapes: [{box: [1, 1, 1]}, {box: [1, 1, 1], at: [2, 0, 0], density: 30}]");
  EXPECT_NEAR(mixed.mass, 40, 1e-12);
  expect_near(mixed.com, {1.5, 0, 0}, 1e-14);
}

TEST(MassProperties, ShapesWithoutDensityAreDecoration) {
  const Body body = body_of("shapes: [{box: [1, 1, 1], density: 10}, {box: [1, 1, 1], at: [2, 0, 0]}]");
  EXPECT_NEAR(body.mass, 10, 1e-12);
  expect_near(body.com, {}, 1e-15);
}

TEST(MassProperties, TurnedShape) {
  const Body along_x = body_of("density: 1, shapes: {cylinder: {radius: 0.1, length: 2}, axis: [1, 0, 0]}");
  const double m = pi * 0.01 * 2;
  expect_near(along_x.inertia, diagonal(m * 0.005, m * (0.03 + 4) / 12, m * (0.03 + 4) / 12), 1e-14);
  // a rod is a cylinder, whatever its ends look like
  const Body rod = body_of("density: 1, shapes: {rod: {from: [-1, 0, 0], to: [1, 0, 0], radius: 0.1}}");
  EXPECT_NEAR(rod.mass, m, 1e-14);
  expect_near(rod.inertia, along_x.inertia, 1e-14);
  EXPECT_EQ(rod.shapes[0].kind, Shape::Kind::capsule);
}

TEST(MassProperties, InertiaOfShapesForAGivenMass) {
  const Body body = body_of("mass: 3, inertia: shapes, shapes: {box: [1, 1, 1], at: [0.2, 0, 0]}");
  EXPECT_NEAR(body.mass, 3, 1e-14);
  expect_near(body.com, {0.2, 0, 0}, 1e-15);
  expect_near(body.inertia, diagonal(0.5, 0.5, 0.5), 1e-14);
}

TEST(MassProperties, InertiaAboutAnotherPoint) {
  // a point mass away from the origin: nothing is left about its own centre
  const Body point = body_of("mass: 2, com: [0, 3, 0], inertia: {about: origin, values: [18, 0, 18]}");
  expect_near(point.inertia, diagonal(0, 0, 0), 1e-13);
  const Body general = body_of(
      "mass: 2, com: [1, 0, 0], inertia: {about: [0, 0, 1], values: [[5, 0, 2], [0, 9, 0], [2, 0, 8]]}");
  expect_near(general.inertia, {{3, 0, 0}, {0, 5, 0}, {0, 0, 6}}, 1e-13);
}

TEST(MassProperties, InertiaInOtherAxes) {
  const Body body =
      body_of("mass: 1, inertia: {orientation: {axis: [0, 0, 1], angle: 90 deg}, values: [2, 3, 4]}");
  expect_near(body.inertia, diagonal(3, 2, 4), 1e-14);
  const Body turned =
      body_of("mass: 1, inertia: {orientation: {axis: [0, 0, 1], angle: 45 deg}, values: [2, 3, 4]}");
  expect_near(turned.inertia, {{2.5, -0.5, 0}, {-0.5, 2.5, 0}, {0, 0, 4}}, 1e-14);
}

TEST(MassProperties, SixNumbersAndRows) {
  const Mat3<double> expected{{3, 0.1, 0.2}, {0.1, 4, 0.3}, {0.2, 0.3, 5}};
  expect_near(body_of("mass: 1, inertia: [3, 4, 5, 0.1, 0.2, 0.3]").inertia, expected, 0);
  expect_near(body_of("mass: 1, inertia: [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]").inertia, expected,
              0);
}

TEST(MassProperties, RodBetweenTwoPointsOfTheWorld) {
  const Body rod = body_of("rod: {from: [1, 1, 0], to: [1, 3, 0], mass: 6}");
  EXPECT_EQ(rod.mass, 6);
  expect_near(rod.reference.origin, {1, 2, 0}, 1e-15);
  expect_near(rod.reference.axes, {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, 1e-15);
  expect_near(rod.inertia, diagonal(0, 2, 2), 1e-14);
  const Body upright = body_of("rod: {from: [0, 0, 0], to: [0, 0, 1], density: 1000, radius: 1 cm}");
  EXPECT_NEAR(upright.mass, 1000 * pi * 1e-4, 1e-12);
  expect_near(upright.reference.axes.column[0], {0, 0, 1}, 1e-15);
  EXPECT_NEAR(upright.inertia(0, 0), upright.mass * 1e-4 / 2, 1e-15);
}

}  // namespace
}  // namespace trammel
