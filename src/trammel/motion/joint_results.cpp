// What a motion in joint coordinates has to show: measured quantities, reactions, energies, and the same state in
// Cartesian coordinates.
#include "trammel/motion/joint_motion.h"

namespace trammel {

void JointMotion::set_state(double t, const VectorIn& x, const VectorIn& a) {
  const MotionPoint cartesian = place({t, x, a}, Level::accelerations, Whose::all);
  bodies_.evaluate_rows(bodies_.measured_, t,
                        ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration,
                        bodies_.measured_view_);
  bodies_.evaluate_inputs(cartesian, CartesianMotion::Inputs::all);
  state_t_ = t;
  state_x_ = x;
  state_a_ = a;
  if (equations_.shows_reactions_of_tree()) find_reactions();
}

// What the joints of the tree carry is what is left of the forces on their bodies; where it is not unique, the
// multipliers of all rows, those of the tree's joints included, are the smallest that do it.
void JointMotion::find_reactions() {
  if (reactions_known_) return;
  if (state_a_.size() == 0 && layout().v.size > 0) {
    const MotionPoint at{state_t_, state_x_, rest_};
    if (!solver_) solver_ = acceleration_system(1e-9);
    solver_->take(at);
    MotionValues values(layout(), false);
    evaluate(at, part::dynamics | part::acceleration_level, values);
    Vector upper = values.dynamics, lower(values.gII.size() + values.hI.size());
    lower << -values.gII, -values.hI;
    if (solver_->factor()) solver_->solve(upper, lower, 1e-14);
    state_a_ = upper;
  }
  const MotionPoint cartesian = place({state_t_, state_x_, state_a_}, Level::accelerations, Whose::all);
  bodies_.evaluate_inputs(cartesian);
  bodies_.evaluate_wrenches(cartesian);
  const SparseMatrix& D = bodies_.all_constraints();
  const Layout& l = bodies_.layout();
  Vector force = D.transpose() * x_.segment(l.lambda.begin, l.lambda.size + l.mu.size);
  const Elements& elements = equations_.elements();
  for (std::size_t i = 1; i < elements.bodies.size(); ++i) {
    const Index row = 6 * (static_cast<Index>(i) - 1);
    const BodyState& body = bodies_.states_[i];
    force.segment<3>(row) += eigen(bodies_.wrenches_[i].force - elements.bodies[i].mass * body.a);
    force.segment<3>(row + 3) += eigen(bodies_.wrenches_[i].torque - elements.bodies[i].inertia * body.alpha);
  }
  Vector multipliers = Vector::Zero(D.rows());
  minimal_.reduce(D, force, multipliers);
  for (Index i = 0; i < l.lambda.size; ++i) bodies_.multipliers_[at_index(i)] = multipliers[i];
  for (Index i = 0; i < l.mu.size; ++i)
    bodies_.nonholonomic_multipliers_[at_index(i)] = multipliers[l.lambda.size + i];
  bodies_.evaluate_rows(bodies_.measured_, state_t_,
                        ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration,
                        bodies_.measured_view_);
  bodies_.evaluate_inputs(cartesian, CartesianMotion::Inputs::all);
  reactions_known_ = true;
}

Wrench<double> JointMotion::reaction(const Elements::JointRows& rows, int body,
                                     const Vec3<double>& point_world) {
  find_reactions();
  return bodies_.reaction(rows, body, point_world);
}

bool JointMotion::energy(double t, const VectorIn& x, EnergyState& state) {
  state = bodies_.energy_of_bodies(place({t, x, Vector()}, Level::velocities, Whose::all));
  return true;
}

// --- to and from Cartesian coordinates --------------------------------------------------------------------

Vector JointMotion::cartesian_state() const {
  const Layout& l = equations_.cartesian().layout();
  Vector x = x_;
  for (std::size_t i = 1; i < bodies_.states_.size(); ++i) {
    const BodyState& body = bodies_.states_[i];
    const Index at = static_cast<Index>(i) - 1;
    const Quaternion<double> e = quaternion(body.R);
    x.segment<7>(l.p.begin + 7 * at) << body.r.x, body.r.y, body.r.z, e.w, e.x, e.y, e.z;
    x.segment<6>(l.v.begin + 6 * at) << eigen(body.v), eigen(body.omega);
  }
  return x;
}

void JointMotion::joint_velocities(const VectorIn& twists, VectorOut v) const {
  const auto motion = [&](int body) -> Six {
    Six result = Six::Zero();
    if (body == 0) return result;
    const BodyState& state = bodies_.states_[static_cast<std::size_t>(body)];
    const Eigen::Vector3d omega = eigen(state.R * vec3(twists.segment<3>(6 * (body - 1) + 3)));
    result.head<3>() = twists.segment<3>(6 * (body - 1)) - omega.cross(eigen(state.r) - centre_);
    result.tail<3>() = omega;
    return result;
  };
  for (const JointTree::Edge& edge : tree_.edges()) {
    if (edge.count == 0) continue;
    const Node& first = node(edge.first);
    const Node& last = node(edge.first + edge.count - 1);
    const Index columns = last.v + last.velocities() - first.v;
    Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> S(6, columns);
    for (Index k = 0; k < columns; ++k) S.col(k) = S_[at_index(first.v + k)];
    v.segment(first.v, columns) = S.colPivHouseholderQr().solve(motion(edge.child) - motion(edge.parent));
  }
}

}  // namespace trammel
