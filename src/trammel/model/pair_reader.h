// Where two bodies meet: `between` and the frames on both sides, given in the world at the reference
// position, in the frames of the bodies, or by markers.
#pragma once

#include <optional>

#include "trammel/model/model_builder.h"

namespace trammel {

// One of two bodies, and where on it, as far as that is known.
struct Side {
  int body = 0;
  std::optional<Frame> frame;  // in the body's frame
  // Its axis was given and nothing else: x may turn about it.
  bool x_is_free = false;
  Frame link;  // in which local frames are given: the body's own, unless a link of a URDF was merged into it
};

struct SidePair {
  Side first, second;
};

// A body or a marker, which gives the frame too. Throws ModelError.
Side read_side(const ModelBuilder& builder, const ModelNode& node, const std::string& what);

// `between`, with on_first and on_second where they are given. Throws ModelError.
SidePair read_sides(const ModelBuilder& builder, const MapReader& map);

// Refuses keys that say in the world where something is, of an element that has its place otherwise.
void refuse_world_keys(const MapReader& map, const std::vector<std::string>& keys);

// Puts the side there, unless it has its frame already.
void place_in_world(const ModelBuilder& builder, const Frame& world, Side& side);
Frame in_world(const ModelBuilder& builder, const Side& side);

// Where an element is of which nothing says where: the frame of the second body, or of the first if the
// second is the ground.
Side own_frame_of(const SidePair& sides);

// Sides from at, axis, x and orientation of the world, if they have no frames yet. If one of them has, the
// other goes to the same place. `at_is_needed`: otherwise the origin of own_frame_of() will do. Throws
// ModelError.
void complete_sides(const ModelBuilder& builder, const MapReader& map, bool at_is_needed, SidePair& sides);

// Two points instead of frames: from and to. Throws ModelError.
void complete_points(const ModelBuilder& builder, const MapReader& map, SidePair& sides);

// One point of a body: the key `on` names the body or a marker; then `at` in the world or `local`. The frame
// has the axes of the body. Absent if nothing says where. Throws ModelError.
Side read_point(const ModelBuilder& builder, const MapReader& map, const std::string& on);

}  // namespace trammel
