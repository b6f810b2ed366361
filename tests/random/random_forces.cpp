// Forces of random mechanisms. Their sizes go by the masses they work on, so that a spring of a mass of grams
// is a soft one.
#include <fmt/format.h>

#include <algorithm>

#include "tests/random/random_laws.h"

namespace trammel {
namespace {

class ForceMaker {
 public:
  ForceMaker(MechanismSketch& sketch, int number)
      : sketch_(sketch), random_(sketch.random(fmt::format("force {}", number))) {
    const auto bodies = static_cast<std::size_t>(sketch.body_count());
    ends_.body_b = 1 + static_cast<int>(random_.below(bodies - 1));
    ends_.body_a = static_cast<int>(random_.below(bodies));
    if (ends_.body_a == ends_.body_b) ends_.body_a = 0;
    ends_.name = fmt::format("f{}", number);
    mass_ = sketch.mass(ends_.body_b);
    if (ends_.body_a > 0) mass_ = std::min(mass_, sketch.mass(ends_.body_a));
    const double slow = random_.across(1, 30), fast = random_.across(30, 1000);
    is_stiff_ = random_.chance(0.1) && sketch.features.stiff;
    frequency_ = is_stiff_ ? fast : slow;
    // what is fast has to be damped, or nothing but its oscillation would be seen
    damping_ratio_ = is_stiff_ ? random_.between(0.3, 1) : random_.chance(0.5) ? 0 : random_.between(0, 0.5);
  }

  void add() {
    enum class Kind { spring, torsion_spring, bushing, force, torque, drag, friction, actuator };
    const Kind kind = random_.weighted<Kind>({{Kind::spring, 3},
                                              {Kind::torsion_spring, 1.5},
                                              {Kind::bushing, 1},
                                              {Kind::force, 2},
                                              {Kind::torque, 1.5},
                                              {Kind::drag, 1.5},
                                              {Kind::friction, 1.5},
                                              {Kind::actuator, 2}});
    switch (kind) {
      case Kind::spring:
        return add_spring();
      case Kind::bushing:
        return add_bushing();
      case Kind::force:
        return add_applied<Force::PointForce>(8);
      case Kind::torque:
        return add_applied<Force::Torque>(0.5);
      case Kind::drag:
        return add_drag();
      case Kind::torsion_spring:
        return add_along_coordinate(&ForceMaker::add_coordinate_spring);
      case Kind::friction:
        return add_along_coordinate(&ForceMaker::add_friction);
      case Kind::actuator:
        return add_along_coordinate(&ForceMaker::add_actuator);
    }
  }

 private:
  double stiffness() const { return mass_ * frequency_ * frequency_; }
  double damping() const { return 2 * damping_ratio_ * mass_ * frequency_; }

  Frame point(int body) {
    Vec3<double> at = random_.vector(0.3);
    if (sketch_.planar) at.z = 0;
    if (body == 0) at += sketch_.world_frame(ends_.body_b).origin;
    return {at, Mat3<double>::identity()};
  }
  void finish(const Force& force) {
    sketch_.is_stiff = sketch_.is_stiff || is_stiff_;
    sketch_.mechanism().add(force);
  }

  void add_spring() {
    ends_.frame_a = point(ends_.body_a);
    ends_.frame_b = point(ends_.body_b);
    const Vec3<double> from = compose(sketch_.world_frame(ends_.body_a), ends_.frame_a).origin;
    const Vec3<double> to = compose(sketch_.world_frame(ends_.body_b), ends_.frame_b).origin;
    const double distance = length(to - from);
    // without a length a spring has no direction
    if (distance < 0.2) return;
    Force::SpringDamper force{ends_};
    force.stiffness = stiffness();
    force.damping = damping();
    if (random_.chance(0.6)) force.free_length = distance * random_.between(0.8, 1.1);
    if (random_.chance(0.2)) force.preload = mass_ * random_.between(-5, 5);
    if (random_.chance(0.25)) {
      const std::string of = random_.chance(0.5) ? "rate" : fmt::format("(length - {})", distance);
      force.law =
          Law(fmt::format("{}*{}", mass_ * random_.between(1, 10), law_of(sketch_, of, 0.5, random_)));
    }
    finish(force);
  }

  void add_bushing() {
    const Frame world = compose(sketch_.world_frame(ends_.body_b), point(ends_.body_b));
    ends_.frame_a = sketch_.on_body(ends_.body_a, world);
    ends_.frame_b = sketch_.on_body(ends_.body_b, world);
    Force::Bushing force{ends_};
    for (std::size_t i = 0; i < 6; ++i) {
      const double size = (i < 3 ? 1 : 0.05) * random_.between(0.3, 1);
      force.stiffness[i][i] = size * stiffness();
      force.damping[i][i] = size * damping();
      if (random_.chance(0.1)) force.preload[i] = size * mass_ * random_.between(-3, 3);
    }
    if (sketch_.planar) force.preload[2] = force.preload[3] = force.preload[4] = 0;
    if (random_.chance(0.3)) {
      const double across = 0.3 * std::sqrt(force.stiffness[0][0] * force.stiffness[1][1]);
      force.stiffness[0][1] = force.stiffness[1][0] = across;
    }
    if (random_.chance(0.2))
      force.laws[0] = Law(
          fmt::format("{}*{} + {}*rate", stiffness() * 0.1, law_of(sketch_, "x", 0.1, random_), damping()));
    finish(force);
  }

  template <class Kind>
  void add_applied(double usual) {
    ends_.frame_b = point(ends_.body_b);
    Kind force{{ends_}};
    force.applies_reaction = random_.chance(0.4);
    force.axes = random_.weighted<Force::Axes>(
        {{Force::Axes::world, 2}, {Force::Axes::second_body, 1}, {Force::Axes::first_body, 0.5}});
    if (!force.applies_reaction) {
      force.body_a = 0;
      if (force.axes == Force::Axes::first_body) force.axes = Force::Axes::world;
    }
    constexpr bool is_torque = std::is_same_v<Kind, Force::Torque>;
    for (std::size_t i = 0; i < 3; ++i) {
      const double size = mass_ * random_.between(-1, 1) * usual;
      const std::string law = time_law(sketch_, random_);
      const bool in_plane = (i == 2) == is_torque;
      force.components[i] = sketch_.planar && !in_plane ? Law(0) : Law(fmt::format("{}*({})", size, law));
    }
    finish(force);
  }

  void add_drag() {
    ends_.body_a = 0;
    ends_.frame_b = point(ends_.body_b);
    Force::Drag force{ends_};
    force.viscous = mass_ * random_.between(0, 2);
    force.quadratic = random_.chance(0.5) ? mass_ * random_.between(0, 1) : 0;
    force.angular_viscous = random_.chance(0.5) ? mass_ * random_.between(0, 0.05) : 0;
    force.angular_quadratic = random_.chance(0.3) ? mass_ * random_.between(0, 0.02) : 0;
    if (random_.chance(0.4)) force.wind = random_.vector(3);
    if (sketch_.planar) force.wind.z = 0;
    finish(force);
  }

  // Springs, friction and actuators on a coordinate of a joint.
  void add_along_coordinate(void (ForceMaker::*add_one)(const Joint&, const SketchedCoordinate&)) {
    const std::vector<SketchedCoordinate> coordinates = carrier_coordinates(sketch_);
    if (coordinates.empty()) return;
    const SketchedCoordinate& coordinate = random_.one_of(coordinates);
    const Joint& joint = sketch_.mechanism().joints[coordinate.joint];
    ends_.body_a = joint.body_a;
    ends_.body_b = joint.body_b;
    mass_ = sketch_.mass(joint.body_b);
    if (joint.body_a > 0) mass_ = std::min(mass_, sketch_.mass(joint.body_a));
    if (coordinate.is_angle) mass_ *= 0.05;  // about its moment of inertia
    (this->*add_one)(joint, coordinate);
  }

  void add_coordinate_spring(const Joint& joint, const SketchedCoordinate& coordinate) {
    if (!coordinate.is_angle) return;
    Force::TorsionSpring force{ends_, {joint.name, coordinate.coordinate}};
    force.stiffness = stiffness();
    force.damping = damping();
    if (random_.chance(0.5)) force.free_angle = coordinate.start + random_.between(-0.5, 0.5);
    if (random_.chance(0.2)) force.preload = mass_ * random_.between(-5, 5);
    if (random_.chance(0.2))
      force.law = Law(fmt::format("{}*{}", mass_ * random_.between(1, 10),
                                  law_of(sketch_, random_.chance(0.5) ? "rate" : "angle", 1, random_)));
    finish(force);
  }

  void add_friction(const Joint& joint, const SketchedCoordinate& coordinate) {
    Force::JointFriction force{ends_, {joint.name, coordinate.coordinate}};
    force.viscous = mass_ * random_.between(0, 3);
    force.friction_velocity = random_.across(0.05, 1);
    const bool is_dry = random_.chance(0.5), is_by_reaction = random_.chance(0.4);
    const double dry = mass_ * random_.between(0, 5), coefficient = random_.between(0.02, 0.2);
    if (is_dry && sketch_.features.friction) force.dry = dry;
    // what does not determine the reactions does not determine such friction
    const bool has_reaction = joint.type == JointType::revolute || joint.type == JointType::prismatic ||
                              joint.type == JointType::cylindrical;
    if (is_by_reaction && has_reaction && sketch_.features.reaction_friction && !sketch_.has_redundancy &&
        !sketch_.planar) {
      force.coefficient = coefficient;
      if (coordinate.is_angle) force.radius = 0.03;
    }
    finish(force);
  }

  void add_actuator(const Joint& joint, const SketchedCoordinate& coordinate) {
    Force::Actuator force{ends_, {joint.name, coordinate.coordinate}};
    const std::string value = coordinate.is_angle ? "angle" : "displacement";
    const bool has_command = !sketch_.mechanism().states.empty() && random_.chance(0.7);
    const std::string command = has_command ? "command" : time_law(sketch_, random_);
    const std::string law = law_of(sketch_, value, 1, random_);
    if (random_.chance(0.5))
      force.law = Law(fmt::format("{}*({} + 0.5*({}) - {}) - {}*rate", stiffness(), coordinate.start, command,
                                  value, damping() + 0.1 * mass_ * frequency_));
    else
      force.law = Law(fmt::format("{}*({}) - {}*({})", mass_ * 10, command, mass_ * 5, law));
    finish(force);
  }

  MechanismSketch& sketch_;
  RandomNumbers random_;
  ForceEnds ends_;
  double mass_ = 1, frequency_ = 1, damping_ratio_ = 0;
  bool is_stiff_ = false;
};

// A floor under a body: upright against gravity, at a gap or touching already.
Frame floor_under(const MechanismSketch& sketch, int body, double height) {
  const Vec3<double>& gravity = sketch.mechanism().gravity;
  const Vec3<double> down = length(gravity) > 0 ? gravity * (1 / length(gravity)) : Vec3<double>{0, -1, 0};
  return frame_with_axis(sketch.world_frame(body).origin + down * height, -down);
}

}  // namespace

void add_random_forces(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("forces");
  const int count = random.weighted<int>({{0, 1}, {1, 2}, {2, 3}, {3, 2}, {4, 1}, {5, 0.5}});
  for (int i = 1; i <= count; ++i) ForceMaker(sketch, i).add();
}

void add_random_contacts(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("contacts");
  if (!random.chance(0.12)) return;
  ForceEnds ends;
  ends.body_b = 1 + static_cast<int>(random.below(static_cast<std::size_t>(sketch.body_count() - 1)));
  const double mass = sketch.mass(ends.body_b);
  const double radius = random.between(0.05, 0.2);
  const double gap = random.chance(0.3) ? -0.01 * random.unit() : random.across(0.01, 0.2);
  ends.frame_a = floor_under(sketch, ends.body_b, radius + gap);
  const double frequency = random.across(30, 1000);
  const double stiffness = mass * frequency * frequency;
  const bool is_smooth = random.chance(0.5) || !sketch.features.corners;
  const double smoothing = is_smooth ? random.across(0.001, 0.01) : 0;
  const double tyre_damping = random.between(0.1, 0.5) * mass * frequency;
  if (random.chance(0.3) && !sketch.planar) {
    Force::Tyre tyre{ends, radius, stiffness, tyre_damping, smoothing};
    tyre.name = "tyre";
    if (random.chance(0.6)) {
      Road road;
      road.name = "road";
      road.kind = random.weighted<Road::Kind>(
          {{Road::Kind::sine, 1}, {Road::Kind::step, 1}, {Road::Kind::half_cylinder, 1}});
      road.start = random.between(0.02, 0.3);
      road.height = random.between(0.01, 0.04);
      road.length = random.between(0.2, 1);
      if (road.kind == Road::Kind::half_cylinder) road.length = std::min(0.02, 0.5 * road.height);
      sketch.mechanism().roads.push_back(road);
      tyre.road = road.name;
    }
    sketch.mechanism().add(tyre);
    return;
  }
  Force::SphereOnPlane contact{ends, radius, stiffness};
  contact.name = "contact";
  contact.smoothing = smoothing;
  contact.exponent = random.chance(0.3) ? 1.5 : 1;
  if (contact.exponent > 1) contact.stiffness *= 10;
  contact.damping = random.chance(0.5) ? random.between(0, 1) : 0;
  if (random.chance(0.4) && sketch.features.friction) {
    contact.friction = random.between(0.1, 0.8);
    contact.friction_velocity = random.across(0.05, 0.5);
  }
  sketch.mechanism().add(contact);
}

void add_random_measures(MechanismSketch& sketch) {
  RandomNumbers random = sketch.random("measures");
  const std::string body = fmt::format("b{}", random.from_to(1, sketch.body_count() - 1));
  Measure speed;
  speed.name = "m1";
  speed.value = Law(fmt::format("{}.speed*(1 + sin(t))", body));
  sketch.mechanism().measures.push_back(speed);
  const std::vector<SketchedCoordinate> coordinates = carrier_coordinates(sketch);
  if (coordinates.empty()) return;
  Measure squared;
  squared.name = "m2";
  squared.value = Law(fmt::format("m1 + {}_rate^2", random.one_of(coordinates).name));
  sketch.mechanism().measures.push_back(squared);
}

}  // namespace trammel
