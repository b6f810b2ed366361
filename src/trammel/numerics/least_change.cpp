#include "trammel/numerics/least_change.h"

#include <Eigen/Cholesky>
#include <numeric>

namespace trammel {

namespace {

// The connected parts of a symmetric pattern.
std::vector<std::vector<int>> connected_blocks(const SparseMatrix& W) {
  std::vector<int> root(static_cast<std::size_t>(W.cols()));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i) i = root[static_cast<std::size_t>(i)];
    return i;
  };
  for (int col = 0; col < W.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(W, col); entry; ++entry) {
      const int a = find(static_cast<int>(entry.row())), b = find(col);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::vector<std::vector<int>> by_root(root.size()), blocks;
  for (int i = 0; i < W.cols(); ++i) by_root[static_cast<std::size_t>(find(i))].push_back(i);
  for (std::vector<int>& block : by_root)
    if (!block.empty()) blocks.push_back(std::move(block));
  return blocks;
}

}  // namespace

void LeastChange::invert_blocks() {
  std::vector<int> place(static_cast<std::size_t>(W_.cols()));
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(static_cast<std::size_t>(W_.nonZeros()));
  Matrix block;
  for (const std::vector<int>& indices : blocks_) {
    const auto size = static_cast<Index>(indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k)
      place[static_cast<std::size_t>(indices[k])] = static_cast<int>(k);
    block.setZero(size, size);
    for (const int col : indices)
      for (SparseMatrix::InnerIterator entry(W_, col); entry; ++entry)
        block(place[static_cast<std::size_t>(entry.row())], place[static_cast<std::size_t>(col)]) =
            entry.value();
    const Matrix inverse = block.llt().solve(Matrix::Identity(size, size));
    for (Index i = 0; i < size; ++i)
      for (Index k = 0; k < size; ++k)
        entries.emplace_back(indices[static_cast<std::size_t>(i)], indices[static_cast<std::size_t>(k)],
                             inverse(i, k));
  }
  inverse_.resize(W_.rows(), W_.cols());
  inverse_.setFromTriplets(entries.begin(), entries.end());
}

bool LeastChange::factor(const SparseMatrix& W, const SparseMatrix& A, double damping) {
  if (!analyzed_) blocks_ = connected_blocks(W);
  W_ = W;
  A_ = A;
  transposed_ = A.transpose();
  invert_blocks();
  SparseMatrix damped(A.rows(), A.rows());
  damped.setIdentity();
  damped *= damping;
  const SparseMatrix normal = SparseMatrix(A * inverse_ * transposed_) + damped;
  if (!analyzed_) normal_.analyzePattern(normal);
  analyzed_ = true;
  normal_.factorize(normal);
  return normal_.info() == Eigen::Success && normal_.vectorD().allFinite();
}

void LeastChange::solve(Vector& upper, Vector& lower, int refinements) const {
  const Vector a = upper, b = lower;
  upper.setZero();
  lower.setZero();
  for (int time = 0; time <= refinements; ++time) {
    const Vector above = a - W_ * upper - transposed_ * lower, below = b - A_ * upper;
    const Vector y = inverse_ * above;
    const Vector z = normal_.solve(A_ * y - below);
    upper += y - inverse_ * (transposed_ * z);
    lower += z;
  }
}

}  // namespace trammel
