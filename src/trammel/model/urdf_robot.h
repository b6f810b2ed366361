// A robot as its URDF file describes it: a tree of links and joints, all numbers checked. What becomes of it
// is said in urdf_import.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

// What to do about what real files say though it makes no sense.
struct UrdfReading {
  enum class UnphysicalInertia { as_given, nearest };

  bool strict = false;  // refuse it
  UnphysicalInertia unphysical_inertia = UnphysicalInertia::as_given;
};

struct UrdfLink {
  std::string name;
  SourcePlace place;
  // What it weighs, as seen from its frame; nothing if the file does not say.
  struct Inertial {
    SourcePlace place;
    double mass = 0;
    Frame frame;           // at the centre of mass
    Mat3<double> inertia;  // in the axes of this frame
    bool is_real = true;   // whether a body can have this mass and inertia
  };
  std::optional<Inertial> inertial;
  std::vector<Shape> visuals;
  std::vector<Shape> collisions;
};

struct UrdfJoint {
  enum class Type { revolute, continuous, prismatic, planar, fixed, floating };
  struct Mimic {
    SourcePlace place;
    int leader = 0;
    double multiplier = 1, offset = 0;
  };

  std::string name;
  SourcePlace place;
  Type type = Type::fixed;
  int parent = 0, child = 0;  // links
  Frame frame;                // of the child in the parent's, at zero
  Vec3<double> axis{1, 0, 0};
  bool has_limits = false;
  double damping = 0, friction = 0;
  double rotor_inertia = 0, gear_ratio = 1;  // of its motor
  std::optional<Mimic> mimic;
};

struct UrdfRobot {
  std::vector<UrdfLink> links;  // the root first, parents before their children
  std::vector<UrdfJoint> joints;
  std::vector<int> joint_above;  // of each link; −1 of the root
  // What the file says and what is not taken over, for each link and joint that has such.
  std::vector<std::string> warnings;
};

// Throws ModelError, with the place and the link or joint, where the file says something that makes no sense
// or a number is damaged. What is dubious but harmless is a warning.
UrdfRobot read_urdf_robot(const std::string& text, const std::string& file, const UrdfReading& reading);

}  // namespace trammel
