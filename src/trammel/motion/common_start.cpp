#include "trammel/motion/common_start.h"

#include <cmath>

#include "trammel/motion/joint_equations.h"

namespace trammel {

namespace {

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

}  // namespace

void take_common_start(MechanismEquations& equations, double t, const AssemblyOptions& options, Vector& x) {
  auto* joint = dynamic_cast<JointEquations*>(&equations);
  if (joint == nullptr || joint->mechanism().bodies.size() < 2) return;
  CartesianEquations& cartesian = joint->cartesian();
  AssemblyOptions for_bodies = options;
  for_bodies.conditions = cartesian.conditions();
  for_bodies.weights = cartesian.weights();
  for_bodies.guess_velocities = nullptr;
  Vector bodies = cartesian.initial_state();
  if (fits(cartesian, t, for_bodies.conditions, bodies)) return;
  const AssemblyReport report = Assembly(cartesian, for_bodies).run(t, bodies);
  if (report.failure || !report.changed) return;

  // joints where the bodies are
  const Layout &l = joint->layout(), &from = cartesian.layout();
  Mechanism placed = joint->mechanism();
  for (std::size_t i = 1; i < placed.bodies.size(); ++i) {
    const Index at = from.p.begin + 7 * (static_cast<Index>(i) - 1);
    Frame& frame = placed.bodies[i].reference;
    frame.axes =
        rotation_matrix(Quaternion<double>{bodies[at + 3], bodies[at + 4], bodies[at + 5], bodies[at + 6]});
    frame.origin =
        Vec3<double>{bodies[at], bodies[at + 1], bodies[at + 2]} - frame.axes * placed.bodies[i].com;
  }
  const Vector positions = joint->tree().reference(placed);
  constexpr double turn = 2 * 3.14159265358979323846;
  for (const JointTree::Node& node : joint->tree().nodes()) {
    auto to = x.segment(l.p.begin + node.p, node.positions());
    const double before = to[0];
    to = positions.segment(node.p, node.positions());
    if (node.turns()) to[0] += turn * std::round((before - to[0]) / turn);
  }
}

}  // namespace trammel
