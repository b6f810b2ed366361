#include "trammel/motion/mechanism_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/motion/force_trouble.h"
#include "trammel/motion/initial_velocities.h"
#include "trammel/motion/joint_equations.h"

namespace trammel {

namespace {

// What all joints of a loop are off by together is what the one that closes it is off by in joint coordinates.
constexpr double joints_of_a_loop = 10;

// Whether positions meet all that is asked of them.
bool fits(CartesianEquations& equations, double t, const std::vector<Condition>& conditions,
          const Vector& x) {
  constexpr double round_off = 1e-12;
  MotionValues values(equations.layout(), false);
  equations.evaluate({t, x, Vector::Zero(equations.layout().v.size)}, part::g, values);
  if (values.g.size() > 0 && !(values.g.lpNorm<Eigen::Infinity>() <= round_off)) return false;
  Eigen::RowVectorXd gradient = Eigen::RowVectorXd::Zero(x.size());
  for (const Condition& condition : conditions)
    if (condition.level() == Condition::Level::position &&
        !(std::abs(condition.evaluate(equations.layout(), t, x, gradient)) <= round_off))
      return false;
  return true;
}

// Takes the coordinates of the joints to where the bodies are.
void take_positions(const JointEquations& joint, const Vector& bodies, Vector& x) {
  const Layout &l = joint.layout(), &from = joint.cartesian().layout();
  Mechanism placed = joint.mechanism();
  for (std::size_t i = 1; i < placed.bodies.size(); ++i) {
    const Index at = from.p.begin + 7 * (static_cast<Index>(i) - 1);
    Frame& frame = placed.bodies[i].reference;
    frame.axes =
        rotation_matrix(Quaternion<double>{bodies[at + 3], bodies[at + 4], bodies[at + 5], bodies[at + 6]});
    frame.origin =
        Vec3<double>{bodies[at], bodies[at + 1], bodies[at + 2]} - frame.axes * placed.bodies[i].com;
  }
  const Vector positions = joint.tree().reference(placed);
  constexpr double turn = 2 * 3.14159265358979323846;
  for (const JointTree::Node& node : joint.tree().nodes()) {
    auto to = x.segment(l.p.begin + node.p, node.positions());
    const double before = to[0];
    to = positions.segment(node.p, node.positions());
    if (node.turns()) to[0] += turn * std::round((before - to[0]) / turn);
  }
}

void take_diagnosis(AssemblyReport& of_bodies, AssemblyReport& report) {
  report.changed |= of_bodies.changed;
  report.iterations += of_bodies.iterations;
  report.redundant = std::move(of_bodies.redundant);
  report.redundant_conditions = std::move(of_bodies.redundant_conditions);
  report.largest_change = std::move(of_bodies.largest_change);
  if (!of_bodies.note.empty()) report.note = std::move(of_bodies.note);
  report.closed_within = of_bodies.closed_within;
}

AssemblyReport assemble_joint_coordinates(JointEquations& joint, double t, const AssemblyOptions& options,
                                          Vector& x) {
  CartesianEquations& cartesian = joint.cartesian();
  AssemblyOptions for_bodies = options, for_joints = options;
  for_bodies.conditions = cartesian.conditions();
  for_bodies.weights = cartesian.weights();
  for_bodies.guess_velocities = [&cartesian](double at, Vector& state) {
    return guess_velocities(cartesian, at, state);
  };
  // as the model has them, whether or not the joints of the tree allow that
  Vector bodies = x == joint.initial_state() ? cartesian.initial_state() : joint.to_cartesian(t, x);
  if (!joint.has_loops() && fits(cartesian, t, for_bodies.conditions, bodies))
    return Assembly(joint, options).run(t, x);

  AssemblyReport of_bodies = Assembly(cartesian, for_bodies).run(t, bodies);
  if (!of_bodies.failure) {
    if (of_bodies.changed) take_positions(joint, bodies, x);
    joint.take_velocities(t, bodies, x);
    for_joints.guess_velocities = nullptr;
    for_joints.closure_tolerance *= joints_of_a_loop;
  }
  AssemblyReport report = Assembly(joint, for_joints).run(t, x);
  if (of_bodies.failure && !report.failure) {
    // they did not find together from where they were; joints did
    bodies = joint.to_cartesian(t, x);
    for_bodies.guess_velocities = nullptr;
    of_bodies = Assembly(cartesian, for_bodies).run(t, bodies);
    of_bodies.largest_change = report.largest_change;
    if (of_bodies.failure && of_bodies.failure.reason != Reason::contradictory_conditions) return report;
  }
  if (of_bodies.failure) report.failure = of_bodies.failure;
  take_diagnosis(of_bodies, report);
  return report;
}

}  // namespace

AssemblyOptions assembly_options(MechanismEquations& equations) {
  AssemblyOptions options;
  options.conditions = equations.conditions();
  options.weights = equations.weights();
  return options;
}

AssemblyReport assemble_mechanism(MechanismEquations& equations, double t, Vector& x) {
  return assemble_mechanism(equations, t, x, assembly_options(equations));
}

AssemblyReport assemble_mechanism(MechanismEquations& equations, double t, Vector& x,
                                  AssemblyOptions options) {
  // here only: a simulation begins with the velocities that it is given
  options.guess_velocities = [&equations](double at, Vector& state) {
    return guess_velocities(equations, at, state);
  };
  auto* joint = dynamic_cast<JointEquations*>(&equations);
  AssemblyReport report = joint != nullptr ? assemble_joint_coordinates(*joint, t, options, x)
                                           : Assembly(equations, options).run(t, x);
  if (!report.failure) equations.follow(t, x);
  if (report.failure.reason == Reason::not_finite)
    if (const std::string forces = forces_not_finite(equations, t, x); !forces.empty())
      report.failure.message = fmt::format(
          "{} not finite at t = {}: is there a division by zero, or a root or a logarithm of a negative "
          "number?",
          forces + (forces.starts_with("forces") ? " are" : " is"), t);
  return report;
}

}  // namespace trammel
