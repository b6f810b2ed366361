#include "trammel/motion/tree_accelerations.h"

#include <utility>

#include "trammel/motion/locked_columns.h"

namespace trammel {

namespace {

// Against what is added up to it, which is more the farther a joint is from the point of the six-vectors.
constexpr double least_felt = 1e-14;
double added_up(const SixBySix& inertia, const Six& S) { return inertia.diagonal().dot(S.cwiseAbs2()); }

}  // namespace

TreeAccelerations::TreeAccelerations(const JointTree& tree, const std::vector<char>& locked)
    : parts_(tree.parents()), locked_(marked(locked)) {
  int balls = 0;
  for (const JointTree::Node& node : tree.nodes())
    nodes_.push_back(
        {node.parent, static_cast<int>(node.v), node.is_ball() ? balls++ : -1, node.rotor, true, true});
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (const int parent = nodes_[i].parent; parent >= 0)
      nodes_[i].is_first_given = std::exchange(nodes_[static_cast<std::size_t>(parent)].is_leaf, false);
  lock_rotors(locked, nodes_);
  const std::size_t columns = at_index(tree.velocities());
  articulated_.resize(nodes_.size());
  force_.resize(nodes_.size());
  acceleration_.resize(nodes_.size());
  U_.resize(columns);
  inverse_.resize(columns);
  left_.resize(columns);
  ball_inverse_.resize(static_cast<std::size_t>(balls));
}

void TreeAccelerations::take(const std::vector<Six>& columns, const std::vector<RigidInertia>& inertias) {
  S_ = columns;
  for (const std::size_t column : locked_) S_[column].setZero();
  inertias_ = inertias;
}

bool TreeAccelerations::factor_column(const Node& node, std::size_t i) {
  const SixBySix& inertia = articulated_[i];
  const auto v = static_cast<std::size_t>(node.v);
  const Six& S = S_[v];
  const Six U = inertia * S;
  const double felt = S.dot(U) + node.rotor;
  if (!(felt > least_felt * added_up(inertia, S))) return false;
  U_[v] = U;
  inverse_[v] = 1 / felt;
  return true;
}

bool TreeAccelerations::factor_ball(const Node& node, std::size_t i) {
  const SixBySix& inertia = articulated_[i];
  const auto v = static_cast<std::size_t>(node.v);
  Eigen::Matrix<double, 6, 3> S, U;
  for (std::size_t k = 0; k < 3; ++k) S.col(static_cast<int>(k)) = S_[v + k];
  U.noalias() = inertia * S;
  const Eigen::LDLT<Eigen::Matrix3d> felt(S.transpose() * U);
  double most = 0;
  for (std::size_t k = 0; k < 3; ++k) most += added_up(inertia, S_[v + k]);
  if (!(felt.vectorD().minCoeff() > least_felt * most)) return false;
  for (std::size_t k = 0; k < 3; ++k) U_[v + k] = U.col(static_cast<int>(k));
  Eigen::Matrix3d& inverse = ball_inverse_[static_cast<std::size_t>(node.ball)];
  inverse = felt.solve(Eigen::Matrix3d::Identity());
  return true;
}

void TreeAccelerations::add_inertia_to_parent(const Node& node, std::size_t i) {
  if (node.parent < 0) return;
  const SixBySix& inertia = articulated_[i];
  SixBySix& parent = articulated_[static_cast<std::size_t>(node.parent)];
  if (node.is_first_given) inertias_[static_cast<std::size_t>(node.parent)].expand(parent);
  const auto v = static_cast<std::size_t>(node.v);
  if (node.ball < 0) {
    const Six& U = U_[v];
    const Six weighted = U * inverse_[v];
    for (int column = 0; column < 6; ++column)
      parent.col(column) += inertia.col(column) - weighted * U[column];
    return;
  }
  Eigen::Matrix<double, 6, 3> U;
  for (std::size_t k = 0; k < 3; ++k) U.col(static_cast<int>(k)) = U_[v + k];
  const Eigen::Matrix<double, 6, 3> weighted = U * ball_inverse_[static_cast<std::size_t>(node.ball)];
  parent += inertia;
  parent.noalias() -= weighted * U.transpose();
}

bool TreeAccelerations::factor() {
  return parts_.inward(
      [&](std::size_t i) {
        if (nodes_[i].is_leaf) inertias_[i].expand(articulated_[i]);
        return nodes_[i].ball < 0 ? factor_column(nodes_[i], i) : factor_ball(nodes_[i], i);
      },
      [&](std::size_t i) { add_inertia_to_parent(nodes_[i], i); });
}

void TreeAccelerations::inward(const Node& node, std::size_t i, const VectorOut& forces) {
  const auto v = static_cast<std::size_t>(node.v);
  const Six force = force_[i];
  if (node.ball < 0) {
    left_[v] = forces[node.v] - S_[v].dot(force);
    return;
  }
  for (std::size_t k = 0; k < 3; ++k)
    left_[v + k] = forces[node.v + static_cast<Index>(k)] - S_[v + k].dot(force);
}

void TreeAccelerations::add_force_to_parent(const Node& node, std::size_t i) {
  if (node.parent < 0) return;
  const auto v = static_cast<std::size_t>(node.v);
  Six& parent = force_[static_cast<std::size_t>(node.parent)];
  if (node.ball < 0) {
    parent += force_[i] + U_[v] * (left_[v] * inverse_[v]);
    return;
  }
  const Eigen::Map<const Eigen::Vector3d> left(left_.data() + v);
  const Eigen::Vector3d own = ball_inverse_[static_cast<std::size_t>(node.ball)] * left;
  parent += force_[i] + U_[v] * own[0] + U_[v + 1] * own[1] + U_[v + 2] * own[2];
}

void TreeAccelerations::outward(const Node& node, std::size_t i, VectorOut& forces) {
  const auto v = static_cast<std::size_t>(node.v);
  Six acceleration = Six::Zero();
  if (node.parent >= 0) acceleration = acceleration_[static_cast<std::size_t>(node.parent)];
  if (node.ball < 0) {
    const double own = inverse_[v] * (left_[v] - U_[v].dot(acceleration));
    forces[node.v] = own;
    acceleration_[i] = acceleration + S_[v] * own;
    return;
  }
  Eigen::Vector3d left;
  for (std::size_t k = 0; k < 3; ++k) left[static_cast<int>(k)] = left_[v + k] - U_[v + k].dot(acceleration);
  const Eigen::Vector3d own = ball_inverse_[static_cast<std::size_t>(node.ball)] * left;
  forces.segment<3>(node.v) = own;
  acceleration_[i] = acceleration + S_[v] * own[0] + S_[v + 1] * own[1] + S_[v + 2] * own[2];
}

void TreeAccelerations::solve(VectorOut forces) {
  for (Six& force : force_) force.setZero();
  parts_.inward(
      [&](std::size_t i) {
        inward(nodes_[i], i, forces);
        return true;
      },
      [&](std::size_t i) { add_force_to_parent(nodes_[i], i); });
  parts_.outward([&](std::size_t i) { outward(nodes_[i], i, forces); });
}

void TreeAccelerations::subtract_product(const VectorIn& x, VectorOut forces) {
  parts_.outward([&](std::size_t i) {
    const Node& node = nodes_[i];
    Six acceleration = Six::Zero();
    if (node.parent >= 0) acceleration = acceleration_[static_cast<std::size_t>(node.parent)];
    for (int k = 0; k < (node.ball < 0 ? 1 : 3); ++k)
      acceleration += S_[static_cast<std::size_t>(node.v + k)] * x[node.v + k];
    acceleration_[i] = acceleration;
    force_[i] = inertias_[i] * acceleration;
  });
  parts_.inward(
      [&](std::size_t i) {
        const Node& node = nodes_[i];
        for (int k = 0; k < (node.ball < 0 ? 1 : 3); ++k)
          forces[node.v + k] -=
              S_[static_cast<std::size_t>(node.v + k)].dot(force_[i]) + node.rotor * x[node.v + k];
        return true;
      },
      [&](std::size_t i) {
        if (nodes_[i].parent >= 0) force_[static_cast<std::size_t>(nodes_[i].parent)] += force_[i];
      });
}

}  // namespace trammel
