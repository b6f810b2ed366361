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

#include "trammel/mechanism/force.h"
#include "trammel/mechanism/frame.h"
#include "trammel/mechanism/law.h"
#include "trammel/mechanism/place.h"
#include "trammel/mechanism/table.h"
#include "trammel/numerics/space.h"

namespace trammel {

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

// The rotor of a motor on a coordinate of a joint. Turning gear_ratio times as fast as the coordinate (rad/m of a
// displacement), it resists with gear_ratio² · inertia along it.
struct Rotor {
  std::string coordinate;  // of the joint: "angle"
  double inertia = 0;      // about its own axis
  double gear_ratio = 1;

  double reflected() const { return gear_ratio * gear_ratio * inertia; }
};

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
  std::vector<Rotor> rotors;  // of motors
  bool in_tree = true;        // false: in joint coordinates it closes a loop
};                            // its friction is a force: Force::JointFriction

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
