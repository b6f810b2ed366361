// LU decomposition of a square sparse matrix by KLU (Davis and Palamadai Natarajan, Algorithm 907, ACM TOMS
// 37, 2010), real or complex.
//
// The pattern is analysed once. The first factorisation chooses pivots; the later ones keep them, which is
// several times faster and allocates nothing, and choose new ones only where the kept ones would cost
// accuracy. Rows are scaled by their largest entry.
#pragma once

#include <memory>
#include <vector>

#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

template <class Scalar>
class SparseLu {
 public:
  using SparseType = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;
  using DenseType = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  SparseLu();
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  // Orders the unknowns for little fill. Only the pattern of A counts; A must be square and compressed.
  // Throws std::invalid_argument otherwise.
  void analyze(const SparseType& A) { analyze(A, {}); }
  // The same with an order that whoever knows where the matrix is from thinks well of: it is taken if the first factors
  // have fewer entries with it.
  void analyze(const SparseType& A, std::vector<int> order);

  // Orders the unknowns of a matrix that couples several copies of one system, unknown k of copy i at
  // i·size + k, by the order and the pivots that were found for a single one.
  void analyze_copies(const SparseType& A, const SparseLu& single);

  // Decomposes a matrix of the pattern analysed; throws std::invalid_argument for another pattern. False
  // where the matrix is singular or an entry is not finite; then nothing can be solved until the next
  // success. A matrix counts as singular if a pivot is exactly zero: smallest_pivot_ratio() tells how near it
  // came.
  bool factor(const SparseType& A);

  // The next factor() chooses pivots anew, also if those at hand would do.
  void forget_pivots();

  // Where factor() failed: the column without a pivot. −1 if there is none to blame.
  Index singular_column() const;

  // A x = b and Aᵀ x = b (not conjugated) in place, for one or several right-hand sides. Throw
  // std::logic_error if nothing is decomposed and std::invalid_argument if b has another number of rows.
  void solve(Eigen::Ref<DenseType> b);
  void solve_transposed(Eigen::Ref<DenseType> b);

  // The smallest pivot relative to the largest, of the matrix with scaled rows: a crude measure of how near
  // it is to a singular one. 0 where factor() failed, 1 for an empty matrix.
  double smallest_pivot_ratio() const;

  // ‖A‖₁ ‖A⁻¹‖₁, estimated with about ten solutions; A as given to factor(). Infinite where factor() failed.
  double condition_estimate(const SparseType& A);

  Index size() const;
  // Entries of both factors.
  Index fill() const;
  // What the analysis promises of them if no pivot has to be avoided.
  Index estimated_fill() const;
  // How often pivots were chosen anew, and how often those at hand would do.
  long factorizations() const;
  long refactorizations() const;

 private:
  class Decomposition;
  std::unique_ptr<Decomposition> decomposition_;
};

extern template class SparseLu<double>;
extern template class SparseLu<std::complex<double>>;

}  // namespace trammel
