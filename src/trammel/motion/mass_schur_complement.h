// [M Dᵀ; D −E] by way of S = D M⁻¹ Dᵀ + E, where M is made of small blocks, those of the bodies.
//
// S is positive definite, and its unknowns are the constraints alone. So it can be ordered for little fill whatever its
// values are, where the pivots of the whole have to avoid the zeros in its corner: of a net of bodies, the factors of S have
// an order of magnitude fewer entries. It squares the condition, for which the refinement of AccelerationSystem makes up.
#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "trammel/numerics/assembled_matrix.h"
#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

class MassSchurComplement {
 public:
  // The pattern; `used` marks the entries of D that are not always zero, `epsilon` is the diagonal of E. False if M is
  // not made of small blocks.
  bool prepare(const SparseMatrix& M, const SparseMatrix& D, const std::vector<char>& used,
               const Vector& epsilon);
  // Entries of the factor.
  Index fill() const { return fill_; }
  // False if a block has no inverse.
  bool set_mass(const SparseMatrix& M);
  // False if S is not positive definite to working precision.
  bool factor(const SparseMatrix& D);
  // (upper, lower) become the solution, with the matrices of the last factor().
  void solve(Vector& upper, Vector& lower) const;

 private:
  static constexpr int most = 6;  // velocities of a body
  struct Entry {
    int source, row, column;  // place in D; row and column within the block
  };
  struct Block {
    int first = 0, size = 0;      // its velocities
    int first_row = 0, rows = 0;  // in rows_
    int first_entry = 0, entries = 0;
  };

  bool find_blocks(const SparseMatrix& M);
  void find_entries(const SparseMatrix& D, const std::vector<char>& used);
  void assemble(const SparseMatrix& D);
  void divide_by_mass(Vector& x) const;

  std::vector<Block> blocks_;
  std::vector<int> rows_;  // that depend on a block
  std::vector<Entry> entries_;
  std::vector<Eigen::LLT<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>>> masses_;
  Vector epsilon_;
  SparseMatrix D_;     // of the factors, which may serve elsewhere
  AssembledMatrix S_;  // its lower triangle
  struct Factors : Eigen::SimplicialLLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>> {
    Index entries() const { return m_matrix.nonZeros(); }  // known as soon as the pattern is
  };
  Factors factors_;
  Index fill_ = 0;
};

}  // namespace trammel
