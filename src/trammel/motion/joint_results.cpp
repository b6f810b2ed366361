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

// Which elements of the rows of constraints are a joint's of the tree.
void JointMotion::find_carrying_elements() {
  carried_by_.resize(tree_.edges().size());
  std::vector<int> edge_of_row(at_index(equations_.elements().holonomic.size()), -1);
  for (std::size_t e = 0; e < tree_.edges().size(); ++e) {
    const int joint = tree_.edges()[e].joint;
    if (joint < 0) continue;
    const Elements::JointRows& rows = equations_.elements().joint_rows[static_cast<std::size_t>(joint)];
    std::fill_n(edge_of_row.begin() + rows.first, rows.count, static_cast<int>(e));
  }
  for (std::size_t b = 0; b < bodies_.holonomic_.blocks.size(); ++b) {
    const ConstraintBlock& block = *bodies_.holonomic_.blocks[b];
    for (std::size_t i = 0; i < block.elements().size(); ++i)
      if (const int edge = edge_of_row[at_index(block.elements()[i].row)]; edge >= 0)
        carried_by_[static_cast<std::size_t>(edge)].push_back({static_cast<int>(b), static_cast<int>(i)});
  }
}

// From the leaves inward each joint carries what is left on its outer body: Dᵀλ of its rows. Only where no row depends
// on others: then there are no other multipliers. False if it does not come out even.
bool JointMotion::carry_inward(Vector& left) {
  if (carried_by_.empty()) find_carrying_elements();
  using Rows6 = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
  const double size = left.lpNorm<Eigen::Infinity>();
  for (std::size_t e = tree_.edges().size(); e-- > 0;) {
    const JointTree::Edge& edge = tree_.edges()[e];
    auto on_child = left.segment<6>(6 * (edge.child - 1));
    if (edge.joint >= 0) {
      const Elements::JointRows& rows =
          equations_.elements().joint_rows[static_cast<std::size_t>(edge.joint)];
      Rows6 outer = Rows6::Zero(6, rows.count), inner = outer;
      for (const CarryingElement& one : carried_by_[e]) {
        ConstraintBlock& block = *bodies_.holonomic_.blocks[static_cast<std::size_t>(one.block)];
        const ConstraintBlock::Element& element = block.elements()[static_cast<std::size_t>(one.element)];
        const std::span<const double> slopes = block.slopes(one.element).jacobian;
        for (Index r = 0; r < block.rows(); ++r)
          for (int side = 0; side < 2; ++side) {
            const Eigen::Map<const Six> row(slopes.data() + 12 * r + 6 * side);
            const int body = side == 0 ? element.body_a : element.body_b;
            (body == edge.child ? outer : inner).col(element.row + r - rows.first) += row;
          }
      }
      const Eigen::ColPivHouseholderQR<Rows6> decomposition(outer);
      const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> multipliers = decomposition.solve(on_child);
      on_child -= outer * multipliers;
      if (edge.parent > 0) left.segment<6>(6 * (edge.parent - 1)) -= inner * multipliers;
      for (Index i = 0; i < rows.count; ++i) bodies_.multipliers_[at_index(rows.first + i)] = multipliers[i];
    }
    constexpr double even = 1e-7;
    if (!(on_child.lpNorm<Eigen::Infinity>() <= even * (1 + size))) return false;
  }
  return true;
}

// What is not exact may remember the pivots of another state, and a run that is resumed has to show the same. Patterns, which
// take much longer to find than pivots, are those of the state in the model, which any run of it begins with.
void JointMotion::begin_solver(const MotionPoint& at) {
  if (!solver_ || (!solver_->is_exact() && !solver_->forget_pivots())) {
    solver_ = acceleration_system(1e-9);
    const Vector first = reference_state();
    try {
      solver_->take({at.t, first, at.a});
    } catch (const std::exception&) {
      // bodies in the model's file need not be where forces can be evaluated
    }
  }
  solver_->take(at);
}

// What the joints of the tree carry is what is left of the forces on their bodies; where it is not unique, the
// multipliers of all rows, those of the tree's joints included, are the smallest that do it.
void JointMotion::find_reactions() {
  if (reactions_known_) return;
  bool unique = false;
  Vector loops;  // what the multipliers of the state are off by
  if (state_a_.size() == 0 && layout().v.size > 0) {
    const MotionPoint at{state_t_, state_x_, rest_};
    begin_solver(at);
    MotionValues values(layout(), false);
    evaluate(at, part::dynamics | part::acceleration_level, values);
    Vector upper = values.dynamics, lower(values.gII.size() + values.hI.size());
    lower << -values.gII, -values.hI;
    const bool factored = solver_->factor();
    if (factored) solver_->solve(upper, lower, 1e-14);
    unique = factored && no_row_is_left_out_ && solver_->rows_are_independent();
    if (unique) loops = lower;
    state_a_ = upper;
  }
  const MotionPoint cartesian = place({state_t_, state_x_, state_a_}, Level::accelerations, Whose::all);
  bodies_.evaluate_inputs(cartesian);
  const Layout& l = bodies_.layout();
  Vector lambda = x_.segment(l.lambda.begin, l.lambda.size + l.mu.size);
  for (Index i = 0; i < loops.size(); ++i) {
    const Index row = equations_.kept_rows()[at_index(i)];
    bodies_.multipliers_[at_index(row)] = lambda[row] += loops[i];
  }
  bodies_.evaluate_wrenches(cartesian, CartesianMotion::Accelerations::of_bodies);
  const Elements& elements = equations_.elements();
  Vector force = Vector::Zero(l.v.size);
  for (std::size_t i = 1; i < elements.bodies.size(); ++i) {
    const Index row = 6 * (static_cast<Index>(i) - 1);
    const BodyState& body = bodies_.states_[i];
    force.segment<3>(row) += eigen(bodies_.wrenches_[i].force - elements.bodies[i].mass * body.a);
    force.segment<3>(row + 3) += eigen(bodies_.wrenches_[i].torque - elements.bodies[i].inertia * body.alpha);
  }
  Vector left = force;
  if (unique)
    for (const std::unique_ptr<ConstraintBlock>& block : bodies_.holonomic_.blocks)
      block->differentiate(bodies_.states_, {}, ConstraintBlock::position);
  if (!unique || !carry_inward(left)) {
    const SparseMatrix& D = bodies_.all_constraints();
    force += D.transpose() * lambda;
    Vector multipliers = Vector::Zero(D.rows());
    minimal_.reduce(D, force, multipliers);
    for (Index i = 0; i < l.lambda.size; ++i) bodies_.multipliers_[at_index(i)] = multipliers[i];
    for (Index i = 0; i < l.mu.size; ++i)
      bodies_.nonholonomic_multipliers_[at_index(i)] = multipliers[l.lambda.size + i];
  }
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

double JointMotion::multiplier(const Elements::JointRows& row) {
  find_reactions();
  return bodies_.multiplier(row);
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

TangentMotion::EveryConstraint JointMotion::with_every_constraint(double t, const VectorIn& x) {
  place({t, x, Vector()}, Level::velocities, Whose::all);
  std::unique_ptr<TangentMotion> motion = equations_.cartesian().tangent();
  // turns of angles
  Snapshot followed;
  Carrier saving = Carrier::saving(followed);
  bodies_.carry(saving);
  Carrier restoring = Carrier::restoring(followed);
  motion->carry(restoring);
  return {std::move(motion), cartesian_state()};
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
    Matrix S(6, columns);
    for (Index k = 0; k < columns; ++k) S.col(k) = S_[at_index(first.v + k)];
    const Vector relative = motion(edge.child) - motion(edge.parent);
    const Vector speeds = S.colPivHouseholderQr().solve(relative);
    v.segment(first.v, columns) = speeds;
  }
}

}  // namespace trammel
