// Nodes of a tree of joints that loops tie together. A row of constraints depends on the joints of some paths: from
// each of the bodies that it ties inward to where these paths meet. Such nodes are a cluster, and so are those of two
// rows that share one; every other node is one by itself. A cluster hangs on one node, so that clusters are a tree in
// turn: what loops ask for is settled inside of each (A. Jain, Recursive algorithms using local constraint
// embedding for multibody system dynamics, 2009).
#pragma once

#include <vector>

#include "trammel/motion/joint_tree.h"

namespace trammel {

class JointClusters {
 public:
  // What a row depends on: the joints from these nodes inward to where their paths meet, or to the ground.
  struct Row {
    std::vector<int> nodes;  // −1: the ground
    bool to_ground = false;
  };
  struct Cluster {
    int parent = -1;         // the node that it hangs on; −1: the ground
    std::vector<int> nodes;  // in the order of the tree
    std::vector<Index> columns, rows;
  };

  JointClusters(const JointTree& tree, const std::vector<Row>& rows);

  // Those that others hang on come first.
  const std::vector<Cluster>& clusters() const { return clusters_; }
  // The cluster that each hangs on, −1: the ground.
  std::vector<int> parents() const;
  // The largest number of columns of a cluster that has rows.
  Index largest() const;

 private:
  std::vector<Cluster> clusters_;
};

}  // namespace trammel
