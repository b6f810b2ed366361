#include "trammel/comparison/work_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/comparison/number_text.h"

namespace trammel {

namespace {

constexpr std::size_t most_in_a_sentence = 3;
// A violation that needs no mention.
constexpr double round_off = 1e-13;

// Between a at fraction 0 and b at fraction 1.
double between(double a, double b, double fraction) {
  if (!(a > 0 && b > 0)) return b;
  return std::exp((1 - fraction) * std::log(a) + fraction * std::log(b));
}

}  // namespace

std::optional<Cost> cost_of_error(std::vector<WorkPoint> points, double wanted) {
  std::erase_if(points, [](const WorkPoint& point) { return !std::isfinite(point.error); });
  std::sort(points.begin(), points.end(),
            [](const WorkPoint& a, const WorkPoint& b) { return a.rtol > b.rtol; });
  std::size_t first = points.size();
  while (first > 0 && points[first - 1].error <= wanted) --first;
  if (first == points.size()) return std::nullopt;

  const WorkPoint& tight = points[first];
  if (first == 0) return Cost{tight.seconds, tight.evaluations, tight.rtol, tight.position_violation, true};
  const WorkPoint& mild = points[first - 1];
  // an error of zero has no logarithm: the tighter run itself
  const double fraction =
      tight.error > 0 ? std::log(mild.error / wanted) / std::log(mild.error / tight.error) : 1;
  return Cost{between(mild.seconds, tight.seconds, fraction),
              between(mild.evaluations, tight.evaluations, fraction),
              between(mild.rtol, tight.rtol, fraction),
              between(mild.position_violation, tight.position_violation, fraction), false};
}

std::string Recommendation::sentence() const {
  std::string text = fmt::format("fastest to {}: ", scientific_text(wanted, 3));
  if (ranking.empty()) return text + problem;
  for (std::size_t i = 0; i < std::min(ranking.size(), most_in_a_sentence); ++i) {
    const auto& [method, cost] = ranking[i];
    text += fmt::format("{}{}, {}{} at rtol {}",
                        i == 0   ? ""
                        : i == 1 ? "; then "
                                 : "; ",
                        method, cost.at_most ? "at most " : "", seconds_text(cost.seconds),
                        scientific_text(cost.rtol));
    if (cost.position_violation > round_off)
      text += fmt::format(" (constraints hold to {} only)", scientific_text(cost.position_violation));
  }
  return text;
}

}  // namespace trammel
