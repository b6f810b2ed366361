// A mechanism as a person describes it: bodies, markers, joints, drivers, forces, states, measures. Only
// data; elements.h turns it into functions, motion/ into equations.
//
// SI units and radians throughout. A body has a frame of its own; whatever is fixed to a body (its centre of
// mass, markers, the frames of joints and forces) is given in that frame. Body 0 is the ground, whose frame
// is the world's. `reference` is where a body's frame stands before assembly.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism/place.h"
#include "trammel/mechanism/table.h"
#include "trammel/numerics/space.h"

namespace trammel {

// A frame seen from another one: where its origin is, and its axes as columns.
struct Frame {
  Vec3<double> origin;
  Mat3<double> axes = Mat3<double>::identity();
};

// `inner` is given in `outer`; both together as seen from where `outer` is given.
Frame compose(const Frame& outer, const Frame& inner);
Frame inverse(const Frame& frame);

// A frame with this origin and z axis; x is chosen unless a direction is given towards which it should point.
Frame frame_with_axis(const Vec3<double>& origin, const Vec3<double>& z,
                      const std::optional<Vec3<double>>& x_towards = {});

// What to show of a body, and, with a density, what it weighs.
struct Shape {
  enum class Kind { box, cylinder, sphere, capsule, cone, mesh };

  Kind kind = Kind::sphere;
  Frame frame;        // the shape's centre, its length along z, in the body's frame
  Vec3<double> size;  // box: edges; cylinder, cone, capsule: (radius, radius, length); sphere: (radius, -, -)
  std::string color;  // "#rrggbb", or empty
  std::string file;   // mesh
};

struct Body {
  std::string name;
  SourcePlace place;
  double mass = 0;
  Vec3<double> com;
  Mat3<double> inertia;  // about the centre of mass, in the axes of the body's frame
  // Mass and inertia are taken over even if no real body can have them.
  bool inertia_as_given = false;
  Frame reference;  // in the world
  // A guess of the initial velocities in world axes: of the frame's origin, and the angular one.
  Vec3<double> velocity, angular_velocity;
  // How firmly assembly keeps this body where `reference` says: 1 ordinary, larger more.
  double keep = 1;
  std::vector<Shape> shapes;
  std::string color;
};

struct Marker {
  std::string name;
  SourcePlace place;
  int body = 0;
  Frame frame;
};

// A number, or an expression of time, measured quantities and parameters that is compiled later.
struct Law {
  Law() = default;
  Law(double constant) : value(constant) {}  // NOLINT: a number is a law
  explicit Law(std::string expression, SourcePlace where = {})
      : text(std::move(expression)), place(std::move(where)) {}

  double value = 0;
  std::string text;  // empty: the constant
  SourcePlace place;

  bool is_constant() const { return text.empty(); }
};

enum class JointType {
  fixed,
  revolute,     // about z
  prismatic,    // along z
  cylindrical,  // about and along z
  spherical,
  universal,          // z of the first frame and x of the second stay perpendicular (the cross)
  planar,             // in the xy plane
  screw,              // about and along z, tied by the pitch
  translational,      // orientation kept, free to move in all three directions
  point_on_line,      // the second origin on the first z axis
  point_in_plane,     // the second origin in the first xy plane
  distance,           // a rod of given length between the origins
  constant_velocity,  // a homokinetic joint between shafts along z
  rolling_disk,       // a disk (second body, axis z, radius) rolls on the xy plane of the first, without slip
  rolling_sphere,     // likewise a sphere
  knife_edge,         // the second origin moves, seen from the first body, not along its own y axis
};

// The word a model file uses for it, and back.
std::string name(JointType type);
const std::vector<std::pair<std::string, JointType>>& joint_types();

struct Joint {
  std::string name;
  SourcePlace place;
  JointType type = JointType::revolute;
  int body_a = 0, body_b = 0;
  Frame frame_a, frame_b;  // in the frames of the bodies
  double pitch = 0;        // screw: metres per turn
  double length = 0;       // distance: 0 takes it from the reference position
  double radius = 0;       // rolling
  // Initial values that assembly meets, by coordinate ("angle", "angle_rate", "displacement", ...).
  std::vector<std::pair<std::string, double>> initial;
  // Dry and viscous friction on the free coordinate of a revolute, prismatic or cylindrical joint: see
  // force.h.
};

// A linear tie between joint coordinates: Σ factor · coordinate = offset, offset taken from the assembled
// position unless given. Gears and racks are couplers.
struct Coupler {
  struct Term {
    std::string coordinate;  // "crank.angle", "slide.displacement"
    double factor = 1;
    SourcePlace place;
  };
  std::string name;
  SourcePlace place;
  std::vector<Term> terms;
  std::optional<double> offset;
};

// Prescribed motion of a joint coordinate, or of a distance between markers.
struct Driver {
  enum class Level { position, velocity, acceleration };

  std::string name;
  SourcePlace place;
  std::string coordinate;
  Level level = Level::position;
  Law motion;  // of time alone
};

// A force element. One struct for all kinds: which members matter is said with the kind.
struct Force {
  enum class Kind {
    spring_damper,   // between the origins of the frames: stiffness, damping, free_length, preload, law
    torsion_spring,  // about z of the first frame: stiffness, damping, free_length (an angle), preload, law
    bushing,         // six components in the first frame: stiffness_matrix, damping_matrix, preloads, laws
    point_force,     // components[0..2] on the second body, at its frame's origin; reaction on the first
    torque,          // components[0..2] on the second body, reaction on the first
    drag,            // viscous and aerodynamic: −(damping + quadratic |v|) v, −(angular_damping + ...) ω
    tyre,            // vertical unilateral spring-damper of a wheel (second body) over a road
    sphere_on_plane,  // contact of a sphere (second body, radius) with the xy plane of the first frame
    joint_friction,   // against a coordinate of a joint: dry, friction, radius, damping, friction_velocity
    actuator,         // along a coordinate of a joint: law, of `angle` (or `displacement`) and `rate`
  };
  enum class Axes { world, first_body, second_body };

  std::string name;
  SourcePlace place;
  Kind kind = Kind::spring_damper;
  int body_a = 0, body_b = 0;
  Frame frame_a, frame_b;

  double stiffness = 0, damping = 0;
  std::optional<double> free_length;  // absent: from the reference position
  double preload = 0;
  // Added to (spring_damper, torsion_spring) the tension or torque; may use `length`, `rate` (or `angle`).
  std::optional<Law> law;
  std::vector<Law> components;
  Axes axes = Axes::world;

  std::array<std::array<double, 6>, 6> stiffness_matrix{}, damping_matrix{};
  std::array<double, 6> preloads{};
  // Per component, of `x` and `rate`, instead of the linear law where given.
  std::array<std::optional<Law>, 6> component_laws;

  double angular_damping = 0, quadratic = 0, angular_quadratic = 0;
  Vec3<double> wind;  // velocity of the medium in the world

  double radius = 0;
  double exponent = 1;           // contact: force = stiffness · depth^exponent · (1 + damping · rate)
  double smoothing = 0;          // length or depth over which a unilateral law sets in
  double friction = 0;           // coefficient
  double friction_velocity = 0;  // speed at which regularised friction is fully developed

  // joint_friction, actuator, and torsion_spring if it sits on a joint: the coordinate, "angle" of this joint
  // (empty: the one it has), or, without a joint, "crank.angle".
  std::string joint, coordinate;
  double dry = 0;    // constant dry friction force or torque
  std::string road;  // tyre: name of a road

  bool applies_reaction = true;  // point_force, torque: the first body gets the opposite
};

// Height of the ground over a horizontal coordinate.
struct Road {
  enum class Kind { flat, half_cylinder, step, sine, table };

  std::string name;
  SourcePlace place;
  Kind kind = Kind::flat;
  double start = 0;   // where the obstacle begins: half_cylinder its centre
  double height = 0;  // step, sine: amplitude; half_cylinder: radius
  double length = 0;  // step: over which it rises; sine: wavelength
  std::string table;
};

// A first-order state: rate = expression of time, states and quantities.
struct State {
  std::string name;
  SourcePlace place;
  double initial = 0;
  Law rate;
};

// A quantity to be recorded, and usable by name in other expressions.
struct Measure {
  std::string name;
  SourcePlace place;
  Law value;
  std::string unit;
};

// A condition on a quantity that assembly meets: "crank.angle", "crank.angle_rate", "P.velocity.x".
struct InitialValue {
  std::string quantity;
  SourcePlace place;
  double value = 0;
};

struct Elements;

class Mechanism {
 public:
  Mechanism();

  std::string title;
  Vec3<double> gravity{0, 0, -9.81};
  std::map<std::string, double> parameters;
  std::map<std::string, Table> tables;
  std::vector<Body> bodies;  // bodies[0] is the ground
  std::vector<Marker> markers;
  std::vector<Joint> joints;
  std::vector<Coupler> couplers;
  std::vector<Driver> drivers;
  std::vector<Force> forces;
  std::vector<Road> roads;
  std::vector<State> states;
  std::vector<Measure> measures;
  std::vector<InitialValue> initial;
  // Elements written in C++, added when all the others are made: user_elements.h.
  std::vector<std::function<void(Elements&)>> extensions;

  // The index of a body ("ground" is 0), −1 if there is none.
  int body(const std::string& name) const;
  const Joint* joint(const std::string& name) const;
  const Marker* marker(const std::string& name) const;

  int add(Body body);
  Joint& add(Joint joint);
  // A joint given in the world at the reference position: where, and its axis.
  Joint& add_joint(const std::string& name, JointType type, const std::string& body_a,
                   const std::string& body_b, const Vec3<double>& at, const Vec3<double>& axis = {0, 0, 1});
  Force& add(Force force);

  // Everything that can be judged without assembling: names unique and known, masses and inertias physical,
  // numbers finite. Throws ModelError.
  void check() const;
};

}  // namespace trammel
