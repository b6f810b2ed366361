#include "trammel/motion/joint_clusters.h"

#include <algorithm>
#include <numeric>

namespace trammel {

namespace {

// Sets of nodes that grow together (R. Tarjan, 1975).
class Sets {
 public:
  explicit Sets(std::size_t size) : above_(size) { std::iota(above_.begin(), above_.end(), 0); }
  int find(int i) {
    while (above_[at(i)] != i) i = above_[at(i)] = above_[at(above_[at(i)])];
    return i;
  }
  // The first in the order of the tree stands for all.
  void join(int i, int j) {
    i = find(i);
    j = find(j);
    above_[at(std::max(i, j))] = std::min(i, j);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<int> above_;
};

}  // namespace

JointClusters::JointClusters(const JointTree& tree, const std::vector<Row>& rows) {
  const std::vector<JointTree::Node>& nodes = tree.nodes();
  const auto node = [&](int i) -> const JointTree::Node& { return nodes[static_cast<std::size_t>(i)]; };
  Sets sets(nodes.size());
  std::vector<int> first_of_row;
  for (const Row& row : rows) {
    int together = row.nodes.empty() ? -1 : row.nodes.front();
    for (const int other : row.nodes) together = tree.common(together, other);
    if (row.to_ground) together = -1;
    int first = -1;
    for (const int from : row.nodes)
      for (int i = from; i != together; i = node(i).parent) {
        if (first < 0) first = i;
        sets.join(first, i);
      }
    first_of_row.push_back(first);
  }

  // in the order of their first nodes, which is one of trees, too: a cluster hangs on a node before all of its own
  std::vector<int> cluster_of(nodes.size(), -1);
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const int first = sets.find(i);
    if (first == i) {
      cluster_of[static_cast<std::size_t>(i)] = static_cast<int>(clusters_.size());
      clusters_.push_back({.parent = node(i).parent, .nodes = {}, .columns = {}, .rows = {}});
    }
    const int which = cluster_of[static_cast<std::size_t>(i)] = cluster_of[static_cast<std::size_t>(first)];
    Cluster& cluster = clusters_[static_cast<std::size_t>(which)];
    cluster.nodes.push_back(i);
    for (Index k = 0; k < node(i).velocities(); ++k) cluster.columns.push_back(node(i).v + k);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    // a row that no joint moves belongs to anyone
    const int first = std::max(first_of_row[row], 0);
    if (nodes.empty()) continue;
    const int which = cluster_of[static_cast<std::size_t>(first)];
    clusters_[static_cast<std::size_t>(which)].rows.push_back(static_cast<Index>(row));
  }
}

std::vector<int> JointClusters::parents() const {
  std::size_t nodes = 0;
  for (const Cluster& cluster : clusters_) nodes += cluster.nodes.size();
  std::vector<int> cluster_of(nodes), parents;
  for (std::size_t i = 0; i < clusters_.size(); ++i)
    for (const int node : clusters_[i].nodes)
      cluster_of[static_cast<std::size_t>(node)] = static_cast<int>(i);
  for (const Cluster& cluster : clusters_)
    parents.push_back(cluster.parent < 0 ? -1 : cluster_of[static_cast<std::size_t>(cluster.parent)]);
  return parents;
}

Index JointClusters::largest() const {
  std::size_t most = 0;
  for (const Cluster& cluster : clusters_)
    if (!cluster.rows.empty()) most = std::max(most, cluster.columns.size());
  return static_cast<Index>(most);
}

}  // namespace trammel
