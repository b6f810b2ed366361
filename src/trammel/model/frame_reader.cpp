#include "trammel/model/frame_reader.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel {
namespace {

const std::string axis_names[] = {"x", "y", "z"};

Mat3<double> from_quaternion(const ModelNode& node, const NumberScope& scope) {
  if (node.kind != ModelNode::Kind::list || node.items.size() != 4)
    throw ModelError(node.place(),
                     fmt::format("'quaternion' is a list of 4 numbers w, x, y, z, not {}", node.in_words()));
  const std::vector<double> e = read_numbers(node, scope, "quaternion");
  const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
  if (!(square > 1e-20) || !(square < 1e20)) throw ModelError(node.place(), "'quaternion' must not be zero");
  return rotation_matrix(Quaternion<double>{e[0], e[1], e[2], e[3]});
}

// One or two axes; of two, the one written first is exact.
Mat3<double> from_axes(const ModelNode& node, const NumberScope& scope) {
  int chosen[2] = {-1, -1};
  Vec3<double> directions[2];
  int count = 0;
  for (const ModelNode::Entry& entry : node.entries)
    for (int i = 0; i < 3; ++i)
      if (entry.key.text == axis_names[i]) {
        if (count == 2)
          throw ModelError(entry.key.place(), "two axes give an orientation; this third one is too many");
        chosen[count] = i;
        directions[count++] = read_direction(entry.value, scope, entry.key.text);
      }
  if (count == 1 && chosen[0] == 2) return frame_with_axis({}, directions[0]).axes;
  if (count == 1) {
    // z stays as near to that of the surrounding frame as it can, unless it is parallel
    const bool parallel = std::hypot(directions[0].x, directions[0].y) < 1e-9 * length(directions[0]);
    chosen[1] = parallel ? 1 - chosen[0] : 2;
    directions[1][chosen[1]] = 1;
  }
  try {
    return axes_towards(chosen[0], directions[0], chosen[1], directions[1]);
  } catch (const ModelError& error) {
    throw ModelError(node.place(), error.message());
  }
}

}  // namespace

Mat3<double> from_roll_pitch_yaw(const Vec3<double>& angles) {
  return rotation_about({0, 0, 1}, angles.z) *
         (rotation_about({0, 1, 0}, angles.y) * rotation_about({1, 0, 0}, angles.x));
}

Mat3<double> axes_towards(int first, const Vec3<double>& exact, int second, const Vec3<double>& nearly) {
  // frame_with_axis has z exact and x near; turn the names round
  const Frame frame = frame_with_axis({}, exact, nearly);
  const Vec3<double>& a = frame.axes.column[2];
  const Vec3<double>& b = frame.axes.column[0];
  const int third = 3 - first - second;
  const bool cyclic = (first + 1) % 3 == second;
  Mat3<double> axes;
  axes.column[static_cast<std::size_t>(first)] = a;
  axes.column[static_cast<std::size_t>(second)] = b;
  axes.column[static_cast<std::size_t>(third)] = cyclic ? cross(a, b) : cross(b, a);
  return axes;
}

Mat3<double> read_orientation(const ModelNode& node, const NumberScope& scope) {
  const MapReader map(node, key_set("orientation"), "'orientation'", node.place(), scope);
  const bool by_angle = map.has_any({"axis", "angle"}), by_axes = map.has_any({"x", "y", "z"});
  if (by_angle + map.has("quaternion") + map.has("rpy") + by_axes != 1)
    throw ModelError(node.place(),
                     "'orientation' is one of: axis and angle; quaternion; rpy; one or two of x, y, z");
  if (map.has("quaternion")) return from_quaternion(map.at("quaternion"), scope);
  if (map.has("rpy")) return from_roll_pitch_yaw(read_vector(map.at("rpy"), scope, "rpy"));
  if (by_axes) return from_axes(node, scope);
  return rotation_about(read_direction(map.at("axis"), scope, "axis"), map.number("angle"));
}

Frame read_frame(const MapReader& map) {
  map.refuse_together("axis", "orientation");
  map.refuse_together("x", "orientation");
  Frame frame;
  frame.origin = map.vector("at", {});
  if (map.has("orientation")) frame.axes = read_orientation(map.at("orientation"), map.scope());
  if (!map.has("axis") && !map.has("x")) return frame;
  const Vec3<double> z =
      map.has("axis") ? read_direction(map.at("axis"), map.scope(), "axis") : Vec3<double>{0, 0, 1};
  std::optional<Vec3<double>> x;
  if (map.has("x")) x = read_direction(map.at("x"), map.scope(), "x");
  try {
    return frame_with_axis(frame.origin, z, x);
  } catch (const ModelError& error) {
    map.fail_at(x ? "x" : "axis", error.message());
  }
}

Frame read_frame(const ModelNode& node, const NumberScope& scope, const std::string& what) {
  return read_frame(MapReader(node, key_set("frame"), what, node.place(), scope));
}

}  // namespace trammel
