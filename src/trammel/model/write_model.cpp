// A model as text: what read_model makes the same model of.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "trammel/mechanism/joint_elements.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/model/model.h"
#include "trammel/model/write_forces.h"
#include "trammel/model/yaml_text.h"

namespace trammel {
namespace {

// ---- another reference position

double reference_value(const Mechanism& mechanism, const MeasuredFunction& function) {
  const auto pose = [&](int body) -> Pose<double> {
    const Frame& frame = mechanism.bodies[static_cast<std::size_t>(body)].reference;
    return {frame.origin - frame.axes * from_centre_of_mass(mechanism, body, {}), frame.axes};
  };
  const Pose<double> a = pose(function.body_a), b = pose(function.body_b);
  if (const Angle* angle = std::get_if<Angle>(&function.kernel)) return (*angle)(a, b)[0];
  if (const Offset* offset = std::get_if<Offset>(&function.kernel)) return (*offset)(a, b)[0];
  return 0;
}

// The free angle that a torsion spring takes from the reference position.
double reference_angle(const Mechanism& mechanism, const Force::TorsionSpring& force) {
  const Joint* joint = mechanism.joint(force.along.joint);
  if (!joint) {
    const auto axes = [&](int body) {
      return mechanism.bodies[static_cast<std::size_t>(body)].reference.axes;
    };
    const Mat3<double> a = axes(force.body_a) * force.frame_a.axes;
    const Vec3<double> x = (axes(force.body_b) * force.frame_b.axes).column[0];
    return std::atan2(dot(a.column[1], x), dot(a.column[0], x));
  }
  const std::vector<std::string>& names = coordinate_names(joint->type);
  const std::string coordinate = !force.along.coordinate.empty() ? force.along.coordinate
                                 : names.size() == 1             ? names[0]
                                                                 : "angle";
  return reference_value(mechanism, MeasuredFunctions(mechanism).coordinate(*joint, coordinate));
}

// The same mechanism elsewhere: lengths and angles that it takes from its reference position are kept.
Mechanism moved(Mechanism mechanism, std::span<const Frame> frames) {
  if (frames.size() != mechanism.bodies.size())
    throw std::invalid_argument(
        fmt::format("there are {} bodies, and {} frames", mechanism.bodies.size(), frames.size()));
  for (Joint& joint : mechanism.joints)
    if (joint.type == JointType::distance && joint.length == 0)
      joint.length = reference_distance(mechanism, joint);
  for (Force& force : mechanism.forces) {
    const auto world = [&](int body, const Frame& frame) {
      return compose(mechanism.bodies[static_cast<std::size_t>(body)].reference, frame).origin;
    };
    if (auto* spring = force.as<Force::SpringDamper>(); spring && !spring->free_length)
      spring->free_length =
          length(world(spring->body_b, spring->frame_b) - world(spring->body_a, spring->frame_a));
    if (auto* spring = force.as<Force::TorsionSpring>(); spring && !spring->free_angle)
      spring->free_angle = reference_angle(mechanism, *spring);
  }
  for (std::size_t i = 1; i < frames.size(); ++i) mechanism.bodies[i].reference = frames[i];
  return mechanism;
}

// ---- the sections

// A section, or nothing if it has no lines.
std::string section(const std::string& name, const std::string& lines) {
  return lines.empty() ? "" : name + ":\n" + lines;
}

std::string line(const std::string& name, const std::string& text) {
  return fmt::format("  {}: {}\n", yaml_word(name), text);
}

std::string shape_text(const Shape& shape, const std::filesystem::path& folder) {
  const std::string round = fmt::format("{{radius: {}, length: {}}}", shape.size.x, shape.size.z);
  YamlMap map;
  switch (shape.kind) {
    case Shape::Kind::box:
      map.add("box", yaml_vector(shape.size));
      break;
    case Shape::Kind::cylinder:
      map.add("cylinder", round);
      break;
    case Shape::Kind::sphere:
      map.add("sphere", fmt::format("{{radius: {}}}", shape.size.x));
      break;
    case Shape::Kind::capsule:
      map.add("capsule", round);
      break;
    case Shape::Kind::cone:
      map.add("cone", round);
      break;
    case Shape::Kind::mesh: {
      // as seen from the file that is written
      const std::filesystem::path beside = std::filesystem::path(shape.file).lexically_relative(folder);
      const bool is_address = shape.file.find("://") != std::string::npos;
      const std::string file = beside.empty() || folder.empty() || is_address ? shape.file : beside.string();
      map.add("mesh", YamlMap().add("file", yaml_word(file)).add("scale", yaml_vector(shape.size)).text());
      break;
    }
  }
  map.add_frame(shape.frame);
  if (!shape.color.empty()) map.add("color", yaml_word(shape.color));
  return map.text();
}

std::string body_text(const Body& body, bool is_ground, const std::filesystem::path& folder) {
  std::string text = fmt::format("  {}:\n", yaml_word(body.name));
  const auto add = [&](const std::string& key, const std::string& value) {
    text += fmt::format("    {}: {}\n", key, value);
  };
  if (!is_ground) {
    add("at", yaml_vector(body.reference.origin));
    if (!is_identity(body.reference.axes)) add("orientation", yaml_orientation(body.reference.axes));
    add("mass", yaml_number(body.mass));
    add("com", yaml_vector(body.com));
    const Mat3<double>& I = body.inertia;
    const std::string values = yaml_numbers({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
    add("inertia", body.inertia_as_given ? fmt::format("{{values: {}, as_given: true}}", values) : values);
    add("velocity", yaml_vector(body.velocity));
    add("angular_velocity", yaml_vector(body.angular_velocity));
    if (body.keep != 1) add("keep", yaml_number(body.keep));
  }
  if (!body.color.empty()) add("color", yaml_word(body.color));
  if (!body.shapes.empty()) text += "    shapes:\n";
  for (const Shape& shape : body.shapes) text += "      - " + shape_text(shape, folder) + "\n";
  return text;
}

std::string joint_text(const Mechanism& mechanism, const Joint& joint) {
  const auto body = [&](int i) { return yaml_word(mechanism.bodies[static_cast<std::size_t>(i)].name); };
  YamlMap map;
  map.add("type", name(joint.type))
      .add("between", fmt::format("[{}, {}]", body(joint.body_a), body(joint.body_b)));
  map.add("on_first", yaml_frame(joint.frame_a)).add("on_second", yaml_frame(joint.frame_b));
  if (joint.type == JointType::screw) map.add("pitch", yaml_number(joint.pitch));
  if (joint.type == JointType::distance) map.add_number("length", joint.length);
  if (joint.type == JointType::rolling_disk || joint.type == JointType::rolling_sphere)
    map.add("radius", yaml_number(joint.radius));
  YamlMap initial;
  for (const auto& [coordinate, value] : joint.initial) initial.add(coordinate, yaml_number(value));
  if (!joint.initial.empty()) map.add("initial", initial.text());
  YamlMap inertias, ratios;
  for (const Rotor& rotor : joint.rotors) {
    inertias.add(rotor.coordinate, yaml_number(rotor.inertia));
    ratios.add(rotor.coordinate, yaml_number(rotor.gear_ratio));
  }
  if (!joint.rotors.empty()) map.add("rotor_inertia", inertias.text()).add("gear_ratio", ratios.text());
  if (!joint.in_tree) map.add("tree", "no");
  return map.text();
}

std::string coupler_text(const Coupler& coupler) {
  YamlMap terms;
  for (const Coupler::Term& term : coupler.terms) terms.add(term.coordinate, yaml_number(term.factor));
  YamlMap map;
  map.add("type", "coupler").add("terms", terms.text());
  if (coupler.offset) map.add("offset", yaml_number(*coupler.offset));
  return map.text();
}

std::string driver_text(const Driver& driver) {
  const char* level = driver.level == Driver::Level::position   ? "position"
                      : driver.level == Driver::Level::velocity ? "velocity"
                                                                : "acceleration";
  return YamlMap().add("coordinate", yaml_word(driver.coordinate)).add(level, yaml_law(driver.motion)).text();
}

std::string road_text(const Road& road) {
  YamlMap map;
  switch (road.kind) {
    case Road::Kind::flat:
      map.add("type", "flat");
      break;
    case Road::Kind::half_cylinder:
      map.add("type", "half_cylinder")
          .add("at", yaml_number(road.start))
          .add("radius", yaml_number(road.height));
      map.add_number("length", road.length);
      break;
    case Road::Kind::step:
      map.add("type", "step").add("at", yaml_number(road.start)).add("height", yaml_number(road.height));
      map.add("length", yaml_number(road.length));
      break;
    case Road::Kind::sine:
      map.add("type", "sine").add_number("at", road.start).add("amplitude", yaml_number(road.height));
      map.add("wavelength", yaml_number(road.length));
      break;
    case Road::Kind::table:
      map.add("type", "table").add_number("at", road.start).add("table", yaml_word(road.table));
      break;
  }
  return map.text();
}

std::string tables_text(const Model& model) {
  std::string text;
  for (const auto& [table_name, table] : model.mechanism.tables) {
    const auto found = model.tables.find(table_name);
    if (found == model.tables.end())
      throw ModelError({model.file},
                       fmt::format("the points of table '{}' are not known any more", table_name));
    const TablePoints& points = found->second;
    const char* interpolation = points.interpolation == Table::Interpolation::linear  ? "linear"
                                : points.interpolation == Table::Interpolation::cubic ? "cubic"
                                                                                      : "monotone";
    text += line(table_name, YamlMap()
                                 .add("x", yaml_numbers(points.x))
                                 .add("y", yaml_numbers(points.y))
                                 .add("interpolation", interpolation)
                                 .add("outside", points.outside == Table::Outside::hold ? "hold" : "extend")
                                 .text());
  }
  return text;
}

std::string settings_text(const Model& model) {
  const SimulationSettings& settings = model.simulation;
  std::string text, options;
  const auto add = [&](const std::string& key, const std::optional<double>& value) {
    if (value) text += line(key, yaml_number(*value));
  };
  add("end", settings.end);
  add("output", settings.output);
  if (settings.method) text += line("method", yaml_word(*settings.method));
  if (settings.coordinates) text += line("coordinates", yaml_word(*settings.coordinates));
  add("rtol", settings.rtol);
  add("atol", settings.atol);
  add("h0", settings.h0);
  YamlMap tolerances;
  for (const SimulationSettings::NamedTolerance& tolerance : settings.tolerances) {
    YamlMap numbers;
    if (tolerance.rtol) numbers.add("rtol", yaml_number(*tolerance.rtol));
    if (tolerance.atol) numbers.add("atol", yaml_number(*tolerance.atol));
    if (tolerance.closure) numbers.add("closure", yaml_number(*tolerance.closure));
    tolerances.add(yaml_word(tolerance.name), numbers.text());
  }
  if (!settings.tolerances.empty()) text += line("tolerances", tolerances.text());
  YamlMap map;
  for (const SimulationSettings::Option& option : settings.options)
    map.add(option.name, yaml_word(option.value));
  if (!settings.options.empty()) text += line("options", map.text());

  std::string view, traces;
  if (!model.view.up.empty()) view += line("up", model.view.up);
  if (model.view.planar) view += line("planar", "true");
  for (const std::string& trace : model.view.traces)
    traces += (traces.empty() ? "" : ", ") + yaml_word(trace);
  if (!traces.empty()) view += line("traces", "[" + traces + "]");
  return section("simulation", text) + section("view", view);
}

std::string mechanism_text(const Mechanism& mechanism, const std::filesystem::path& folder) {
  std::string bodies, markers, joints, couplers, drivers, forces, roads, states, measures, initial;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& body = mechanism.bodies[i];
    if (i > 0 || !body.shapes.empty() || !body.color.empty()) bodies += body_text(body, i == 0, folder);
  }
  for (const Marker& marker : mechanism.markers) {
    const std::string& body = mechanism.bodies[static_cast<std::size_t>(marker.body)].name;
    markers += line(marker.name,
                    YamlMap().add("body", yaml_word(body)).add("local", yaml_frame(marker.frame)).text());
  }
  for (const Joint& joint : mechanism.joints) joints += line(joint.name, joint_text(mechanism, joint));
  for (const Coupler& coupler : mechanism.couplers) couplers += line(coupler.name, coupler_text(coupler));
  for (const Driver& driver : mechanism.drivers) drivers += line(driver.name, driver_text(driver));
  for (const Force& force : mechanism.forces) forces += line(force.ends().name, yaml_force(mechanism, force));
  for (const Road& road : mechanism.roads) roads += line(road.name, road_text(road));
  for (const State& state : mechanism.states)
    states +=
        line(state.name,
             YamlMap().add("rate", yaml_law(state.rate)).add("initial", yaml_number(state.initial)).text());
  for (const Measure& measure : mechanism.measures) {
    const std::string unit = measure.unit.empty() ? "" : yaml_word(measure.unit);
    measures += line(measure.name, YamlMap().add("value", yaml_law(measure.value)).add("unit", unit).text());
  }
  for (const InitialValue& value : mechanism.initial)
    initial += line(value.quantity, yaml_number(value.value));
  return section("bodies", bodies) + section("markers", markers) + section("joints", joints) +
         section("couplers", couplers) + section("drivers", drivers) + section("forces", forces) +
         section("roads", roads) + section("states", states) + section("measures", measures) +
         section("initial", initial);
}

}  // namespace

std::string write_model(const Model& model, std::span<const Frame> frames) {
  if (!model.mechanism.extensions.empty())
    throw ModelError({model.file}, "elements written in C++ cannot be written to a model file");
  const Mechanism mechanism = frames.empty() ? model.mechanism : moved(model.mechanism, frames);
  std::string parameters;
  for (const auto& [parameter, value] : mechanism.parameters)
    parameters += line(parameter, yaml_number(value));
  std::string text = "trammel: 1\n";
  if (!mechanism.title.empty()) text += fmt::format("title: {}\n", yaml_word(mechanism.title));
  text += section("parameters", parameters);
  text += fmt::format("gravity: {}\n", yaml_vector(mechanism.gravity));
  text += section("tables", tables_text(model));
  text += mechanism_text(mechanism, std::filesystem::path(model.file).parent_path());
  text += settings_text(model);
  return text;
}

}  // namespace trammel
