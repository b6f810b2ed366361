#include "trammel/model/write_forces.h"

#include <fmt/format.h>

#include "trammel/model/model_keys.h"
#include "trammel/model/yaml_text.h"

namespace trammel {
namespace {

std::string body_name(const Mechanism& mechanism, int body) {
  return yaml_word(mechanism.bodies[static_cast<std::size_t>(body)].name);
}

std::string between(const Mechanism& mechanism, const Force& force) {
  return fmt::format("[{}, {}]", body_name(mechanism, force.body_a), body_name(mechanism, force.body_b));
}

std::string point(const Frame& frame) { return fmt::format("{{at: {}}}", yaml_vector(frame.origin)); }

void add_spring(const Force& force, const std::string& free, const std::string& law, YamlMap& map) {
  map.add_number("stiffness", force.stiffness).add_number("damping", force.damping);
  if (force.free_length) map.add(free, yaml_number(*force.free_length));
  map.add_number("preload", force.preload);
  if (force.law) map.add(law, yaml_law(*force.law));
}

std::string six_by_six(const std::array<std::array<double, 6>, 6>& matrix) {
  std::string rows;
  for (const std::array<double, 6>& row : matrix)
    rows += (rows.empty() ? "" : ", ") + yaml_numbers({row.begin(), row.end()});
  return "[" + rows + "]";
}

void add_bushing(const Force& force, YamlMap& map) {
  map.add("on_first", yaml_frame(force.frame_a)).add("on_second", yaml_frame(force.frame_b));
  map.add("stiffness", six_by_six(force.stiffness_matrix)).add("damping", six_by_six(force.damping_matrix));
  map.add("preload", yaml_numbers({force.preloads.begin(), force.preloads.end()}));
  const std::vector<std::string> names = key_set("bushing_laws").names();
  YamlMap laws;
  for (std::size_t i = 0; i < 6; ++i)
    if (force.component_laws[i]) laws.add(names[i], yaml_law(*force.component_laws[i]));
  map.add("laws", laws.text());
}

void add_components(const Mechanism& mechanism, const Force& force, YamlMap& map) {
  std::string components;
  for (const Law& law : force.components) components += (components.empty() ? "" : ", ") + yaml_law(law);
  map.add("components", "[" + components + "]");
  if (force.axes != Force::Axes::world)
    map.add("axes", force.axes == Force::Axes::second_body ? "body" : "reaction_body");
  if (force.applies_reaction) map.add("reaction_on", body_name(mechanism, force.body_a));
}

void add_tyre(const Force& force, YamlMap& map) {
  if (force.body_a != 0)
    throw ModelError(
        force.place,
        fmt::format("tyre '{}' rolls on a body that moves, which a model file cannot say", force.name));
  map.add_number("radius", force.radius)
      .add_number("stiffness", force.stiffness)
      .add_number("damping", force.damping);
  map.add_number("smoothing", force.smoothing);
  if (!force.road.empty()) map.add("road", yaml_word(force.road));
  map.add_vector("road_at", force.frame_a.origin).add_vector("up", force.frame_a.axes.column[2]);
  map.add_vector("forward", force.frame_a.axes.column[0]);
}

void add_contact(const Mechanism& mechanism, const Force& force, YamlMap& map) {
  map.add("plane", body_name(mechanism, force.body_a)).add("plane_local", yaml_frame(force.frame_a));
  map.add_number("radius", force.radius)
      .add_number("stiffness", force.stiffness)
      .add_number("exponent", force.exponent, 1);
  map.add_number("damping", force.damping).add_number("friction", force.friction);
  map.add_number("friction_velocity", force.friction_velocity).add_number("smoothing", force.smoothing);
}

void add_joint_friction(const Force& force, YamlMap& map) {
  map.add("joint", yaml_word(force.joint));
  if (!force.coordinate.empty()) map.add("coordinate", yaml_word(force.coordinate));
  // one of these must be there
  map.add("viscous", yaml_number(force.damping)).add_number("dry", force.dry);
  map.add_number("coefficient", force.friction).add_number("radius", force.radius);
  map.add_number("velocity", force.friction_velocity);
}

void add_coordinate(const Force& force, YamlMap& map) {
  if (force.joint.empty()) {
    map.add("coordinate", yaml_word(force.coordinate));
  } else if (force.coordinate.empty()) {
    map.add("joint", yaml_word(force.joint));
  } else {
    const bool full = force.coordinate.starts_with(force.joint + ".");
    map.add("coordinate", yaml_word(full ? force.coordinate : force.joint + "." + force.coordinate));
  }
}

}  // namespace

std::string yaml_force(const Mechanism& mechanism, const Force& force) {
  YamlMap map;
  const std::string on = body_name(mechanism, force.body_b);
  switch (force.kind) {
    case Force::Kind::spring_damper:
      map.add("type", "spring_damper").add("between", between(mechanism, force));
      map.add("on_first", point(force.frame_a)).add("on_second", point(force.frame_b));
      add_spring(force, "free_length", "force", map);
      break;
    case Force::Kind::torsion_spring:
      map.add("type", "torsion_spring");
      if (!force.joint.empty()) {
        map.add("joint", yaml_word(force.joint));
        if (!force.coordinate.empty()) map.add("coordinate", yaml_word(force.coordinate));
      } else {
        map.add("between", between(mechanism, force));
        map.add("on_first", yaml_frame(force.frame_a)).add("on_second", yaml_frame(force.frame_b));
      }
      add_spring(force, "free_angle", "torque", map);
      break;
    case Force::Kind::bushing:
      map.add("type", "bushing").add("between", between(mechanism, force));
      add_bushing(force, map);
      break;
    case Force::Kind::point_force:
      map.add("type", "force").add("on", on).add("local", point(force.frame_b));
      add_components(mechanism, force, map);
      break;
    case Force::Kind::torque:
      map.add("type", "torque").add("on", on);
      add_components(mechanism, force, map);
      break;
    case Force::Kind::drag:
      map.add("type", "drag").add("on", on).add("local", point(force.frame_b));
      map.add_number("viscous", force.damping).add_number("angular_viscous", force.angular_damping);
      map.add_number("quadratic", force.quadratic).add_number("angular_quadratic", force.angular_quadratic);
      map.add_vector("wind", force.wind);
      break;
    case Force::Kind::tyre:
      map.add("type", "tyre").add("wheel", on).add("local", point(force.frame_b));
      add_tyre(force, map);
      break;
    case Force::Kind::sphere_on_plane:
      map.add("type", "contact").add("sphere", on).add("local", point(force.frame_b));
      add_contact(mechanism, force, map);
      break;
    case Force::Kind::joint_friction:
      map.add("type", "joint_friction");
      add_joint_friction(force, map);
      break;
    case Force::Kind::actuator:
      map.add("type", "actuator");
      add_coordinate(force, map);
      map.add("force", yaml_law(force.law.value_or(Law())));
      break;
  }
  return map.text();
}

}  // namespace trammel
