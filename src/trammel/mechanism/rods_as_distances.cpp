#include "trammel/mechanism/rods_as_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trammel/mechanism/elements.h"

namespace trammel {

namespace {

// The two joints that hold a rod and nothing else does; empty if it is none.
std::vector<std::size_t> joints_of_rod(const Mechanism& mechanism, int body) {
  std::vector<std::size_t> joints;
  int spherical = 0;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    if (joint.body_a != body && joint.body_b != body) continue;
    if (joint.type != JointType::spherical && joint.type != JointType::universal) return {};
    if (joint.body_a == joint.body_b) return {};
    spherical += joint.type == JointType::spherical ? 1 : 0;
    joints.push_back(i);
  }
  if (joints.size() != 2 || spherical == 0) return {};
  return joints;
}

// Where a joint holds the rod and where the other body, in the frames of each.
struct End {
  int other = 0;
  Vec3<double> on_rod, on_other;
};

End end_of(const Joint& joint, int rod) {
  if (joint.body_a == rod) return {joint.body_b, joint.frame_a.origin, joint.frame_b.origin};
  return {joint.body_a, joint.frame_b.origin, joint.frame_a.origin};
}

// The inertia of a point about the origin.
Mat3<double> inertia_of_point(double mass, const Vec3<double>& at) {
  const double square = dot(at, at);
  Mat3<double> result;
  for (int col = 0; col < 3; ++col)
    for (int row = 0; row < 3; ++row)
      result.column[static_cast<std::size_t>(col)][row] =
          mass * ((row == col ? square : 0.0) - at[row] * at[col]);
  return result;
}

void add_inertia(Mat3<double>& to, const Mat3<double>& other) {
  for (std::size_t col = 0; col < 3; ++col) to.column[col] += other.column[col];
}

void add_point_mass(Body& body, double mass, const Vec3<double>& at) {
  const double whole = body.mass + mass;
  if (whole == 0) return;
  const Vec3<double> com = (body.com * body.mass + at * mass) * (1 / whole);
  add_inertia(body.inertia, inertia_of_point(body.mass, body.com - com));
  add_inertia(body.inertia, inertia_of_point(mass, at - com));
  body.mass = whole;
  body.com = com;
}

// Bodies behind one that is gone are one place further forward.
void remove_body(Mechanism& mechanism, int body) {
  const auto move = [body](int& index) { index -= index > body ? 1 : 0; };
  for (Joint& joint : mechanism.joints) {
    move(joint.body_a);
    move(joint.body_b);
  }
  for (Marker& marker : mechanism.markers) move(marker.body);
  for (Force& force : mechanism.forces) {
    move(force.ends().body_a);
    move(force.ends().body_b);
  }
  mechanism.bodies.erase(mechanism.bodies.begin() + body);
}

std::string who_refers_to(const Mechanism& mechanism, int body) {
  for (const Marker& marker : mechanism.markers)
    if (marker.body == body) return fmt::format("marker '{}' is on it", marker.name);
  for (const Force& force : mechanism.forces)
    if (force.ends().body_a == body || force.ends().body_b == body)
      return fmt::format("force '{}' acts on it", force.ends().name);
  return {};
}

RodAsDistance replace(Mechanism& mechanism, int body, const std::vector<std::size_t>& joints) {
  const Body rod = mechanism.bodies[static_cast<std::size_t>(body)];
  RodAsDistance result{.body = rod.name, .why_not = who_refers_to(mechanism, body), .mass = rod.mass};
  const std::array<End, 2> ends = {end_of(mechanism.joints[joints[0]], body),
                                   end_of(mechanism.joints[joints[1]], body)};
  const Vec3<double> along = ends[1].on_rod - ends[0].on_rod;
  result.length = length(along);
  for (std::size_t i = 0; i < 2; ++i)
    result.ends[i] = mechanism.bodies[static_cast<std::size_t>(ends[i].other)].name;
  const double second = dot(rod.com - ends[0].on_rod, along) / dot(along, along);
  result.shares[0] = (1 - second) * rod.mass;
  result.shares[1] = second * rod.mass;
  if (ends[0].other == ends[1].other) result.why_not = "both of its ends are on the same body";
  if (!(second >= 0 && second <= 1)) result.why_not = "its centre of mass is not between its ends";
  if (!(result.length > 0)) result.why_not = "its ends are at the same point";
  if (!result.why_not.empty()) return result;

  Mechanism replaced = mechanism;
  Joint distance;
  distance.name = rod.name;
  distance.place = rod.place;
  distance.type = JointType::distance;
  distance.length = result.length;
  distance.body_a = ends[0].other;
  distance.body_b = ends[1].other;
  distance.frame_a.origin = ends[0].on_other;
  distance.frame_b.origin = ends[1].on_other;
  replaced.joints.erase(replaced.joints.begin() + static_cast<std::ptrdiff_t>(joints[1]));
  replaced.joints.erase(replaced.joints.begin() + static_cast<std::ptrdiff_t>(joints[0]));
  replaced.joints.push_back(distance);
  for (std::size_t i = 0; i < 2; ++i)
    if (ends[i].other > 0)
      add_point_mass(replaced.bodies[static_cast<std::size_t>(ends[i].other)], result.shares[i],
                     ends[i].on_other);
  remove_body(replaced, body);
  try {
    // laws, measures and initial values may name the body or its joints
    replaced.check();
    make_elements(replaced);
  } catch (const ModelError& error) {
    result.why_not = error.message();
    return result;
  }
  mechanism = std::move(replaced);
  return result;
}

}  // namespace

std::string RodAsDistance::text() const {
  if (!why_not.empty()) return fmt::format("rod '{}' stays a body: {}", body, why_not);
  return fmt::format("rod '{}' is a distance of {:.6g} m; of its {:.6g} kg '{}' has {:.6g} and '{}' {:.6g}",
                     body, length, mass, ends[0], shares[0], ends[1], shares[1]);
}

std::vector<RodAsDistance> replace_rods_by_distances(Mechanism& mechanism) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) names.push_back(mechanism.bodies[i].name);
  std::vector<RodAsDistance> result;
  for (const std::string& name : names) {
    const int body = mechanism.body(name);
    const std::vector<std::size_t> joints = joints_of_rod(mechanism, body);
    if (!joints.empty()) result.push_back(replace(mechanism, body, joints));
  }
  return result;
}

}  // namespace trammel
