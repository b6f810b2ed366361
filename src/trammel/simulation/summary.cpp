#include "trammel/simulation/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace trammel {

namespace {

std::vector<std::pair<const char*, long>> counters(const Statistics& s) {
  return {{"accepted", s.accepted},
          {"steps", s.steps},
          {"rejected_error", s.rejected_error},
          {"rejected_convergence", s.rejected_convergence},
          {"evaluations", s.evaluations},
          {"mass_evaluations", s.mass_evaluations},
          {"jacobians", s.jacobians},
          {"selectors", s.selectors},
          {"predecompositions", s.predecompositions},
          {"decompositions", s.decompositions},
          {"backsubstitutions", s.backsubstitutions},
          {"newton_iterations", s.newton_iterations},
          {"closing_jacobians", s.closing_jacobians},
          {"rank_changes", s.rank_changes},
          {"singular_positions", s.singular_positions},
          {"events", s.events}};
}

}  // namespace

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
      method, name(status), t, statistics.accepted,
      statistics.rejected_error + statistics.rejected_convergence, statistics.evaluations,
      std::max(violation.position, violation.velocity), wall_seconds);
}

std::string Summary::full_report() const {
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {:<24} {}\n", key, value);
  };
  text += fmt::format("{} {}: {}\n", method, name(status), message());
  if (!options.empty()) line("options", options_report());
  line("degrees of freedom", fmt::format("{}", degrees_of_freedom));
  if (!redundant.empty()) line("redundant constraints", fmt::format("{}", fmt::join(redundant, ", ")));
  line("wall time", fmt::format("{:.3g} s", wall_seconds));
  for (const auto& [key, value] : counters(statistics)) {
    std::string words = key;
    std::replace(words.begin(), words.end(), '_', ' ');
    line(words, fmt::format("{}", value));
  }
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

nlohmann::ordered_json Summary::json() const {
  nlohmann::ordered_json json;
  json["status"] = name(status);
  json["message"] = message();
  if (failure) json["reason"] = name(failure.reason);
  json["method"] = method;
  json["options"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : options) json["options"][key] = value;
  json["t"] = t;
  json["wall_seconds"] = wall_seconds;
  for (const auto& [key, value] : counters(statistics)) json["statistics"][key] = value;
  json["violation"] = {{"position", violation.position},
                       {"velocity", violation.velocity},
                       {"acceleration", violation.acceleration}};
  if (energy.is_known())
    json["energy"] = {{"initial", energy.initial()},
                      {"work_of_drivers", energy.work_of_drivers()},
                      {"work_of_forces", energy.work_of_forces()},
                      {"impacts", energy.impacts()},
                      {"final", energy.final()},
                      {"unexplained", energy.unexplained()},
                      {"largest_unexplained_step", energy.worst_step()},
                      {"largest_unexplained_t", energy.worst_t()}};
  for (const InexactForce& force : force_accuracy)
    json["force_accuracy"].push_back(
        {{"channel", force.channel}, {"error", force.error}, {"largest", force.largest}});
  if (has_invariants)
    json["invariant_error"] = violation.invariant;
  else
    json["invariant_error"] = nullptr;
  json["degrees_of_freedom"] = degrees_of_freedom;
  json["redundant"] = redundant;
  json["notes"] = notes;
  for (const NewtonRecord& record : convergence)
    json["convergence"].push_back({{"t", record.t},
                                   {"h", record.h},
                                   {"iterations", record.iterations},
                                   {"rate", record.rate},
                                   {"converged", record.converged}});
  // names differ, and looking each up would cost the square of their number
  nlohmann::ordered_json::object_t last;
  for (std::size_t i = 0; i < names.size() && static_cast<Index>(i) < final_state.size(); ++i)
    last.emplace_back(names[i], final_state[static_cast<Index>(i)]);
  json["final"] = std::move(last);
  return json;
}

}  // namespace trammel
