#include "trammel/page/viewer_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "trammel/page/page_text.h"
#include "trammel/page/viewer_page.h"
#include "trammel/version.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

// More lines than these cannot be told apart, more plots are not looked at before one has chosen.
constexpr std::size_t lines_in_plot = 6, plots_at_first = 5;
// Numbers in a page: it has four bytes and a third for each of them.
constexpr std::size_t most_numbers = 16'000'000;

Json doubles(const std::vector<double>& values) { return {{"f64", base64_doubles(values)}}; }

std::vector<double> every(std::size_t stride, const std::vector<double>& values) {
  std::vector<double> thinned;
  thinned.reserve(values.size() / stride + 1);
  for (std::size_t i = 0; i < values.size(); i += stride) thinned.push_back(values[i]);
  return thinned;
}

// Above this many channels only those are shown that a page cannot do without.
constexpr std::size_t most_channels = 250'000;

bool is_shown(const Channel& channel, bool all) {
  constexpr std::array<std::string_view, 5> first{"positions", "orientations", "measures", "states",
                                                  "energies"};
  return all || std::find(first.begin(), first.end(), channel.group) != first.end();
}

// All channels as the text of an array. Written as it goes: as a document in memory a hundred thousand channels would
// take ten times as much time and space.
void write_channels(const std::vector<Channel>& channels, std::size_t stride, std::ostream& out) {
  // the same texts again and again
  std::map<std::string, std::string, std::less<>> texts;
  const auto quoted = [&](std::string_view text) -> const std::string& {
    const auto known = texts.find(text);
    return known != texts.end() ? known->second : texts.emplace(text, page_text(text)).first->second;
  };
  const bool all = channels.size() <= most_channels;
  bool is_first = true;
  fmt::memory_buffer text;
  out << '[';
  for (const Channel& channel : channels) {
    if (!is_shown(channel, all)) continue;
    text.clear();
    fmt::format_to(
        std::back_inserter(text),
        R"({}{{"name":{},"group":{},"unit":{},"description":{},"data":{{"f32":"{}"}}}})", is_first ? "" : ",",
        page_text(channel.name), quoted(channel.group), quoted(channel.unit), quoted(channel.description),
        stride == 1 ? base64_floats(channel.values) : base64_floats(every(stride, channel.values)));
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    is_first = false;
  }
  out << ']';
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
  // of equations without bodies
  for (const auto& [title, group] : {std::pair{"Positions", "positions"},
                                     {"Velocities", "velocities"},
                                     {"Force states", "force states"},
                                     {"Auxiliary variables", "auxiliary variables"},
                                     {"Contact coordinates", "contact coordinates"},
                                     {"Multipliers", "multipliers"},
                                     {"Nonholonomic multipliers", "nonholonomic multipliers"}})
    add_plot(recording, title, group, "", plots);
  add_plot(recording, "States", "states", "", plots);
  add_plot(recording, "Energy", "energies", "J", plots);
  plots.push_back({{"title", "Step size"}, {"channels", {"step size"}}});
  plots.push_back(
      {{"title", "Constraint violation"},
       {"channels", {"violation of positions", "violation of velocities", "violation of accelerations"}}});
  if (recording.steps.find("invariant_error") != nullptr)
    plots.push_back({{"title", "Error of invariants"}, {"channels", {"error of invariants"}}});
  return plots;
}

// Steps are called by other names than in files, where they are for programs.
constexpr std::array<std::pair<const char*, const char*>, 5> step_names{
    {{"h", "step size"},
     {"position_violation", "violation of positions"},
     {"velocity_violation", "violation of velocities"},
     {"acceleration_violation", "violation of accelerations"},
     {"invariant_error", "error of invariants"}}};

Json steps_of(const ChannelTable& steps) {
  Json channels = Json::array();
  for (const auto& [name, label] : step_names)
    if (const Channel* channel = steps.find(name))
      channels.push_back({{"name", label},
                          {"group", "steps"},
                          {"unit", channel->unit},
                          {"log", true},
                          {"data", {{"f32", base64_floats(channel->values)}}}});
  return {{"times", doubles(steps.times())}, {"channels", std::move(channels)}};
}

Json pairs_of(const PageContent::Pairs& pairs) {
  Json list = Json::array();
  for (const auto& [key, value] : pairs) list.push_back({key, value});
  return list;
}

}  // namespace

void write_viewer_data(const PageContent& content, const Recording& recording, std::ostream& out) {
  const std::size_t samples = recording.times().size();
  const std::size_t stride =
      1 + std::max<std::size_t>(samples * recording.channels().size(), 1) / (most_numbers + 1);

  Json data;
  data["format"] = 1;
  data["generator"] = fmt::format("Trammel {}", version);
  data["title"] = content.title;
  data["subtitle"] = content.subtitle;
  data["status"] = content.status;
  data["message"] = content.message;
  if (!content.facts.empty()) data["summary"] = pairs_of(content.facts);
  data["parameters"] = pairs_of(content.parameters);
  data["notes"] = content.notes;
  if (stride > 1)
    data["notes"].push_back(fmt::format(
        "There is too much to show: this page has every {}th sample. The files beside it have all.", stride));

  if (recording.channels().size() > most_channels)
    data["notes"].push_back(
        fmt::format("There is too much to show: of {} channels this page has positions, orientations, "
                    "measures, states and "
                    "energies. The files beside it have all.",
                    recording.channels().size()));

  data["times"] = doubles(every(stride, recording.times()));

  Json rest;
  rest["steps"] = steps_of(recording.steps);
  rest["events"] = Json::array();
  for (const EventRecord& event : content.events)
    rest["events"].push_back({{"t", event.t}, {"name", event.name}});
  rest["plots"] = first_plots(recording);

  // two objects, with channels and scene between and behind them
  const auto members = [](const Json& object) {
    std::string text = page_text(object);
    return text.substr(1, text.size() - 2);
  };
  out << '{' << members(data) << R"(,"channels":)";
  write_channels(recording.channels(), stride, out);
  out << ',' << members(rest) << R"(,"scene":)";
  if (content.scene)
    content.scene(out);
  else
    out << "null";
  out << '}';
}

}  // namespace trammel
