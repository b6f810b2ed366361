// Mechanism::check: what can be judged without assembling.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "trammel/mechanism/joint_elements.h"
#include "trammel/mechanism/measured_function.h"
#include "trammel/mechanism/mechanism.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {
namespace {

// Of numbers that were computed, or written down with all their digits.
constexpr double tolerance = 1e-9;

[[noreturn]] void fail(const SourcePlace& place, const std::string& who, const std::string& what) {
  throw ModelError(place, fmt::format("{}: {}", who, what));
}

std::string quoted(const char* kind, const std::string& name) { return fmt::format("{} '{}'", kind, name); }

// ---- names

// Names that must not be the same, and what bears them.
class Names {
 public:
  void add(const char* kind, const std::string& name, const SourcePlace& place) {
    if (name.empty()) throw ModelError(place, fmt::format("a {} has no name", kind));
    const auto [other, is_new] = kinds_.emplace(name, kind);
    if (is_new) return;
    if (other->second == kind) throw ModelError(place, fmt::format("there is another {} '{}'", kind, name));
    throw ModelError(
        place, fmt::format("there is a {0} '{2}' and a {1} '{2}'; expressions could not tell them apart",
                           other->second, kind, name));
  }

 private:
  std::map<std::string, std::string> kinds_;
};

template <class Things>
void add_all(Names& names, const char* kind, const Things& things) {
  for (const auto& thing : things) names.add(kind, thing.name, thing.place);
}

void check_names(const Mechanism& mechanism) {
  // whose quantities are the same: P.position.x
  Names points;
  add_all(points, "body", mechanism.bodies);
  add_all(points, "marker", mechanism.markers);

  // what an expression uses by its name alone; joints are kept apart from them, lest x.angle be taken for x
  Names words;
  for (const char* time : {"t", "time"}) words.add("variable", time, {});
  for (const auto& [name, value] : mechanism.parameters) words.add("parameter", name, {});
  add_all(words, "state", mechanism.states);
  add_all(words, "measure", mechanism.measures);
  Names joints;
  add_all(joints, "joint", mechanism.joints);
  add_all(joints, "state", mechanism.states);
  add_all(joints, "measure", mechanism.measures);

  Names couplers, drivers, forces, roads;
  add_all(couplers, "coupler", mechanism.couplers);
  add_all(drivers, "driver", mechanism.drivers);
  for (const Force& force : mechanism.forces) forces.add("force", force.ends().name, force.ends().place);
  add_all(roads, "road", mechanism.roads);
}

// ---- frames and numbers

void check_finite(double value, const char* what, const std::string& who, const SourcePlace& place) {
  if (!std::isfinite(value)) fail(place, who, fmt::format("{} is {}, not a finite number", what, value));
  // whose powers would not be finite
  constexpr double too_large = 1e100;
  if (std::abs(value) > too_large)
    fail(place, who, fmt::format("{} is {}, which is too large to be computed with", what, value));
}

void check_finite(const Vec3<double>& value, const char* what, const std::string& who,
                  const SourcePlace& place) {
  for (int i = 0; i < 3; ++i) check_finite(value[i], what, who, place);
}

void check_frame(const Frame& frame, const char* what, const std::string& who, const SourcePlace& place) {
  check_finite(frame.origin, what, who, place);
  const auto& [x, y, z] = frame.axes.column;
  for (const Vec3<double>& axis : {x, y, z}) {
    check_finite(axis, what, who, place);
    if (!(std::abs(length(axis) - 1) <= tolerance))
      fail(place, who, fmt::format("the axes of {} must have length one, not {}", what, length(axis)));
  }
  const double skew = std::max({std::abs(dot(x, y)), std::abs(dot(y, z)), std::abs(dot(z, x))});
  if (!(skew <= tolerance)) fail(place, who, fmt::format("the axes of {} are not perpendicular", what));
  if (dot(cross(x, y), z) < 0) fail(place, who, fmt::format("the axes of {} are left-handed", what));
}

void check_body_index(const Mechanism& mechanism, int body, const std::string& who,
                      const SourcePlace& place) {
  if (body < 0 || body >= static_cast<int>(mechanism.bodies.size()))
    fail(place, who, fmt::format("there is no body {}; the last is {}", body, mechanism.bodies.size() - 1));
}

// ---- bodies

void check_inertia(const Body& body, const std::string& who) {
  Eigen::Matrix3d inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      check_finite(body.inertia(i, j), "its inertia", who, body.place);
      inertia(i, j) = body.inertia(i, j);
    }
  const double size = inertia.cwiseAbs().maxCoeff();
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > tolerance * size)
    fail(body.place, who, "its matrix of inertia is not symmetric");
  if (body.inertia_as_given) return;

  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const std::string listed = fmt::format(
      "the principal moments of inertia {:.6g}, {:.6g}, {:.6g} cannot belong to a real body: ", moments[0],
      moments[1], moments[2]);
  if (moments[0] < -tolerance * size)
    fail(body.place, who, listed + "none may be negative; look at the signs of Ixy, Ixz, Iyz");
  if (moments[2] > moments[0] + moments[1] + tolerance * size)
    fail(body.place, who,
         listed +
             "the largest may not exceed the sum of the others (a flat body that turns about its "
             "normal with J has J/2, J/2, J)");
  if (body.mass == 0 && size > 0)
    fail(body.place, who, "it has inertia but no mass; give it both, or neither");
}

void check_body(const Body& body) {
  const std::string who = quoted("body", body.name);
  check_finite(body.mass, "its mass", who, body.place);
  if (body.mass < 0) fail(body.place, who, fmt::format("its mass {:.6g} is negative", body.mass));
  check_finite(body.com, "its centre of mass", who, body.place);
  check_inertia(body, who);
  check_frame(body.reference, "its reference position", who, body.place);
  check_finite(body.velocity, "its velocity", who, body.place);
  check_finite(body.angular_velocity, "its angular velocity", who, body.place);
  if (!(body.keep > 0) || !std::isfinite(body.keep))
    fail(body.place, who, fmt::format("'keep' must be positive, not {:.6g}", body.keep));
}

void check_bodies(const Mechanism& mechanism) {
  if (mechanism.bodies.size() <= 1) throw ModelError({}, "the mechanism has no bodies");
  const Frame& ground = mechanism.bodies[0].reference;
  const Mat3<double> turned = ground.axes - Mat3<double>::identity();
  double moved = length(ground.origin);
  for (const Vec3<double>& column : turned.column) moved += length(column);
  if (moved != 0)
    fail(mechanism.bodies[0].place, "body 'ground'", "its frame is the world's and cannot be elsewhere");
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) check_body(mechanism.bodies[i]);
}

// ---- joints and the rest

void check_rotors(const Joint& joint, const std::string& who) {
  std::vector<std::string> seen;
  for (const Rotor& rotor : joint.rotors) {
    const std::vector<std::string>& names = coordinate_names(joint.type);
    if (names.empty())
      fail(joint.place, who, fmt::format("a {} joint has no coordinate for a rotor", name(joint.type)));
    if (std::find(names.begin(), names.end(), rotor.coordinate) == names.end())
      fail(joint.place, who,
           fmt::format("it has no coordinate '{}' for a rotor; there {} {}", rotor.coordinate,
                       names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
    if (std::find(seen.begin(), seen.end(), rotor.coordinate) != seen.end())
      fail(joint.place, who, fmt::format("its coordinate '{}' has two rotors", rotor.coordinate));
    seen.push_back(rotor.coordinate);
    check_finite(rotor.inertia, "its rotor_inertia", who, joint.place);
    check_finite(rotor.gear_ratio, "its gear_ratio", who, joint.place);
    if (rotor.inertia < 0)
      fail(joint.place, who, fmt::format("its rotor_inertia {:.6g} is negative", rotor.inertia));
    if (rotor.gear_ratio == 0) fail(joint.place, who, "its gear_ratio is zero; a motor would not move it");
  }
}

void check_joint(const Mechanism& mechanism, const Joint& joint) {
  const std::string who = quoted("joint", joint.name);
  check_body_index(mechanism, joint.body_a, who, joint.place);
  check_body_index(mechanism, joint.body_b, who, joint.place);
  if (joint.body_a == joint.body_b)
    fail(joint.place, who,
         fmt::format("both of its bodies are '{}'; a joint is between two",
                     mechanism.bodies[static_cast<std::size_t>(joint.body_a)].name));
  check_frame(joint.frame_a, "its first frame", who, joint.place);
  check_frame(joint.frame_b, "its second frame", who, joint.place);
  check_finite(joint.pitch, "its pitch", who, joint.place);
  check_finite(joint.length, "its length", who, joint.place);
  check_finite(joint.radius, "its radius", who, joint.place);
  for (const auto& [coordinate, value] : joint.initial)
    check_finite(value, fmt::format("the initial value of '{}'", coordinate).c_str(), who, joint.place);

  check_rotors(joint, who);

  const bool rolls = joint.type == JointType::rolling_disk || joint.type == JointType::rolling_sphere;
  if (rolls && !(joint.radius > 0))
    fail(joint.place, who, fmt::format("its radius must be positive, not {:.6g}", joint.radius));
  if (joint.type == JointType::screw && joint.pitch == 0)
    fail(joint.place, who, "a screw needs a pitch, in metres per turn; negative if it is left-handed");
  if (joint.type != JointType::distance) return;
  if (joint.length < 0)
    fail(joint.place, who, fmt::format("its length must be positive, not {:.6g}", joint.length));
  if (joint.length == 0 && !(reference_distance(mechanism, joint) > 0))
    fail(joint.place, who,
         "its points coincide at the reference position, which gives no length; a spherical joint keeps "
         "points together");
}

// The numbers of each kind.
class ForceNumbers {
 public:
  explicit ForceNumbers(const ForceEnds& ends) : who_(quoted("force", ends.name)), place_(ends.place) {}

  void operator()(const Force::SpringDamper& force) const {
    check({force.stiffness, force.damping, force.free_length.value_or(0), force.preload});
  }
  void operator()(const Force::TorsionSpring& force) const {
    check({force.stiffness, force.damping, force.free_angle.value_or(0), force.preload});
  }
  void operator()(const Force::Bushing& force) const {
    for (std::size_t i = 0; i < 6; ++i) {
      check_finite(force.preload[i], "a preload", who_, place_);
      for (std::size_t j = 0; j < 6; ++j) {
        check_finite(force.stiffness[i][j], "its stiffness", who_, place_);
        check_finite(force.damping[i][j], "its damping", who_, place_);
      }
    }
  }
  void operator()(const Force::Applied&) const {}
  void operator()(const Force::Drag& force) const {
    check({force.viscous, force.quadratic, force.angular_viscous, force.angular_quadratic});
    check_finite(force.wind, "its wind", who_, place_);
  }
  void operator()(const Force::Tyre& force) const {
    check({force.radius, force.stiffness, force.damping, force.smoothing, force.friction, force.cornering,
           force.slip_velocity});
    check_finite(force.axle, "its axle", who_, place_);
  }
  void operator()(const Force::SphereOnPlane& force) const {
    check({force.radius, force.stiffness, force.exponent, force.damping, force.smoothing, force.friction,
           force.friction_velocity});
  }
  void operator()(const Force::JointFriction& force) const {
    check({force.dry, force.coefficient, force.radius, force.viscous, force.friction_velocity});
  }
  void operator()(const Force::Actuator&) const {}

 private:
  void check(std::initializer_list<double> numbers) const {
    for (const double value : numbers) check_finite(value, "one of its numbers", who_, place_);
  }

  std::string who_;
  SourcePlace place_;
};

void check_force(const Mechanism& mechanism, const Force& force) {
  const ForceEnds& ends = force.ends();
  const std::string who = quoted("force", ends.name);
  check_body_index(mechanism, ends.body_a, who, ends.place);
  check_body_index(mechanism, ends.body_b, who, ends.place);
  check_frame(ends.frame_a, "its first frame", who, ends.place);
  check_frame(ends.frame_b, "its second frame", who, ends.place);
  std::visit(ForceNumbers(ends), force.kind);
}

void check_law(const Law& law, const std::string& who, const SourcePlace& place) {
  if (law.is_constant()) check_finite(law.value, "its law", who, place);
}

void check_couplers_and_drivers(const Mechanism& mechanism) {
  for (const Coupler& coupler : mechanism.couplers) {
    const std::string who = quoted("coupler", coupler.name);
    if (coupler.terms.empty()) fail(coupler.place, who, "it ties nothing; it needs coordinates");
    check_finite(coupler.offset.value_or(0), "its offset", who, coupler.place);
    for (const Coupler::Term& term : coupler.terms) {
      const SourcePlace& place = term.place.line > 0 ? term.place : coupler.place;
      check_finite(term.factor, "a factor", who, place);
      if (term.factor == 0) fail(place, who, fmt::format("the factor of '{}' is zero", term.coordinate));
    }
  }
  for (const Driver& driver : mechanism.drivers)
    check_law(driver.motion, quoted("driver", driver.name), driver.place);
}

void check_states_and_measures(const Mechanism& mechanism) {
  for (const State& state : mechanism.states) {
    check_finite(state.initial, "its initial value", quoted("state", state.name), state.place);
    check_law(state.rate, quoted("state", state.name), state.place);
  }
  for (const Measure& measure : mechanism.measures)
    check_law(measure.value, quoted("measure", measure.name), measure.place);
  for (const InitialValue& initial : mechanism.initial)
    check_finite(initial.value, "it", fmt::format("initial value of '{}'", initial.quantity), initial.place);
}

}  // namespace

void Mechanism::check() const {
  check_bodies(*this);
  check_names(*this);
  check_finite(gravity, "it", "gravity", {});
  for (const auto& [name, value] : parameters) check_finite(value, "it", quoted("parameter", name), {});
  for (const Marker& marker : markers) {
    const std::string who = quoted("marker", marker.name);
    check_body_index(*this, marker.body, who, marker.place);
    check_frame(marker.frame, "its frame", who, marker.place);
  }
  for (const Joint& joint : joints) check_joint(*this, joint);
  check_couplers_and_drivers(*this);
  for (const Force& force : forces) check_force(*this, force);
  check_states_and_measures(*this);
}

}  // namespace trammel
