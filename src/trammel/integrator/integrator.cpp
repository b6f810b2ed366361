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
  if (stagnated_at_ < 0) stagnated_at_ = convergence_.stagnated_at();
  if (stagnated_at_ == 0) return {Reason::newton_failed, ""};  // worded if it ends the run
  return {
      Reason::newton_failed,
      fmt::format("the tolerance is tighter than round-off allows: Newton's iteration comes to a stop at "
                  "{:.1g} of it. Take a relative tolerance of {:.0e} or more",
                  stagnated_at_,
                  rtol * std::pow(std::max(stagnated_at_ / NewtonConvergence::most_stagnation, 2.0), power))};
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

NewtonConvergence::Limits Integrator::newton_limits(const ImplicitProblem& problem, const VectorIn& x,
                                                    const VectorIn& scale, double h,
                                                    double regularity) const {
  // multipliers are left out: what is wrong with them shows in the velocities
  double largest = 0, own = 0, all = 0;
  for (Index i = 0; i < x.size(); ++i) {
    if (problem.newton_index()[static_cast<std::size_t>(i)] != 1) continue;
    largest = std::max(largest, std::abs(x[i]));
    own = std::max(own, std::abs(x[i]) / scale[i]);
    all += 1 / (scale[i] * scale[i]);
  }
  all = std::sqrt(all / static_cast<double>(std::max<Index>(x.size(), 1)));
  NewtonConvergence::Limits limits;
  // round-off of the constraints, divided by their smallest pivot
  limits.noise = 20 * round_off * own / std::max(regularity, 1e-8);
  // round-off of positions is one of velocities, 1/h times as large
  limits.stagnation = round_off * std::max(20.0, 1 / h) * largest * all;
  limits.exact_matrix = problem.has_exact_matrix();
  return limits;
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
