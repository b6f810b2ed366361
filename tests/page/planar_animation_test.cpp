#include "trammel/page/planar_animation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trammel {
namespace {

using nlohmann::json;

// A point on the unit circle.
Trajectory circle(int samples, double end) {
  Trajectory trajectory({"x", "y"});
  for (int i = 0; i < samples; ++i) {
    const double t = end * i / (samples - 1);
    trajectory.append(t, Eigen::Vector2d(std::cos(t), std::sin(t)));
  }
  return trajectory;
}

PlanarDrawing rod() {
  PlanarDrawing drawing;
  drawing.points = {{"", "", 0, 0}, {"x", "y"}};
  drawing.lines = {{0, 1}};
  drawing.traces = {1};
  return drawing;
}

double coordinate(const json& data, std::size_t point, int axis, std::size_t frame) {
  const json& track = data["points"][point][axis == 0 ? "x" : "y"];
  const json& number = track.is_array() ? track[frame] : track;
  return data["origin"][axis].get<double>() + data["unit"].get<double>() * number.get<double>();
}

TEST(PlanarAnimation, KeepsTheSamplesOfAShortRun) {
  const PlanarAnimation animation = animate(rod(), circle(101, 6));
  const json& data = animation.data;
  ASSERT_EQ(data["moments"].size(), 101u);
  EXPECT_EQ(data["moments"][50], 500000);
  EXPECT_TRUE(animation.problems.empty());
  EXPECT_NEAR(coordinate(data, 0, 0, 0), 0, 1e-4);
  for (std::size_t i : {0, 17, 100}) {
    EXPECT_NEAR(coordinate(data, 1, 0, i), std::cos(0.06 * static_cast<double>(i)), 1e-4);
    EXPECT_NEAR(coordinate(data, 1, 1, i), std::sin(0.06 * static_cast<double>(i)), 1e-4);
  }
  EXPECT_NEAR(animation.aspect, 1, 0.01);
}

TEST(PlanarAnimation, InterpolatesALongRunInTime) {
  // dense at the start, as after an event
  Trajectory trajectory({"x", "y"});
  for (int i = 0; i < 50000; ++i) {
    const double t = std::pow(i / 49999.0, 3);
    trajectory.append(t, Eigen::Vector2d(t, 2 * t));
  }
  const json data = animate(rod(), trajectory).data;
  ASSERT_EQ(data["moments"].size(), 2000u);
  for (const std::size_t i : {0, 1, 400, 1000, 1999}) {
    const double t = static_cast<double>(i) / 1999;
    EXPECT_NEAR(data["moments"][i].get<double>(), 1e6 * t, 1);
    EXPECT_NEAR(coordinate(data, 1, 0, i), t, 1e-4);
    EXPECT_NEAR(coordinate(data, 1, 1, i), 2 * t, 1e-4);
  }
}

TEST(PlanarAnimation, RunsBackInTime) {
  const json data = animate(rod(), circle(5000, -6)).data;
  EXPECT_EQ(data["end"], -6.0);
  EXPECT_EQ(data["moments"].front(), 0);
  EXPECT_EQ(data["moments"].back(), 1000000);
  EXPECT_NEAR(coordinate(data, 1, 1, 1999), std::sin(-6), 1e-4);
}

TEST(PlanarAnimation, ShowsWholeCircles) {
  PlanarDrawing drawing = rod();
  drawing.circles = {{1, 0.5}};
  const json data = animate(drawing, circle(1000, 7)).data;
  EXPECT_NEAR(data["origin"][0].get<double>(), -1.5, 1e-3);
  EXPECT_NEAR(data["size"][0].get<double>() * data["unit"].get<double>(), 3, 1e-2);
}

TEST(PlanarAnimation, SaysWhatItCannotDraw) {
  PlanarDrawing drawing = rod();
  drawing.points.push_back({"missing", "y"});
  drawing.lines.push_back({0, 7});
  drawing.traces.push_back(9);
  const PlanarAnimation animation = animate(drawing, circle(10, 1));
  ASSERT_EQ(animation.problems.size(), 2u);
  EXPECT_NE(animation.problems[0].find("missing"), std::string::npos);
  EXPECT_TRUE(animation.data["points"][2]["x"].is_null());
  EXPECT_EQ(animation.data["lines"].size(), 1u);
  EXPECT_EQ(animation.data["traces"].size(), 1u);
}

TEST(PlanarAnimation, WorksWithHardlyAnything) {
  EXPECT_TRUE(animate({}, Trajectory()).empty());
  EXPECT_FALSE(animate(rod(), Trajectory({"x", "y"})).empty());

  Trajectory broken({"x", "y"});
  broken.append(std::nan(""), Eigen::Vector2d(1, 1));
  broken.append(0, Eigen::Vector2d(std::nan(""), 1));
  broken.append(1, Eigen::Vector2d(1, INFINITY));
  broken.append(1, Eigen::Vector2d(1, 1));
  const json data = animate(rod(), broken).data;
  ASSERT_EQ(data["moments"].size(), 3u);
  EXPECT_TRUE(data["points"][1]["x"][0].is_null());
  EXPECT_TRUE(data["points"][1]["y"][1].is_null());
  EXPECT_NEAR(coordinate(data, 1, 0, 2), 1, 1e-4);

  PlanarDrawing still;
  still.points = {{"", "", 1e9, -3}};
  EXPECT_NEAR(coordinate(animate(still, circle(10, 1)).data, 0, 0, 0), 1e9, 1e5);
}

}  // namespace
}  // namespace trammel
