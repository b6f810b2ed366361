#include "trammel/integrator/integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

Outcome Integrator::check_start(double t, double t_end, double h0) {
  if (!std::isfinite(t) || !std::isfinite(t_end))
    return give_up(Reason::invalid_options, "the start or end time is not a finite number");
  if (t_end < t)
    return give_up(Reason::end_before_start,
                   fmt::format("the end time {} is before the start time {}", t_end, t));
  if (!std::isfinite(h0) || h0 < 0)
    return give_up(Reason::invalid_options, fmt::format("the initial step size {} must be positive", h0));
  return Outcome::ok;
}

Outcome Integrator::too_many_steps(long max_steps, double t) {
  return give_up(
      Reason::too_many_steps,
      fmt::format(
          "more than {} steps are needed; reached t = {:.10g}. Raise max_steps, or loosen the tolerance.",
          max_steps, t));
}

// The first attempt at a step tells: in shorter ones round-off counts more.
Failure Integrator::did_not_converge(double rtol, double power) {
  if (failed_noise_ < 0) failed_noise_ = convergence_.noise();
  const double excess = failed_noise_ / NewtonConvergence::most_noise;
  if (!(excess > 1)) return {Reason::newton_failed, ""};  // worded if it ends the run
  return {Reason::newton_failed,
          fmt::format("the tolerance is tighter than round-off allows: Newton's iteration comes to a stop at "
                      "about {:.1g} of it. A relative tolerance of {:.0e} or more can be met",
                      failed_noise_, rtol * std::pow(excess, power))};
}

Outcome Integrator::no_step_helps(const Failure& trouble, const std::string& where,
                                  const std::string& iteration) {
  if (!trouble.message.empty())
    return give_up(trouble.reason,
                   fmt::format("{} ({}; smaller steps did not help)", trouble.message, where));
  if (trouble.reason == Reason::newton_failed)
    return give_up(
        Reason::newton_failed,
        fmt::format(
            "{} does not converge {}, and smaller steps did not help. Forces that jump, or derivatives that "
            "do not fit the functions, do this.",
            iteration, where));
  return give_up(
      Reason::step_too_small,
      fmt::format(
          "the step size needed to meet the tolerance became too small {}. The solution may be singular or "
          "discontinuous there; if not, loosen the tolerance.",
          where));
}

double Integrator::newton_noise(const Problem& problem, const VectorIn& x, const VectorIn& scale, double h,
                                double regularity) {
  // multipliers are left out: what is wrong with them shows in the velocities
  double largest = 0, sum = 0;
  for (Index i = 0; i < x.size(); ++i) {
    if (problem.newton_index()[static_cast<std::size_t>(i)] != 1) continue;
    largest = std::max(largest, std::abs(x[i]));
    sum += 1 / (scale[i] * scale[i]);
  }
  const double mean = std::sqrt(sum / static_cast<double>(std::max<Index>(x.size(), 1)));
  return std::max(20.0, 1 / h) * round_off * largest * mean / std::max(regularity, 1e-8);
}

void Integrator::refine_scale(const Problem& problem, const VectorIn& x, double h,
                              const std::vector<int>& index, VectorOut scale) {
  // Round-off of the large unknowns of a kind (multipliers of 1e5) is in the small ones too (a multiplier
  // near zero): no tolerance can be met below it.
  double largest[4] = {0, 0, 0, 0};
  for (Index i = 0; i < x.size(); ++i) {
    double& group = largest[problem.newton_index()[static_cast<std::size_t>(i)]];
    group = std::max(group, std::abs(x[i]));
  }
  // the norms are means over all unknowns
  const double share =
      static_cast<double>(problem.counted()) / static_cast<double>(std::max<Index>(x.size(), 1));
  const double mean = problem.counted() == x.size() ? 1.0 : std::sqrt(share);
  for (Index i = 0; i < x.size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    scale[i] = mean * std::max(scale[i], 20 * round_off * largest[problem.newton_index()[k]]);
    if (index[k] > 1) scale[i] /= std::pow(h, index[k] - 1);
    if (index[k] == 0) scale[i] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace trammel
