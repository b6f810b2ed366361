// Forces, one function for each type.
#include <fmt/format.h>

#include <algorithm>

#include "trammel/model/coordinate_reader.h"
#include "trammel/model/frame_reader.h"
#include "trammel/model/friction_reader.h"
#include "trammel/model/pair_reader.h"
#include "trammel/model/typed_entry.h"

namespace trammel {
namespace {

void set_sides(const SidePair& sides, ForceEnds& force) {
  force.body_a = sides.first.body;
  force.body_b = sides.second.body;
  force.frame_a = sides.first.frame.value_or(Frame{});
  force.frame_b = sides.second.frame.value_or(Frame{});
}

// ---- between two bodies

Force read_spring_damper(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::SpringDamper force{ends};
  SidePair sides = read_sides(builder, map);
  complete_points(builder, map, sides);
  set_sides(sides, force);
  force.stiffness = map.number("stiffness", 0);
  force.damping = map.number("damping", 0);
  force.free_length = map.optional_number("free_length", NumberRange::not_negative);
  force.preload = map.number("preload", 0);
  if (map.has("force")) force.law = map.law("force", {"length", "rate"});
  return force;
}

Force read_torsion_spring(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::TorsionSpring force{ends};
  if (map.has("joint")) {
    for (const std::string key : {"between", "at", "axis", "x", "orientation", "on_first", "on_second"})
      map.refuse_together("joint", key);
    const Joint& joint = read_joint_name(builder, map.at("joint"), "joint");
    force.along = {joint.name, map.text("coordinate")};
    if (!force.along.coordinate.empty())
      check_coordinate(joint, force.along.coordinate, map.at("coordinate").place(), RatesAllowed::no);
    force.body_a = joint.body_a;
    force.body_b = joint.body_b;
  } else {
    if (!map.has("between")) map.fail(fmt::format("{} needs 'joint' or 'between'", map.what()));
    map.refuse_together("between", "coordinate");
    SidePair sides = read_sides(builder, map);
    complete_sides(builder, map, false, sides);
    set_sides(sides, force);
  }
  force.stiffness = map.number("stiffness", 0);
  force.damping = map.number("damping", 0);
  force.free_angle = map.optional_number("free_angle");
  force.preload = map.number("preload", 0);
  if (map.has("torque")) force.law = map.law("torque", {"angle", "displacement", "rate"});
  return force;
}

// Six numbers for the diagonal, or six rows.
void read_six_by_six(const MapReader& map, const std::string& key,
                     std::array<std::array<double, 6>, 6>& matrix) {
  const ModelNode* node = map.find(key);
  if (!node) return;
  const auto fail = [&](const ModelNode& at) {
    throw ModelError(
        at.place(), fmt::format("'{}' is a list of 6 numbers or of 6 rows of 6, not {}", key, at.in_words()));
  };
  if (node->kind != ModelNode::Kind::list || node->items.size() != 6) fail(*node);
  for (std::size_t i = 0; i < 6; ++i) {
    const ModelNode& item = node->items[i];
    if (item.kind != ModelNode::Kind::list) {
      matrix[i][i] = map.scope().number(item, key);
      continue;
    }
    if (item.items.size() != 6) fail(item);
    for (std::size_t j = 0; j < 6; ++j) matrix[i][j] = map.scope().number(item.items[j], key);
  }
}

Force read_bushing(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::Bushing force{ends};
  SidePair sides = read_sides(builder, map);
  complete_sides(builder, map, true, sides);
  set_sides(sides, force);
  read_six_by_six(map, "stiffness", force.stiffness);
  read_six_by_six(map, "damping", force.damping);
  if (const ModelNode* node = map.find("preload")) {
    const std::vector<double> values = read_numbers(*node, builder.scope, "preload");
    if (values.size() != 6)
      throw ModelError(node->place(),
                       fmt::format("'preload' is a list of 6 numbers, not {}", node->in_words()));
    std::copy(values.begin(), values.end(), force.preload.begin());
  }
  const ModelNode* node = map.find("laws");
  if (!node) return force;
  const MapReader laws(*node, key_set("bushing_laws"), "'laws'", node->place(), builder.scope);
  const std::vector<std::string> names = key_set("bushing_laws").names();
  for (std::size_t i = 0; i < 6; ++i)
    if (laws.has(names[i])) force.laws[i] = laws.law(names[i], {"x", "rate"});
  return force;
}

// ---- on one body

void read_components(const ModelBuilder& builder, const MapReader& map, Force::Applied& force) {
  const ModelNode& components = map.at("components");
  if (components.kind != ModelNode::Kind::list || components.items.size() != 3)
    throw ModelError(
        components.place(),
        fmt::format("'components' is a list of 3 numbers or expressions, not {}", components.in_words()));
  for (std::size_t i = 0; i < 3; ++i)
    force.components[i] = builder.scope.law(components.items[i], "components");
  const std::string axes = map.choice("axes", {"world", "body", "reaction_body"}, "world");
  force.axes = axes == "world"  ? Force::Axes::world
               : axes == "body" ? Force::Axes::second_body
                                : Force::Axes::first_body;
  force.applies_reaction = map.has("reaction_on");
  if (force.applies_reaction)
    force.body_a = read_body_name(builder, map.at("reaction_on"), "reaction_on").body;
  if (force.applies_reaction && force.body_a == force.body_b)
    throw ModelError(map.at("reaction_on").place(),
                     fmt::format("{} would act on its body in both directions", map.what()));
  if (axes == "reaction_body" && !force.applies_reaction)
    throw ModelError(map.at("axes").place(), "'axes: reaction_body' needs 'reaction_on'");
}

Force read_force(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::PointForce force{{ends}};
  const Side side = read_point(builder, map, "on");
  if (!side.frame) map.fail(fmt::format("{} needs 'at', 'local', or a marker in 'on'", map.what()));
  force.body_b = side.body;
  force.frame_b = *side.frame;
  read_components(builder, map, force);
  return force;
}

Force read_torque(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::Torque force{{ends}};
  force.body_b = read_body_name(builder, map.at("on"), "on").body;
  read_components(builder, map, force);
  return force;
}

Force read_drag(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::Drag force{ends};
  const Side side = read_point(builder, map, "on");
  force.body_b = side.body;
  force.frame_b =
      side.frame.value_or(Frame{builder.model.mechanism.bodies[static_cast<std::size_t>(side.body)].com});
  force.viscous = map.number("viscous", 0, NumberRange::not_negative);
  force.angular_viscous = map.number("angular_viscous", 0, NumberRange::not_negative);
  force.quadratic = map.number("quadratic", 0, NumberRange::not_negative);
  force.angular_quadratic = map.number("angular_quadratic", 0, NumberRange::not_negative);
  force.wind = map.vector("wind", {});
  return force;
}

// ---- against the ground

Vec3<double> upwards(const ModelBuilder& builder) {
  const Vec3<double> gravity = builder.model.mechanism.gravity;
  return length(gravity) > 0 ? -gravity : Vec3<double>{0, 0, 1};
}

// What a tyre does in the plane of the road.
void read_slip(const ModelBuilder& builder, const MapReader& map, const Vec3<double>& up,
               const Vec3<double>& forward, Force::Tyre& force) {
  force.friction = map.number("friction", 0, NumberRange::not_negative);
  if (force.friction == 0) {
    for (const char* key : {"cornering", "slip_velocity", "traction", "axle"})
      if (map.has(key)) map.fail_at(key, fmt::format("'{}' goes with 'friction'", key));
    return;
  }
  force.cornering = map.number("cornering", NumberRange::positive);
  force.slip_velocity = map.number("slip_velocity", 1, NumberRange::positive);
  force.traction = map.flag("traction", false);
  const Vec3<double> axle =
      map.has("axle") ? read_direction(map.at("axle"), builder.scope, "axle") : cross(up, forward);
  const Body& wheel = builder.model.mechanism.bodies[static_cast<std::size_t>(force.body_b)];
  force.axle = transposed_times(wheel.reference.axes, axle * (1 / length(axle)));
}

Force read_tyre(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::Tyre force{ends};
  const Side side = read_point(builder, map, "wheel");
  force.body_b = side.body;
  force.frame_b = side.frame.value_or(side.link);
  force.radius = map.number("radius", NumberRange::positive);
  force.stiffness = map.number("stiffness", NumberRange::positive);
  force.damping = map.number("damping", 0, NumberRange::not_negative);
  force.smoothing = map.number("smoothing", 0, NumberRange::not_negative);

  // x along the road, z upwards
  const Vec3<double> up =
      map.has("up") ? read_direction(map.at("up"), builder.scope, "up") : upwards(builder);
  Vec3<double> forward{1, 0, 0};
  if (map.has("forward"))
    forward = read_direction(map.at("forward"), builder.scope, "forward");
  else if (length(cross(up, forward)) < 1e-6 * length(up))
    map.fail(fmt::format("{} needs 'forward', the direction of the road: x points upwards", map.what()));
  try {
    force.frame_a = frame_with_axis(map.vector("road_at", {}), up, forward);
  } catch (const ModelError& error) {
    map.fail_at("forward", error.message());
  }

  read_slip(builder, map, up, forward, force);
  if (!map.has("road")) return force;
  force.road = map.text("road");
  std::vector<std::string> names;
  for (const Road& road : builder.model.mechanism.roads) names.push_back(road.name);
  if (std::find(names.begin(), names.end(), force.road) == names.end())
    throw ModelError(map.at("road").place(),
                     fmt::format("there is no road '{}'{}", force.road, hint_at(force.road, names)));
  return force;
}

Force read_contact(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::SphereOnPlane force{ends};
  const Side side = read_point(builder, map, "sphere");
  force.body_b = side.body;
  force.frame_b = side.frame.value_or(side.link);
  BodyReference plane;
  if (map.has("plane")) plane = read_body_name(builder, map.at("plane"), "plane");
  force.body_a = plane.body;
  if (force.body_a == force.body_b) map.fail(fmt::format("{} is between a body and itself", map.what()));
  if (map.has("plane_local")) {
    map.refuse_together("plane_local", "plane_at");
    map.refuse_together("plane_local", "normal");
    force.frame_a = compose(plane.frame, read_frame(map.at("plane_local"), builder.scope, "'plane_local'"));
  } else {
    const Vec3<double> normal =
        map.has("normal") ? read_direction(map.at("normal"), builder.scope, "normal") : upwards(builder);
    const Frame& reference = builder.model.mechanism.bodies[static_cast<std::size_t>(force.body_a)].reference;
    force.frame_a = compose(inverse(reference), frame_with_axis(map.vector("plane_at", {}), normal));
  }
  force.radius = map.number("radius", NumberRange::positive);
  force.stiffness = map.number("stiffness", NumberRange::positive);
  force.exponent = map.number("exponent", 1, NumberRange::positive);
  force.damping = map.number("damping", 0, NumberRange::not_negative);
  force.friction = map.number("friction", 0, NumberRange::not_negative);
  force.friction_velocity = map.number("friction_velocity", usual_friction_velocity, NumberRange::positive);
  map.refuse_without("friction_velocity", {"friction"});
  force.smoothing = map.number("smoothing", 0, NumberRange::not_negative);
  return force;
}

// ---- along joint coordinates

Force read_actuator(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  Force::Actuator force{ends};
  map.refuse_together("joint", "coordinate");
  map.refuse_together("force", "torque");
  if (!map.has_any({"joint", "coordinate"}))
    map.fail(fmt::format("{} needs 'joint' or 'coordinate'", map.what()));
  if (!map.has_any({"force", "torque"})) map.fail(fmt::format("{} needs 'force' or 'torque'", map.what()));
  const std::string key = map.has("joint") ? "joint" : "coordinate";
  if (key == "joint") read_joint_name(builder, map.at(key), key);
  force.along.coordinate = full_coordinate(builder, map.text(key), map.at(key).place(), RatesAllowed::no);
  force.law = map.law(map.has("force") ? "force" : "torque", {"angle", "displacement", "rate"});
  return force;
}

Force read_joint_friction(const ModelBuilder& builder, const MapReader& map, const ForceEnds& ends) {
  return read_friction(map, read_joint_name(builder, map.at("joint"), "joint"), ends.name);
}

using ForceReader = Force (*)(const ModelBuilder&, const MapReader&, const ForceEnds&);
const std::pair<std::string, ForceReader> readers[] = {{"spring_damper", read_spring_damper},
                                                       {"torsion_spring", read_torsion_spring},
                                                       {"bushing", read_bushing},
                                                       {"force", read_force},
                                                       {"torque", read_torque},
                                                       {"drag", read_drag},
                                                       {"tyre", read_tyre},
                                                       {"contact", read_contact},
                                                       {"actuator", read_actuator},
                                                       {"joint_friction", read_joint_friction}};

}  // namespace

void read_forces(ModelBuilder& builder) {
  for_each_entry(builder, "forces", [&](const NamedEntry& entry) {
    const auto [type, map] = read_typed_entry(entry, "force", force_types(), builder.scope);
    for (const auto& [known, read] : readers)
      if (known == type) builder.mechanism().add(read(builder, map, {entry.name, entry.place}));
  });
}

}  // namespace trammel
