// Final value, extremes and root mean square of a channel.
#include "trammel/sweep/channel_statistics.h"

#include <gtest/gtest.h>

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
  // y' = 3 (t − 1) (t − 2.5): a maximum at 1 and a minimum at 2.5, between samples
  const auto f = [](double t) { return t * t * t - 5.25 * t * t + 7.5 * t; };
  const Samples samples(7, 3.3, f);
  EXPECT_NEAR(samples.statistics().maximum, f(1), 1e-12);
  const Samples longer(7, 2.9, f);
  EXPECT_NEAR(longer.statistics().maximum, f(1), 1e-12);
  EXPECT_NEAR(Samples(7, 2.9, [&](double t) { return f(t) - 3 * t; }).statistics().final, f(2.9) - 3 * 2.9,
              1e-12);
}

TEST(ChannelStatistics, ErrorsFallWithTheFourthPowerOfTheInterval) {
  const auto f = [](double t) { return std::sin(t + 0.3); };
  const double end = 2 * std::numbers::pi;
  double errors[2][3];
  for (int k = 0; k < 2; ++k) {
    const ChannelStatistics found = Samples(20 << k, end, f).statistics();
    errors[k][0] = std::abs(found.maximum - 1);
    errors[k][1] = std::abs(found.minimum + 1);
    errors[k][2] = std::abs(found.rms - std::sqrt(0.5));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(errors[0][i], 2e-4);
    // at least the third power: where between samples an extreme lies changes with their number
    EXPECT_LT(errors[1][i], errors[0][i] / 8 + 1e-12);
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
