// H x = τ of a tree of joints without the matrix H, by the recursion of articulated bodies (R. Featherstone, 1983):
// inward the inertias that each joint feels, inward and outward for each right-hand side. Linear in the number of
// nodes. All six-vectors are at one point (joint_motion.h), so that nothing has to be transformed.
#pragma once

#include <vector>

#include "trammel/motion/joint_tree.h"
#include "trammel/motion/six_vectors.h"

namespace trammel {

class TreeAccelerations {
 public:
  // The tree must outlive this.
  explicit TreeAccelerations(const JointTree& tree);

  // The columns of all velocities, and the inertia of the bodies of each node alone.
  void take(const std::vector<Six>& columns, const std::vector<SixBySix>& inertias);
  // False where a joint feels no inertia.
  bool factor();
  // τ becomes x.
  void solve(Vector& forces);
  // τ − H x.
  void subtract_product(const Vector& x, Vector& forces);

 private:
  // A ball has three columns, everything else one.
  struct Node {
    Eigen::Matrix<double, 6, 3> S, U;  // U = I S
    Eigen::Matrix3d inverse;           // of Sᵀ I S
    Eigen::Vector3d left;              // of a right-hand side
    Six force, acceleration;
  };
  template <int N>
  bool factor_node(std::size_t i);
  template <int N>
  void inward(std::size_t i, const Vector& forces);
  template <int N>
  void outward(std::size_t i, Vector& forces);

  const JointTree& tree_;
  std::vector<Node> nodes_;
  std::vector<SixBySix> inertias_, articulated_;
};

}  // namespace trammel
