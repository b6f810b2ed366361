// The matrix of a step of second order,
//
//     [ M − (c F_v + F_q)/m + Bᵀ w D    −F_r/m   ] [ q ]
//     [     −(B_q + c B_v)            s I − B_r  ] [ r ]
//
// with F and B the slopes of forces and of rates of states, D the constraints by displacements, B = D unless forces depend on
// reactions, w the penalties. Dense where it is small, sparse above.
#pragma once

#include <vector>

#include "trammel/formulation/second_order_problem.h"
#include "trammel/motion/tangent_slopes.h"
#include "trammel/numerics/assembled_matrix.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {

class PenaltyMatrix {
 public:
  // Up to this size it is dense.
  static constexpr Index dense_size = 80;

  // Patterns of slopes have grown, or other equations follow.
  void forget_patterns() { known_ = false; }

  // False where it is singular.
  bool factor(const TangentSlopes& slopes, const SecondOrderWeights& weights, const Vector& penalties);
  // (q, r) in place.
  void solve(VectorOut unknowns);

 private:
  struct Place {
    int column, slot;  // of a row of D: where it is in the array of values
  };
  struct Row {
    std::vector<Place> jacobian;
    std::vector<Place> coupling;  // how forces depend on its multiplier: velocities and slots
  };

  void take_patterns(const TangentSlopes& slopes);
  // Calls add(row, column, value) of all entries, in the same order every time.
  template <class Add>
  void enter(const TangentSlopes& slopes, const SecondOrderWeights& weights, const Vector& penalties,
             const Add& add) const;
  void factor_dense();

  bool known_ = false, is_dense_ = true;
  Index velocities_ = 0, size_ = 0;
  std::vector<Row> rows_;
  Matrix dense_;
  std::vector<Index> swaps_;
  AssembledMatrix sparse_;
  SparseLu<double> lu_;
};

}  // namespace trammel
