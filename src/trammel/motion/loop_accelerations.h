// [H Dᵀ; D −ε] of a tree of joints with loops, without the matrix H: by the recursion of articulated bodies over
// clusters of nodes (joint_clusters.h). A cluster is eliminated by a small dense system, its own H and D; what is
// left of it is an inertia that the node feels which it hangs on. Linear in the number of clusters, branches at the
// same time.
//
// With H = L Lᵀ, W = L⁻¹ [Dᵀ Gᵀ], G what the columns feel of an acceleration A of that node, S = W_DᵀW_D + ε =
// K Kᵀ and V = K⁻¹ W_DᵀW_G, the node feels Σ I − W_GᵀW_G + VᵀV, and
//
//   z = L⁻¹τ − W_G A,   y = K⁻¹(W_Dᵀ L⁻¹τ − b) − V A,   λ = K⁻ᵀ y,   x = L⁻ᵀ(z − W_D λ).
#pragma once

#include <utility>
#include <vector>

#include "trammel/motion/joint_clusters.h"
#include "trammel/motion/rigid_inertia.h"
#include "trammel/numerics/sparse_matrix.h"
#include "trammel/numerics/tree_parts.h"

namespace trammel {

class LoopAccelerations {
 public:
  // The pattern of D stays the same. `locked` as in TreeAccelerations; D has no values there.
  LoopAccelerations(const JointTree& tree, const JointClusters& clusters, const SparseMatrix& D,
                    double regularization, const std::vector<char>& locked = {});

  // The columns of all velocities, the inertia of the bodies of each node alone, and D.
  void take(const std::vector<Six>& columns, const std::vector<RigidInertia>& inertias,
            const SparseMatrix& D);
  // False where a joint feels no inertia.
  bool factor();
  // Whether the factors are those of [H Dᵀ; D 0]: −ε is there only where rows nearly depend on each other.
  bool is_exact() const { return is_exact_; }
  // (τ, b) become (x, λ).
  void solve(VectorOut forces, VectorOut rows);
  // (τ, b) − [H Dᵀ; D 0] (x, λ).
  void subtract_product(const VectorIn& x, const VectorIn& y, VectorOut forces, VectorOut rows);

 private:
  struct Node {
    int parent, v, velocities;
    double rotor;  // JointTree::Node
  };
  // Columns are in reverse, from the leaves inward: so L is no fuller than H.
  struct Cluster {
    JointClusters::Cluster of;
    int columns = 0, rows = 0;
    struct Place {
      int from, row, column;  // where D has an entry, and where it goes
    };
    std::vector<Place> places;
    struct Pair {
      int inner, outer;  // columns on one path
      int v;             // of the inner one
    };
    std::vector<Pair> pairs;
    // row by row: L; W, by rows of D and then by six directions; K, and before it was factored; V
    std::vector<double> L, W, K, K_whole, V;
    bool is_exact = false;
    std::vector<Six> felt;  // G
    std::vector<double> z, y;
    Six left;  // of forces, for the node that it hangs on

    int width() const { return rows + 6; }
  };

  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  void gather(Cluster& cluster);
  bool factor(Cluster& cluster);
  bool factor_rows(Cluster& cluster);
  void add_inertia_to_parent(const Cluster& cluster);
  void inward(Cluster& cluster, const VectorOut& forces, const VectorOut& rows);
  void add_force_to_parent(const Cluster& cluster);
  void outward(Cluster& cluster, VectorOut& forces, VectorOut& rows);

  double regularization_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> locked_;
  std::vector<Cluster> clusters_;
  TreeParts node_parts_, cluster_parts_;
  std::vector<Six> S_;
  std::vector<RigidInertia> inertias_;
  std::vector<SixBySix> articulated_;
  std::vector<Six> force_, acceleration_;  // of nodes
  SparseMatrix D_;
  bool is_exact_ = false;
};

}  // namespace trammel
