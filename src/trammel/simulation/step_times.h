// How long steps take: mean, quantiles and the worst of any number of them, in a fixed amount of memory. Times are kept in
// classes, each 2 % wider than the one before.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace trammel {

class StepTimes {
 public:
  void add(double seconds) {
    ++counts_[class_of(seconds)];
    ++count_;
    sum_ += seconds;
    worst_ = std::max(worst_, seconds);
  }

  long count() const { return count_; }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  double worst() const { return worst_; }
  // The time that this share of the steps does not exceed, to 2 %.
  double quantile(double share) const {
    const double wanted = share * static_cast<double>(count_);
    long below = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      below += counts_[i];
      if (below > 0 && static_cast<double>(below) >= wanted) return std::min(upper_end(i), worst_);
    }
    return worst_;
  }

 private:
  static constexpr std::size_t classes = 1000;  // up to half a minute
  static constexpr double least = 1e-7, width = 1.02;

  static double upper_end(std::size_t i) { return least * std::pow(width, static_cast<double>(i)); }
  static std::size_t class_of(double seconds) {
    if (!(seconds > least)) return 0;
    return std::min(classes - 1,
                    static_cast<std::size_t>(std::ceil(std::log(seconds / least) / std::log(width))));
  }

  std::array<long, classes> counts_{};
  long count_ = 0;
  double sum_ = 0, worst_ = 0;
};

}  // namespace trammel
