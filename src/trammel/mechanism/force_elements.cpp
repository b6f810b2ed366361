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

constexpr const char* friction_velocity_missing =
    "dry friction needs the velocity at which it is developed, and that must be positive";

// Adds the element of one force.
class ForceMaker {
 public:
  ForceMaker(const Mechanism& mechanism, const ForceEnds& ends, Elements& elements,
             QuantityCompiler& compiler)
      : mechanism_(mechanism), ends_(ends), elements_(elements), compiler_(compiler) {
    element_.name = ends.name;
    element_.body_a = ends.body_a;
    element_.body_b = ends.body_b;
  }

  void operator()(const Force::SpringDamper& force) {
    SpringDamper spring{point_a(),
                        point_b(),
                        force.stiffness,
                        force.damping,
                        0,
                        force.preload,
                        optional_law(force.law, {"length", "rate"})};
    const PointDistance distance{spring.point_a, spring.point_b};
    spring.free_length =
        force.free_length.value_or(distance(reference(force.body_a), reference(force.body_b))[0]);
    add(spring);
  }

  void operator()(const Force::TorsionSpring& force) {
    if (is_on_joint(force.along)) return add_joint_spring(force);
    const Angle angle{force.frame_a.axes, force.frame_b.axes};
    const double at_reference = angle(reference(force.body_a), reference(force.body_b))[0];
    add(TorsionSpring{angle, force.stiffness, force.damping, force.free_angle.value_or(at_reference),
                      force.preload, optional_law(force.law, {"angle", "rate"})});
  }

  void operator()(const Force::Bushing& force) {
    Bushing bushing;
    bushing.frame_a = {point_a(), force.frame_a.axes};
    bushing.frame_b = {point_b(), force.frame_b.axes};
    bushing.stiffness = force.stiffness;
    bushing.damping = force.damping;
    bushing.preload = force.preload;
    for (std::size_t i = 0; i < 6; ++i) {
      if (!force.laws[i]) continue;
      bushing.has_law[i] = true;
      bushing.laws[i] = law(*force.laws[i], {"x", "rate"});
    }
    add(bushing);
  }

  void operator()(const Force::PointForce& force) {
    add(PointForce{point_b(), vector_law(force), force.applies_reaction});
  }

  void operator()(const Force::Torque& force) {
    add(AppliedTorque{vector_law(force), force.applies_reaction});
  }

  void operator()(const Force::Drag& force) {
    add(Drag{point_b(), force.viscous, force.quadratic, force.angular_viscous, force.angular_quadratic,
             force.wind});
  }

  void operator()(const Force::Tyre& force) {
    demand(force.radius > 0, "the radius of a wheel must be positive");
    demand(force.stiffness > 0, "the stiffness of a tyre must be positive");
    demand(force.damping >= 0, "the damping of a tyre must not be negative");
    demand(force.smoothing >= 0, "the smoothing must not be negative");
    demand(force.friction >= 0, "the friction of a tyre must not be negative");
    demand(force.friction == 0 || force.cornering > 0,
           "the cornering of a tyre with friction must be positive");
    demand(force.slip_velocity > 0, "the slip velocity of a tyre must be positive");
    demand(std::abs(length(force.axle) - 1) < 1e-9, "the axle of a tyre must be of length one");
    add(Tyre{{point_a(), force.frame_a.axes},
             point_b(),
             force.radius,
             force.stiffness,
             force.damping,
             force.smoothing,
             road(force.road),
             force.friction,
             force.cornering,
             force.slip_velocity,
             force.traction,
             force.axle});
  }

  void operator()(const Force::SphereOnPlane& force) {
    demand(force.radius > 0, "the radius of a sphere must be positive");
    demand(force.stiffness > 0, "the stiffness of a contact must be positive");
    demand(force.exponent >= 1, "the exponent of a contact must be 1 or more");
    demand(force.damping >= 0, "the damping of a contact must not be negative");
    demand(force.smoothing >= 0, "the smoothing must not be negative");
    demand(force.friction >= 0, "the coefficient of friction must not be negative");
    demand(force.friction == 0 || force.friction_velocity > 0, friction_velocity_missing);
    SphereOnPlane contact{{point_a(), force.frame_a.axes}, point_b(), force.radius, force.stiffness};
    contact.exponent = force.exponent;
    contact.damping = force.damping;
    contact.smoothing = force.smoothing;
    contact.friction = force.friction;
    if (force.friction > 0) contact.friction_velocity = force.friction_velocity;
    add(contact);
  }

  void operator()(const Force::JointFriction& force) {
    demand(!force.along.joint.empty(), "joint friction needs a joint");
    const MeasuredFunction function = coordinate(force.along);
    demand(force.dry >= 0 && force.coefficient >= 0 && force.viscous >= 0, "friction must not be negative");
    const bool has_dry_friction = force.dry > 0 || force.coefficient > 0;
    demand(!has_dry_friction || force.friction_velocity > 0, friction_velocity_missing);
    add_along(function, [&]<class Coordinate>(const JointDirection<Coordinate>& direction) {
      JointFriction<Coordinate> friction{direction, force.dry, 0, force.viscous};
      if (has_dry_friction) friction.velocity = force.friction_velocity;
      friction.rate = measured(function, Input::Kind::rate);
      if (force.coefficient > 0) {
        demand(!direction.is_angle || force.radius > 0,
               "friction by a coefficient needs the radius at which it acts");
        friction.arm = force.coefficient * (direction.is_angle ? force.radius : 1.0);
        friction.reaction = law(Law(fmt::format("'{}'.reaction", force.along.joint), force.place));
      }
      return friction;
    });
  }

  void operator()(const Force::Actuator& force) {
    const MeasuredFunction function = coordinate(force.along);
    demand(force.law.has_value(), "an actuator needs a law, its force or torque");
    add_along(function, [&]<class Coordinate>(const JointDirection<Coordinate>& direction) {
      Actuator<Coordinate> actuator{direction, {}, {}, law(*force.law, {direction.value_name(), "rate"})};
      if (actuator.law.uses_own(0)) actuator.value = measured(function, Input::Kind::value);
      if (actuator.law.uses_own(1)) actuator.rate = measured(function, Input::Kind::rate);
      return actuator;
    });
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(ends_.place, fmt::format("force '{}': {}", ends_.name, what));
  }
  void demand(bool condition, const char* what) const {
    if (!condition) fail(what);
  }

  template <class Kernel>
  void add(const Kernel& kernel) {
    elements_.force_block<Kernel>().add(std::move(element_), kernel);
  }

  Vec3<double> point_a() const { return from_centre_of_mass(mechanism_, ends_.body_a, ends_.frame_a.origin); }
  Vec3<double> point_b() const { return from_centre_of_mass(mechanism_, ends_.body_b, ends_.frame_b.origin); }

  // Where a body's centre of mass is before assembly.
  Pose<double> reference(int body) const {
    const Frame& frame = mechanism_.bodies[static_cast<std::size_t>(body)].reference;
    return {frame.origin - frame.axes * from_centre_of_mass(mechanism_, body, {}), frame.axes};
  }

  LawFunction law(const Law& law, const std::vector<std::string>& own = {}) {
    const CompiledLaw compiled = compiler_.compile(law, own);
    if (!compiled.is_constant()) elements_.laws.push_back({ends_.name, compiled.expression, 2});
    const int first_switch = element_.switches;
    element_.switches += compiled.expression.switches();
    return LawFunction(compiled, element_.inputs, first_switch);
  }
  LawFunction optional_law(const std::optional<Law>& given, const std::vector<std::string>& own) {
    return given ? law(*given, own) : LawFunction();
  }
  VectorLaw vector_law(const Force::Applied& force) {
    VectorLaw vector;
    vector.axes = force.axes;
    for (std::size_t i = 0; i < 3; ++i) vector.components[i] = law(force.components[i]);
    return vector;
  }

  RoadProfile road(const std::string& wanted) const {
    if (wanted.empty()) return {};
    std::vector<std::string> names;
    for (const Road& road : mechanism_.roads) {
      if (road.name == wanted) return RoadProfile(road, mechanism_.tables);
      names.push_back(road.name);
    }
    fail(fmt::format("there is no road '{}'{}", wanted, hint(wanted, names)));
  }

  static bool is_on_joint(const Force::Coordinate& along) {
    return !along.joint.empty() || !along.coordinate.empty();
  }

  const Joint& joint(const std::string& wanted) const {
    if (const Joint* joint = mechanism_.joint(wanted)) return *joint;
    std::vector<std::string> names;
    for (const Joint& joint : mechanism_.joints) names.push_back(joint.name);
    fail(fmt::format("there is no joint '{}'{}", wanted, hint(wanted, names)));
  }

  // The coordinate along which the force acts; of a joint that has several, and none is said, `usual`.
  MeasuredFunction coordinate(const Force::Coordinate& along, const std::string& usual = "") const {
    if (along.joint.empty()) {
      demand(is_on_joint(along), "it needs a joint, or a coordinate of one");
      return compiler_.function(along.coordinate, ends_.place);
    }
    const Joint& joint = this->joint(along.joint);
    const std::vector<std::string>& names = coordinate_names(joint.type);
    if (names.empty())
      fail(fmt::format("joint '{}' has no coordinate: it is {}", joint.name, name(joint.type)));
    const auto has = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::string wanted = along.coordinate;
    if (wanted.starts_with(joint.name + ".")) wanted.erase(0, joint.name.size() + 1);
    if (wanted.empty() && names.size() == 1) wanted = names[0];
    if (wanted.empty() && has(usual)) wanted = usual;
    if (wanted.empty())
      fail(fmt::format("joint '{}' has the coordinates {}; say which", joint.name, fmt::join(names, ", ")));
    if (!has(wanted))
      fail(fmt::format("joint '{}' has no coordinate '{}'{}", joint.name, wanted, hint(wanted, names)));
    return compiler_.functions().coordinate(joint, wanted);
  }

  // The coordinate or its rate as an input.
  LawFunction measured(const MeasuredFunction& function, Input::Kind kind) {
    const Index row = compiler_.measured_row(function.name, ends_.place).row;
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

  void add_joint_spring(const Force::TorsionSpring& force) {
    const MeasuredFunction function = coordinate(force.along, "angle");
    add_along(function, [&]<class Coordinate>(const JointDirection<Coordinate>& direction) {
      JointSpring<Coordinate> spring{direction, force.stiffness, force.damping, 0, force.preload};
      const double at_reference =
          direction.function(reference(function.body_a), reference(function.body_b))[0];
      spring.free_value = force.free_angle.value_or(at_reference);
      spring.value = measured(function, Input::Kind::value);
      spring.rate = measured(function, Input::Kind::rate);
      spring.law = optional_law(force.law, {direction.value_name(), "rate"});
      return spring;
    });
  }

  const Mechanism& mechanism_;
  const ForceEnds& ends_;
  Elements& elements_;
  QuantityCompiler& compiler_;
  ForceBlock::Element element_;
};

}  // namespace

void add_forces(const Mechanism& mechanism, Elements& elements, QuantityCompiler& compiler) {
  for (const Force& force : mechanism.forces)
    std::visit(ForceMaker(mechanism, force.ends(), elements, compiler), force.kind);
}

}  // namespace trammel
