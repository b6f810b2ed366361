#include "trammel/sweep/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace trammel {

namespace {

constexpr std::size_t most_points = 10'000'000;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

double number(const std::string& written, const std::string& whole) {
  const std::string text = trimmed(written);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw std::invalid_argument(fmt::format("--vary {}: '{}' is not a number", whole, text));
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::vector<double> spaced(double first, double last, long count, bool logarithmic) {
  std::vector<double> values;
  for (long i = 0; i < count; ++i) {
    const double share = count == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(logarithmic ? first * std::pow(last / first, share) : first + (last - first) * share);
  }
  // the ends exactly
  if (count > 1) values.back() = last;
  return values;
}

// "first:last", "first:last:log", "first:last:20", "first:last:20log".
Variation range(Variation variation, const std::string& words, const std::string& whole) {
  const std::vector<std::string> parts = split(words, ':');
  if (parts.size() != 2 && parts.size() != 3)
    throw std::invalid_argument(
        fmt::format("--vary {}: a range is first:last, first:last:count or first:last:countlog", whole));
  variation.kind = Variation::Kind::range;
  variation.first = number(parts[0], whole);
  variation.second = number(parts[1], whole);
  std::string count = parts.size() == 3 ? trimmed(parts[2]) : "";
  if (count.ends_with("log")) {
    variation.logarithmic = true;
    count = trimmed(count.substr(0, count.size() - 3));
    if (!(variation.first * variation.second > 0))
      throw std::invalid_argument(fmt::format("--vary {}: in equal ratios from {} to {} one does not come",
                                              whole, parts[0], parts[1]));
  }
  if (count.empty()) return variation;
  const double wanted = number(count, whole);
  if (!(wanted >= 1 && wanted <= static_cast<double>(most_points) && wanted == std::floor(wanted)))
    throw std::invalid_argument(fmt::format("--vary {}: '{}' is not a number of values", whole, count));
  variation.kind = Variation::Kind::values;
  variation.values =
      spaced(variation.first, variation.second, static_cast<long>(wanted), variation.logarithmic);
  return variation;
}

// The inverse of the normal distribution function (P. J. Acklam's rational approximation, and one step of Halley's
// method, which makes it exact to round-off).
double normal_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  double x = 0;
  if (p < 0.02425) {
    x = tail(std::sqrt(-2 * std::log(p)));
  } else if (p > 1 - 0.02425) {
    x = -tail(std::sqrt(-2 * std::log1p(-p)));
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double error = 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
  const double u = error * std::sqrt(2 * 3.141592653589793) * std::exp(x * x / 2);
  return x - u / (1 + x * u / 2);
}

// Numbers between 0 and 1 that do not depend on the library: only the generator itself is standardised.
class Shares {
 public:
  explicit Shares(std::uint64_t seed) : generator_(seed) {}
  // Neither 0 nor 1.
  double next() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }
  std::size_t below(std::size_t count) {
    return std::min(static_cast<std::size_t>(next() * static_cast<double>(count)), count - 1);
  }

 private:
  std::mt19937_64 generator_;
};

void demand_values(const std::vector<Variation>& variations, const Sampling& sampling) {
  for (const Variation& variation : variations)
    if (variation.kind != Variation::Kind::values)
      throw std::invalid_argument(
          fmt::format("a {} needs values of '{}': first:last:count or [a, b, ...]; ranges and distributions "
                      "are for --latin and "
                      "--random",
                      name(sampling.kind), variation.parameter));
}

std::vector<std::vector<double>> grid(const std::vector<Variation>& variations) {
  double count = 1;
  for (const Variation& variation : variations) count *= static_cast<double>(variation.values.size());
  if (count > static_cast<double>(most_points))
    throw std::invalid_argument(
        fmt::format("a grid of {:.3g} runs is more than {} runs", count, most_points));
  std::vector<std::vector<double>> points{{}};
  for (const Variation& variation : variations) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& point : points)
      for (const double value : variation.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

std::vector<std::vector<double>> list(const std::vector<Variation>& variations) {
  const std::size_t count = variations.front().values.size();
  for (const Variation& variation : variations)
    if (variation.values.size() != count)
      throw std::invalid_argument(fmt::format("a list takes values together: '{}' has {} of them and '{}' {}",
                                              variations.front().parameter, count, variation.parameter,
                                              variation.values.size()));
  std::vector<std::vector<double>> points(count);
  for (std::size_t i = 0; i < count; ++i)
    for (const Variation& variation : variations) points[i].push_back(variation.values[i]);
  return points;
}

std::vector<std::vector<double>> drawn(const std::vector<Variation>& variations, const Sampling& sampling) {
  if (sampling.count < 1 || sampling.count > static_cast<long>(most_points))
    throw std::invalid_argument(fmt::format("{} is not a number of runs", sampling.count));
  const auto count = static_cast<std::size_t>(sampling.count);
  Shares shares(sampling.seed);
  std::vector<std::vector<double>> points(count);
  for (const Variation& variation : variations) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (sampling.kind == Sampling::Kind::latin)
      for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[shares.below(i)]);
    for (std::size_t i = 0; i < count; ++i) {
      const double share = shares.next();
      points[i].push_back(
          variation.at(sampling.kind == Sampling::Kind::latin
                           ? (static_cast<double>(order[i]) + share) / static_cast<double>(count)
                           : share));
    }
  }
  return points;
}

}  // namespace

double Variation::at(double share) const {
  switch (kind) {
    case Kind::values:
      return values[std::min(static_cast<std::size_t>(share * static_cast<double>(values.size())),
                             values.size() - 1)];
    case Kind::range:
      return logarithmic ? first * std::pow(second / first, share) : first + (second - first) * share;
    case Kind::normal:
      return first + second * normal_quantile(share);
  }
  return first;
}

Variation parse_variation(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty())
    throw std::invalid_argument(
        fmt::format("--vary {}: write parameter=values, such as k=1e3:1e5:20log", text));
  Variation variation;
  variation.parameter = trimmed(text.substr(0, equals));
  const std::string words = trimmed(text.substr(equals + 1));
  if (words.starts_with("normal(") && words.ends_with(")")) {
    const std::vector<std::string> parts = split(words.substr(7, words.size() - 8), ',');
    if (parts.size() != 2)
      throw std::invalid_argument(fmt::format("--vary {}: write normal(mean, deviation)", text));
    variation.kind = Variation::Kind::normal;
    variation.first = number(parts[0], text);
    variation.second = number(parts[1], text);
    if (!(variation.second > 0))
      throw std::invalid_argument(fmt::format("--vary {}: the deviation must be positive", text));
    return variation;
  }
  if (words.starts_with("[") && words.ends_with("]")) {
    for (const std::string& part : split(words.substr(1, words.size() - 2), ','))
      variation.values.push_back(number(part, text));
    return variation;
  }
  return range(variation, words, text);
}

const char* name(Sampling::Kind kind) {
  switch (kind) {
    case Sampling::Kind::grid:
      return "grid";
    case Sampling::Kind::list:
      return "list";
    case Sampling::Kind::latin:
      return "latin";
    case Sampling::Kind::random:
      return "random";
  }
  return "";
}

Sampling::Kind sampling_kind(const std::string& word) {
  for (const Sampling::Kind kind :
       {Sampling::Kind::grid, Sampling::Kind::list, Sampling::Kind::latin, Sampling::Kind::random})
    if (word == name(kind)) return kind;
  throw std::invalid_argument(fmt::format("points are a grid, list, latin or random, not '{}'", word));
}

std::vector<std::vector<double>> sweep_points(const std::vector<Variation>& variations,
                                              const Sampling& sampling) {
  if (variations.empty())
    throw std::invalid_argument("a sweep varies at least one parameter: --vary k=1:2:10");
  for (std::size_t i = 0; i < variations.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (variations[i].parameter == variations[k].parameter)
        throw std::invalid_argument(fmt::format("'{}' is varied twice", variations[i].parameter));
  if (sampling.kind == Sampling::Kind::latin || sampling.kind == Sampling::Kind::random)
    return drawn(variations, sampling);
  demand_values(variations, sampling);
  return sampling.kind == Sampling::Kind::grid ? grid(variations) : list(variations);
}

}  // namespace trammel
