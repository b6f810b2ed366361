#include "trammel/motion/loop_accelerations.h"

namespace trammel {

namespace {

// Against what is there at all.
constexpr double least_felt = 1e-14;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

LoopAccelerations::LoopAccelerations(const JointTree& tree, const JointClusters& clusters,
                                     const SparseMatrix& D, double regularization)
    : regularization_(regularization), D_(D) {
  for (const JointTree::Node& node : tree.nodes())
    nodes_.push_back({node.parent, static_cast<int>(node.v), static_cast<int>(node.velocities())});
  articulated_.resize(nodes_.size());
  force_.resize(nodes_.size());
  acceleration_.resize(nodes_.size());

  std::vector<int> place(at_index(D.rows()), -1);
  for (const JointClusters::Cluster& from : clusters.clusters()) {
    Cluster cluster;
    cluster.of = from;
    for (std::size_t row = 0; row < from.rows.size(); ++row)
      place[at_index(from.rows[row])] = static_cast<int>(row);
    for (std::size_t col = 0; col < from.columns.size(); ++col) {
      const Index column = from.columns[col];
      for (int slot = D.outerIndexPtr()[column]; slot < D.outerIndexPtr()[column + 1]; ++slot)
        cluster.places.push_back({slot, place[at(D.innerIndexPtr()[slot])], static_cast<int>(col)});
    }
    std::vector<int> node_of;  // of each column
    for (const int i : from.nodes) node_of.insert(node_of.end(), at(node(i).velocities), i);
    for (std::size_t outer = 0; outer < node_of.size(); ++outer)
      for (std::size_t inner = 0; inner <= outer; ++inner)
        if (tree.common(node_of[outer], node_of[inner]) == node_of[inner])
          cluster.pairs.emplace_back(static_cast<int>(outer), static_cast<int>(inner));
    const auto k = static_cast<Index>(from.columns.size()), m = static_cast<Index>(from.rows.size());
    cluster.H.setZero(k, k);
    cluster.D.setZero(m, k);
    cluster.felt.setZero(6, k);
    cluster.x.setZero(k);
    cluster.y.setZero(m);
    clusters_.push_back(std::move(cluster));
  }
}

void LoopAccelerations::take(const std::vector<Six>& columns, const std::vector<RigidInertia>& inertias,
                             const SparseMatrix& D) {
  S_ = columns;
  inertias_ = inertias;
  std::copy(D.valuePtr(), D.valuePtr() + D.nonZeros(), D_.valuePtr());
}

// H, G and D of a cluster. Inertias of its nodes, articulated already, are added up inward.
void LoopAccelerations::gather(Cluster& cluster) {
  const std::vector<int>& nodes = cluster.of.nodes;
  Index column = cluster.H.cols();
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& joint = node(nodes[i]);
    const SixBySix& inertia = articulated_[at(nodes[i])];
    for (int c = joint.velocities; c-- > 0;)
      cluster.felt.col(--column).noalias() = inertia * S_[at(joint.v + c)];
    if (joint.parent != cluster.of.parent) articulated_[at(joint.parent)] += inertia;
  }
  for (const auto& [outer, inner] : cluster.pairs)
    cluster.H(outer, inner) = S_[at_index(cluster.of.columns[at(inner)])].dot(cluster.felt.col(outer));
  for (const Cluster::Place& place : cluster.places)
    cluster.D(place.row, place.column) = D_.valuePtr()[place.from];
}

bool LoopAccelerations::factor(Cluster& cluster) {
  gather(cluster);
  cluster.columns_factor.compute(cluster.H);  // of its lower half
  if (cluster.columns_factor.info() != Eigen::Success) return false;
  const auto diagonal = cluster.H.diagonal();
  const auto pivots = cluster.columns_factor.matrixLLT().diagonal();
  for (Index i = 0; i < diagonal.size(); ++i)
    if (!(pivots[i] * pivots[i] > least_felt * diagonal[i])) return false;
  if (cluster.D.rows() > 0) {
    cluster.by_rows = cluster.columns_factor.solve(cluster.D.transpose());
    Matrix& S = cluster.rows_matrix;
    S.noalias() = cluster.D * cluster.by_rows;
    for (Index i = 0; i < S.rows(); ++i) S(i, i) += regularization_ * (S(i, i) > 0 ? S(i, i) : 1.0);
    cluster.rows_factor.compute(S);
    if (cluster.rows_factor.info() != Eigen::Success) return false;
  }
  if (cluster.of.parent < 0) return true;
  cluster.follow = cluster.columns_factor.solve(cluster.felt.transpose());
  if (cluster.D.rows() > 0) {
    cluster.rows_follow = cluster.rows_factor.solve(cluster.D * cluster.follow);
    cluster.follow.noalias() -= cluster.by_rows * cluster.rows_follow;
  }
  SixBySix& parent = articulated_[at(cluster.of.parent)];
  for (const int i : cluster.of.nodes)
    if (node(i).parent == cluster.of.parent) parent += articulated_[at(i)];
  parent.noalias() -= cluster.felt * cluster.follow;
  return true;
}

bool LoopAccelerations::factor() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) inertias_[i].expand(articulated_[i]);
  for (std::size_t i = clusters_.size(); i-- > 0;)
    if (!factor(clusters_[i])) return false;
  return true;
}

void LoopAccelerations::inward(Cluster& cluster, const VectorOut& forces, const VectorOut& rows) {
  const std::vector<int>& nodes = cluster.of.nodes;
  Index column = cluster.x.size();
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& joint = node(nodes[i]);
    const Six& force = force_[at(nodes[i])];
    for (int c = joint.velocities; c-- > 0;)
      cluster.x[--column] = forces[joint.v + c] - S_[at(joint.v + c)].dot(force);
    if (joint.parent >= 0) force_[at(joint.parent)] += force;
  }
  cluster.columns_factor.solveInPlace(cluster.x);
  if (cluster.y.size() > 0) {
    for (Index i = 0; i < cluster.y.size(); ++i) cluster.y[i] = -rows[cluster.of.rows[at_index(i)]];
    cluster.y.noalias() += cluster.D * cluster.x;
    cluster.rows_factor.solveInPlace(cluster.y);
    cluster.x.noalias() -= cluster.by_rows * cluster.y;
  }
  if (cluster.of.parent >= 0) force_[at(cluster.of.parent)].noalias() += cluster.felt * cluster.x;
}

void LoopAccelerations::outward(Cluster& cluster, VectorOut& forces, VectorOut& rows) {
  if (cluster.of.parent >= 0) {
    const Six& acceleration = acceleration_[at(cluster.of.parent)];
    cluster.x.noalias() -= cluster.follow * acceleration;
    if (cluster.y.size() > 0) cluster.y.noalias() -= cluster.rows_follow * acceleration;
  }
  Index column = 0;
  for (const int i : cluster.of.nodes) {
    const Node& joint = node(i);
    Six acceleration = Six::Zero();
    if (joint.parent >= 0) acceleration = acceleration_[at(joint.parent)];
    for (int c = 0; c < joint.velocities; ++c) {
      forces[joint.v + c] = cluster.x[column];
      acceleration += S_[at(joint.v + c)] * cluster.x[column++];
    }
    acceleration_[at(i)] = acceleration;
  }
  for (Index i = 0; i < cluster.y.size(); ++i) rows[cluster.of.rows[at_index(i)]] = cluster.y[i];
}

void LoopAccelerations::solve(VectorOut forces, VectorOut rows) {
  for (Six& force : force_) force.setZero();
  for (std::size_t i = clusters_.size(); i-- > 0;) inward(clusters_[i], forces, rows);
  for (Cluster& cluster : clusters_) outward(cluster, forces, rows);
}

void LoopAccelerations::subtract_product(const VectorIn& x, const VectorIn& y, VectorOut forces,
                                         VectorOut rows) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& joint = nodes_[i];
    Six acceleration = Six::Zero();
    if (joint.parent >= 0) acceleration = acceleration_[at(joint.parent)];
    for (int c = 0; c < joint.velocities; ++c) acceleration += S_[at(joint.v + c)] * x[joint.v + c];
    acceleration_[i] = acceleration;
    force_[i] = inertias_[i] * acceleration;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& joint = nodes_[i];
    for (int c = 0; c < joint.velocities; ++c) forces[joint.v + c] -= S_[at(joint.v + c)].dot(force_[i]);
    if (joint.parent >= 0) force_[at(joint.parent)] += force_[i];
  }
  for (int column = 0; column < D_.outerSize(); ++column)
    for (SparseMatrix::InnerIterator entry(D_, column); entry; ++entry) {
      forces[column] -= entry.value() * y[entry.row()];
      rows[entry.row()] -= entry.value() * x[column];
    }
}

}  // namespace trammel
