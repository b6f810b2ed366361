#include "trammel/model/pair_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/model/frame_reader.h"

namespace trammel {
namespace {

const Marker* find_marker(const ModelBuilder& builder, const std::string& name) {
  const auto found = builder.markers.find(name);
  return found == builder.markers.end()
             ? nullptr
             : &builder.model.mechanism.markers[static_cast<std::size_t>(found->second)];
}

// A frame in the body's frame, or a marker on the same body.
void read_local(const ModelBuilder& builder, const MapReader& map, const std::string& key, Side& side) {
  const ModelNode* node = map.find(key);
  if (!node) return;
  if (side.frame)
    map.fail_at(
        key, fmt::format("{} has a marker in 'between' already; '{}' does not go with it", map.what(), key));
  if (node->kind == ModelNode::Kind::word) {
    const Side other = read_side(builder, *node, key);
    if (!other.frame)
      throw ModelError(node->place(), fmt::format("'{}' is a map or a marker, not a body", key));
    if (other.body != side.body)
      throw ModelError(node->place(),
                       fmt::format("marker '{}' is on another body than '{}' of 'between'", node->text,
                                   builder.model.mechanism.bodies[static_cast<std::size_t>(side.body)].name));
    side.frame = other.frame;
    return;
  }
  side.frame = compose(side.link, read_frame(*node, builder.scope, fmt::format("'{}'", key)));
  side.x_is_free = node->find("axis") && !node->find("x");
}

// Turns x about the axis of a side until it points, at the reference position, where that of the other does.
void turn_towards(const ModelBuilder& builder, const Side& other, Side& side) {
  const Vec3<double> x = in_world(builder, other).axes.column[0];
  Frame world = in_world(builder, side);
  if (length(cross(x, world.axes.column[2])) < 1e-6) return;
  world = frame_with_axis(world.origin, world.axes.column[2], x);
  side.frame.reset();
  place_in_world(builder, world, side);
}

}  // namespace

Side read_side(const ModelBuilder& builder, const ModelNode& node, const std::string& what) {
  const std::string name = builder.scope.text(node, what);
  const auto body = builder.bodies.find(name);
  if (body != builder.bodies.end()) return {body->second.body, std::nullopt, false, body->second.frame};
  if (const Marker* marker = find_marker(builder, name)) return {marker->body, marker->frame, false, {}};
  std::vector<std::string> names;
  for (const auto& [known, reference] : builder.bodies) names.push_back(known);
  for (const auto& [known, index] : builder.markers) names.push_back(known);
  std::sort(names.begin(), names.end());
  throw ModelError(node.place(),
                   fmt::format("there is no body or marker '{}'{}", name, hint_at(name, names)));
}

SidePair read_sides(const ModelBuilder& builder, const MapReader& map) {
  const ModelNode& between = map.at("between");
  if (between.kind != ModelNode::Kind::list || between.items.size() != 2)
    throw ModelError(between.place(),
                     fmt::format("'between' is a list of 2 bodies or markers, not {}", between.in_words()));
  SidePair sides{read_side(builder, between.items[0], "between"),
                 read_side(builder, between.items[1], "between")};
  if (sides.first.body == sides.second.body)
    throw ModelError(
        between.items[1].place(),
        fmt::format("{} is between '{}' and itself", map.what(),
                    builder.model.mechanism.bodies[static_cast<std::size_t>(sides.first.body)].name));
  read_local(builder, map, "on_first", sides.first);
  read_local(builder, map, "on_second", sides.second);
  if (sides.first.frame && sides.second.frame) {
    if (sides.second.x_is_free)
      turn_towards(builder, sides.first, sides.second);
    else if (sides.first.x_is_free)
      turn_towards(builder, sides.second, sides.first);
  }
  return sides;
}

void place_in_world(const ModelBuilder& builder, const Frame& world, Side& side) {
  if (side.frame) return;
  const Frame& reference = builder.model.mechanism.bodies[static_cast<std::size_t>(side.body)].reference;
  side.frame = compose(inverse(reference), world);
}

Frame in_world(const ModelBuilder& builder, const Side& side) {
  const Frame& reference = builder.model.mechanism.bodies[static_cast<std::size_t>(side.body)].reference;
  return compose(reference, side.frame.value_or(Frame{}));
}

void refuse_world_keys(const MapReader& map, const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    if (map.has(key))
      map.fail_at(
          key,
          fmt::format("{} has its place from markers, 'on_first' or 'on_second'; '{}' does not go with that",
                      map.what(), key));
}

Side own_frame_of(const SidePair& sides) {
  Side side = sides.second.body != 0 ? sides.second : sides.first;
  side.frame = side.link;
  return side;
}

void complete_sides(const ModelBuilder& builder, const MapReader& map, bool at_is_needed, SidePair& sides) {
  const bool any_frame = sides.first.frame || sides.second.frame;
  if (any_frame) refuse_world_keys(map, {"at", "axis", "x", "orientation"});
  if (sides.first.frame && sides.second.frame) return;
  Frame world;
  if (any_frame)
    world = in_world(builder, sides.first.frame ? sides.first : sides.second);
  else if (at_is_needed && !map.has("at"))
    map.fail(fmt::format("{} needs 'at', 'on_first' and 'on_second', or markers in 'between'", map.what()));
  else
    world = read_frame(map);
  if (!any_frame && !map.has("at")) world.origin = in_world(builder, own_frame_of(sides)).origin;
  place_in_world(builder, world, sides.first);
  place_in_world(builder, world, sides.second);
}

void complete_points(const ModelBuilder& builder, const MapReader& map, SidePair& sides) {
  const auto complete = [&](Side& side, const std::string& key, const std::string& local) {
    if (side.frame && map.has(key))
      map.fail_at(key, fmt::format("{} has this point already; '{}' does not go with it", map.what(), key));
    if (side.frame) return;
    if (!map.has(key))
      map.fail(fmt::format("{} needs '{}', '{}', or markers in 'between'", map.what(), key, local));
    place_in_world(builder, {read_vector(map.at(key), builder.scope, key)}, side);
  };
  complete(sides.first, "from", "on_first");
  complete(sides.second, "to", "on_second");
  // a point has no axes; those of the body will do
  sides.first.frame->axes = sides.second.frame->axes = Mat3<double>::identity();
}

Side read_point(const ModelBuilder& builder, const MapReader& map, const std::string& on) {
  Side side = read_side(builder, map.at(on), on);
  map.refuse_together("local", "at");
  for (const std::string key : {"at", "local"})
    if (side.frame && map.has(key))
      map.fail_at(key,
                  fmt::format("{} has its point from a marker; '{}' does not go with it", map.what(), key));
  if (map.has("local")) {
    const ModelNode& node = map.at("local");
    const MapReader local(node, key_set("point"), "'local'", node.place(), builder.scope);
    side.frame = Frame{compose(side.link, {read_vector(local.at("at"), builder.scope, "at")}).origin};
  } else if (map.has("at")) {
    place_in_world(builder, {read_vector(map.at("at"), builder.scope, "at")}, side);
  }
  if (side.frame) side.frame->axes = Mat3<double>::identity();
  return side;
}

}  // namespace trammel
