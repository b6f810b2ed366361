#include "trammel/integrator/integrator.h"

#include <fmt/format.h>

#include <cmath>

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

Outcome Integrator::save(Snapshot& /*snapshot*/) {
  return give_up(Reason::invalid_options, "this integrator does not say what it carries from step to step");
}

Outcome Integrator::copy(Snapshot& snapshot) { return Integrator::save(snapshot); }

Outcome Integrator::restore(const Snapshot& /*snapshot*/) {
  return give_up(Reason::invalid_options, "this integrator can only be started");
}

// What it costs to begin anew is not counted.
Outcome Integrator::resume(Problem& problem, double t, VectorIn x, Carrier& carried) {
  const auto does_not_fit = [this] {
    return give_up(Reason::invalid_options, "the state to go on from is one of another problem or method");
  };
  if (!carried.fits() || x.size() != problem.unknowns()) return does_not_fit();
  Statistics counters = problem.statistics();
  std::vector<std::string> notes = problem.notes();
  carried(counters, notes, newton_log_);
  const Outcome outcome = problem.resume(t, x, carried);
  if (!carried.fits() || (!carried.is_saving() && !carried.is_at_end())) return does_not_fit();
  problem.statistics() = counters;
  problem.set_notes(std::move(notes));
  return outcome == Outcome::ok ? outcome : give_up(problem.failure());
}

Outcome Integrator::too_many_steps(long max_steps, double t) {
  return give_up(
      Reason::too_many_steps,
      fmt::format(
          "more than {} steps are needed; reached t = {:.10g}. Raise max_steps, or loosen the tolerance.",
          max_steps, t));
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

}  // namespace trammel
