#include "trammel/simulation/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel {

std::vector<std::pair<const char*, long>> named_counts(const Statistics& s) {
  return {{"accepted", s.accepted},
          {"steps", s.steps},
          {"rejected_error", s.rejected_error},
          {"rejected_convergence", s.rejected_convergence},
          {"rejected_projection", s.rejected_projection},
          {"evaluations", s.evaluations},
          {"mass_evaluations", s.mass_evaluations},
          {"jacobians", s.jacobians},
          {"selectors", s.selectors},
          {"predecompositions", s.predecompositions},
          {"decompositions", s.decompositions},
          {"backsubstitutions", s.backsubstitutions},
          {"newton_iterations", s.newton_iterations},
          {"closing_jacobians", s.closing_jacobians},
          {"projections", s.projections},
          {"projections_skipped", s.projections_skipped},
          {"projection_iterations", s.projection_iterations},
          {"rank_changes", s.rank_changes},
          {"singular_positions", s.singular_positions},
          {"events", s.events},
          {"switches", s.switches}};
}

std::string MethodChange::report() const { return fmt::format("{} from t = {:.6g} on: {}", to, t, reason); }

std::string_view name(Status status) {
  switch (status) {
    case Status::finished:
      return "finished";
    case Status::stopped:
      return "stopped";
    case Status::failed:
      return "failed";
  }
  return "unknown";
}

std::string Summary::message() const {
  return failure ? failure.message : fmt::format("reached t = {:.10g}", t);
}

std::string Summary::brief_report() const {
  return fmt::format(
      "{} {} at t = {:.10g}: {} steps ({} rejected), {} evaluations, constraints within {:.1e}, {:.3g} s",
      method, name(status), t, statistics.accepted, statistics.rejected(), statistics.evaluations,
      std::max(violation.position, violation.velocity), wall_seconds);
}

std::string Summary::full_report() const {
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {:<24} {}\n", key, value);
  };
  text += fmt::format("{} {}: {}\n", method, name(status), message());
  for (const MethodChange& change : method_changes) line("method", change.report());
  if (!options.empty()) line("options", options_report());
  line("degrees of freedom", fmt::format("{}", degrees_of_freedom));
  if (!redundant.empty()) line("redundant constraints", fmt::format("{}", fmt::join(redundant, ", ")));
  if (!eliminated_drivers.empty())
    line("eliminated drivers", fmt::format("{}", fmt::join(eliminated_drivers, ", ")));
  line("wall time", fmt::format("{:.3g} s", wall_seconds));
  for (const auto& [key, value] : named_counts(statistics)) {
    std::string words = key;
    std::replace(words.begin(), words.end(), '_', ' ');
    line(words, fmt::format("{}", value));
  }
  if (statistics.accepted > 0 && statistics.projections + statistics.projections_skipped > 0)
    line("projected", projection_report());
  line("largest violation", fmt::format("position {:.2e}, velocity {:.2e}, acceleration {:.2e}",
                                        violation.position, violation.velocity, violation.acceleration));
  if (energy.is_known()) line("energy", energy_report());
  if (!force_accuracy.empty()) line("stiff forces known", accuracy_report());
  if (has_invariants) line("invariant error", fmt::format("{:.2e}", violation.invariant));
  for (const std::string& note : notes) line("note", note);
  text += convergence_report();
  text += "  final state\n";
  for (std::size_t i = 0; i < names.size() && static_cast<Index>(i) < final_state.size(); ++i)
    text += fmt::format("    {:<22} {: .15g}\n", names[i], final_state[static_cast<Index>(i)]);
  return text;
}

std::string Summary::projection_report() const {
  const auto steps = static_cast<double>(std::max(statistics.accepted, 1L));
  const std::string moved = fmt::format("by {:.2g} tolerances at most", statistics.largest_projection);
  if (statistics.error_before_projection == 0) return moved;
  return fmt::format("{}; errors {:.2g} of the tolerance before, {:.2g} after", moved,
                     statistics.error_before_projection / steps, statistics.error_after_projection / steps);
}

std::string Summary::options_report() const {
  std::vector<std::string> words;
  for (const auto& [key, value] : options) words.push_back(key + "=" + value);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string Summary::energy_report() const {
  const auto term = [](const char* what, double value) {
    return value == 0 ? std::string()
                      : fmt::format(" {} {:.6g} ({})", value < 0 ? '-' : '+', std::abs(value), what);
  };
  return fmt::format("{:.6g}{}{}{} = {:.6g} J, unexplained {:.1e} J", energy.initial(),
                     term("drivers", energy.work_of_drivers()),
                     term("forces without potential", energy.work_of_forces()),
                     term("impacts", energy.impacts()), energy.final(), energy.unexplained());
}

std::string Summary::accuracy_report() const {
  if (force_accuracy.empty()) return {};
  const InexactForce* worst = &force_accuracy.front();
  for (const InexactForce& force : force_accuracy)
    if (force.error * worst->largest > worst->error * force.largest) worst = &force;
  return fmt::format(
      "{} to about {:.2g} (largest {:.2g}){}: stiffness times tolerance; tighten rtol for more",
      worst->channel, worst->error, worst->largest,
      force_accuracy.size() > 1 ? fmt::format(" and {} more", force_accuracy.size() - 1) : std::string());
}

std::string Summary::convergence_report() const {
  if (convergence.empty()) return {};
  std::string text = fmt::format("  Newton's iteration of every attempt\n    {:>22} {:>12} {:>11} {:>10}\n",
                                 "to t", "step", "iterations", "mean rate");
  for (const NewtonRecord& record : convergence)
    text += fmt::format("    {:>22.15g} {:>12.5e} {:>11} {:>10}{}\n", record.t, record.h, record.iterations,
                        record.rate > 0 ? fmt::format("{:.5f}", record.rate) : "-",
                        record.converged ? "" : "  did not converge");
  return text;
}

}  // namespace trammel
