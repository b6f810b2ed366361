// What to do with the mechanism: the sections `simulation` and `view`.
#include <fmt/format.h>

#include "trammel/model/model_builder.h"

namespace trammel {
namespace {

void read_options(const ModelNode& node, const NumberScope& scope,
                  std::vector<SimulationSettings::Option>& options) {
  if (node.kind != ModelNode::Kind::map)
    throw ModelError(node.place(),
                     fmt::format("'options' is a map of names and values, not {}", node.in_words()));
  for (const ModelNode::Entry& entry : node.entries) {
    const SimulationSettings::Option option{entry.key.text, scope.text(entry.value, entry.key.text),
                                            entry.key.place()};
    // a file that includes another has the last word
    std::erase_if(options,
                  [&](const SimulationSettings::Option& other) { return other.name == option.name; });
    options.push_back(option);
  }
}

void read_tolerances(const ModelNode& node, const NumberScope& scope,
                     std::vector<SimulationSettings::NamedTolerance>& tolerances) {
  if (node.kind != ModelNode::Kind::map)
    throw ModelError(
        node.place(),
        fmt::format(
            "'tolerances' is a map of bodies, joints, states and {{rtol: .., atol: .., closure: ..}}, not {}",
            node.in_words()));
  for (const ModelNode::Entry& entry : node.entries) {
    const std::string& name = entry.key.text;
    const MapReader map(entry.value, key_set("tolerance"), fmt::format("the tolerance of '{}'", name),
                        entry.key.place(), scope);
    SimulationSettings::NamedTolerance tolerance{name, {}, {}, entry.key.place()};
    if (map.has("rtol")) tolerance.rtol = map.number("rtol", NumberRange::not_negative);
    if (map.has("atol")) tolerance.atol = map.number("atol", NumberRange::positive);
    if (map.has("closure")) tolerance.closure = map.number("closure", NumberRange::positive);
    if (!tolerance.rtol && !tolerance.atol && !tolerance.closure)
      throw ModelError(entry.key.place(),
                       fmt::format("the tolerance of '{}' says nothing: give rtol, atol or both, or the "
                                   "closure of a joint",
                                   name));
    std::erase_if(tolerances, [&](const auto& other) { return other.name == name; });
    tolerances.push_back(tolerance);
  }
}

}  // namespace

void read_simulation(ModelBuilder& builder) {
  SimulationSettings& settings = builder.model.simulation;
  for (const ModelNode& document : builder.documents) {
    const ModelNode* node = document.find("simulation");
    if (!node || node->kind == ModelNode::Kind::nothing) continue;
    const MapReader map(*node, key_set("simulation"), "'simulation'", node->place(), builder.scope);
    settings.place = node->place();
    const auto read = [&](const std::string& key, NumberRange range, std::optional<double>& value) {
      if (map.has(key)) value = map.number(key, range);
    };
    read("end", NumberRange::positive, settings.end);
    read("output", NumberRange::positive, settings.output);
    read("rtol", NumberRange::positive, settings.rtol);
    if (settings.rtol && !(*settings.rtol < 1))
      map.fail_at("rtol", fmt::format("'rtol' must be less than 1, not {}", *settings.rtol));
    read("atol", NumberRange::positive, settings.atol);
    read("h0", NumberRange::positive, settings.h0);
    if (map.has("method")) settings.method = map.text("method");
    if (map.has("coordinates")) settings.coordinates = map.text("coordinates");
    if (map.has("rods")) settings.rods = map.choice("rods", {"bodies", "distances"}, "bodies");
    if (map.has("tolerances")) read_tolerances(map.at("tolerances"), builder.scope, settings.tolerances);
    if (map.has("options")) read_options(map.at("options"), builder.scope, settings.options);
  }
}

void read_view(ModelBuilder& builder) {
  ViewSettings& view = builder.model.view;
  for (const ModelNode& document : builder.documents) {
    const ModelNode* node = document.find("view");
    if (!node || node->kind == ModelNode::Kind::nothing) continue;
    const MapReader map(*node, key_set("view"), "'view'", node->place(), builder.scope);
    view.up = map.choice("up", {"x", "y", "z"}, view.up);
    view.planar = map.flag("planar", view.planar);
    const ModelNode* traces = map.find("traces");
    if (!traces) continue;
    if (traces->kind != ModelNode::Kind::list)
      throw ModelError(traces->place(),
                       fmt::format("'traces' is a list of markers and bodies, not {}", traces->in_words()));
    for (const ModelNode& item : traces->items) {
      const std::string name = builder.scope.text(item, "traces");
      std::vector<std::string> names;
      for (const Body& body : builder.model.mechanism.bodies) names.push_back(body.name);
      for (const Marker& marker : builder.model.mechanism.markers) names.push_back(marker.name);
      if (!builder.bodies.contains(name) && !builder.markers.contains(name))
        throw ModelError(item.place(),
                         fmt::format("there is no marker or body '{}'{}", name, hint_at(name, names)));
      view.traces.push_back(name);
    }
  }
}

}  // namespace trammel
