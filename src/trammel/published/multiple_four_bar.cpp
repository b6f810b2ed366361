// Four-bar linkages in space, each with one degree of freedom, tied together in three ways, so that derivatives of the forces have
// three different patterns:
//
//   star    every loop on the ground
//   chain   every loop on the rocker of the one before
//   comb    loops side by side on a pendulum of three bodies, which have a degree of freedom each
//
// A. Callejo, S. Narayanan, J. García de Jalón, B. Norris, Performance of automatic differentiation tools in the dynamic simulation
// of multibody systems (2014) have three configurations with 15 degrees of freedom and give no data: lengths, masses and the
// three arrangements are ours. A loop is a crank on a hinge, a coupler on a universal joint, a rocker on a ball joint and a hinge:
// no constraint is redundant. Nothing is damped or driven, so the energy tells the accuracy of a run, as in the paper.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/published/mechanism_case.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

using Eigen::Vector3d;

constexpr double loop_base = 1.0, loop_crank = 0.4, loop_coupler = 0.9, loop_rocker = 0.7;
constexpr double rod_density = 2;  // kg/m

Vec3<double> plain_vector(const Vector3d& a) { return {a.x(), a.y(), a.z()}; }

class Linkages {
 public:
  Linkages() { mechanism_.gravity = {0, -9.81, 0}; }

  // A rod from one point to another, with y along it; its name.
  std::string add_rod(std::string name, const Vector3d& from, const Vector3d& to) {
    const double length = (to - from).norm(), mass = rod_density * length,
                 across = mass * length * length / 12;
    const Vector3d y = (to - from) / length, z(0, 0, 1);
    Body body;
    body.name = std::move(name);
    body.mass = mass;
    body.inertia = principal_inertia(across, 1e-3 * mass, across);
    body.reference.origin = plain_vector((from + to) / 2);
    body.reference.axes.column = {plain_vector(y.cross(z)), plain_vector(y), plain_vector(z)};
    return mechanism_.bodies[static_cast<std::size_t>(mechanism_.add(std::move(body)))].name;
  }

  void hinge(const std::string& name, const std::string& a, const std::string& b, const Vector3d& at) {
    mechanism_.add_joint(name, JointType::revolute, a, b, plain_vector(at), {0, 0, 1});
  }

  // A loop on a body, its first pivot at a point; the name of its rocker.
  std::string add_loop(int i, const std::string& on, const Vector3d& at, double angle) {
    const Vector3d B = at + loop_crank * Vector3d(std::cos(angle), std::sin(angle), 0);
    const Vector3d D = at + Vector3d(loop_base, 0, 0), d = D - B;
    // the coupler and the rocker meet above the line from B to D
    const double along =
        (d.squaredNorm() + loop_coupler * loop_coupler - loop_rocker * loop_rocker) / (2 * d.norm());
    const Vector3d u = d / d.norm(), side(-u.y(), u.x(), 0);
    const Vector3d C = B + along * u + std::sqrt(loop_coupler * loop_coupler - along * along) * side;
    const auto named = [&](const char* what) { return fmt::format("{}{}", what, i); };
    add_rod(named("crank"), at, B);
    add_rod(named("coupler"), B, C);
    const std::string rocker = add_rod(named("rocker"), D, C);
    hinge(named("A"), on, named("crank"), at);
    mechanism_.add_joint(named("B"), JointType::universal, named("crank"), named("coupler"), plain_vector(B),
                         {0, 0, 1});
    mechanism_.add_joint(named("C"), JointType::spherical, named("coupler"), rocker, plain_vector(C));
    hinge(named("D"), on, rocker, D);
    return rocker;
  }

  const Mechanism& mechanism() const { return mechanism_; }

 private:
  Mechanism mechanism_;
};

Mechanism multiple_four_bar(int configuration, int loops) {
  Linkages linkages;
  const auto angle = [](int i) { return (50 + 7 * (i % 5)) * std::numbers::pi / 180; };
  if (configuration == 1) {
    for (int i = 1; i <= loops; ++i) linkages.add_loop(i, "ground", Vector3d(0, 0, 0.3 * i), angle(i));
  } else if (configuration == 2) {
    std::string on = "ground";
    for (int i = 1; i <= loops; ++i) on = linkages.add_loop(i, on, Vector3d(0.2 * i, -0.9 * i, 0), angle(i));
  } else {
    std::string on = "ground";
    const int spines = std::min(3, loops);
    std::vector<std::string> spine;
    for (int k = 0; k < spines; ++k) {
      const Vector3d from(0, -1.5 * k, 0), to(0.3, -1.5 * (k + 1), 0);
      spine.push_back(linkages.add_rod(fmt::format("spine{}", k + 1), from, to));
      linkages.hinge(fmt::format("S{}", k + 1), on, spine.back(), from);
      on = spine.back();
    }
    for (int i = 1; i <= loops - spines; ++i)
      linkages.add_loop(i, spine[static_cast<std::size_t>((i - 1) % spines)],
                        Vector3d(0.1, -1.5 * ((i - 1) % spines) - 0.4, 0.3 * (1 + (i - 1) / spines)),
                        angle(i));
  }
  return linkages.mechanism();
}

ProblemCase make_multiple_four_bar(const std::map<std::string, double>& values) {
  const int configuration = whole_number(values, "configuration", 1, 3);
  const int loops = whole_number(values, "dof", 1, 2000);
  ProblemCase result = mechanism_case(multiple_four_bar(configuration, loops));
  result.t_end = 1;
  return result;
}

}  // namespace

BuiltinProblem multiple_four_bar_problem() {
  return {
      "multiple-four-bar",
      "15 four-bar linkages in space: a star, a chain or a comb",
      "Callejo, Narayanan, García de Jalón, Norris, Performance of automatic differentiation tools in the "
      "dynamic simulation of multibody systems (2014); data and arrangement are ours",
      "none: no data and no solution are published; the energy is kept by the motion",
      {{"configuration", 1, "1: star, 2: chain, 3: comb"}, {"dof", 15, "degrees of freedom"}},
      make_multiple_four_bar};
}

}  // namespace trammel
