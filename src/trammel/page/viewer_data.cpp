#include "trammel/page/viewer_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trammel/page/summary_facts.h"
#include "trammel/page/viewer_page.h"
#include "trammel/page/viewer_scene.h"
#include "trammel/version.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

// More lines than these cannot be told apart, more plots are not looked at before one has chosen.
constexpr std::size_t lines_in_plot = 6, plots_at_first = 5;
// Numbers in a page: it has four bytes and a third for each of them.
constexpr std::size_t most_numbers = 16'000'000;

Json doubles(const std::vector<double>& values) { return {{"f64", base64_doubles(values)}}; }

Json floats(const std::vector<double>& values, std::size_t stride) {
  if (stride == 1) return {{"f32", base64_floats(values)}};
  std::vector<double> thinned;
  for (std::size_t i = 0; i < values.size(); i += stride) thinned.push_back(values[i]);
  return {{"f32", base64_floats(thinned)}};
}

// The channels of a group with this unit, as one plot.
void add_plot(const Recording& recording, const std::string& title, const std::string& group,
              const std::string& unit, Json& plots) {
  if (plots.size() >= plots_at_first) return;
  Json names = Json::array();
  for (const Channel& channel : recording.channels())
    if (channel.group == group && channel.unit == unit && names.size() < lines_in_plot)
      names.push_back(channel.name);
  if (!names.empty()) plots.push_back({{"title", title}, {"channels", names}});
}

Json first_plots(const Recording& recording) {
  Json plots = Json::array();
  std::vector<std::string> units;
  for (const Channel& channel : recording.channels())
    if (channel.group == "measures" && std::find(units.begin(), units.end(), channel.unit) == units.end())
      units.push_back(channel.unit);
  for (const std::string& unit : units)
    add_plot(recording, units.size() > 1 && !unit.empty() ? fmt::format("Measures, {}", unit) : "Measures",
             "measures", unit, plots);
  add_plot(recording, "Joint angles", "joints", "rad", plots);
  add_plot(recording, "Joint displacements", "joints", "m", plots);
  if (plots.empty()) add_plot(recording, "Positions", "positions", "m", plots);
  add_plot(recording, "States", "states", "", plots);
  add_plot(recording, "Energy", "energies", "J", plots);
  plots.push_back({{"title", "Step size"}, {"channels", {"step size"}}});
  plots.push_back(
      {{"title", "Constraint violation"},
       {"channels", {"violation of positions", "violation of velocities", "violation of accelerations"}}});
  return plots;
}

Json steps_of(const std::vector<StepRecord>& steps) {
  std::vector<double> times;
  for (const StepRecord& step : steps) times.push_back(step.t);
  Json channels = Json::array();
  const auto add = [&](const char* label, const char* unit, double StepRecord::*member) {
    std::vector<double> values;
    for (const StepRecord& step : steps) values.push_back(step.*member);
    channels.push_back(
        {{"name", label}, {"group", "steps"}, {"unit", unit}, {"log", true}, {"data", floats(values, 1)}});
  };
  add("step size", "s", &StepRecord::h);
  add("violation of positions", "", &StepRecord::position_violation);
  add("violation of velocities", "", &StepRecord::velocity_violation);
  add("violation of accelerations", "", &StepRecord::acceleration_violation);
  return {{"times", doubles(times)}, {"channels", channels}};
}

Json summary_of(const MechanismRun& run) {
  Json list = Json::array();
  for (const auto& [key, value] : summary_facts(run.summary())) list.push_back({key, value});
  if (!run.settings().why_method.empty()) list.push_back({"why this method", run.settings().why_method});
  list.push_back(
      {"tolerances", fmt::format("rtol = {}, atol = {}", run.settings().options.tolerances.relative,
                                 run.settings().options.tolerances.absolute)});
  return list;
}

}  // namespace

std::string viewer_data(const Model& model, const MechanismRun& run, bool running) {
  const Recording& recording = run.recording();
  const Summary& summary = run.summary();
  const std::size_t samples = recording.times().size();
  const std::size_t stride =
      1 + std::max<std::size_t>(samples * recording.channels().size(), 1) / (most_numbers + 1);

  Json data;
  data["format"] = 1;
  data["generator"] = fmt::format("Trammel {}", version);
  data["title"] = recording.title;
  data["subtitle"] = model.file;
  data["status"] = running ? "running" : std::string(name(summary.status));
  data["message"] = running || summary.status == Status::finished ? "" : summary.message();
  if (!running) data["summary"] = summary_of(run);
  data["parameters"] = Json::array();
  for (const auto& [key, value] : model.mechanism.parameters)
    data["parameters"].push_back({key, fmt::format("{:.10g}", value)});
  data["notes"] = summary.notes;
  if (stride > 1)
    data["notes"].push_back(fmt::format(
        "There is too much to show: this page has every {}th sample. The files beside it have all.", stride));

  std::vector<double> times;
  for (std::size_t i = 0; i < samples; i += stride) times.push_back(recording.times()[i]);
  data["times"] = doubles(times);
  data["channels"] = Json::array();
  for (const Channel& channel : recording.channels())
    data["channels"].push_back({{"name", channel.name},
                                {"group", channel.group},
                                {"unit", channel.unit},
                                {"description", channel.description},
                                {"data", floats(channel.values, stride)}});
  data["steps"] = steps_of(run.steps());
  data["events"] = Json::array();
  for (const EventRecord& event : run.events())
    data["events"].push_back({{"t", event.t}, {"name", event.name}});
  data["plots"] = first_plots(recording);
  data["scene"] = viewer_scene(model, recording);
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace trammel
