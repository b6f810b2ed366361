// Couplers, drivers, states, measures, roads and initial conditions.
#include <fmt/format.h>

#include "trammel/model/coordinate_reader.h"
#include "trammel/model/typed_entry.h"

namespace trammel {
namespace {

Coupler::Term read_term(const ModelBuilder& builder, const ModelNode& node, double factor) {
  const std::string text = builder.scope.text(node, "coordinate");
  return {full_coordinate(builder, text, node.place(), RatesAllowed::no), factor, node.place()};
}

// Teeth that mesh move together: outside of each other, the wheels turn in opposite directions.
void read_gear(const ModelBuilder& builder, const MapReader& map, Coupler& coupler) {
  const ModelNode &joints = map.at("joints"), &teeth = map.at("teeth");
  if (joints.kind != ModelNode::Kind::list || joints.items.size() != 2)
    throw ModelError(joints.place(),
                     fmt::format("'joints' is a list of 2 angles, not {}", joints.in_words()));
  if (teeth.kind != ModelNode::Kind::list || teeth.items.size() != 2)
    throw ModelError(teeth.place(), fmt::format("'teeth' is a list of 2 numbers, not {}", teeth.in_words()));
  for (std::size_t i = 0; i < 2; ++i) {
    const double count = read_number(teeth.items[i], builder.scope, "teeth", NumberRange::positive);
    const double sign = i == 1 && map.flag("internal", false) ? -1 : 1;
    coupler.terms.push_back(read_term(builder, joints.items[i], sign * count));
  }
}

// displacement = radius · angle.
void read_rack(const ModelBuilder& builder, const MapReader& map, Coupler& coupler) {
  const double radius = map.number("radius");
  if (radius == 0) throw ModelError(map.at("radius").place(), "'radius' must not be zero");
  coupler.terms.push_back(read_term(builder, map.at("rack"), 1));
  coupler.terms.push_back(read_term(builder, map.at("pinion"), -radius));
}

void read_terms(const ModelBuilder& builder, const MapReader& map, Coupler& coupler) {
  const ModelNode& terms = map.at("terms");
  if (terms.kind != ModelNode::Kind::map)
    throw ModelError(terms.place(),
                     fmt::format("'terms' is a map of coordinates and factors, not {}", terms.in_words()));
  for (const ModelNode::Entry& entry : terms.entries)
    coupler.terms.push_back(read_term(builder, entry.key, builder.scope.number(entry.value, entry.key.text)));
  coupler.offset = map.optional_number("offset");
}

}  // namespace

void read_couplers(ModelBuilder& builder) {
  for_each_entry(builder, "couplers", [&](const NamedEntry& entry) {
    const auto [type, map] = read_typed_entry(entry, "coupler", coupler_types(), builder.scope);
    Coupler coupler;
    coupler.name = entry.name;
    coupler.place = entry.place;
    if (type == "gear") read_gear(builder, map, coupler);
    if (type == "rack_and_pinion") read_rack(builder, map, coupler);
    if (type == "coupler") read_terms(builder, map, coupler);
    builder.mechanism().couplers.push_back(coupler);
  });
}

void read_drivers(ModelBuilder& builder) {
  const std::pair<std::string, Driver::Level> levels[] = {{"position", Driver::Level::position},
                                                          {"velocity", Driver::Level::velocity},
                                                          {"acceleration", Driver::Level::acceleration}};
  for_each_entry(builder, "drivers", [&](const NamedEntry& entry) {
    const MapReader map(entry.node, key_set("driver"), fmt::format("driver '{}'", entry.name), entry.place,
                        builder.scope);
    Driver driver;
    driver.name = entry.name;
    driver.place = entry.place;
    driver.coordinate =
        full_coordinate(builder, map.text("coordinate"), map.at("coordinate").place(), RatesAllowed::no);
    std::string given;
    for (const auto& [key, level] : levels) {
      if (!map.has(key)) continue;
      if (!given.empty()) map.refuse_together(given, key);
      given = key;
      driver.level = level;
      driver.motion = map.law(key);
    }
    if (given.empty()) map.fail(map.what() + " needs 'position', 'velocity' or 'acceleration'");
    builder.mechanism().drivers.push_back(driver);
  });
}

void read_roads(ModelBuilder& builder) {
  for_each_entry(builder, "roads", [&](const NamedEntry& entry) {
    const auto [type, map] = read_typed_entry(entry, "road", road_types(), builder.scope);
    Road road;
    road.name = entry.name;
    road.place = entry.place;
    if (type != "flat") road.start = map.number("at", 0);
    if (type == "half_cylinder") {
      road.kind = Road::Kind::half_cylinder;
      road.height = map.number("radius", NumberRange::positive);
      road.length = map.number("length", 0, NumberRange::positive);
    } else if (type == "step") {
      road.kind = Road::Kind::step;
      road.height = map.number("height");
      road.length = map.number("length", NumberRange::positive);
    } else if (type == "sine") {
      road.kind = Road::Kind::sine;
      road.height = map.number("amplitude");
      road.length = map.number("wavelength", NumberRange::positive);
    } else if (type == "table") {
      road.kind = Road::Kind::table;
      road.table = map.text("table");
      std::vector<std::string> names;
      for (const auto& [name, table] : builder.scope.tables) names.push_back(name);
      if (!builder.scope.tables.contains(road.table))
        throw ModelError(map.at("table").place(),
                         fmt::format("there is no table '{}'{}", road.table, hint_at(road.table, names)));
    }
    builder.mechanism().roads.push_back(road);
  });
}

void note_variables(ModelBuilder& builder) {
  for (const std::string section : {"states", "inputs", "measures"}) {
    for (const ModelBuilder::Block& block : builder.blocks) {
      const ModelNode* node = block.node->find(section);
      if (!node) continue;
      builder.scope.indices = block.indices;
      for (const ModelNode::Entry& entry : node->entries)
        builder.scope.variables.insert(builder.scope.text(entry.key, section));
    }
  }
  builder.scope.indices.clear();
}

void read_states(ModelBuilder& builder) {
  for_each_entry(builder, "states", [&](const NamedEntry& entry) {
    const MapReader map(entry.node, key_set("state"), fmt::format("state '{}'", entry.name), entry.place,
                        builder.scope);
    State state;
    state.name = entry.name;
    state.place = entry.place;
    state.rate = map.law("rate");
    state.initial = map.number("initial", 0);
    builder.mechanism().states.push_back(state);
  });
}

// A number that stays as it is until somebody outside sets it.
void read_inputs(ModelBuilder& builder) {
  for_each_entry(builder, "inputs", [&](const NamedEntry& entry) {
    State input;
    input.name = entry.name;
    input.place = entry.place;
    input.rate = Law(0.0);
    input.initial = builder.scope.number(entry.node, entry.name);
    builder.mechanism().states.push_back(input);
  });
}

void read_measures(ModelBuilder& builder) {
  for_each_entry(builder, "measures", [&](const NamedEntry& entry) {
    Measure measure;
    measure.name = entry.name;
    measure.place = entry.place;
    if (entry.node.kind == ModelNode::Kind::word) {
      measure.value = builder.scope.law(entry.node, entry.name);
    } else {
      const MapReader map(entry.node, key_set("measure"), fmt::format("measure '{}'", entry.name),
                          entry.place, builder.scope);
      measure.value = map.law("value");
      measure.unit = map.text("unit");
    }
    builder.mechanism().measures.push_back(measure);
  });
}

void read_initial_conditions(ModelBuilder& builder) {
  for_each_entry(builder, "initial", [&](const NamedEntry& entry) {
    InitialValue initial;
    initial.quantity = full_coordinate(builder, entry.name, entry.place, RatesAllowed::yes);
    initial.place = entry.place;
    initial.value = builder.scope.number(entry.node, entry.name);
    builder.mechanism().initial.push_back(initial);
  });
}

}  // namespace trammel
