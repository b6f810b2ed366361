// Coordinate projection in the semi-explicit form of index 1: accelerations and multipliers are unknowns of the step,
//
//   p' = Z v,   M v' + Dᵀλ = f,   D v' = −γ,   r' = b,
//
// so that nothing is factored but Newton's matrix, which is [M Dᵀ; D 0] up to terms of the size of a step
// (second_order_system.h). The same factors put states and errors on the constraints; only where they do not converge
// the projection takes a matrix of its own.
//
// Rows of D that depend on others at the start are left out of the equations, and their multipliers, which would not be
// determined, stay what they were. Projections know all rows.
#pragma once

#include "trammel/formulation/projection/coordinate_projection.h"

namespace trammel {

class ProjectedIndex1 final : public CoordinateProjection {
 public:
  ProjectedIndex1(EquationsOfMotion& motion, CoordinateProjectionOptions options);

  const std::vector<int>& newton_index() const override { return newton_index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome accepted(double t, VectorOut x) override;

  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  using CoordinateProjection::factor;
  Outcome factor(double shift) override;
  using CoordinateProjection::solve;
  void solve(VectorIn residual, VectorOut x) override;
  Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) override {
    return ImplicitProblem::multiply_mass(t, x, vector, out);
  }
  void newton_failed() override { doubtful_ = state_.redundant(); }

 protected:
  void patterns_grown() override;

 private:
  Outcome choose_rows(double t, VectorIn x);

  std::vector<int> newton_index_;
  std::vector<char> counts_;  // rows of (g, h)
  bool factored_ = false;
  bool doubtful_ = false;  // whether the rows that count are the right ones
  double accepted_t_ = 0;
  Vector accepted_x_, held_, multipliers_;  // held: where rows were chosen
};

}  // namespace trammel
