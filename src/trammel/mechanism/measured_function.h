// The functions of the motion that have a name: coordinates of joints, positions and velocities of points,
// distances, angular velocities. They are measured, and coupled and driven as constraints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "trammel/mechanism/constraint_kernels.h"
#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/velocity_kernels.h"

namespace trammel {

struct MeasuredFunction {
  std::string name;  // of the function itself, also if its rate is meant: "crank.angle"
  bool rate = false;
  int body_a = 0, body_b = 0;
  std::variant<Angle, Offset, PointDistance, Spin> kernel;

  // Whether it exists at velocity level only.
  bool is_velocity() const { return std::holds_alternative<Spin>(kernel); }
};

// Adds factor times the function to a row.
void add_to_row(const MeasuredFunction& function, RowSystem& system, Index row, double factor = 1);

// The coordinates of a type of joint, in the order of their rows: "angle", "displacement".
const std::vector<std::string>& coordinate_names(JointType type);

// A point fixed to a body, from its centre of mass: what kernels want, of what is given in the body's frame.
Vec3<double> from_centre_of_mass(const Mechanism& mechanism, int body, const Vec3<double>& point);

// All measured functions of a mechanism by their names. The mechanism must live longer and stay unchanged.
class MeasuredFunctions {
 public:
  explicit MeasuredFunctions(const Mechanism& mechanism);

  // Angles that start elsewhere than within half a turn of zero: "crank.angle".
  void start_angle_at(const std::string& name, double angle) { start_angles_[name] = angle; }

  // "crank.angle", "crank.angle_rate", "P.position.x", "P.velocity.x", "crank.angular_velocity.x".
  std::optional<MeasuredFunction> find(const std::string& name) const;
  // Between markers or bodies; null if there is no such marker or body.
  std::optional<MeasuredFunction> distance(const std::string& first, const std::string& second) const;
  MeasuredFunction coordinate(const Joint& joint, const std::string& coordinate) const;

  // The joint, of Mechanism::joints; −1 if there is none.
  int joint(const std::string& name) const;
  bool has_point(const std::string& name) const { return points_.contains(name); }
  // Of all of them, for hints at misspelt ones.
  std::vector<std::string> names() const;

 private:
  struct Point {
    int body = 0;
    Vec3<double> from_centre_of_mass;
  };

  std::optional<MeasuredFunction> of_joint(const Joint& joint, const std::string& member) const;
  std::optional<MeasuredFunction> of_point(const std::string& owner, const Point& point,
                                           const std::string& member) const;

  const Mechanism& mechanism_;
  std::unordered_map<std::string, int> joints_;
  std::unordered_map<std::string, Point> points_;  // markers, and the origins of bodies
  std::map<std::string, double> start_angles_;
};

}  // namespace trammel
