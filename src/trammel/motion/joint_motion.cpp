#include "trammel/motion/joint_motion.h"

#include <algorithm>
#include <cmath>

namespace trammel {

JointMotion::JointMotion(const JointEquations& equations)
    : MechanismMotion(equations),
      equations_(equations),
      tree_(equations.tree()),
      parts_(tree_.parents()),
      bodies_(equations.cartesian(), CartesianMotion::Use::for_elements),
      values_(equations.cartesian().layout(), false),
      x_(Vector::Zero(equations.cartesian().layout().total)),
      rest_(Vector::Zero(equations.layout().v.size)) {
  const Elements& elements = equations.elements();
  std::vector<char> resting(at_index(elements.holonomic.size()), 1);
  for (const Index row : equations.kept_rows()) resting[at_index(row)] = 0;
  bodies_.set_resting(resting);
  Index of_tree = 0;
  for (std::size_t i = 0; i < elements.joint_rows.size(); ++i)
    if (tree_.contains(i)) of_tree += elements.joint_rows[i].count;
  no_row_is_left_out_ =
      of_tree + static_cast<Index>(equations.kept_rows().size()) == elements.holonomic.size();
  rest_rotors();
  const std::size_t nodes = tree_.nodes().size();
  origins_.resize(nodes);
  axes_.resize(nodes);
  for (std::vector<Six>* of_nodes : {&V_, &A_, &drift_, &forces_}) of_nodes->resize(nodes);
  inertias_.resize(nodes);
  S_.resize(at_index(tree_.velocities()));
  find_working_bodies();
  merge_bodies();
  find_branches();
  find_turns();
  prepare();
}

JointMotion::~JointMotion() = default;

// --- values -----------------------------------------------------------------------------------------------

void JointMotion::take_tree(const MotionPoint& at, TreeAccelerations& accelerations) {
  place(at, Level::positions);
  take_columns();
  gather_inertias();
  accelerations.take(S_, inertias_);
}

const JointClusters& JointMotion::clusters() {
  if (clusters_) return *clusters_;
  std::vector<JointClusters::Row> rows(at_index(layout().lambda.size + layout().mu.size));
  // what ends in joints that are locked does not depend on them: a rack that is held ties no wheels together
  const auto moving = [&](int i) {
    while (i >= 0 && !locked_.empty() && locked_[at_index(node(i).v)]) i = node(i).parent;
    return i;
  };
  const auto add = [&](const Rows& from, const auto& row_of) {
    for (const std::unique_ptr<ConstraintBlock>& block : from.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        if (block->rests(i)) continue;
        const ConstraintBlock::Element& element = block->elements()[i];
        for (Index r = 0; r < block->rows(); ++r) {
          const Index row = row_of(element.row + r);
          if (row < 0) continue;
          JointClusters::Row& to = rows[at_index(row)];
          to.nodes.insert(to.nodes.end(), {moving(node_of(element.body_a)), moving(node_of(element.body_b))});
          to.to_ground |= !block->relative();
        }
      }
  };
  add(bodies_.holonomic_, [&](Index row) { return equations_.row_of(row); });
  add(bodies_.nonholonomic_, [&](Index row) { return nonholonomic_multiplier(row); });
  return clusters_.emplace(tree_, rows);
}

void JointMotion::take_loops(const MotionPoint& at, LoopAccelerations& accelerations) {
  differentiate_rows(at, jacobian);
  gather_inertias();
  accelerations.take(S_, inertias_, slopes_.jacobian.matrix());
}

void JointMotion::gather_composite_inertias() {
  gather_inertias();
  composite_inertias_ = inertias_;
  for (std::size_t i = composite_inertias_.size(); i-- > 0;)
    if (const int parent = tree_.nodes()[i].parent; parent >= 0)
      composite_inertias_[static_cast<std::size_t>(parent)] += composite_inertias_[i];
}

void JointMotion::evaluate_mass() {
  if (mass_known_) return;
  mass_known_ = true;
  take_columns();
  gather_composite_inertias();
  slopes_.mass.begin();
  for (std::size_t i = 0; i < composite_inertias_.size(); ++i) {
    const Node& joint = tree_.nodes()[i];
    for (Index k = joint.v; k < joint.v + joint.velocities(); ++k) {
      const Six momentum = composite_inertias_[i] * S_[at_index(k)];
      for (Index other = joint.v; other < joint.v + joint.velocities(); ++other)
        slopes_.mass.add(other, k, S_[at_index(other)].dot(momentum));
      along_path(joint.parent, -1, [&](Index column) {
        const double value = S_[at_index(column)].dot(momentum);
        slopes_.mass.add(column, k, value);
        slopes_.mass.add(k, column, value);
      });
    }
    if (joint.rotor != 0) slopes_.mass.add(joint.v, joint.v, joint.rotor);
  }
  if (rotors_work_) add_rotor_mass();
  slopes_.mass.finish();
}

void JointMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const Layout& l = layout();
  if (wanted & part::kinematics) {
    for (const Node& joint : tree_.nodes()) {
      const Index v = l.v.begin + joint.v;
      if (joint.is_ball())
        out.kinematics.segment<4>(joint.p) =
            0.5 * euler_matrix(at.x.segment<4>(l.p.begin + joint.p)).transpose() * at.x.segment<3>(v);
      else
        out.kinematics[joint.p] = at.x[v];
    }
  }
  if (wanted & part::n) {
    Index row = 0;
    for (const Node& joint : tree_.nodes())
      if (joint.is_ball()) out.n[row++] = 0.5 * (at.x.segment<4>(l.p.begin + joint.p).squaredNorm() - 1);
  }
  if ((wanted & ~Parts{part::kinematics | part::n}) == 0) return;

  Level level = Level::positions;
  if (wanted & (part::velocity_level | part::b)) level = Level::velocities;
  if (wanted & (part::acceleration_level | part::dynamics)) level = Level::accelerations;
  const MotionPoint cartesian = place(at, level);
  if (!is_open()) bodies_.evaluate_elements(cartesian, wanted & ~Parts{part::dynamics | part::b}, values_);
  const auto choose = [&](Parts which, const Vector& from, Vector& to) {
    if ((wanted & which) == 0) return;
    const std::vector<Index>& kept = equations_.kept_rows();
    for (std::size_t i = 0; i < kept.size(); ++i) to[static_cast<Index>(i)] = from[kept[i]];
  };
  choose(part::g, values_.g, out.g);
  choose(part::gI, values_.gI, out.gI);
  choose(part::gII, values_.gII, out.gII);
  const std::vector<Index>& nonholonomic = equations_.kept_nonholonomic();
  if (wanted & part::h) out.h = values_.h(nonholonomic);
  if (wanted & part::hI) out.hI = values_.hI(nonholonomic);
  if (wanted & (part::dynamics | part::b)) bodies_.evaluate_inputs(cartesian);
  if (wanted & part::b) bodies_.evaluate_states(cartesian, out);
  if (wanted & part::dynamics) {
    evaluate_element_wrenches(cartesian, drift_);
    gather_forces(drift_);
    parts_.outward([&](std::size_t i) {
      const Node& joint = tree_.nodes()[i];
      for (Index k = joint.v; k < joint.v + joint.velocities(); ++k)
        out.dynamics[k] = S_[at_index(k)].dot(forces_[i]);
    });
  }
  if (wanted & part::mass) evaluate_mass();
}

// --- displacements ----------------------------------------------------------------------------------------

void JointMotion::displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                            VectorOut change) {
  Index row = 0;
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) {
      change[joint.p] = q[joint.v];
      continue;
    }
    const Eigen::Vector4d e = p.segment<4>(joint.p);
    change.segment<4>(joint.p) =
        0.5 * euler_matrix(e).transpose() * q.segment<3>(joint.v) - (residual[row++] / e.squaredNorm()) * e;
  }
}

void JointMotion::pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) {
  for (const Node& joint : tree_.nodes())
    if (joint.is_ball())
      by_displacement.segment<3>(joint.v) =
          0.5 * euler_matrix(p.segment<4>(joint.p)) * gradient.segment<4>(joint.p);
    else
      by_displacement[joint.v] = gradient[joint.p];
}

void JointMotion::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) {
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) {
      v[joint.v] = rates[joint.p];
      continue;
    }
    const Eigen::Vector4d e = p.segment<4>(joint.p);
    v.segment<3>(joint.v) = (2 / e.squaredNorm()) * (euler_matrix(e) * rates.segment<4>(joint.p));
  }
}

void JointMotion::displacement_metric(double /*t*/, const VectorIn& x, const VectorIn& weights,
                                      SparseMatrix& metric) {
  const Index p = layout().p.begin, size = tree_.velocities();
  metric.resize(size, size);
  metric.reserve(size + 6 * tree_.balls());
  for (const Node& joint : tree_.nodes()) {
    if (!joint.is_ball()) {
      metric.startVec(joint.v);
      metric.insertBack(joint.v, joint.v) = weights[p + joint.p] * weights[p + joint.p];
      continue;
    }
    const EulerMatrix L = euler_matrix(x.segment<4>(p + joint.p));
    const Eigen::Vector4d squares = weights.segment<4>(p + joint.p).cwiseAbs2();
    const Eigen::Matrix3d rotations = 0.25 * L * squares.asDiagonal() * L.transpose();
    for (Index k = 0; k < 3; ++k) {
      metric.startVec(joint.v + k);
      for (Index row = 0; row < 3; ++row) metric.insertBack(joint.v + row, joint.v + k) = rotations(row, k);
    }
  }
  metric.finalize();
}

// From the leaves inward: what a tree couples is coupled along its paths, and stays so.
std::vector<int> JointMotion::elimination_order() const {
  std::vector<int> order;
  for (std::size_t i = tree_.nodes().size(); i-- > 0;)
    for (Index k = tree_.nodes()[i].velocities(); k-- > 0;)
      order.push_back(static_cast<int>(tree_.nodes()[i].v + k));
  return order;
}

void JointMotion::follow(double t, const VectorIn& x) {
  place({t, x, Vector()}, Level::velocities, Whose::all);
  bodies_.follow_turns(t);
  take_turns();
}

void JointMotion::carry(Carrier& carried) { bodies_.carry(carried); }

void JointMotion::read_switches(double t, const VectorIn& x, std::span<SwitchReading> readings) {
  bodies_.read_switches(place({t, x, Vector()}, Level::velocities), readings);
}

}  // namespace trammel
