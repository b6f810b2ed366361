#include "trammel/comparison/work_precision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/comparison/number_text.h"

namespace trammel {
namespace {

// A method of order five: error = rtol, time = rtol^(-1/5), evaluations ten thousand times that.
std::vector<WorkPoint> power_law() {
  std::vector<WorkPoint> points;
  for (int k = 3; k <= 9; ++k) {
    const double rtol = std::pow(10.0, -k), time = std::pow(rtol, -0.2);
    points.push_back({rtol, rtol, time, 1e4 * time, rtol * rtol});
  }
  return points;
}

TEST(WorkPrecision, APowerLawIsReadExactly) {
  for (const double wanted : {5e-4, 1e-6, 3e-7, 1e-9}) {
    const auto cost = cost_of_error(power_law(), wanted);
    ASSERT_TRUE(cost) << wanted;
    EXPECT_FALSE(cost->at_most);
    EXPECT_NEAR(cost->rtol / wanted, 1, 1e-9);
    EXPECT_NEAR(cost->seconds * std::pow(wanted, 0.2), 1, 1e-9);
    EXPECT_NEAR(cost->evaluations * std::pow(wanted, 0.2), 1e4, 1e-5);
    EXPECT_NEAR(cost->position_violation / (wanted * wanted), 1, 1e-9);
  }
}

TEST(WorkPrecision, TheOrderOfThePointsDoesNotMatter) {
  std::vector<WorkPoint> points = power_law();
  std::swap(points[0], points[5]);
  std::swap(points[2], points[3]);
  EXPECT_DOUBLE_EQ(cost_of_error(points, 2e-6)->seconds, cost_of_error(power_law(), 2e-6)->seconds);
}

TEST(WorkPrecision, NothingIsExtrapolated) {
  EXPECT_FALSE(cost_of_error(power_law(), 9e-10));
  EXPECT_FALSE(cost_of_error({}, 1e-3));
  // the mildest run does it: its own cost, as a bound
  const auto cost = cost_of_error(power_law(), 0.1);
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->at_most);
  EXPECT_EQ(cost->rtol, 1e-3);
}

TEST(WorkPrecision, LuckDoesNotCount) {
  std::vector<WorkPoint> points = power_law();
  points[0].error = 1e-8;  // by chance
  const auto cost = cost_of_error(points, 1e-6);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->rtol, 1e-6, 1e-15);
  // a method that gets worse again reaches nothing
  points.back().error = 1e-4;
  EXPECT_FALSE(cost_of_error(points, 1e-6));
}

TEST(WorkPrecision, AnErrorOfZeroHasNoLogarithm) {
  const auto cost = cost_of_error({{1e-3, 1e-2, 1, 10, 0}, {1e-4, 0, 2, 20, 0}}, 1e-6);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->seconds, 2);
  EXPECT_EQ(cost->position_violation, 0);
}

TEST(Recommendation, SaysWhoIsFastest) {
  Recommendation recommendation{1e-6, {}, "no method came so far"};
  EXPECT_EQ(recommendation.sentence(), "fastest to 1e-6: no method came so far");
  recommendation.ranking = {{"psf/radau5", {3.2e-3, 100, 2e-5, 1e-16, false}},
                            {"index1/radau5", {0.5, 100, 1e-5, 2e-9, true}}};
  EXPECT_EQ(recommendation.sentence(),
            "fastest to 1e-6: psf/radau5, 3.2 ms at rtol 2e-5; then index1/radau5, at most 500 ms at rtol "
            "1e-5 (constraints hold to 2e-9 only)");
}

TEST(NumberText, IsAsPeopleWriteIt) {
  EXPECT_EQ(scientific_text(1e-6, 3), "1e-6");
  EXPECT_EQ(scientific_text(2.5e-4, 3), "2.5e-4");
  EXPECT_EQ(scientific_text(2.5e-12), "2e-12");
  EXPECT_EQ(scientific_text(0.3, 2), "3e-1");
  EXPECT_EQ(scientific_text(4, 2), "4");
  EXPECT_EQ(scientific_text(0), "0");
  EXPECT_EQ(scientific_text(std::nan("")), "nan");
  EXPECT_EQ(seconds_text(3.21e-5), "32.1 µs");
  EXPECT_EQ(seconds_text(12.3456), "12.3 s");
  EXPECT_EQ(seconds_text(1234.56), "1235 s");
}

}  // namespace
}  // namespace trammel
