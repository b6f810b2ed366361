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
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 3>;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;
  struct Node {
    Columns S, U;   // U = I S
    Small inverse;  // of Sᵀ I S
    Few left;       // of a right-hand side
    Six force, acceleration;
  };
  const JointTree& tree_;
  std::vector<Node> nodes_;
  std::vector<SixBySix> inertias_, articulated_;
};

}  // namespace trammel
