#include "trammel/model/write_forces.h"

#include <fmt/format.h>

#include "trammel/model/model_keys.h"
#include "trammel/model/yaml_text.h"

namespace trammel {
namespace {

std::string body_name(const Mechanism& mechanism, int body) {
  return yaml_word(mechanism.bodies[static_cast<std::size_t>(body)].name);
}

std::string point(const Frame& frame) { return fmt::format("{{at: {}}}", yaml_vector(frame.origin)); }

std::string six_by_six(const std::array<std::array<double, 6>, 6>& matrix) {
  std::string rows;
  for (const std::array<double, 6>& row : matrix)
    rows += (rows.empty() ? "" : ", ") + yaml_numbers({row.begin(), row.end()});
  return "[" + rows + "]";
}

class ForceWriter {
 public:
  explicit ForceWriter(const Mechanism& mechanism) : mechanism_(mechanism) {}

  YamlMap operator()(const Force::SpringDamper& force) const {
    YamlMap map = of_type("spring_damper").add("between", between(force));
    map.add("on_first", point(force.frame_a)).add("on_second", point(force.frame_b));
    map.add_number("stiffness", force.stiffness).add_number("damping", force.damping);
    if (force.free_length) map.add("free_length", yaml_number(*force.free_length));
    map.add_number("preload", force.preload);
    if (force.law) map.add("force", yaml_law(*force.law));
    return map;
  }

  YamlMap operator()(const Force::TorsionSpring& force) const {
    YamlMap map = of_type("torsion_spring");
    if (!force.along.joint.empty()) {
      map.add("joint", yaml_word(force.along.joint));
      if (!force.along.coordinate.empty()) map.add("coordinate", yaml_word(force.along.coordinate));
    } else {
      map.add("between", between(force));
      map.add("on_first", yaml_frame(force.frame_a)).add("on_second", yaml_frame(force.frame_b));
    }
    map.add_number("stiffness", force.stiffness).add_number("damping", force.damping);
    if (force.free_angle) map.add("free_angle", yaml_number(*force.free_angle));
    map.add_number("preload", force.preload);
    if (force.law) map.add("torque", yaml_law(*force.law));
    return map;
  }

  YamlMap operator()(const Force::Bushing& force) const {
    YamlMap map = of_type("bushing").add("between", between(force));
    map.add("on_first", yaml_frame(force.frame_a)).add("on_second", yaml_frame(force.frame_b));
    map.add("stiffness", six_by_six(force.stiffness)).add("damping", six_by_six(force.damping));
    map.add("preload", yaml_numbers({force.preload.begin(), force.preload.end()}));
    const std::vector<std::string> names = key_set("bushing_laws").names();
    YamlMap laws;
    for (std::size_t i = 0; i < 6; ++i)
      if (force.laws[i]) laws.add(names[i], yaml_law(*force.laws[i]));
    return map.add("laws", laws.text());
  }

  YamlMap operator()(const Force::PointForce& force) const {
    YamlMap map = of_type("force").add("on", body(force.body_b)).add("local", point(force.frame_b));
    return with_components(force, map);
  }

  YamlMap operator()(const Force::Torque& force) const {
    YamlMap map = of_type("torque").add("on", body(force.body_b));
    return with_components(force, map);
  }

  YamlMap operator()(const Force::Drag& force) const {
    YamlMap map = of_type("drag").add("on", body(force.body_b)).add("local", point(force.frame_b));
    map.add_number("viscous", force.viscous).add_number("angular_viscous", force.angular_viscous);
    map.add_number("quadratic", force.quadratic).add_number("angular_quadratic", force.angular_quadratic);
    return map.add_vector("wind", force.wind);
  }

  YamlMap operator()(const Force::Tyre& force) const {
    if (force.body_a != 0)
      throw ModelError(
          force.place,
          fmt::format("tyre '{}' rolls on a body that moves, which a model file cannot say", force.name));
    YamlMap map = of_type("tyre").add("wheel", body(force.body_b)).add("local", point(force.frame_b));
    map.add_number("radius", force.radius)
        .add_number("stiffness", force.stiffness)
        .add_number("damping", force.damping);
    map.add_number("smoothing", force.smoothing);
    if (!force.road.empty()) map.add("road", yaml_word(force.road));
    map.add_vector("road_at", force.frame_a.origin).add_vector("up", force.frame_a.axes.column[2]);
    map.add_vector("forward", force.frame_a.axes.column[0]);
    if (force.friction == 0) return map;
    map.add_number("friction", force.friction)
        .add_number("cornering", force.cornering)
        .add_number("slip_velocity", force.slip_velocity, 1);
    if (force.traction) map.add("traction", "yes");
    const Body& wheel = mechanism_.bodies[static_cast<std::size_t>(force.body_b)];
    return map.add_vector("axle", wheel.reference.axes * force.axle);
  }

  YamlMap operator()(const Force::SphereOnPlane& force) const {
    YamlMap map = of_type("contact").add("sphere", body(force.body_b)).add("local", point(force.frame_b));
    map.add("plane", body(force.body_a)).add("plane_local", yaml_frame(force.frame_a));
    map.add_number("radius", force.radius)
        .add_number("stiffness", force.stiffness)
        .add_number("exponent", force.exponent, 1);
    map.add_number("damping", force.damping).add_number("friction", force.friction);
    if (force.friction > 0) map.add_number("friction_velocity", force.friction_velocity);
    return map.add_number("smoothing", force.smoothing);
  }

  YamlMap operator()(const Force::JointFriction& force) const {
    YamlMap map = of_type("joint_friction").add("joint", yaml_word(force.along.joint));
    if (!force.along.coordinate.empty()) map.add("coordinate", yaml_word(force.along.coordinate));
    // one of these must be there
    map.add("viscous", yaml_number(force.viscous)).add_number("dry", force.dry);
    map.add_number("coefficient", force.coefficient);
    if (force.coefficient > 0) map.add_number("radius", force.radius);
    if (force.dry > 0 || force.coefficient > 0) map.add_number("velocity", force.friction_velocity);
    return map;
  }

  YamlMap operator()(const Force::Actuator& force) const {
    YamlMap map = of_type("actuator");
    const auto& [joint, coordinate] = force.along;
    if (joint.empty())
      map.add("coordinate", yaml_word(coordinate));
    else if (coordinate.empty())
      map.add("joint", yaml_word(joint));
    else
      map.add("coordinate",
              yaml_word(coordinate.starts_with(joint + ".") ? coordinate : joint + "." + coordinate));
    return map.add("force", yaml_law(force.law.value_or(Law())));
  }

 private:
  static YamlMap of_type(const char* type) { return YamlMap().add("type", type); }
  std::string body(int index) const { return body_name(mechanism_, index); }
  std::string between(const ForceEnds& force) const {
    return fmt::format("[{}, {}]", body(force.body_a), body(force.body_b));
  }

  YamlMap with_components(const Force::Applied& force, YamlMap& map) const {
    std::string components;
    for (const Law& law : force.components) components += (components.empty() ? "" : ", ") + yaml_law(law);
    map.add("components", "[" + components + "]");
    if (force.axes != Force::Axes::world)
      map.add("axes", force.axes == Force::Axes::second_body ? "body" : "reaction_body");
    if (force.applies_reaction) map.add("reaction_on", body(force.body_a));
    return map;
  }

  const Mechanism& mechanism_;
};

}  // namespace

std::string yaml_force(const Mechanism& mechanism, const Force& force) {
  return std::visit(ForceWriter(mechanism), force.kind).text();
}

}  // namespace trammel
