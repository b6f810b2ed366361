#include "trammel/cli/mass_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// The radius of gyration of a body should be comparable to what is known of its size.
constexpr double far_too_large = 20, far_too_small = 0.001;

// How far joints, forces and shapes reach from the centre of mass; zero if there are none.
double known_size(const Mechanism& mechanism, int index) {
  const Body& body = mechanism.bodies[static_cast<std::size_t>(index)];
  double size = 0;
  const auto include = [&](int of_body, const Vec3<double>& point) {
    if (of_body == index) size = std::max(size, length(point - body.com));
  };
  for (const Joint& joint : mechanism.joints) {
    include(joint.body_a, joint.frame_a.origin);
    include(joint.body_b, joint.frame_b.origin);
    if (joint.body_b == index) size = std::max(size, joint.radius);
  }
  for (const Force& force : mechanism.forces) {
    const ForceEnds& ends = force.ends();
    include(ends.body_a, ends.frame_a.origin);
    include(ends.body_b, ends.frame_b.origin);
  }
  for (const Shape& shape : body.shapes)
    if (shape.kind != Shape::Kind::mesh)
      size = std::max(size, length(shape.frame.origin - body.com) + 0.5 * length(shape.size));
  return size;
}

}  // namespace

std::vector<std::string> mass_warnings(const Mechanism& mechanism) {
  std::vector<std::string> warnings;
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
    const Body& body = mechanism.bodies[i];
    const std::string who =
        fmt::format("{}{}body '{}'", body.place.text(), body.place.line > 0 ? ": " : "", body.name);
    double largest = 0;
    for (int k = 0; k < 3; ++k) largest = std::max(largest, body.inertia(k, k));
    if (body.mass == 0) {
      warnings.push_back(who + " has no mass");
      continue;
    }
    if (largest == 0) {
      warnings.push_back(who + " has mass but no inertia: a point that cannot be turned by a torque");
      continue;
    }
    const double size = known_size(mechanism, static_cast<int>(i)), gyration = std::sqrt(largest / body.mass);
    if (size > 0 && (gyration > far_too_large * size || gyration < far_too_small * size))
      warnings.push_back(fmt::format(
          "{} has the radius of gyration {:.3g} m, but its joints and shapes reach {:.3g} m from its "
          "centre of mass; are the units of mass ({:.3g} kg) and inertia ({:.3g} kg m²) right?",
          who, gyration, size, body.mass, largest));
  }
  return warnings;
}

}  // namespace trammel
