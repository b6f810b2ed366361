#include "trammel/mechanism/measured_function.h"

#include <fmt/format.h>

#include <stdexcept>

namespace trammel {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

bool ends_with_rate(const std::string& name) { return name.ends_with("_rate"); }
std::string without_rate(const std::string& name) { return name.substr(0, name.size() - 5); }

Vec3<double> unit_vector(int i) {
  Vec3<double> unit;
  unit[i] = 1;
  return unit;
}

// The angle of the cross of a universal joint about its first axis, or of the second body about the cross.
// The cross itself is no body: what it carries are the first axis, z of A, and the second, x of B.
void set_universal_angle(const Joint& joint, bool second, MeasuredFunction& function) {
  if (!second) {
    function.kernel = Angle{joint.frame_a.axes, joint.frame_b.axes};
    return;
  }
  // Seen from B, it is the first axis that turns, the other way round: about −x from z towards y. A frame
  // with the first axis as its x is all that the kernel needs of A.
  const Mat3<double>&a = joint.frame_a.axes, &b = joint.frame_b.axes;
  std::swap(function.body_a, function.body_b);
  function.kernel = Angle{{b.column[2], b.column[1], -b.column[0]}, {a.column[2], a.column[0], a.column[1]}};
}

}  // namespace

void add_to_row(const MeasuredFunction& function, RowSystem& system, Index row, double factor) {
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        system.block<Kernel>().add({function.body_a, function.body_b, row, factor}, kernel);
      },
      function.kernel);
}

const std::vector<std::string>& coordinate_names(JointType type) {
  static const std::vector<std::string> none, angle{"angle"}, displacement{"displacement"},
      both{"angle", "displacement"}, two_angles{"angle_1", "angle_2"}, planar{"x", "y", "angle"},
      two_directions{"x", "y"}, three_directions{"x", "y", "z"};
  switch (type) {
    case JointType::revolute:
      return angle;
    case JointType::prismatic:
    case JointType::point_on_line:
      return displacement;
    case JointType::cylindrical:
    case JointType::screw:
      return both;
    case JointType::universal:
      return two_angles;
    case JointType::planar:
      return planar;
    case JointType::translational:
      return three_directions;
    case JointType::point_in_plane:
      return two_directions;
    case JointType::fixed:
    case JointType::spherical:
    case JointType::distance:
    case JointType::constant_velocity:
    case JointType::rolling_disk:
    case JointType::rolling_sphere:
    case JointType::knife_edge:
      return none;
  }
  return none;
}

Vec3<double> from_centre_of_mass(const Mechanism& mechanism, int body, const Vec3<double>& point) {
  // the ground is where its frame is, whatever it weighs
  return body == 0 ? point : point - mechanism.bodies[static_cast<std::size_t>(body)].com;
}

MeasuredFunctions::MeasuredFunctions(const Mechanism& mechanism) : mechanism_(mechanism) {
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i)
    joints_.emplace(mechanism.joints[i].name, static_cast<int>(i));
  const auto add_point = [&](const std::string& name, int body, const Vec3<double>& point) {
    points_.emplace(name, Point{body, from_centre_of_mass(mechanism, body, point)});
  };
  for (const Marker& marker : mechanism.markers) add_point(marker.name, marker.body, marker.frame.origin);
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
    add_point(mechanism.bodies[i].name, static_cast<int>(i), {});
}

int MeasuredFunctions::joint(const std::string& name) const {
  const auto found = joints_.find(name);
  return found == joints_.end() ? -1 : found->second;
}

MeasuredFunction MeasuredFunctions::coordinate(const Joint& joint, const std::string& coordinate) const {
  MeasuredFunction function;
  function.name = joint.name + "." + coordinate;
  function.body_a = joint.body_a;
  function.body_b = joint.body_b;
  const Mat3<double>&a = joint.frame_a.axes, &b = joint.frame_b.axes;
  if (coordinate == "angle_1" || coordinate == "angle_2")
    set_universal_angle(joint, coordinate == "angle_2", function);
  else if (coordinate == "angle")
    function.kernel = Angle{a, b};
  else
    function.kernel = Offset{a.column[coordinate == "x"   ? 0
                                      : coordinate == "y" ? 1
                                                          : 2],
                             from_centre_of_mass(mechanism_, joint.body_a, joint.frame_a.origin),
                             from_centre_of_mass(mechanism_, joint.body_b, joint.frame_b.origin)};
  if (auto* angle = std::get_if<Angle>(&function.kernel))
    if (const auto start = start_angles_.find(function.name); start != start_angles_.end())
      angle->expected = angle->followed = start->second;
  return function;
}

std::optional<MeasuredFunction> MeasuredFunctions::of_joint(const Joint& joint,
                                                            const std::string& member) const {
  for (const std::string& name : coordinate_names(joint.type)) {
    if (member == name) return coordinate(joint, name);
    if (ends_with_rate(member) && without_rate(member) == name) {
      MeasuredFunction function = coordinate(joint, name);
      function.rate = true;
      return function;
    }
  }
  return std::nullopt;
}

std::optional<MeasuredFunction> MeasuredFunctions::of_point(const std::string& owner, const Point& point,
                                                            const std::string& member) const {
  for (int i = 0; i < 3; ++i) {
    const std::string position = fmt::format("position.{}", axis_names[i]);
    const std::string angular_velocity = fmt::format("angular_velocity.{}", axis_names[i]);
    const bool is_velocity = member == fmt::format("velocity.{}", axis_names[i]);
    if (member == position || is_velocity)
      return MeasuredFunction{owner + "." + position, is_velocity, 0, point.body,
                              Offset{unit_vector(i), {}, point.from_centre_of_mass}};
    if (member == angular_velocity)
      return MeasuredFunction{owner + "." + angular_velocity, true, 0, point.body, Spin{unit_vector(i)}};
  }
  return std::nullopt;
}

std::optional<MeasuredFunction> MeasuredFunctions::find(const std::string& name) const {
  // names may have dots in them: the longest that is known is meant
  for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const std::string owner = name.substr(0, dot), member = name.substr(dot + 1);
    if (const int index = joint(owner); index >= 0)
      if (auto found = of_joint(mechanism_.joints[static_cast<std::size_t>(index)], member)) return found;
    if (const auto point = points_.find(owner); point != points_.end())
      if (auto found = of_point(owner, point->second, member)) return found;
  }
  return std::nullopt;
}

std::optional<MeasuredFunction> MeasuredFunctions::distance(const std::string& first,
                                                            const std::string& second) const {
  const auto a = points_.find(first), b = points_.find(second);
  if (a == points_.end() || b == points_.end()) return std::nullopt;
  return MeasuredFunction{fmt::format("distance({}, {})", first, second), false, a->second.body,
                          b->second.body,
                          PointDistance{a->second.from_centre_of_mass, b->second.from_centre_of_mass}};
}

std::vector<std::string> MeasuredFunctions::names() const {
  std::vector<std::string> all;
  for (const Joint& joint : mechanism_.joints)
    for (const std::string& coordinate : coordinate_names(joint.type)) {
      all.push_back(joint.name + "." + coordinate);
      all.push_back(joint.name + "." + coordinate + "_rate");
    }
  const auto add_point = [&](const std::string& name) {
    for (const char* axis : axis_names)
      for (const char* member : {"position", "velocity", "angular_velocity"})
        all.push_back(fmt::format("{}.{}.{}", name, member, axis));
  };
  for (const Marker& marker : mechanism_.markers) add_point(marker.name);
  for (const Body& body : mechanism_.bodies) add_point(body.name);
  return all;
}

}  // namespace trammel
