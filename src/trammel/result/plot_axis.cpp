#include "trammel/result/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace trammel {
namespace {

int decade_below(double value) { return static_cast<int>(std::floor(std::log10(value))); }
int decade_above(double value) { return static_cast<int>(std::ceil(std::log10(value))); }

// The correctly rounded decimal, which multiplication with 10^-k does not give.
double scaled(double value, int exponent) {
  return exponent < 0 ? value / std::pow(10.0, -exponent) : value * std::pow(10.0, exponent);
}

// A step between ticks is mantissa * 10^exponent.
struct Step {
  int mantissa = 1;
  int exponent = 0;
  double size() const { return scaled(mantissa, exponent); }
};

Step nice_step(double low, double high, int at_most) {
  const double smallest = (high - low) / std::max(1, at_most);
  const int exponent = decade_below(smallest);
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent};
    // one tick more than intervals if both ends are ticks
    const double first = std::ceil(low / step.size() - 1e-9), last = std::floor(high / step.size() + 1e-9);
    if (last - first + 1 <= at_most) return step;
  }
  return {1, exponent + 1};
}

std::vector<double> multiples(const Step& step, double low, double high) {
  // rounding must not lose a tick at the very end
  const auto first = static_cast<long long>(std::ceil(low / step.size() - 1e-9));
  const auto last = static_cast<long long>(std::floor(high / step.size() + 1e-9));
  std::vector<double> ticks;
  for (long long i = first; i <= last; ++i) {
    ticks.push_back(scaled(static_cast<double>(i * step.mantissa), step.exponent));
  }
  return ticks;
}

bool can_step(double low, double high) {
  return std::isfinite(high - low) && high - low > 1 / largest_plotted;
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int at_most) {
  if (!can_step(low, high)) return {};
  return multiples(nice_step(low, high, at_most), low, high);
}

std::vector<double> decade_ticks(double low, double high, int at_most) {
  if (!(low > 0) || !can_step(low, high)) return {};
  // a power of ten itself has a logarithm that is a whole number only nearly
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  int stride = 1;
  for (int decade = 1; (last - first) / stride + 1 > at_most && stride < 1000; decade *= 10) {
    for (const int mantissa : {1, 2, 5}) {
      stride = mantissa * decade;
      if ((last - first) / stride + 1 <= at_most) break;
    }
  }
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride == 0) ticks.push_back(std::pow(10.0, exponent));
  }
  return ticks;
}

std::string power_of_ten(int exponent) {
  static constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char c : std::to_string(exponent)) {
    text += c == '-' ? std::string_view("⁻") : digits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

bool can_plot(double value, bool logarithmic) {
  return std::abs(value) <= largest_plotted && (!logarithmic || value >= 1 / largest_plotted);
}

PlotAxis::PlotAxis(double low, double high, Scale scale, int at_most) : scale_(scale) {
  if (logarithmic()) {
    set_logarithmic_range(low, high);
    set_logarithmic_ticks(at_most);
  } else {
    set_linear_range(low, high);
    set_linear_ticks(at_most);
  }
}

double PlotAxis::fraction(double value) const {
  if (logarithmic()) return (std::log10(value) - std::log10(low_)) / (std::log10(high_) - std::log10(low_));
  return (value - low_) / (high_ - low_);
}

void PlotAxis::set_linear_range(double low, double high) {
  // a range as narrow as rounding errors would have ticks that no label tells apart
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-9 * size || high - low <= 1 / largest_plotted) {
    const double margin = size > 1 / largest_plotted ? 0.1 * size : 1;
    low_ = low - margin;
    high_ = high + margin;
    return;
  }
  const double margin = scale_ == Scale::padded ? 0.05 * (high - low) : 0;
  low_ = low - margin;
  high_ = high + margin;
}

void PlotAxis::set_linear_ticks(int at_most) {
  const Step step = nice_step(low_, high_, at_most);
  const std::vector<double> values = multiples(step, low_, high_);
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));

  // large and small numbers share a power of ten, written once
  int common = 0;
  if (largest > 0 && (largest >= 1e5 || largest < 1e-2)) common = decade_below(largest);
  if (common != 0) factor_ = "×" + power_of_ten(common);

  const int decimals = std::max(0, common - step.exponent);
  for (const double value : values) {
    std::string label = fmt::format("{:.{}f}", value == 0 ? 0.0 : scaled(value, -common), decimals);
    if (label.front() == '-') label.replace(0, 1, "−");
    ticks_.push_back({value, std::move(label)});
  }
}

void PlotAxis::set_logarithmic_range(double low, double high) {
  if (scale_ == Scale::padded_logarithmic) {
    const double decades = std::log10(high) - std::log10(low);
    // in a range of less than this there may be no tick
    constexpr double narrowest = 0.6;
    const double margin = std::max(std::min(0.04 * decades, 1.0), (narrowest - decades) / 2);
    low_ = low * std::pow(10.0, -margin);
    high_ = high * std::pow(10.0, margin);
    return;
  }
  int first = decade_below(low), last = decade_above(high);
  if (first == last) {
    --first;
    ++last;
  }
  low_ = std::pow(10.0, first);
  high_ = std::pow(10.0, last);
}

void PlotAxis::set_logarithmic_ticks(int at_most) {
  for (const double value : decade_ticks(low_, high_, at_most)) {
    ticks_.push_back({value, power_of_ten(static_cast<int>(std::lround(std::log10(value))))});
  }

  // within few decades, what lies between them helps to read a value
  if (std::log10(high_) - std::log10(low_) > 3.5) return;
  const std::size_t decades = ticks_.size();
  const bool needs_more =
      scale_ == Scale::padded_logarithmic && (decades < 2 || (decades == 2 && at_most >= 8));
  for (int decade = decade_below(low_); decade <= decade_below(high_); ++decade) {
    for (int i = 2; i < 10; ++i) {
      const double value = scaled(i, decade);
      if (value < low_ || value > high_) continue;
      if (needs_more && (i == 2 || i == 5))
        ticks_.push_back({value, fmt::format("{}·{}", i, power_of_ten(decade))});
      else
        minor_ticks_.push_back(value);
    }
  }
}

}  // namespace trammel
