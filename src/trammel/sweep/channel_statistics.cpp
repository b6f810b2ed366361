#include "trammel/sweep/channel_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

// The polynomial through up to four samples, after Newton.
class Piece {
 public:
  Piece(std::span<const double> t, std::span<const double> y) : count_(t.size()) {
    for (std::size_t i = 0; i < count_; ++i) {
      t_[i] = t[i];
      c_[i] = y[i];
    }
    for (std::size_t order = 1; order < count_; ++order)
      for (std::size_t i = count_ - 1; i >= order; --i) c_[i] = (c_[i] - c_[i - 1]) / (t_[i] - t_[i - order]);
  }

  double operator()(double t) const {
    double value = c_[count_ - 1];
    for (std::size_t i = count_ - 1; i-- > 0;) value = value * (t - t_[i]) + c_[i];
    return value;
  }

  // Where its slope vanishes inside (a, b): at most two times.
  std::size_t stationary(double a, double b, std::array<double, 2>& times) const {
    // the slope is a quadratic, known by three of its values
    const double h = 0.5 * (b - a), middle = a + h;
    const double s0 = slope(a), s1 = slope(middle), s2 = slope(b);
    const double p = 0.5 * (s0 - 2 * s1 + s2), q = 0.5 * (s2 - s0), r = s1;  // p u² + q u + r, u in (−1, 1)
    std::size_t found = 0;
    const auto add = [&](double u) {
      if (u > -1 && u < 1) times[found++] = middle + h * u;
    };
    if (std::abs(p) <= 1e-14 * (std::abs(q) + std::abs(r))) {
      if (q != 0) add(-r / q);
      return found;
    }
    const double discriminant = q * q - 4 * p * r;
    if (discriminant < 0) return 0;
    const double w = -0.5 * (q + std::copysign(std::sqrt(discriminant), q));
    add(w / p);
    if (w != 0) add(r / w);
    return found;
  }

 private:
  double slope(double t) const {
    double value = c_[count_ - 1], rate = 0;
    for (std::size_t i = count_ - 1; i-- > 0;) {
      rate = rate * (t - t_[i]) + value;
      value = value * (t - t_[i]) + c_[i];
    }
    return rate;
  }

  std::size_t count_;
  std::array<double, 4> t_{}, c_{};
};

// Of the square, by Gauss's rule of four points, exact for squares of cubics.
double integral_of_square(const Piece& piece, double a, double b) {
  constexpr double node[] = {0.3399810435848563, 0.8611363115940526};
  constexpr double weight[] = {0.6521451548625461, 0.3478548451374538};
  const double h = 0.5 * (b - a), middle = a + h;
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (const double side : {-1.0, 1.0}) {
      const double value = piece(middle + side * h * node[i]);
      sum += weight[i] * value * value;
    }
  return h * sum;
}

}  // namespace

ChannelStatistics channel_statistics(std::span<const double> times, std::span<const double> values) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = times.size();
  if (count == 0 || !std::all_of(values.begin(), values.end(), [](double y) { return std::isfinite(y); }))
    return {nan, nan, nan, nan};
  ChannelStatistics result{values[count - 1], *std::min_element(values.begin(), values.end()),
                           *std::max_element(values.begin(), values.end()), std::abs(values[0])};
  if (count == 1 || !(times[count - 1] > times[0])) return result;

  const double sampled_minimum = result.minimum, sampled_maximum = result.maximum;
  double square = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t width = std::min<std::size_t>(4, count);
    const std::size_t first = std::min(i > 0 ? i - 1 : 0, count - width);
    const Piece piece(times.subspan(first, width), values.subspan(first, width));
    square += integral_of_square(piece, times[i], times[i + 1]);

    // a jump between two samples is no extreme: the curve stays within what the neighbours differ by
    const double left = values[i], right = values[i + 1];
    const double before = i > 0 ? values[i - 1] : left, after = i + 2 < count ? values[i + 2] : right;
    const double reach = std::abs(right - left) + std::max(std::abs(left - before), std::abs(after - right));
    std::array<double, 2> stationary{};
    for (std::size_t k = piece.stationary(times[i], times[i + 1], stationary); k-- > 0;) {
      const double y = piece(stationary[k]);
      if (y > result.maximum && y <= std::max(left, right) + reach &&
          std::max(left, right) + reach > sampled_maximum)
        result.maximum = y;
      if (y < result.minimum && y >= std::min(left, right) - reach &&
          std::min(left, right) - reach < sampled_minimum)
        result.minimum = y;
    }
  }
  result.rms = std::sqrt(square / (times[count - 1] - times[0]));
  return result;
}

}  // namespace trammel
