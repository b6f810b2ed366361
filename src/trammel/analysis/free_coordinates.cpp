#include "trammel/analysis/free_coordinates.h"

#include "trammel/numerics/sparse_rank.h"

namespace trammel {

std::vector<Index> free_coordinates(const SparseMatrix& D, const std::vector<char>& active,
                                    const ChartCandidates& candidates) {
  const SparseMatrix& pose = candidates.positions.pose;
  const Index bodies = D.cols(), joints = pose.rows() - bodies;
  // The displacements of the bodies are turned into those that have names; their matrix is orthogonal.
  const SparseMatrix back = SparseMatrix(pose.bottomRows(bodies)).transpose();
  const SparseMatrix constraints = D * back, measured = SparseMatrix(pose.topRows(joints)) * back;

  // candidates keep their order: joints, then bodies
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto add = [&](Index row, Index column, double value) {
    if (value != 0) entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  for (int column = 0; column < bodies; ++column) {
    for (SparseMatrix::InnerIterator entry(constraints, column); entry; ++entry)
      if (active[static_cast<std::size_t>(entry.row())]) add(entry.row(), joints + column, entry.value());
    for (SparseMatrix::InnerIterator entry(measured, column); entry; ++entry)
      add(D.rows() + entry.row(), joints + column, entry.value());
  }
  for (Index joint = 0; joint < joints; ++joint) add(D.rows() + joint, joint, -1);
  SparseMatrix system(D.rows() + joints, joints + bodies);
  system.setFromTriplets(entries.begin(), entries.end());

  Vector reluctance = Vector::Ones(joints + bodies);
  reluctance.head(joints).setConstant(1e-3);
  SparseRank rank;
  if (!rank.factor(system, 1e-9, reluctance)) return {};
  return rank.free_columns();
}

}  // namespace trammel
