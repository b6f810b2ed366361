#include "trammel/mechanism/force_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/mechanism/force_kernels.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {
namespace {

std::string hint(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(word, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

// Adds the element of one force.
class ForceMaker {
 public:
  ForceMaker(const Mechanism& mechanism, const Force& force, Elements& elements, QuantityCompiler& compiler)
      : mechanism_(mechanism), force_(force), elements_(elements), compiler_(compiler) {
    element_.name = force.name;
    element_.body_a = force.body_a;
    element_.body_b = force.body_b;
  }

  void add_element() {
    switch (force_.kind) {
      case Force::Kind::spring_damper:
        return add_spring_damper();
      case Force::Kind::torsion_spring:
        return is_on_joint() ? add_joint_spring() : add_torsion_spring();
      case Force::Kind::bushing:
        return add_bushing();
      case Force::Kind::point_force:
        return add(PointForce{point_b(), vector_law(), force_.applies_reaction});
      case Force::Kind::torque:
        return add(AppliedTorque{vector_law(), force_.applies_reaction});
      case Force::Kind::drag:
        return add(Drag{point_b(), force_.damping, force_.quadratic, force_.angular_damping,
                        force_.angular_quadratic, force_.wind});
      case Force::Kind::tyre:
        return add_tyre();
      case Force::Kind::sphere_on_plane:
        return add_sphere_on_plane();
      case Force::Kind::joint_friction:
        return add_joint_friction();
      case Force::Kind::actuator:
        return add_actuator();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(force_.place, fmt::format("force '{}': {}", force_.name, what));
  }
  void demand(bool condition, const char* what) const {
    if (!condition) fail(what);
  }

  template <class Kernel>
  void add(const Kernel& kernel) {
    elements_.force_block<Kernel>().add(std::move(element_), kernel);
  }

  Vec3<double> point_a() const {
    return from_centre_of_mass(mechanism_, force_.body_a, force_.frame_a.origin);
  }
  Vec3<double> point_b() const {
    return from_centre_of_mass(mechanism_, force_.body_b, force_.frame_b.origin);
  }

  // Where a body's centre of mass is before assembly.
  Pose<double> reference(int body) const {
    const Frame& frame = mechanism_.bodies[static_cast<std::size_t>(body)].reference;
    return {frame.origin - frame.axes * from_centre_of_mass(mechanism_, body, {}), frame.axes};
  }

  LawFunction law(const Law& law, const std::vector<std::string>& own = {}) {
    const CompiledLaw compiled = compiler_.compile(law, own);
    if (!compiled.is_constant()) elements_.laws.push_back({force_.name, compiled.expression, 2});
    return LawFunction(compiled, element_.inputs);
  }
  LawFunction optional_law(const std::vector<std::string>& own) {
    return force_.law ? law(*force_.law, own) : LawFunction();
  }
  VectorLaw vector_law() {
    demand(force_.components.size() == 3, "it needs three components");
    VectorLaw vector;
    vector.axes = force_.axes;
    for (std::size_t i = 0; i < 3; ++i) vector.components[i] = law(force_.components[i]);
    return vector;
  }

  void add_spring_damper() {
    SpringDamper spring{point_a(),
                        point_b(),
                        force_.stiffness,
                        force_.damping,
                        0,
                        force_.preload,
                        optional_law({"length", "rate"})};
    const PointDistance distance{spring.point_a, spring.point_b};
    spring.free_length =
        force_.free_length.value_or(distance(reference(force_.body_a), reference(force_.body_b))[0]);
    add(spring);
  }

  void add_torsion_spring() {
    const Angle angle{force_.frame_a.axes, force_.frame_b.axes};
    const double at_reference = angle(reference(force_.body_a), reference(force_.body_b))[0];
    add(TorsionSpring{angle, force_.stiffness, force_.damping, force_.free_length.value_or(at_reference),
                      force_.preload, optional_law({"angle", "rate"})});
  }

  void add_bushing() {
    Bushing bushing;
    bushing.frame_a = {point_a(), force_.frame_a.axes};
    bushing.frame_b = {point_b(), force_.frame_b.axes};
    bushing.stiffness = force_.stiffness_matrix;
    bushing.damping = force_.damping_matrix;
    bushing.preload = force_.preloads;
    for (std::size_t i = 0; i < 6; ++i) {
      if (!force_.component_laws[i]) continue;
      bushing.has_law[i] = true;
      bushing.laws[i] = law(*force_.component_laws[i], {"x", "rate"});
    }
    add(bushing);
  }

  RoadProfile road() const {
    if (force_.road.empty()) return {};
    std::vector<std::string> names;
    for (const Road& road : mechanism_.roads) {
      if (road.name == force_.road) return RoadProfile(road, mechanism_.tables);
      names.push_back(road.name);
    }
    fail(fmt::format("there is no road '{}'{}", force_.road, hint(force_.road, names)));
  }

  void add_tyre() {
    demand(force_.radius > 0, "the radius of a wheel must be positive");
    demand(force_.stiffness > 0, "the stiffness of a tyre must be positive");
    demand(force_.damping >= 0, "the damping of a tyre must not be negative");
    demand(force_.smoothing >= 0, "the smoothing must not be negative");
    add(Tyre{{point_a(), force_.frame_a.axes},
             point_b(),
             force_.radius,
             force_.stiffness,
             force_.damping,
             force_.smoothing,
             road()});
  }

  void add_sphere_on_plane() {
    demand(force_.radius > 0, "the radius of a sphere must be positive");
    demand(force_.stiffness > 0, "the stiffness of a contact must be positive");
    demand(force_.exponent >= 1, "the exponent of a contact must be 1 or more");
    demand(force_.damping >= 0, "the damping of a contact must not be negative");
    demand(force_.smoothing >= 0, "the smoothing must not be negative");
    demand(force_.friction >= 0, "the coefficient of friction must not be negative");
    demand(force_.friction == 0 || force_.friction_velocity > 0, friction_velocity_missing);
    SphereOnPlane contact{{point_a(), force_.frame_a.axes}, point_b(), force_.radius, force_.stiffness};
    contact.exponent = force_.exponent;
    contact.damping = force_.damping;
    contact.smoothing = force_.smoothing;
    contact.friction = force_.friction;
    if (force_.friction > 0) contact.friction_velocity = force_.friction_velocity;
    add(contact);
  }

  bool is_on_joint() const { return !force_.joint.empty() || !force_.coordinate.empty(); }

  const Joint& joint() const {
    if (const Joint* joint = mechanism_.joint(force_.joint)) return *joint;
    std::vector<std::string> names;
    for (const Joint& joint : mechanism_.joints) names.push_back(joint.name);
    fail(fmt::format("there is no joint '{}'{}", force_.joint, hint(force_.joint, names)));
  }

  // The coordinate along which the force acts.
  MeasuredFunction coordinate() const {
    if (force_.joint.empty()) {
      demand(is_on_joint(), "it needs a joint, or a coordinate of one");
      return compiler_.function(force_.coordinate, force_.place);
    }
    const Joint& joint = this->joint();
    const std::vector<std::string>& names = coordinate_names(joint.type);
    if (names.empty())
      fail(fmt::format("joint '{}' has no coordinate: it is {}", joint.name, name(joint.type)));
    const auto has = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::string wanted = force_.coordinate;
    if (wanted.starts_with(joint.name + ".")) wanted.erase(0, joint.name.size() + 1);
    if (wanted.empty() && names.size() == 1) wanted = names[0];
    if (wanted.empty() && force_.kind == Force::Kind::torsion_spring && has("angle")) wanted = "angle";
    if (wanted.empty())
      fail(fmt::format("joint '{}' has the coordinates {}; say which", joint.name, fmt::join(names, ", ")));
    if (!has(wanted))
      fail(fmt::format("joint '{}' has no coordinate '{}'{}", joint.name, wanted, hint(wanted, names)));
    return compiler_.functions().coordinate(joint, wanted);
  }

  // The coordinate or its rate as an input.
  LawFunction measured(const MeasuredFunction& function, Input::Kind kind) {
    const Index row = compiler_.measured_row(function.name, force_.place).row;
    std::vector<Input>& inputs = elements_.inputs;
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const Input& input) {
      return input.kind == kind && input.index == row;
    });
    const auto index = static_cast<int>(found - inputs.begin());
    if (found == inputs.end()) inputs.push_back({kind, row});
    return LawFunction(CompiledLaw{Expression::input(1), {index}, 0}, element_.inputs);
  }

  // Calls make(direction) with the kernel of the coordinate, and adds the kernel that comes back.
  template <class Make>
  void add_along(const MeasuredFunction& function, const Make& make) {
    if (function.rate) fail(fmt::format("it is on a rate; name the coordinate itself, '{}'", function.name));
    element_.body_a = function.body_a;
    element_.body_b = function.body_b;
    if (const Angle* angle = std::get_if<Angle>(&function.kernel))
      add(make(JointDirection<Angle>{*angle}));
    else if (const Offset* offset = std::get_if<Offset>(&function.kernel))
      add(make(JointDirection<Offset>{*offset}));
    else
      fail(fmt::format("it cannot act along '{}'; for a force along a line take a spring_damper",
                       function.name));
  }

  void add_joint_spring() {
    const MeasuredFunction function = coordinate();
    add_along(function, [&]<class Coordinate>(const JointDirection<Coordinate>& direction) {
      JointSpring<Coordinate> spring{direction, force_.stiffness, force_.damping, 0, force_.preload};
      const double at_reference =
          direction.function(reference(function.body_a), reference(function.body_b))[0];
      spring.free_value = force_.free_length.value_or(at_reference);
      spring.value = measured(function, Input::Kind::value);
      spring.rate = measured(function, Input::Kind::rate);
      spring.law = optional_law({direction.value_name(), "rate"});
      return spring;
    });
  }

  void add_actuator() {
    const MeasuredFunction function = coordinate();
    demand(force_.law.has_value(), "an actuator needs a law, its force or torque");
    add_along(function, [&]<class Coordinate>(const JointDirection<Coordinate>& direction) {
      Actuator<Coordinate> actuator{direction, {}, {}, law(*force_.law, {direction.value_name(), "rate"})};
      if (actuator.law.uses_own(0)) actuator.value = measured(function, Input::Kind::value);
      if (actuator.law.uses_own(1)) actuator.rate = measured(function, Input::Kind::rate);
      return actuator;
    });
  }

  void add_joint_friction() {
    demand(!force_.joint.empty(), "joint friction needs a joint");
    const MeasuredFunction function = coordinate();
    demand(force_.dry >= 0 && force_.friction >= 0 && force_.damping >= 0, "friction must not be negative");
    const bool has_dry_friction = force_.dry > 0 || force_.friction > 0;
    demand(!has_dry_friction || force_.friction_velocity > 0, friction_velocity_missing);
    add_along(function, [&]<class Coordinate>(const JointDirection<Coordinate>& direction) {
      JointFriction<Coordinate> friction{direction, force_.dry, 0, force_.damping};
      if (has_dry_friction) friction.velocity = force_.friction_velocity;
      friction.rate = measured(function, Input::Kind::rate);
      if (force_.friction > 0) {
        demand(!direction.is_angle || force_.radius > 0,
               "friction by a coefficient needs the radius at which it acts");
        friction.arm = force_.friction * (direction.is_angle ? force_.radius : 1.0);
        friction.reaction = law(Law(fmt::format("'{}'.reaction", force_.joint), force_.place));
      }
      return friction;
    });
  }

  static constexpr const char* friction_velocity_missing =
      "dry friction needs the velocity at which it is developed, and that must be positive";

  const Mechanism& mechanism_;
  const Force& force_;
  Elements& elements_;
  QuantityCompiler& compiler_;
  ForceBlock::Element element_;
};

}  // namespace

void add_forces(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  for (const Force& force : mechanism.forces) ForceMaker(mechanism, force, elements, compiler).add_element();
}

}  // namespace trammel
