#include "trammel/cli/model_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "trammel/cli/messages.h"
#include "trammel/cli/model_state.h"
#include "trammel/simulation/summary_json.h"
#include "trammel/version.h"

namespace trammel {

nlohmann::ordered_json run_json(const Model& model, const MechanismRun& run) {
  nlohmann::ordered_json json = to_json(run.summary());
  json.erase("wall_seconds");  // it differs from run to run
  json.erase("invariant_error");

  const Recording& recording = run.recording();
  // names differ, and looking each up would cost the square of their number
  nlohmann::ordered_json::object_t last;
  for (const Channel& channel : recording.channels())
    if (!channel.values.empty()) last.emplace_back(channel.name, channel.values.back());
  json["final"] = std::move(last);
  json["samples"] = recording.times().size();

  const RunSettings& settings = run.settings();
  json["model"] = model.file;
  json["title"] = model.mechanism.title;
  json["parameters"] = model.mechanism.parameters;
  json["end"] = settings.end;
  json["output_interval"] = settings.output_interval;
  json["rtol"] = settings.options.tolerances.relative;
  json["atol"] = settings.options.tolerances.absolute;
  json["options"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings.options.named) json["options"][key] = value;
  json["options_of_auto"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings.options_of_choice) json["options_of_auto"][key] = value;
  if (settings.method_when_stiff) json["method_when_stiff"] = settings.method_when_stiff->name();
  if (!settings.why_method.empty()) json["why_method"] = settings.why_method;
  json["coordinates"] = settings.coordinates;
  if (!settings.why_coordinates.empty()) json["why_coordinates"] = settings.why_coordinates;
  json["warnings"] = model.warnings;
  json["version"] = std::string(version);
  return json;
}

std::string run_report(const Model& model, const MechanismRun& run) {
  const Summary& summary = run.summary();
  const Recording& recording = run.recording();
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", key, value);
  };
  text +=
      fmt::format("{}{}\n", model.mechanism.title.empty() ? "" : model.mechanism.title + ": ", model.file);
  text += fmt::format("{} {}: {}\n", summary.method, name(summary.status), summary.message());
  if (!run.settings().why_method.empty()) line("method", run.settings().why_method);
  for (const MethodChange& change : summary.method_changes) line("changed to", change.report());
  const std::string& why = run.settings().why_coordinates;
  if (model.simulation.coordinates || !why.empty())
    line("coordinates", run.settings().coordinates + (why.empty() ? "" : fmt::format(" ({})", why)));
  if (!summary.options.empty()) line("options", run.settings().options_report());
  line("degrees of freedom", fmt::format("{}", summary.degrees_of_freedom));
  if (!summary.redundant.empty())
    line("redundant constraints", fmt::format("{}", fmt::join(summary.redundant, ", ")));
  if (!summary.eliminated_drivers.empty())
    line("eliminated drivers", fmt::format("{}", fmt::join(summary.eliminated_drivers, ", ")));

  const Statistics& statistics = summary.statistics;
  std::string steps = fmt::format("{} ({} rejected)", statistics.accepted, statistics.rejected());
  double smallest = 0, largest = 0;
  for (const StepRecord& step : run.steps()) {
    if (step.h <= 0) continue;
    smallest = smallest == 0 ? step.h : std::min(smallest, step.h);
    largest = std::max(largest, step.h);
  }
  if (largest > 0) steps += fmt::format(", sizes {:.1e} .. {:.1e} s", smallest, largest);
  line("steps", steps);
  line("evaluations", fmt::format("{}, {} derivatives, {} decompositions", statistics.evaluations,
                                  statistics.jacobians, statistics.decompositions));
  line("constraints within",
       fmt::format("position {:.1e}, velocity {:.1e}, acceleration {:.1e}", summary.violation.position,
                   summary.violation.velocity, summary.violation.acceleration));
  if (summary.energy.is_known()) line("energy", summary.energy_report());
  if (!summary.force_accuracy.empty()) line("stiff forces known", summary.accuracy_report());
  line("wall time", fmt::format("{:.3g} s", summary.wall_seconds));
  for (const std::string& note : summary.notes) line("note", note);
  text += summary.convergence_report();

  constexpr std::size_t most_listed = 20;
  std::size_t listed = 0;
  for (const Channel& channel : recording.channels()) {
    const bool is_rate = channel.name.ends_with("_rate");
    if (channel.values.empty() || (channel.group != "measures" && (channel.group != "joints" || is_rate)))
      continue;
    if (listed++ == 0) text += fmt::format("  at t = {:.6g}\n", recording.times().back());
    if (listed > most_listed) continue;
    const double last = channel.values.back();
    // the sign of a NaN means nothing
    const double value = std::isnan(last) ? std::abs(last) : without_noise(last);
    text += fmt::format(
        "    {:<20} {: .9g}{}{}{}\n", channel.name, value, channel.unit.empty() ? "" : " ", channel.unit,
        channel.unit == "rad" ? fmt::format(" ({:.4g} deg)", value * 180 / std::numbers::pi) : "");
  }
  if (listed > most_listed) text += fmt::format("    ... and {} more\n", listed - most_listed);
  return text;
}

}  // namespace trammel
