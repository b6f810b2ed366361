// The points of a sweep.
#include "trammel/sweep/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace trammel {
namespace {

std::vector<std::vector<double>> points(const std::vector<std::string>& vary, const Sampling& sampling = {}) {
  std::vector<Variation> variations;
  for (const std::string& text : vary) variations.push_back(parse_variation(text));
  return sweep_points(variations, sampling);
}

std::string fault(const std::vector<std::string>& vary, const Sampling& sampling = {}) {
  try {
    points(vary, sampling);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Sampling, GridsHaveEveryValueWithEveryOtherAndTheirEndsExactly) {
  EXPECT_EQ(points({"a=[1, 2]", "b=0.1:0.3:3"}),
            (std::vector<std::vector<double>>{{1, 0.1}, {1, 0.2}, {1, 0.3}, {2, 0.1}, {2, 0.2}, {2, 0.3}}));
  const auto ratios = points({"k=1e3:1e5:5log"});
  ASSERT_EQ(ratios.size(), 5u);
  EXPECT_EQ(ratios.front()[0], 1e3);
  EXPECT_EQ(ratios.back()[0], 1e5);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NEAR(ratios[i][0] / ratios[i - 1][0], std::sqrt(10.0), 1e-12);
  EXPECT_EQ(points({"k=3:7:1"}), (std::vector<std::vector<double>>{{3}}));
}

TEST(Sampling, ListsTakeValuesTogether) {
  EXPECT_EQ(points({"a=[1,2]", "b=[5,7]"}, {Sampling::Kind::list}),
            (std::vector<std::vector<double>>{{1, 5}, {2, 7}}));
}

TEST(Sampling, ALatinHypercubeHasOnePointInEachShareOfEachParameter) {
  const auto drawn = points({"a=0:1", "b=1:100:log"}, {Sampling::Kind::latin, 50, 3});
  for (std::size_t parameter = 0; parameter < 2; ++parameter) {
    std::vector<int> shares;
    for (const auto& point : drawn)
      shares.push_back(static_cast<int>(50 * (parameter == 0 ? point[0] : std::log10(point[1]) / 2)));
    std::sort(shares.begin(), shares.end());
    for (int i = 0; i < 50; ++i) EXPECT_EQ(shares[static_cast<std::size_t>(i)], i);
  }
}

TEST(Sampling, NormalPointsHaveTheirMomentsAndQuantiles) {
  const auto drawn = points({"m=normal(3, 0.5)"}, {Sampling::Kind::latin, 10000, 1});
  double sum = 0, squares = 0;
  long within = 0;
  for (const auto& point : drawn) {
    sum += point[0];
    squares += (point[0] - 3) * (point[0] - 3);
    within += std::abs(point[0] - 3) < 1.96 * 0.5 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 10000, 3, 1e-3);
  EXPECT_NEAR(std::sqrt(squares / 10000), 0.5, 1e-3);
  EXPECT_NEAR(static_cast<double>(within), 9500, 2);
}

TEST(Sampling, SeedsDecideAndNothingElse) {
  const Sampling seven{Sampling::Kind::random, 20, 7}, eight{Sampling::Kind::random, 20, 8};
  EXPECT_EQ(points({"a=0:1"}, seven), points({"a=0:1"}, seven));
  EXPECT_NE(points({"a=0:1"}, seven), points({"a=0:1"}, eight));
  // a generator of the standard, whose first number is known to all
  EXPECT_NEAR(points({"a=0:1"}, {Sampling::Kind::random, 1, 5489})[0][0],
              14514284786278117030.0 / 18446744073709551616.0, 1e-15);
}

TEST(Sampling, WhatMakesNoSenseIsSaid) {
  EXPECT_NE(fault({"a=0:1"}).find("a grid needs values of 'a'"), std::string::npos);
  EXPECT_NE(fault({"a=[1]", "a=[2]"}).find("varied twice"), std::string::npos);
  EXPECT_NE(fault({"a=[1]", "b=[1,2]"}, {Sampling::Kind::list}).find("takes values together"),
            std::string::npos);
  EXPECT_NE(fault({"a=1:2:0"}).find("not a number of values"), std::string::npos);
  EXPECT_NE(fault({"a=1:2:2.5"}).find("not a number of values"), std::string::npos);
  EXPECT_NE(fault({"a=0:2:3log"}).find("equal ratios"), std::string::npos);
  EXPECT_NE(fault({"a=[]"}).find("is not a number"), std::string::npos);
  EXPECT_NE(fault({"a=nan:1:2"}).find("is not a number"), std::string::npos);
  EXPECT_NE(fault({"a"}).find("parameter=values"), std::string::npos);
  EXPECT_NE(fault({"a=normal(1)"}).find("normal(mean, deviation)"), std::string::npos);
  EXPECT_NE(fault({"a=normal(1, -2)"}).find("must be positive"), std::string::npos);
  EXPECT_NE(fault({"a=1:2:10000", "b=1:2:10000"}).find("more than"), std::string::npos);
  EXPECT_NE(fault({"a=0:1"}, {Sampling::Kind::latin, 0}).find("not a number of runs"), std::string::npos);
  EXPECT_NE(fault({}).find("at least one parameter"), std::string::npos);
}

}  // namespace
}  // namespace trammel
