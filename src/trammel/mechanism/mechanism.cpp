#include "trammel/mechanism/mechanism.h"

#include <fmt/format.h>

#include <utility>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

Frame compose(const Frame& outer, const Frame& inner) {
  return {outer.origin + outer.axes * inner.origin, outer.axes * inner.axes};
}

Frame inverse(const Frame& frame) {
  return {-transposed_times(frame.axes, frame.origin), transposed(frame.axes)};
}

Frame frame_with_axis(const Vec3<double>& origin, const Vec3<double>& z,
                      const std::optional<Vec3<double>>& x_towards) {
  const double z_length = length(z);
  if (!(z_length > 0) || !std::isfinite(z_length))
    throw ModelError({}, fmt::format("[{}, {}, {}] gives no direction for an axis", z.x, z.y, z.z));
  const Vec3<double> axis = z * (1 / z_length);
  if (!x_towards) {
    const auto [x, y] = perpendiculars(axis);
    return {origin, {x, y, axis}};
  }

  const Vec3<double> across = *x_towards - axis * dot(axis, *x_towards);
  const double across_length = length(across);
  // what is left of a parallel direction is round-off
  if (!(across_length > 1e-9 * length(*x_towards)) || !std::isfinite(across_length))
    throw ModelError({}, fmt::format("[{}, {}, {}] gives no direction across the axis [{}, {}, {}]",
                                     x_towards->x, x_towards->y, x_towards->z, z.x, z.y, z.z));
  const Vec3<double> x = across * (1 / across_length);
  return {origin, {x, cross(axis, x), axis}};
}

const std::vector<std::pair<std::string, JointType>>& joint_types() {
  static const std::vector<std::pair<std::string, JointType>> types = {
      {"fixed", JointType::fixed},
      {"revolute", JointType::revolute},
      {"prismatic", JointType::prismatic},
      {"cylindrical", JointType::cylindrical},
      {"spherical", JointType::spherical},
      {"universal", JointType::universal},
      {"planar", JointType::planar},
      {"screw", JointType::screw},
      {"translational", JointType::translational},
      {"point_on_line", JointType::point_on_line},
      {"point_in_plane", JointType::point_in_plane},
      {"distance", JointType::distance},
      {"constant_velocity", JointType::constant_velocity},
      {"rolling_disk", JointType::rolling_disk},
      {"rolling_sphere", JointType::rolling_sphere},
      {"knife_edge", JointType::knife_edge},
  };
  return types;
}

std::string name(JointType type) {
  for (const auto& [name, known] : joint_types())
    if (known == type) return name;
  throw std::invalid_argument("not a type of joint");
}

Mechanism::Mechanism() {
  Body ground;
  ground.name = "ground";
  bodies.push_back(ground);
}

int Mechanism::body(const std::string& name) const {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

const Joint* Mechanism::joint(const std::string& name) const {
  for (const Joint& joint : joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

const Marker* Mechanism::marker(const std::string& name) const {
  for (const Marker& marker : markers)
    if (marker.name == name) return &marker;
  return nullptr;
}

int Mechanism::add(Body body) {
  bodies.push_back(std::move(body));
  return static_cast<int>(bodies.size()) - 1;
}

Joint& Mechanism::add(Joint joint) {
  joints.push_back(std::move(joint));
  return joints.back();
}

Force& Mechanism::add(Force force) {
  forces.push_back(std::move(force));
  return forces.back();
}

Joint& Mechanism::add_joint(const std::string& name, JointType type, const std::string& body_a,
                            const std::string& body_b, const Vec3<double>& at, const Vec3<double>& axis) {
  const auto known_body = [&](const std::string& wanted) {
    const int index = body(wanted);
    if (index >= 0) return index;
    std::vector<std::string> names;
    for (const Body& known : bodies) names.push_back(known.name);
    const std::string near = nearest_name(wanted, names);
    throw ModelError({}, fmt::format("joint '{}': there is no body '{}'{}", name, wanted,
                                     near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  };
  Joint joint;
  joint.name = name;
  joint.type = type;
  joint.body_a = known_body(body_a);
  joint.body_b = known_body(body_b);
  Frame world;
  try {
    world = frame_with_axis(at, axis);
  } catch (const ModelError& error) {
    throw ModelError({}, fmt::format("joint '{}': {}", name, error.message()));
  }
  joint.frame_a = compose(inverse(bodies[static_cast<std::size_t>(joint.body_a)].reference), world);
  joint.frame_b = compose(inverse(bodies[static_cast<std::size_t>(joint.body_b)].reference), world);
  return add(std::move(joint));
}

}  // namespace trammel
