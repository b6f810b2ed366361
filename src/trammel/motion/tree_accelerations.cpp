#include "trammel/motion/tree_accelerations.h"

namespace trammel {

TreeAccelerations::TreeAccelerations(const JointTree& tree) : tree_(tree), nodes_(tree.nodes().size()) {}

void TreeAccelerations::take(const std::vector<Six>& columns, const std::vector<SixBySix>& inertias) {
  inertias_ = inertias;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const JointTree::Node& joint = tree_.nodes()[i];
    for (Index k = 0; k < joint.velocities(); ++k) nodes_[i].S.col(k) = columns[at_index(joint.v + k)];
  }
}

template <int N>
bool TreeAccelerations::factor_node(std::size_t i) {
  Node& node = nodes_[i];
  const SixBySix& inertia = articulated_[i];
  const auto S = node.S.leftCols<N>();
  auto U = node.U.leftCols<N>();
  U.noalias() = inertia * S;
  const Eigen::Matrix<double, N, N> felt = S.transpose() * U;
  // against what is there at all
  const double least = 1e-14 * inertia.trace() * S.squaredNorm();
  const Eigen::LDLT<Eigen::Matrix<double, N, N>> decomposition(felt);
  if (!(decomposition.vectorD().minCoeff() > least)) return false;
  node.inverse.topLeftCorner<N, N>() = decomposition.solve(Eigen::Matrix<double, N, N>::Identity());
  if (const int parent = tree_.nodes()[i].parent; parent >= 0) {
    const Eigen::Matrix<double, 6, N> weighted = U * node.inverse.topLeftCorner<N, N>();
    articulated_[static_cast<std::size_t>(parent)] += inertia;
    articulated_[static_cast<std::size_t>(parent)].noalias() -= weighted * U.transpose();
  }
  return true;
}

bool TreeAccelerations::factor() {
  articulated_ = inertias_;
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (!(tree_.nodes()[i].is_ball() ? factor_node<3>(i) : factor_node<1>(i))) return false;
  return true;
}

template <int N>
void TreeAccelerations::inward(std::size_t i, const Vector& forces) {
  Node& node = nodes_[i];
  const JointTree::Node& joint = tree_.nodes()[i];
  auto left = node.left.head<N>();
  left = forces.segment<N>(joint.v);
  left.noalias() -= node.S.leftCols<N>().transpose() * node.force;
  if (joint.parent < 0) return;
  const Eigen::Matrix<double, N, 1> own = node.inverse.topLeftCorner<N, N>() * left;
  Six& force = nodes_[static_cast<std::size_t>(joint.parent)].force;
  force += node.force;
  force.noalias() += node.U.leftCols<N>() * own;
}

template <int N>
void TreeAccelerations::outward(std::size_t i, Vector& forces) {
  Node& node = nodes_[i];
  const JointTree::Node& joint = tree_.nodes()[i];
  node.acceleration.setZero();
  if (joint.parent >= 0) node.acceleration = nodes_[static_cast<std::size_t>(joint.parent)].acceleration;
  Eigen::Matrix<double, N, 1> left = node.left.head<N>();
  left.noalias() -= node.U.leftCols<N>().transpose() * node.acceleration;
  const Eigen::Matrix<double, N, 1> own = node.inverse.topLeftCorner<N, N>() * left;
  forces.segment<N>(joint.v) = own;
  node.acceleration.noalias() += node.S.leftCols<N>() * own;
}

void TreeAccelerations::solve(Vector& forces) {
  for (Node& node : nodes_) node.force.setZero();
  for (std::size_t i = nodes_.size(); i-- > 0;)
    tree_.nodes()[i].is_ball() ? inward<3>(i, forces) : inward<1>(i, forces);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    tree_.nodes()[i].is_ball() ? outward<3>(i, forces) : outward<1>(i, forces);
}

void TreeAccelerations::subtract_product(const Vector& x, Vector& forces) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const JointTree::Node& joint = tree_.nodes()[i];
    Node& node = nodes_[i];
    node.acceleration.setZero();
    if (joint.parent >= 0) node.acceleration = nodes_[static_cast<std::size_t>(joint.parent)].acceleration;
    for (Index k = 0; k < joint.velocities(); ++k) node.acceleration += node.S.col(k) * x[joint.v + k];
    node.force.noalias() = inertias_[i] * node.acceleration;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const JointTree::Node& joint = tree_.nodes()[i];
    const Node& node = nodes_[i];
    for (Index k = 0; k < joint.velocities(); ++k) forces[joint.v + k] -= node.S.col(k).dot(node.force);
    if (joint.parent >= 0) nodes_[static_cast<std::size_t>(joint.parent)].force += node.force;
  }
}

}  // namespace trammel
