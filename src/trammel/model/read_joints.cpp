// Joints: what they join, where, and how they begin.
#include <fmt/format.h>

#include <algorithm>

#include "trammel/mechanism/measured_function.h"
#include "trammel/model/coordinate_reader.h"
#include "trammel/model/frame_reader.h"
#include "trammel/model/friction_reader.h"
#include "trammel/model/pair_reader.h"

namespace trammel {
namespace {

bool rolls(JointType type) { return type == JointType::rolling_disk || type == JointType::rolling_sphere; }
bool has_two_axes(JointType type) {
  return type == JointType::universal || type == JointType::constant_velocity;
}

JointType read_type(const MapReader& map) {
  const std::string word = map.text("type");
  std::vector<std::string> names;
  for (const auto& [known, type] : joint_types()) {
    if (known == word) return type;
    names.push_back(known);
  }
  std::string hint = hint_at(word, names);
  if (hint.empty()) hint = fmt::format("; there are {}", fmt::join(names, ", "));
  throw ModelError(map.at("type").place(), fmt::format("there is no joint of type '{}'{}", word, hint));
}

// Keys that only some types have.
void check_keys_of_type(const MapReader& map, JointType type) {
  const auto allow = [&](bool allowed, const std::vector<std::string>& keys) {
    for (const std::string& key : keys)
      if (!allowed && map.has(key)) map.fail_at(key, fmt::format("a {} joint has no '{}'", name(type), key));
  };
  allow(type == JointType::screw, {"pitch"});
  allow(type == JointType::distance, {"length", "from", "to"});
  allow(type != JointType::distance, {"at", "axis", "x", "orientation"});
  allow(rolls(type), {"radius", "normal", "plane_at"});
  allow(has_two_axes(type), {"axis_2"});
  allow(!has_two_axes(type) && !rolls(type), {"orientation"});
  allow(type != JointType::rolling_sphere, {"axis", "x"});
}

// The frames of a universal joint from two whose z are its axes; the angles are zero at the reference
// position.
void set_cross(const ModelBuilder& builder, const MapReader& map, const Frame& first, const Frame& second,
               SidePair& sides) {
  const Vec3<double>&axis = first.axes.column[2], &axis_2 = second.axes.column[2];
  if (length(cross(axis, axis_2)) < 1e-6)
    map.fail_at(map.has("axis_2") ? "axis_2" : "on_second",
                "the axes of a universal joint are parallel; they should be perpendicular");
  sides.first.frame.reset();
  sides.second.frame.reset();
  place_in_world(builder, frame_with_axis(first.origin, axis, axis_2), sides.first);
  place_in_world(builder, {second.origin, axes_towards(0, axis_2, 2, axis)}, sides.second);
}

// `axis` is fixed to the first body and is its z; `axis_2` is fixed to the second, and is x of a universal
// joint's second frame, z of a homokinetic one's.
void read_two_axes(const ModelBuilder& builder, const MapReader& map, JointType type, SidePair& sides) {
  const bool universal = type == JointType::universal;
  if (sides.first.frame || sides.second.frame) {
    refuse_world_keys(map, {"axis_2"});
    complete_sides(builder, map, true, sides);
    const ModelNode* local = map.find("on_second");
    const bool by_axis = universal && local && local->kind == ModelNode::Kind::map && local->find("axis");
    if (!by_axis) return;
    // its axis was taken for z
    const Frame first = in_world(builder, sides.first), second = in_world(builder, sides.second);
    set_cross(builder, map, first, second, sides);
    return;
  }
  if (!map.has("axis")) map.fail(fmt::format("{} needs 'axis'", map.what()));
  if (universal && !map.has("axis_2")) map.fail(fmt::format("{} needs 'axis_2'", map.what()));
  if (!map.has("at")) map.fail(fmt::format("{} needs 'at'", map.what()));
  const Vec3<double> at = read_vector(map.at("at"), builder.scope, "at");
  const Vec3<double> axis = read_direction(map.at("axis"), builder.scope, "axis");
  const Vec3<double> axis_2 =
      map.has("axis_2") ? read_direction(map.at("axis_2"), builder.scope, "axis_2") : axis;
  if (!universal) {
    place_in_world(builder, read_frame(map), sides.first);
    place_in_world(builder, frame_with_axis(at, axis_2), sides.second);
    return;
  }
  if (map.has("x")) map.fail_at("x", "a universal joint has no 'x': 'axis_2' is it");
  set_cross(builder, map, frame_with_axis(at, axis), frame_with_axis(at, axis_2), sides);
}

// The plane on the first body, the wheel or ball on the second.
void read_rolling(const ModelBuilder& builder, const MapReader& map, Joint& joint, SidePair& sides) {
  joint.radius = map.number("radius", NumberRange::positive);
  const bool is_disk = joint.type == JointType::rolling_disk;
  if (sides.second.frame) {
    refuse_world_keys(map, {"at", "axis", "x"});
  } else {
    if (!map.has("at")) map.fail(fmt::format("{} needs 'at', the centre", map.what()));
    if (is_disk && !map.has("axis")) map.fail(fmt::format("{} needs 'axis', that of the disk", map.what()));
    place_in_world(builder, read_frame(map), sides.second);
  }
  if (sides.first.frame) {
    refuse_world_keys(map, {"normal", "plane_at"});
    return;
  }
  if (!map.has("normal")) map.fail(fmt::format("{} needs 'normal', that of the plane", map.what()));
  const Vec3<double> direction = read_direction(map.at("normal"), builder.scope, "normal");
  const Vec3<double> normal = direction * (1 / length(direction));
  // the lowest point of the wheel, unless a point of the plane is given
  const Frame wheel = in_world(builder, sides.second);
  Vec3<double> down = normal;
  if (is_disk) down -= wheel.axes.column[2] * dot(normal, wheel.axes.column[2]);
  if (!(length(down) > 1e-6)) map.fail_at("normal", "the disk lies flat on the plane; it cannot roll");
  const Vec3<double> touching = wheel.origin - down * (joint.radius / length(down));
  place_in_world(builder, frame_with_axis(map.vector("plane_at", touching), normal), sides.first);
}

void read_frames(const ModelBuilder& builder, const MapReader& map, Joint& joint) {
  SidePair sides = read_sides(builder, map);
  const bool placed =
      sides.first.frame || sides.second.frame || map.has_any({"at", "axis", "x", "orientation"});
  const bool at_is_needed = joint.type != JointType::fixed && joint.type != JointType::translational;
  // its torque is about its place, which is where the bodies are, not where the world begins
  if (joint.type == JointType::fixed && !placed)
    place_in_world(builder, in_world(builder, own_frame_of(sides)), sides.second);
  if (joint.type == JointType::distance)
    complete_points(builder, map, sides);
  else if (has_two_axes(joint.type))
    read_two_axes(builder, map, joint.type, sides);
  else if (rolls(joint.type))
    read_rolling(builder, map, joint, sides);
  else
    complete_sides(builder, map, at_is_needed, sides);
  joint.body_a = sides.first.body;
  joint.body_b = sides.second.body;
  joint.frame_a = *sides.first.frame;
  joint.frame_b = *sides.second.frame;
}

void read_initial(const MapReader& map, Joint& joint) {
  const ModelNode* node = map.find("initial");
  if (!node) return;
  if (node->kind != ModelNode::Kind::map)
    throw ModelError(node->place(),
                     fmt::format("'initial' is a map of coordinates, not {}", node->in_words()));
  for (const ModelNode::Entry& entry : node->entries) {
    check_coordinate(joint, entry.key.text, entry.key.place(), RatesAllowed::yes);
    joint.initial.emplace_back(entry.key.text, map.scope().number(entry.value, entry.key.text));
  }
}

// A number for the only coordinate of the joint, for the angle of a screw; or a map of coordinates.
std::vector<std::pair<std::string, double>> read_by_coordinate(const MapReader& map, const std::string& key,
                                                               const Joint& joint, NumberRange range) {
  const ModelNode* node = map.find(key);
  if (!node) return {};
  const std::vector<std::string>& names = coordinate_names(joint.type);
  if (names.empty())
    map.fail_at(key, fmt::format("a {} joint has no coordinate, and so no '{}'", name(joint.type), key));
  if (node->kind != ModelNode::Kind::map) {
    if (names.size() > 1 && joint.type != JointType::screw)
      map.fail_at(key, fmt::format("joint '{}' has the coordinates {}; say of which: {}: {{{}: ...}}",
                                   joint.name, fmt::join(names, ", "), key, names[0]));
    return {{names[0], map.number(key, range)}};
  }
  std::vector<std::pair<std::string, double>> values;
  for (const ModelNode::Entry& entry : node->entries) {
    check_coordinate(joint, entry.key.text, entry.key.place(), RatesAllowed::no);
    values.emplace_back(entry.key.text, read_number(entry.value, map.scope(), entry.key.text, range));
  }
  return values;
}

void read_rotors(const MapReader& map, Joint& joint) {
  for (const auto& [coordinate, inertia] :
       read_by_coordinate(map, "rotor_inertia", joint, NumberRange::not_negative))
    joint.rotors.push_back({coordinate, inertia, 1});
  for (const auto& [coordinate, ratio] : read_by_coordinate(map, "gear_ratio", joint, NumberRange::any)) {
    const auto rotor = std::find_if(joint.rotors.begin(), joint.rotors.end(),
                                    [&of = coordinate](const Rotor& one) { return one.coordinate == of; });
    if (rotor == joint.rotors.end())
      map.fail_at("gear_ratio",
                  fmt::format("'gear_ratio' of joint '{}' has no effect: it is that of a rotor, and "
                              "'{}' has no 'rotor_inertia'",
                              joint.name, coordinate));
    if (ratio == 0) map.fail_at("gear_ratio", "'gear_ratio' is zero; a motor would not move the joint");
    rotor->gear_ratio = ratio;
  }
}

}  // namespace

void read_joints(ModelBuilder& builder) {
  for_each_entry(builder, "joints", [&](const NamedEntry& entry) {
    const MapReader map(entry.node, key_set("joint"), fmt::format("joint '{}'", entry.name), entry.place,
                        builder.scope);
    Joint joint;
    joint.name = entry.name;
    joint.place = entry.place;
    joint.type = read_type(map);
    check_keys_of_type(map, joint.type);
    read_frames(builder, map, joint);
    if (joint.type == JointType::knife_edge && map.has("at") && !map.has("x") && !map.has("orientation"))
      map.fail(fmt::format("{} needs 'x', the direction in which the edge may move", map.what()));
    if (joint.type == JointType::screw) joint.pitch = map.number("pitch");
    joint.length = map.number("length", 0, NumberRange::positive);
    read_initial(map, joint);
    read_rotors(map, joint);
    joint.in_tree = map.flag("tree", true);

    if (const ModelNode* friction = map.find("friction")) {
      const MapReader friction_map(*friction, key_set("friction"),
                                   fmt::format("the friction of joint '{}'", joint.name),
                                   map.place("friction"), builder.scope);
      builder.mechanism().add(read_friction(friction_map, joint, joint.name + "_friction"));
      claim_name(builder, "forces", joint.name + "_friction", map.place("friction"));
    }
    builder.joints.emplace(joint.name, static_cast<int>(builder.mechanism().joints.size()));
    builder.mechanism().add(joint);
  });
}

}  // namespace trammel
