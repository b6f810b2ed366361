// The heights of roads and their derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "trammel/mechanism/road_profile.h"

namespace trammel {
namespace {

RoadProfile bump(double start, double radius, double blend = 0) {
  Road road;
  road.kind = Road::Kind::half_cylinder;
  road.start = start;
  road.height = radius;
  road.length = blend;
  return RoadProfile(road, {});
}

RoadProfile waves() {
  Road road;
  road.kind = Road::Kind::sine;
  road.start = 0.2;
  road.height = 0.1;
  road.length = 1.3;
  return RoadProfile(road, {});
}

void expect_consistent(const RoadProfile& road, double from, double to) {
  const double step = 1e-5;
  for (double x = from; x < to; x += 0.0137) {
    const Derivatives here = road.derivatives(x), before = road.derivatives(x - step),
                      after = road.derivatives(x + step);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR((after[i] - before[i]) / (2 * step), here[i + 1], 1e-4 * (1 + std::abs(here[i + 1])))
          << "derivative " << i + 1 << " at " << x;
  }
}

TEST(Road, HasExactDerivatives) {
  expect_consistent(waves(), -1, 1);
  expect_consistent(bump(0, 1, 0.3), -2, 2);
  Road road;
  road.kind = Road::Kind::step;
  road.start = 0.3;
  road.height = 0.5;
  road.length = 0.6;
  expect_consistent(RoadProfile(road, {}), -1, 2);
}

TEST(Road, HalfCylinderIsACircleWithRoundedEnds) {
  const RoadProfile road = bump(5, 0.1);
  EXPECT_NEAR(road.derivatives(5)[0], 0.1, 1e-15);
  EXPECT_NEAR(road.derivatives(5.06)[0], 0.08, 1e-12);
  EXPECT_NEAR(road.derivatives(4.94)[1], 0.75, 1e-12);
  EXPECT_EQ(road.derivatives(4.88)[0], 0);
  EXPECT_EQ(road.derivatives(5.12)[0], 0);
  // whatever the length of the rounding, it goes down all the way, and two derivatives are continuous
  for (const double blend : {0.001, 0.01, 0.05, 0.09}) {
    const RoadProfile rounded = bump(0, 0.1, blend);
    double last = 0.1;
    for (double x = 0.0005; x < 0.21; x += 0.0005) {
      const double height = rounded.derivatives(x)[0];
      EXPECT_LE(height, last);
      EXPECT_GE(height, 0);
      EXPECT_EQ(height, rounded.derivatives(-x)[0]);
      last = height;
    }
    for (const double joint : {0.1 - blend, 0.1 + blend}) {
      const double gap = 1e-9 * blend;
      for (std::size_t i = 0; i < 3; ++i) {
        const double before = rounded.derivatives(joint - gap)[i],
                     after = rounded.derivatives(joint + gap)[i];
        EXPECT_NEAR(before, after, 1e-6 * (1 + std::abs(rounded.derivatives(0.1 - blend)[i])));
      }
    }
  }
}

TEST(Road, StepsSinesAndTables) {
  Road road;
  road.kind = Road::Kind::step;
  road.start = 1;
  road.height = 0.2;
  road.length = 0.5;
  const RoadProfile step(road, {});
  EXPECT_EQ(step.derivatives(1)[0], 0);
  EXPECT_NEAR(step.derivatives(1.25)[0], 0.1, 1e-15);
  EXPECT_EQ(step.derivatives(1.5)[0], 0.2);

  EXPECT_NEAR(waves().derivatives(0.2 + 1.3 / 4)[0], 0.1, 1e-15);

  const double x[] = {0, 1, 2}, y[] = {0, 0.3, 0.1};
  road.kind = Road::Kind::table;
  road.table = "track";
  const RoadProfile table(road, {{"track", Table(x, y)}});
  EXPECT_NEAR(table.derivatives(1.5)[0], 0.15, 1e-15);
  EXPECT_NEAR(table.derivatives(1.5)[1], 0.3, 1e-15);
  EXPECT_THROW(RoadProfile(road, {}), ModelError);
  EXPECT_THROW(bump(0, 0), ModelError);
  EXPECT_THROW(bump(0, 1, 1), ModelError);
}

}  // namespace
}  // namespace trammel
