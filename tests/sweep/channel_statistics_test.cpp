// Final value, extremes and root mean square of a channel.
#include "trammel/sweep/channel_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace trammel {
namespace {

struct Samples {
  std::vector<double> t, y;
  Samples(int count, double end, const std::function<double(double)>& f) {
    for (int i = 0; i <= count; ++i) {
      t.push_back(end * i / count);
      y.push_back(f(t.back()));
    }
  }
  ChannelStatistics statistics() const { return channel_statistics(t, y); }
};

TEST(ChannelStatistics, CubicsAreExact) {
  // y' = 3 (t − 1) (t − 2.5): a maximum at 1, between samples, above the ends
  const auto f = [](double t) { return t * t * t - 5.25 * t * t + 7.5 * t; };
  const ChannelStatistics found = Samples(7, 2.9, f).statistics();
  EXPECT_NEAR(found.maximum, f(1), 1e-12);
  EXPECT_NEAR(found.final, f(2.9), 1e-12);
  EXPECT_NEAR(Samples(7, 2.9, [&](double t) { return -f(t); }).statistics().minimum, -f(1), 1e-12);
}

TEST(ChannelStatistics, ErrorsFallWithTheFourthPowerOfTheInterval) {
  // the worst over many places of the extremes between samples
  double worst[2][3] = {};
  for (int k = 0; k < 2; ++k)
    for (int shift = 0; shift < 50; ++shift) {
      const auto f = [&](double t) { return std::sin(t + 0.013 * shift); };
      const ChannelStatistics found = Samples(20 << k, 2 * std::numbers::pi, f).statistics();
      const double errors[] = {std::abs(found.maximum - 1), std::abs(found.minimum + 1),
                               std::abs(found.rms - std::sqrt(0.5))};
      for (int i = 0; i < 3; ++i) worst[k][i] = std::max(worst[k][i], errors[i]);
    }
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(worst[0][i], 12 * worst[1][i]) << i;  // 16 for ever smaller intervals
    EXPECT_LT(worst[0][i], 1e-3) << i;
  }
}

TEST(ChannelStatistics, AJumpIsNoExtreme) {
  const ChannelStatistics found = Samples(40, 1, [](double t) { return t < 0.5 ? 0.0 : 1.0; }).statistics();
  EXPECT_LE(found.maximum, 1.2);
  EXPECT_GE(found.minimum, -0.2);
}

TEST(ChannelStatistics, FewSamplesAndWhatIsNotFinite) {
  EXPECT_EQ(channel_statistics(std::vector<double>{0}, std::vector<double>{-2}).rms, 2);
  const ChannelStatistics two = channel_statistics(std::vector<double>{0, 3}, std::vector<double>{0, 3});
  EXPECT_NEAR(two.rms, std::sqrt(3.0), 1e-14);
  EXPECT_EQ(two.maximum, 3);
  EXPECT_TRUE(std::isnan(channel_statistics({}, {}).final));
  EXPECT_TRUE(std::isnan(channel_statistics(std::vector<double>{0, 1}, std::vector<double>{0, NAN}).maximum));
}

}  // namespace
}  // namespace trammel
