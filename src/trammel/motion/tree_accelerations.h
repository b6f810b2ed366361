// H x = τ of a tree of joints without the matrix H, by the recursion of articulated bodies (R. Featherstone, 1983):
// inward the inertias that each joint feels, inward and outward for each right-hand side. Linear in the number of
// nodes, branches at the same time. All six-vectors are at one point (joint_motion.h), so that nothing has to be
// transformed.
#pragma once

#include <vector>

#include "trammel/motion/joint_tree.h"
#include "trammel/motion/rigid_inertia.h"
#include "trammel/numerics/tree_parts.h"

namespace trammel {

class TreeAccelerations {
 public:
  // Marks of columns that are locked, or none: their entries of x are those of τ, and nobody else feels them.
  explicit TreeAccelerations(const JointTree& tree, const std::vector<char>& locked = {});

  // The columns of all velocities, and the inertia of the bodies of each node alone.
  void take(const std::vector<Six>& columns, const std::vector<RigidInertia>& inertias);
  // False where a joint feels no inertia.
  bool factor();
  // τ becomes x.
  void solve(VectorOut forces);
  // τ − H x.
  void subtract_product(const VectorIn& x, VectorOut forces);

 private:
  struct Node {
    int parent, v, ball;  // which ball it is; −1: a joint of one column
    double rotor;         // JointTree::Node
    bool is_leaf = true;
    bool is_first_given = true;  // of those that hang on its parent, the first that is seen inward
  };
  bool factor_column(const Node& node, std::size_t i);
  bool factor_ball(const Node& node, std::size_t i);
  // What the node that it hangs on feels of it; the first to add to that node puts its own inertia there.
  void add_inertia_to_parent(const Node& node, std::size_t i);
  void inward(const Node& node, std::size_t i, const VectorOut& forces);
  void add_force_to_parent(const Node& node, std::size_t i);
  void outward(const Node& node, std::size_t i, VectorOut& forces);

  std::vector<Node> nodes_;
  TreeParts parts_;
  std::vector<std::size_t> locked_;
  std::vector<RigidInertia> inertias_;
  std::vector<SixBySix> articulated_;
  // by columns: S, U = I S, 1/(Sᵀ I S) of a single one, what is left of a right-hand side
  std::vector<Six> S_, U_;
  std::vector<double> inverse_, left_;
  std::vector<Eigen::Matrix3d> ball_inverse_;
  std::vector<Six> force_, acceleration_;  // of nodes
};

}  // namespace trammel
