#include "trammel/integrator/tolerances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

Failure Tolerances::check(Index n) const {
  const auto bad = [](std::string message) { return Failure{Reason::invalid_options, std::move(message)}; };
  if (relative_each.size() != absolute_each.size())
    return bad(fmt::format(
        "{} relative tolerances but {} absolute tolerances are given: give both for every unknown or "
        "neither",
        relative_each.size(), absolute_each.size()));
  if (relative_each.size() > n)
    return bad(fmt::format("{} tolerances are given for {} unknowns", relative_each.size(), n));
  for (Index i = 0; i < std::max<Index>(relative_each.size(), 1); ++i) {
    const double rtol = relative_of(i), atol = absolute_of(i);
    if (!std::isfinite(rtol) || !std::isfinite(atol))
      return bad(fmt::format("a tolerance is not a finite number (rtol = {}, atol = {})", rtol, atol));
    if (atol <= 0)
      return bad(
          fmt::format("the absolute tolerance {} must be positive: components pass through zero", atol));
    if (rtol == 0 && relative_each.size() > 0 && relative_in_general() > 0) continue;
    if (rtol < 1e-15 || rtol >= 1)
      return bad(fmt::format(
          "the relative tolerance {} is out of range: it must be at least 1e-15 and less than 1", rtol));
  }
  return {};
}

double Tolerances::relative_of(Index i) const {
  return relative_each.size() == 0 ? relative : relative_each[std::min(i, relative_each.size() - 1)];
}
double Tolerances::absolute_of(Index i) const {
  return absolute_each.size() == 0 ? absolute : absolute_each[std::min(i, absolute_each.size() - 1)];
}

double Tolerances::relative_in_general() const {
  double least = 0;
  for (const double each : relative_each)
    if (each > 0) least = least > 0 ? std::min(least, each) : each;
  return least > 0 ? least : relative;
}

void Tolerances::fill(VectorIn x, VectorOut scale) const {
  if (own_scales) return own_scales(x, scale);
  for (Index i = 0; i < x.size(); ++i) {
    double size = std::abs(x[i]);
    if (i < most_each.size()) size = std::min(size, most_each[i]);
    scale[i] = absolute_of(i) + relative_of(i) * size;
  }
}

double weighted_norm(VectorIn x, VectorIn scale) {
  if (x.size() == 0) return 0;
  double sum = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double ratio = x[i] / scale[i];
    sum += ratio * ratio;
  }
  return std::sqrt(sum / static_cast<double>(x.size()));
}

}  // namespace trammel
