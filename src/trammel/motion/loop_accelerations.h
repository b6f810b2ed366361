// [H Dᵀ; D −ε] of a tree of joints with loops, without the matrix H: by the recursion of articulated bodies over
// clusters of nodes (joint_clusters.h). A cluster is eliminated by a small dense system, its own H and D; what is left
// of it is an inertia that the node feels which it hangs on. Linear in the number of clusters.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "trammel/motion/joint_clusters.h"
#include "trammel/motion/rigid_inertia.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class LoopAccelerations {
 public:
  // The pattern of D stays the same.
  LoopAccelerations(const JointTree& tree, const JointClusters& clusters, const SparseMatrix& D,
                    double regularization);

  // The columns of all velocities, the inertia of the bodies of each node alone, and D.
  void take(const std::vector<Six>& columns, const std::vector<RigidInertia>& inertias,
            const SparseMatrix& D);
  // False where a joint feels no inertia.
  bool factor();
  // (τ, b) become (x, λ).
  void solve(VectorOut forces, VectorOut rows);
  // (τ, b) − [H Dᵀ; D 0] (x, λ).
  void subtract_product(const VectorIn& x, const VectorIn& y, VectorOut forces, VectorOut rows);

 private:
  struct Node {
    int parent, v, velocities;
  };
  struct Cluster {
    JointClusters::Cluster of;
    struct Place {
      int from, row, column;  // where D has an entry, and where it goes
    };
    std::vector<Place> places;
    std::vector<std::pair<int, int>> pairs;  // columns on one path: the outer one, the inner one
    Matrix H, D;
    Matrix felt;                 // G: what the columns feel of an acceleration of what the cluster hangs on
    Matrix follow, rows_follow;  // x and λ by that acceleration
    Matrix by_rows;              // H⁻¹Dᵀ
    Matrix rows_matrix;          // D H⁻¹Dᵀ + ε
    Eigen::LLT<Matrix> columns_factor, rows_factor;
    Vector x, y;
  };

  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  void gather(Cluster& cluster);
  bool factor(Cluster& cluster);
  void inward(Cluster& cluster, const VectorOut& forces, const VectorOut& rows);
  void outward(Cluster& cluster, VectorOut& forces, VectorOut& rows);

  double regularization_;
  std::vector<Node> nodes_;
  std::vector<Cluster> clusters_;
  std::vector<Six> S_;
  std::vector<RigidInertia> inertias_;
  std::vector<SixBySix> articulated_;
  std::vector<Six> force_, acceleration_;  // of nodes
  SparseMatrix D_;
};

}  // namespace trammel
