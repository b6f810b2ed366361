// Coordinates on the solutions of constraints: which combinations y = S δ of displacements (or of velocities)
// are free, and how all of δ follows from them where D δ = 0:
//
//   δ = T y,  D T = 0,  S T = I;      a correction of a residual that leaves y alone:  D δ = −residual, S δ = 0.
//
// Three choices of S:
//
//   partition  rows of the identity: some are independent, the others follow (R. A. Wehage, E. J. Haug, 1982).
//   tangent    an orthonormal basis of the kernel of D at the point of choice: coordinates in the tangent
//              plane there (N. K. Mani, E. J. Haug, K. E. Atkinson, 1985).
//   nullspace  the same, carried along: after every step the basis is the old one put into the new kernel and
//              made orthonormal again. It is a differentiable function of the position as long as the rank is
//              constant (C. G. Liang, G. M. Lance, 1987) and never grows ill-conditioned.
//
// All three stand on a partition, whose D_u is what is factored; a basis has as few rows as there are degrees
// of freedom, and its matrices are full.
#pragma once

#include <vector>

#include "trammel/formulation/state_space/coordinate_partitioning_options.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

// S: some of all components, or combinations of all.
struct Selection {
  std::vector<Index> independent;
  Matrix basis;  // empty: the independent ones themselves

  Index size() const { return static_cast<Index>(independent.size()); }
  bool operator==(const Selection& other) const;

  // y = S δ, for one or several columns
  template <class In, class Out>
  void take(const In& all, Out&& y) const {
    if (basis.size() > 0) {
      y = basis * all;
      return;
    }
    for (Index k = 0; k < size(); ++k) y.row(k) = all.row(independent[static_cast<std::size_t>(k)]);
  }
};

class IndependentCoordinates {
 public:
  using Kind = CoordinatePartitioningOptions::Kind;
  enum class Renewal { none, carried, chosen };

  struct Choice {
    Kind kind = Kind::partition;
    Index rows = 0;             // the first rows of D that matter
    double rank_tolerance = 0;  // SparseRank
    Vector preference;          // for each column: those of large preference are to depend
  };

  void choose(const SparseMatrix& D, Choice choice);
  // At a point where factor() was called: other coordinates where the condition of those at hand has grown by
  // more than `growth` since their choice. `careful`: other rows, too (SparsePartition).
  Renewal renew(const SparseMatrix& D, double growth, bool careful);
  // D elsewhere. False where these coordinates are not good for it.
  bool factor(const SparseMatrix& D);
  // D has a larger pattern than before.
  void renew_pattern(const SparseMatrix& D);

  // False where no choice is good.
  bool regular() const;
  Index size() const { return partition_.size(); }
  Index rank() const { return partition_.rank(); }
  bool redundant() const { return partition_.redundant(); }
  // The rows of D that determine the others, also as a mark for each row.
  const std::vector<Index>& rows() const { return partition_.rows(); }
  const std::vector<char>& counts() const { return partition_.counts(); }
  const Selection& selection() const { return selection_; }
  const SparsePartition& partition() const { return partition_; }

  // δ with D δ = −residual and S δ = 0.
  void correct(const VectorIn& residual, VectorOut change);
  void correct_columns(const Matrix& residual, Matrix& change);
  void tangent(const SparseMatrix& D, Matrix& T);
  // δ with S δ = y and D δ = −residual (of all rows; empty: zero).
  template <class Column>
  void spread(const SparseMatrix& D, const Column& y, const Column& residual, Column& all);
  // δ with y in the independent components of a partition and zero in the others.
  template <class Column>
  void put(const Column& y, Column& all) const {
    all.setZero(partition_.rank() + size());
    for (Index k = 0; k < size(); ++k) all[selection_.independent[static_cast<std::size_t>(k)]] = y[k];
  }

 private:
  bool has_basis() const { return choice_.kind != Kind::partition; }
  void choose_partition(const SparseMatrix& D, bool careful);
  void follow_basis(const SparseMatrix& D);
  void carry_basis();
  double stretch() const;

  Choice choice_;
  SparsePartition partition_;
  Selection selection_;
  Matrix T_;  // of a basis, at the last factor()
  bool regular_ = true;
};

}  // namespace trammel
