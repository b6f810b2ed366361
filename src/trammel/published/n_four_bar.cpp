// N parallelograms side by side: N + 1 cranks upright on the ground and N couplers across their tops, each a
// thin rod of length 1 and mass 1. Twice in every turn all rods lie on one line, where the mechanism has N +
// 1 degrees of freedom for an instant and could leave the motion in which the cranks stay parallel.
//
// Benchmark A02 of the library of M. González and coworkers (2006; IFToMM multibody benchmarks), there
// with N = 40, elsewhere with N = 2. As long as the cranks stay parallel it is one pendulum,
//
//   ((N + 1)/3 + N) θ'' = ((N + 1)/2 + N) g sin θ,   θ from upright, clockwise,
//
// whose motion is known exactly. The library counts the drift of the energy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/published/exact_pendulum.h"
#include "trammel/published/mechanism_case.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

// Cranks have odd numbers, couplers even ones: neighbours in the mechanism are neighbours in the matrices.
int crank(int i) { return 2 * i + 1; }
int coupler(int i) { return 2 * i + 2; }

Body rod(std::string name, const Vec3<double>& middle, bool upright) {
  // thin: nothing turns about a rod's own axis, but a body needs some inertia there
  constexpr double across = 1.0 / 12, along = 1e-4;
  Body result;
  result.name = std::move(name);
  result.mass = 1;
  result.inertia =
      upright ? principal_inertia(across, along, across) : principal_inertia(along, across, across);
  result.reference.origin = middle;
  return result;
}

Mechanism n_four_bar(int N, double gravity, double speed, bool redundant) {
  Mechanism mechanism;
  mechanism.gravity = {0, -gravity, 0};
  const auto pin = [&](std::string name, JointType type, int a, int b, const Vec3<double>& at) {
    Joint joint;
    joint.name = std::move(name);
    joint.type = type;
    joint.body_a = a;
    joint.body_b = b;
    joint.frame_a.origin = at - mechanism.bodies[static_cast<std::size_t>(a)].reference.origin;
    joint.frame_b.origin = at - mechanism.bodies[static_cast<std::size_t>(b)].reference.origin;
    mechanism.add(joint);
  };
  for (int i = 0; i <= N; ++i) {
    const double x = i;
    Body upright = rod(fmt::format("crank{}", i), {x, 0.5, 0}, true);
    upright.velocity = {speed / 2, 0, 0};
    upright.angular_velocity = {0, 0, -speed};
    mechanism.add(std::move(upright));
    pin(fmt::format("A{}", i), JointType::revolute, 0, crank(i), {x, 0, 0});
    if (i > 0) {
      // in the plane this is a pin too, without the equations that the other joints imply
      const JointType type = redundant ? JointType::revolute : JointType::point_on_line;
      pin(fmt::format("C{}", i - 1), type, coupler(i - 1), crank(i), {x, 1, 0});
    }
    if (i == N) break;
    Body flat = rod(fmt::format("coupler{}", i), {x + 0.5, 1, 0}, false);
    flat.velocity = {speed, 0, 0};
    mechanism.add(std::move(flat));
    pin(fmt::format("B{}", i), JointType::revolute, crank(i), coupler(i), {x, 1, 0});
  }
  Marker tip;
  tip.name = "tip0";
  tip.body = crank(0);
  tip.frame.origin = {0, 0.5, 0};
  mechanism.markers.push_back(tip);
  return mechanism;
}

ProblemCase make_n_four_bar(const std::map<std::string, double>& values) {
  const int N = whole_number(values, "N", 1, 10000);
  const double gravity = positive(values, "g"), speed = values.at("v0");
  ProblemCase result =
      mechanism_case(n_four_bar(N, gravity, speed, whole_number(values, "redundant", 0, 1) == 1));
  result.t_end = 10;
  result.view.traces = {"tip0"};

  const double inertia = (N + 1) / 3.0 + N, moment = (0.5 * (N + 1) + N) * gravity;
  // upright is half a turn from hanging down
  const ExactPendulum exact(std::sqrt(moment / inertia), std::numbers::pi, speed);
  result.digits = [exact, N](double t, const Vector& x) -> std::optional<double> {
    const auto motion = exact.at(t);
    if (!motion) return std::nullopt;
    const Eigen::Vector3d arm(-motion->sine, -motion->cosine, 0);
    double error = 0;
    for (int i = 0; i <= N; ++i) {
      const Eigen::Vector3d pivot(i, 0, 0);
      const Eigen::Vector3d wrong = point_of_body(x, crank(i), {0, 0.5, 0}) - pivot - arm;
      error = std::max(error, wrong.lpNorm<Eigen::Infinity>());
    }
    return digits_of(error);
  };
  return result;
}

}  // namespace

BuiltinProblem n_four_bar_problem() {
  return {"n-four-bar",
          "N parallelograms in a row, which pass singular positions; bodies and joints in space",
          "IFToMM library of multibody benchmarks, A02 (González and others)",
          "largest error of the cranks' tips B0 ... BN against the exact solution at any t; the library "
          "counts the "
          "drift of the energy, which is given too",
          {{"N", 2, "number of parallelograms, 1 to 10000"},
           {"g", 9.81, "gravity"},
           {"v0", 1, "initial speed of B0 [m/s]"},
           {"redundant", 1, "0: pins with two equations instead of five where the others are implied"}},
          make_n_four_bar};
}

}  // namespace trammel
