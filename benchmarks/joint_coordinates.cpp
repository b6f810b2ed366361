// What equations of motion cost in joint coordinates, beside Cartesian ones, and how that grows with the number
// of bodies: accelerations (forward dynamics, with loops), forces alone (inverse dynamics), all exact slopes.
//
//   joint_coordinates [largest number of bodies, 1000 unless told] [mechanism]
//   joint_coordinates model.yaml ...
//   joint_coordinates --inverse [model.yaml ...]   inverse dynamics and its exact slopes by positions and velocities, of
//                                                  chains, binary trees and models, without actuators and drivers
//
// Each figure is the least of several samples; two states take turns, so that nothing is known from before.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trammel/analysis/joint_dynamics.h"
#include "trammel/model/model.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/mechanism_motion.h"

namespace {

using namespace trammel;

Body rod(const std::string& name, const Vec3<double>& from, const Vec3<double>& to) {
  Body body;
  body.name = name;
  body.mass = 1;
  const Vec3<double> along = to - from;
  body.reference.origin = (from + to) * 0.5;
  body.reference.axes = rotation_about({0, 0, 1}, std::atan2(along.y, along.x));
  body.inertia = {{1e-2, 0, 0}, {0, 1 / 12.0, 0}, {0, 0, 1 / 12.0}};
  return body;
}

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

// Hinges of alternating axes, or all in a tree of two branches at every body.
Mechanism tree(int n, int branches) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  std::vector<Vec3<double>> ends{{0, 0, 0}};
  for (int i = 0; i < n; ++i) {
    const int parent = branches == 1 ? i : (i + 1) / branches;
    const Vec3<double> from = ends[static_cast<std::size_t>(parent)];
    const double angle = 0.4 * std::sin(1.0 + i);
    const Vec3<double> to = from + Vec3<double>{std::cos(angle), std::sin(angle), 0};
    ends.push_back(to);
    mechanism.add(rod(numbered("body", i), from, to));
    const Vec3<double> axis = i % 2 == 0 ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0};
    mechanism.add_joint(numbered("hinge", i), JointType::revolute,
                        parent == 0 ? "ground" : numbered("body", parent - 1), numbered("body", i), from,
                        axis);
  }
  return mechanism;
}

// Parallelograms side by side on the ground.
Mechanism beside(int n) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  const int loops = std::max(1, (n - 1) / 2);
  for (int i = 0; i <= loops; ++i) {
    mechanism.add(rod(numbered("crank", i), {1.0 * i, 0, 0}, {i + 0.3, 1, 0}));
    mechanism.add_joint(numbered("A", i), JointType::revolute, "ground", numbered("crank", i),
                        {1.0 * i, 0, 0});
  }
  for (int i = 0; i < loops; ++i) {
    const std::string coupler = numbered("coupler", i);
    mechanism.add(rod(coupler, {i + 0.3, 1, 0}, {i + 1.3, 1, 0}));
    mechanism.add_joint(numbered("B", i), JointType::revolute, numbered("crank", i), coupler,
                        {i + 0.3, 1, 0});
    mechanism.add_joint(numbered("C", i), JointType::revolute, coupler, numbered("crank", i + 1),
                        {i + 1.3, 1, 0});
  }
  return mechanism;
}

// Parallelograms on top of each other: the tree is one long chain.
Mechanism stacked(int n) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  std::string base = "ground";
  for (int i = 0; i < std::max(1, n / 3); ++i) {
    const double y = i, left = 0.3 * (i % 2), right = 0.3 * ((i + 1) % 2);
    const std::string a = numbered("left", i), b = numbered("right", i), top = numbered("top", i);
    mechanism.add(rod(a, {left, y, 0}, {right, y + 1, 0}));
    mechanism.add(rod(b, {left + 1, y, 0}, {right + 1, y + 1, 0}));
    mechanism.add(rod(top, {right, y + 1, 0}, {right + 1, y + 1, 0}));
    mechanism.add_joint(numbered("A", i), JointType::revolute, base, a, {left, y, 0});
    mechanism.add_joint(numbered("B", i), JointType::revolute, base, b, {left + 1, y, 0});
    mechanism.add_joint(numbered("C", i), JointType::revolute, a, top, {right, y + 1, 0});
    mechanism.add_joint(numbered("D", i), JointType::revolute, top, b, {right + 1, y + 1, 0});
    base = top;
  }
  return mechanism;
}

// Of the processor, so that what else the machine does counts little.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const std::function<void()>& work) {
  double best = 1e300;
  int count = 1;
  for (int sample = 0; sample < 9; ++sample) {
    const double start = cpu_seconds();
    for (int i = 0; i < count; ++i) work();
    const double took = cpu_seconds() - start;
    best = std::min(best, took / count);
    if (sample == 0) count = std::max(1, static_cast<int>(0.01 / std::max(took, 1e-9)));
  }
  return best;
}

struct Costs {
  double accelerations, forces, slopes;
};

Costs measure(const Mechanism& mechanism, const std::string& coordinates, bool with_slopes) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(mechanism, coordinates);
  const std::unique_ptr<TangentMotion> motion = equations->tangent();
  const Layout& l = equations->layout();
  Vector first = equations->initial_state();
  for (Index i = 0; i < l.v.size; ++i) first[l.v.begin + i] = 0.1 * std::sin(static_cast<double>(i));
  Vector second = first;
  second.segment(l.p.begin, l.p.size).array() += 1e-9;
  bool turn = false;
  const auto next = [&]() -> const Vector& { return (turn = !turn) ? first : second; };
  Costs costs{};
  {
    ConsistentState state(*motion, {});
    if (Failure failure = state.start(0, first)) {
      std::printf("%s\n", failure.message.c_str());
      return {};
    }
    costs.accelerations = seconds([&] {
      if (state.accelerate(0, next())) std::abort();
    });
  }
  MotionValues values(l, false);
  const Vector rest = Vector::Zero(l.v.size);
  costs.forces = seconds([&] { motion->evaluate({0, next(), rest}, part::dynamics, values); });
  if (with_slopes)
    costs.slopes = seconds([&] { motion->differentiate({0, next(), rest}, TangentMotion::everything); });
  return costs;
}

void print_head() {
  std::printf("%-18s %7s | %12s %9s %9s | %12s %9s %9s | %s\n", "", "", "cartesian", "", "", "joint", "", "",
              "joint, us a body");
  std::printf("%-18s %7s | %12s %9s %9s | %12s %9s %9s | %s\n", "mechanism", "bodies", "acceleration",
              "forces", "slopes", "acceleration", "forces", "slopes", "acceleration (exponent)");
}

void print(const std::string& name, double bodies, const Costs& cartesian, const Costs& joint,
           double exponent) {
  std::printf("%-18s %7.0f | %12.2f %9.2f %9.1f | %12.2f %9.2f %9.1f | %.3f (%.2f)\n", name.c_str(), bodies,
              1e6 * cartesian.accelerations, 1e6 * cartesian.forces, 1e6 * cartesian.slopes,
              1e6 * joint.accelerations, 1e6 * joint.forces, 1e6 * joint.slopes,
              1e6 * joint.accelerations / bodies, exponent);
  std::fflush(stdout);
}

// Inverse dynamics, and how many of its evaluations the slopes cost.
void print_inverse(const std::string& name, Mechanism mechanism) {
  mechanism.forces.clear();
  JointDynamics dynamics(mechanism);
  const Layout& l = dynamics.equations().layout();
  const Index n = dynamics.velocities();
  Vector first = dynamics.equations().initial_state();
  for (Index i = 0; i < l.v.size; ++i) first[l.v.begin + i] = 0.1 * std::sin(static_cast<double>(i));
  Vector second = first;
  second.segment(l.p.begin, l.p.size).array() += 1e-9;
  bool turn = false;
  const Vector wanted = Vector::Ones(n);
  Vector forces(n);
  Matrix by_position(n, n), by_velocity(n, n);
  const double values = seconds([&] {
    dynamics.set_state(0, (turn = !turn) ? first : second);
    dynamics.inverse_dynamics(wanted, forces);
  });
  const double slopes = seconds([&] {
    dynamics.set_state(0, (turn = !turn) ? first : second);
    dynamics.inverse_dynamics_slopes(wanted, by_position, by_velocity);
  });
  std::printf("%-18s %7ld | %9.2f us %9.2f us %6.2f\n", name.c_str(), static_cast<long>(n), 1e6 * values,
              1e6 * slopes, slopes / values);
  std::fflush(stdout);
}

void compare_inverse(int argc, char** argv) {
  std::printf("%-18s %7s | %12s %12s %6s\n", "mechanism", "joints", "inverse", "its slopes", "ratio");
  for (const int n : {6, 10, 20, 30, 60, 100}) print_inverse("chain", tree(n, 1));
  for (const int n : {6, 30, 60, 100}) print_inverse("binary-tree", tree(n, 2));
  for (int i = 2; i < argc; ++i)
    print_inverse(std::filesystem::path(argv[i]).stem(), read_model(argv[i]).mechanism);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--inverse") {
    compare_inverse(argc, argv);
    return 0;
  }
  print_head();
  if (argc > 1 && std::string(argv[1]).ends_with(".yaml")) {
    for (int i = 1; i < argc; ++i) {
      const Mechanism mechanism = read_model(argv[i]).mechanism;
      print(std::filesystem::path(argv[i]).stem(), static_cast<double>(mechanism.bodies.size()) - 1,
            measure(mechanism, "cartesian", true), measure(mechanism, "joint", true), 0);
    }
    return 0;
  }
  const int largest = argc > 1 ? std::atoi(argv[1]) : 1000;
  const std::string only = argc > 2 ? argv[2] : "";
  const std::vector<std::pair<std::string, std::function<Mechanism(int)>>> mechanisms = {
      {"chain", [](int n) { return tree(n, 1); }},
      {"binary-tree", [](int n) { return tree(n, 2); }},
      {"four-bars-beside", beside},
      {"four-bars-stacked", stacked}};
  for (const auto& [name, make] : mechanisms) {
    if (!only.empty() && only != name) continue;
    double before = 0, bodies_before = 0;
    for (const int n : {3, 5, 6, 10, 20, 30, 60, 100, 300, 1000, 3000, 10000}) {
      if (n > largest) break;
      const Mechanism mechanism = make(n);
      const double bodies = static_cast<double>(mechanism.bodies.size()) - 1;
      const Costs cartesian = measure(mechanism, "cartesian", n <= 1000);
      const Costs joint = measure(mechanism, "joint", n <= 1000);
      const double exponent =
          before > 0 ? std::log(joint.accelerations / before) / std::log(bodies / bodies_before) : 0;
      print(name, bodies, cartesian, joint, exponent);
      before = joint.accelerations;
      bodies_before = bodies;
    }
  }
  return 0;
}
