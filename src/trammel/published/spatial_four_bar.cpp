// A four-bar linkage in space: a rotor about x, driven with constant speed, a coupler that a universal joint
// holds to the rotor, and a rocker about y, to which a spherical joint holds the coupler. With the driver it
// has no degree of freedom left: the motion is kinematics, the forces follow.
//
// E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989), p. 459 ("four link"), as
// in the model files of sbel-reproducibility (2021, rA formulation). Inertias there are (4, 2, 0), (12.4,
// 0.01, 0), (4.54, 0.01, 0), which no body can have; here the zeros are 2, 12.4 and 4.54: a disk and two
// rods. The motion does not depend on them. No trajectory is published. It is known in closed form: with the
// pin P = 2 (0, −sin ωt, cos ωt) of the rotor, the axis of the rocker in D and its end Q = D + 7.4 (cos β, 0,
// sin β), |P − Q| = 12.2 gives β.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/published/mechanism_case.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

using Eigen::Vector3d;

constexpr double crank_length = 2, coupler_length = 12.2, rocker_length = 7.4;

// Where the ends of the coupler are when the rotor has turned by an angle, and the axis of its cross that it
// carries.
struct Linkage {
  Vector3d P, D{-4, -8.5, 0}, Q, cross_axis;

  explicit Linkage(double angle) {
    const Vector3d radial(0, -std::sin(angle), std::cos(angle));
    P = crank_length * radial;
    const Vector3d d = P - D;
    const double along = (d.squaredNorm() + rocker_length * rocker_length - coupler_length * coupler_length) /
                         (2 * rocker_length);
    const double beta = std::atan2(d.z(), d.x()) + std::acos(along / std::hypot(d.x(), d.z()));
    Q = D + rocker_length * Vector3d(std::cos(beta), 0, std::sin(beta));
    cross_axis = (P - Q).cross(radial).normalized();
  }
};

Vec3<double> vec(const Vector3d& a) { return {a.x(), a.y(), a.z()}; }

// A body with its centre between two points, y from the first to the second, x along a direction across.
Body between(std::string name, double mass, const Vector3d& from, const Vector3d& to, const Vector3d& x) {
  const Vector3d y = (to - from).normalized();
  Body body;
  body.name = std::move(name);
  body.mass = mass;
  body.reference.origin = vec((from + to) / 2);
  body.reference.axes.column = {vec(x), vec(y), vec(x.cross(y))};
  return body;
}

Mechanism spatial_four_bar(double omega, bool driven) {
  const Linkage start(0);
  Mechanism mechanism;
  mechanism.gravity = {0, 0, -9.81};
  Body rotor;
  rotor.name = "rotor";
  rotor.mass = 2;
  rotor.inertia = principal_inertia(4, 2, 2);
  mechanism.add(std::move(rotor));
  Body coupler = between("coupler", 1, start.Q, start.P, start.cross_axis);
  coupler.inertia = principal_inertia(12.4, 0.01, 12.4);
  mechanism.add(std::move(coupler));
  Body rocker = between("rocker", 1, start.Q, start.D, {0, -1, 0});
  rocker.inertia = principal_inertia(4.54, 0.01, 4.54);
  mechanism.add(std::move(rocker));

  mechanism.add_joint("A", JointType::revolute, "ground", "rotor", {0, 0, 0}, {1, 0, 0});
  mechanism.add_joint("D", JointType::revolute, "ground", "rocker", vec(start.D), {0, 1, 0});
  mechanism.add_joint("Q", JointType::spherical, "rocker", "coupler", vec(start.Q));
  // the cross: z of the rotor's frame, x of the coupler's
  Joint universal;
  universal.name = "P";
  universal.type = JointType::universal;
  universal.body_a = mechanism.body("rotor");
  universal.body_b = mechanism.body("coupler");
  universal.frame_a.origin = {0, 0, crank_length};
  universal.frame_b.origin = {0, coupler_length / 2, 0};
  mechanism.add(universal);

  if (!driven) {
    mechanism.joints.front().initial.emplace_back("angle_rate", omega);
    return mechanism;
  }
  Driver driver;
  driver.name = "motor";
  driver.coordinate = "A.angle";
  driver.motion = Law(fmt::format("{:.17g}*t", omega));
  mechanism.drivers.push_back(driver);
  return mechanism;
}

ProblemCase make_spatial_four_bar(const std::map<std::string, double>& values) {
  const double omega = positive(values, "omega");
  const bool driven = whole_number(values, "driven", 0, 1) == 1;
  ProblemCase result = mechanism_case(spatial_four_bar(omega, driven));
  result.t_end = 2 * std::numbers::pi / omega;
  if (!driven) return result;
  result.energy = nullptr;  // the driver feeds it
  result.digits = [omega](double t, const Vector& x) -> std::optional<double> {
    const Linkage exact(omega * t);
    const Vector3d centre = point_of_body(x, 2);
    const auto largest = [](const Vector3d& difference) { return difference.lpNorm<Eigen::Infinity>(); };
    return digits_of(std::max({largest(centre - (exact.P + exact.Q) / 2),
                               largest(point_of_body(x, 2, {1, 0, 0}) - centre - exact.cross_axis),
                               largest(point_of_body(x, 3) - (exact.D + exact.Q) / 2)}));
  };
  return result;
}

}  // namespace

BuiltinProblem spatial_four_bar_problem() {
  return {
      "spatial-four-bar",
      "four-bar linkage in space, driven or with one degree of freedom",
      "Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989), p. 459",
      "largest error of the centres of coupler and rocker and of the coupler's x axis, against the "
      "closed solution "
      "at any t; no trajectory is published",
      {{"omega", std::numbers::pi, "speed of the rotor [rad/s]"},
       {"driven", 1, "0: omega is the speed at the start alone, and the linkage has a degree of freedom"}},
      make_spatial_four_bar};
}

}  // namespace trammel
