#include "trammel/page/mechanism_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "trammel/page/page_text.h"
#include "trammel/page/planar_normal.h"

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;

Json triple(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json quadruple(const Mat3<double>& rotation) {
  const Quaternion<double> q = quaternion(rotation);
  return {q.w, q.x, q.y, q.z};
}

bool is_turned(const Frame& frame) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (frame.axes(i, j) != (i == j ? 1 : 0)) return true;
  return false;
}

// Nothing for a mesh: its file need not be there.
Json shape_of(const Shape& shape) {
  Json result;
  const auto round = [&](const char* type) {
    result["type"] = type;
    result["radius"] = shape.size.x;
    result["length"] = shape.size.z;
  };
  switch (shape.kind) {
    case Shape::Kind::box:
      result["type"] = "box";
      result["size"] = triple(shape.size);
      break;
    case Shape::Kind::sphere:
      result["type"] = "sphere";
      result["radius"] = shape.size.x;
      break;
    case Shape::Kind::cylinder:
      round("cylinder");
      break;
    case Shape::Kind::capsule:
      round("capsule");
      break;
    case Shape::Kind::cone:
      round("cone");
      break;
    case Shape::Kind::mesh:
      return {};
  }
  if (length(shape.frame.origin) > 0) result["position"] = triple(shape.frame.origin);
  if (is_turned(shape.frame)) result["quaternion"] = quadruple(shape.frame.axes);
  if (!shape.color.empty()) result["color"] = shape.color;
  return result;
}

Json body_of(const Body& body, bool is_ground, const Recording& recording) {
  Json result{{"name", body.name}};
  if (is_ground) result["fixed"] = true;
  if (!body.color.empty()) result["color"] = body.color;
  result["shapes"] = Json::array();
  for (const Shape& shape : body.shapes)
    if (Json drawn = shape_of(shape); !drawn.is_null()) result["shapes"].push_back(std::move(drawn));
  if (is_ground) return result;
  result["center"] = triple(body.com);
  for (const char* part : {".position.x", ".position.y", ".position.z", ".quaternion.w", ".quaternion.x",
                           ".quaternion.y", ".quaternion.z"})
    if (recording.find(body.name + part) != nullptr) result["pose"].push_back(body.name + part);
  return result;
}

// Bodies, points and axes of what acts between two frames.
template <class Element>
Json pair_of(const Element& element, const std::string& type) {
  return {{"name", element.name},
          {"type", type},
          {"bodies", {element.body_a, element.body_b}},
          {"points", {triple(element.frame_a.origin), triple(element.frame_b.origin)}},
          {"axes", {triple(element.frame_a.axes.column[2]), triple(element.frame_b.axes.column[2])}}};
}

// The channels with the components of a force on the second body, if they are recorded.
void add_components(const std::string& channel, const Recording& recording, Json& out) {
  for (const char* axis : {"x", "y", "z"})
    if (recording.find(channel + axis) == nullptr) return;
  for (const char* axis : {"x", "y", "z"}) out["reaction"].push_back(channel + axis);
}

// The force elements of a mechanism as the animation shows them.
class ForceScene {
 public:
  ForceScene(const Vec3<double>& up, const Recording& recording) : up_(up), recording_(recording) {}

  // Null for what acts where a joint is.
  Json operator()(const Force::JointFriction&) const { return {}; }
  Json operator()(const Force::Actuator&) const { return {}; }

  Json operator()(const Force::SpringDamper& force) const {
    Json entry = pair_of(force, force.law              ? "actuator"
                                : force.damping == 0   ? "spring"
                                : force.stiffness == 0 ? "damper"
                                                       : "spring_damper");
    if (recording_.find(channel(force)) != nullptr) entry["tension"] = channel(force);
    return entry;
  }
  Json operator()(const Force::TorsionSpring& force) const { return pair_of(force, "torsion_spring"); }
  Json operator()(const Force::Bushing& force) const { return pair_of(force, "bushing"); }
  Json operator()(const Force::PointForce& force) const {
    Json entry = pair_of(force, "force");
    add_components(channel(force) + "_", recording_, entry);
    return entry;
  }
  Json operator()(const Force::Torque& force) const { return pair_of(force, "torque"); }
  Json operator()(const Force::Drag& force) const { return pair_of(force, "drag"); }
  Json operator()(const Force::Tyre& force) const {
    Json entry = pair_of(force, "tyre");
    entry["radius"] = force.radius;
    if (recording_.find(channel(force)) != nullptr)
      entry["push"] = {{"channel", channel(force)}, {"direction", triple(up_)}};
    return entry;
  }
  Json operator()(const Force::SphereOnPlane& force) const {
    Json entry = pair_of(force, "contact");
    entry["radius"] = force.radius;
    return entry;
  }

 private:
  static std::string channel(const ForceEnds& force) { return force.name + ".force"; }

  const Vec3<double>& up_;
  const Recording& recording_;
};

// Joints that close a loop: those between bodies that joints before them connect already.
std::vector<bool> loop_joints(const Mechanism& mechanism) {
  std::vector<int> root(mechanism.bodies.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int body) {
    // the way is halved each time, so that long chains are not walked again and again
    while (root[static_cast<std::size_t>(body)] != body) {
      int& of = root[static_cast<std::size_t>(body)];
      body = of = root[static_cast<std::size_t>(of)];
    }
    return body;
  };
  std::vector<bool> result;
  for (const Joint& joint : mechanism.joints) {
    const int a = find(joint.body_a), b = find(joint.body_b);
    result.push_back(a == b);
    root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  return result;
}

// Against gravity, unless the model says otherwise.
Vec3<double> up_of(const Mechanism& mechanism, const ViewSettings& view,
                   const std::optional<Vec3<double>>& normal) {
  Vec3<double> up{0, 0, 1};
  const Vec3<double>& gravity = mechanism.gravity;
  const std::string& wanted = view.up;
  if (!wanted.empty())
    up = {wanted == "x" ? 1.0 : 0.0, wanted == "y" ? 1.0 : 0.0, wanted == "z" ? 1.0 : 0.0};
  else if (length(gravity) > 0)
    up = gravity * (-1 / length(gravity));
  // of a plane that is seen from above
  if (normal && std::abs(dot(up, *normal)) > 0.9)
    up = std::abs(normal->y) > 0.9 ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0};
  return up;
}

}  // namespace

namespace {

// An array, entry by entry.
class SceneList {
 public:
  SceneList(const char* name, std::ostream& out) : out_(out) { out_ << ",\"" << name << "\":["; }
  ~SceneList() { out_ << ']'; }
  SceneList(const SceneList&) = delete;
  SceneList& operator=(const SceneList&) = delete;

  void add(const Json& entry) {
    out_ << (is_first_ ? "" : ",") << page_text(entry);
    is_first_ = false;
  }

 private:
  std::ostream& out_;
  bool is_first_ = true;
};

void write_joints(const Mechanism& mechanism, const Recording& recording, std::ostream& out) {
  SceneList joints("joints", out);
  const std::vector<bool> closes_loop = loop_joints(mechanism);
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    Json entry = pair_of(joint, name(joint.type));
    entry["loop"] = closes_loop[i];
    if (joint.radius > 0) entry["radius"] = joint.radius;
    add_components(joint.name + ".reaction.force.", recording, entry);
    joints.add(entry);
  }
}

void write_markers(const Mechanism& mechanism, const ViewSettings& view, std::ostream& out) {
  SceneList markers("markers", out);
  const auto is_traced = [&](const std::string& wanted) {
    return std::find(view.traces.begin(), view.traces.end(), wanted) != view.traces.end();
  };
  for (const Marker& marker : mechanism.markers)
    markers.add({{"name", marker.name},
                 {"body", marker.body},
                 {"point", triple(marker.frame.origin)},
                 {"quaternion", quadruple(marker.frame.axes)},
                 {"trace", is_traced(marker.name)}});
  for (std::size_t b = 1; b < mechanism.bodies.size(); ++b)
    if (is_traced(mechanism.bodies[b].name) && mechanism.marker(mechanism.bodies[b].name) == nullptr)
      markers.add({{"name", mechanism.bodies[b].name}, {"body", b}, {"point", {0, 0, 0}}, {"trace", true}});
}

}  // namespace

void write_mechanism_scene(const Mechanism& mechanism, const ViewSettings& view, const Recording& recording,
                           std::ostream& out) {
  const std::optional<Vec3<double>> normal = planar_normal(mechanism, view, recording);
  const Vec3<double> up = up_of(mechanism, view, normal);
  out << R"({"up":)" << page_text(triple(up)) << R"(,"gravity":)" << page_text(triple(mechanism.gravity))
      << R"(,"planar":)" << page_text(normal ? Json{{"normal", triple(*normal)}} : Json());
  {
    SceneList bodies("bodies", out);
    for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
      bodies.add(body_of(mechanism.bodies[b], b == 0, recording));
  }
  write_joints(mechanism, recording, out);
  {
    SceneList forces("forces", out);
    const ForceScene force_scene(up, recording);
    for (const Force& force : mechanism.forces)
      if (const Json entry = std::visit(force_scene, force.kind); !entry.is_null()) forces.add(entry);
  }
  write_markers(mechanism, view, out);
  out << '}';
}

}  // namespace trammel
