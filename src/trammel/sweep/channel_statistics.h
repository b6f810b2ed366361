// What a channel comes to in a run: its final value, its extremes and its root mean square, located between samples.
//
// Between two samples the channel is taken for the cubic through the four samples around (fewer at the ends of short
// runs). An extreme of the cubic counts if a neighbouring sample is one too; the mean of the square is that of the cubics.
// For a smooth channel the error falls with the fourth power of the time between samples.
#pragma once

#include <span>

namespace trammel {

struct ChannelStatistics {
  double final = 0, minimum = 0, maximum = 0, rms = 0;
};

// Times ascend. NaN if there are none, or if a value is not finite.
ChannelStatistics channel_statistics(std::span<const double> times, std::span<const double> values);

}  // namespace trammel
