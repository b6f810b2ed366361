#include "trammel/motion/tree_accelerations.h"

namespace trammel {

TreeAccelerations::TreeAccelerations(const JointTree& tree) : tree_(tree), nodes_(tree.nodes().size()) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Index columns = tree.nodes()[i].velocities();
    nodes_[i].S.resize(6, columns);
    nodes_[i].U.resize(6, columns);
    nodes_[i].inverse.resize(columns, columns);
    nodes_[i].left.resize(columns);
  }
}

void TreeAccelerations::take(const std::vector<Six>& columns, const std::vector<SixBySix>& inertias) {
  inertias_ = inertias;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (Index k = 0; k < nodes_[i].S.cols(); ++k)
      nodes_[i].S.col(k) = columns[at_index(tree_.nodes()[i].v + k)];
}

bool TreeAccelerations::factor() {
  articulated_ = inertias_;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const JointTree::Node& joint = tree_.nodes()[i];
    Node& node = nodes_[i];
    const SixBySix& inertia = articulated_[i];
    node.U.noalias() = inertia * node.S;
    const Small felt = node.S.transpose() * node.U;
    if (node.S.cols() == 1) {
      // against what the joint would feel if nothing outward could move
      if (!(felt(0, 0) > 1e-14 * inertia.trace() * node.S.squaredNorm())) return false;
      node.inverse(0, 0) = 1 / felt(0, 0);
    } else {
      const Eigen::Matrix3d full = felt;
      const Eigen::LDLT<Eigen::Matrix3d> decomposition(full);
      if (!(decomposition.vectorD().minCoeff() > 1e-14 * full.trace())) return false;
      node.inverse = decomposition.solve(Eigen::Matrix3d::Identity());
    }
    if (joint.parent >= 0)
      articulated_[static_cast<std::size_t>(joint.parent)] +=
          inertia - node.U * node.inverse * node.U.transpose();
  }
  return true;
}

void TreeAccelerations::solve(Vector& forces) {
  for (Node& node : nodes_) node.force.setZero();
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const JointTree::Node& joint = tree_.nodes()[i];
    Node& node = nodes_[i];
    node.left = forces.segment(joint.v, node.S.cols()) - node.S.transpose() * node.force;
    if (joint.parent >= 0)
      nodes_[static_cast<std::size_t>(joint.parent)].force +=
          node.force + node.U * (node.inverse * node.left);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const JointTree::Node& joint = tree_.nodes()[i];
    Node& node = nodes_[i];
    node.acceleration.setZero();
    if (joint.parent >= 0) node.acceleration = nodes_[static_cast<std::size_t>(joint.parent)].acceleration;
    const Few own = node.inverse * (node.left - node.U.transpose() * node.acceleration);
    forces.segment(joint.v, node.S.cols()) = own;
    node.acceleration += node.S * own;
  }
}

void TreeAccelerations::subtract_product(const Vector& x, Vector& forces) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const JointTree::Node& joint = tree_.nodes()[i];
    Node& node = nodes_[i];
    node.acceleration.noalias() = node.S * x.segment(joint.v, node.S.cols());
    if (joint.parent >= 0) node.acceleration += nodes_[static_cast<std::size_t>(joint.parent)].acceleration;
    node.force.noalias() = inertias_[i] * node.acceleration;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const JointTree::Node& joint = tree_.nodes()[i];
    const Node& node = nodes_[i];
    forces.segment(joint.v, node.S.cols()).noalias() -= node.S.transpose() * node.force;
    if (joint.parent >= 0) nodes_[static_cast<std::size_t>(joint.parent)].force += node.force;
  }
}

}  // namespace trammel
