#include "trammel/page/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "trammel/page/mechanism_scene.h"

namespace trammel {

namespace {

using Pairs = PageContent::Pairs;

Pairs facts_of(const Summary& summary, const RunSettings& settings) {
  Pairs facts{
      {"result", std::string(name(summary.status)) + ": " + summary.message()},
      {"method", summary.method},
      {"degrees of freedom", fmt::format("{}", summary.degrees_of_freedom)},
      {"steps", fmt::format("{} accepted, {} rejected by error, {} by convergence, {} by projection",
                            summary.statistics.accepted, summary.statistics.rejected_error,
                            summary.statistics.rejected_convergence, summary.statistics.rejected_projection)},
      {"evaluations", fmt::format("{}", summary.statistics.evaluations)},
      {"largest violation",
       fmt::format("position {:.1e}, velocity {:.1e}, acceleration {:.1e}", summary.violation.position,
                   summary.violation.velocity, summary.violation.acceleration)}};
  if (!settings.why_method.empty()) facts.emplace_back("why this method", settings.why_method);
  for (const MethodChange& change : summary.method_changes) facts.emplace_back("changed to", change.report());
  facts.emplace_back("coordinates",
                     settings.why_coordinates.empty()
                         ? settings.coordinates
                         : fmt::format("{} ({})", settings.coordinates, settings.why_coordinates));
  facts.emplace_back("tolerances", fmt::format("rtol = {}, atol = {}", settings.options.tolerances.relative,
                                               settings.options.tolerances.absolute));
  return facts;
}

}  // namespace

PageContent run_content(const Summary& summary, const Recording& recording, const RunSettings& settings,
                        const std::vector<EventRecord>& events,
                        const std::map<std::string, double>& parameters, bool running) {
  PageContent content;
  content.title = recording.title;
  content.status = running ? "running" : std::string(name(summary.status));
  if (!running && summary.status != Status::finished) content.message = summary.message();
  if (!running) content.facts = facts_of(summary, settings);
  for (const auto& [key, value] : parameters)
    content.parameters.emplace_back(key, fmt::format("{:.10g}", value));
  content.notes = summary.notes;
  content.events = events;
  for (const MethodChange& change : summary.method_changes)
    content.events.push_back({change.t, fmt::format("{} ({})", change.to, change.reason)});
  std::stable_sort(content.events.begin(), content.events.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.t < b.t; });
  return content;
}

void write_viewer_data(const Model& model, const MechanismRun& run, bool running, std::ostream& out) {
  PageContent content = run_content(run.summary(), run.recording(), run.settings(), run.events(),
                                    model.mechanism.parameters, running);
  content.subtitle = model.file;
  content.scene = [&](std::ostream& to) {
    write_mechanism_scene(model.mechanism, model.view, run.recording(), to);
  };
  write_viewer_data(content, run.recording(), out);
}

std::string viewer_data(const Model& model, const MechanismRun& run, bool running) {
  std::ostringstream text;
  write_viewer_data(model, run, running, text);
  return std::move(text).str();
}

}  // namespace trammel
