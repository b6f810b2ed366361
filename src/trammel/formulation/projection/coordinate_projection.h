// Coordinate projection: the equations of motion as an ordinary differential equation with invariants,
//
//   p' = Z v,   v' = a,   r' = b,      [M Dᵀ; D 0] (a, λ) = (f, −γ),
//
// in all coordinates, whose state is put back on the position and velocity constraints at the end of every
// step: by the smallest change in the norm of the masses (E. Eich, Convergence results for a coordinate
// projection method, SIAM J. Numer. Anal. 30, 1993; A. Hindmarsh et al. on CVODES with projection). What
// accelerations need anyway, a factorisation of [M Dᵀ; D 0], serves the projection too
// (motion/consistent_state.h).
//
// For explicit integrators. A step costs little more than the evaluations of the forces, so that this is the
// fastest form of motions that are not stiff. Redundant constraints are welcome; positions where the rank
// drops for an instant are passed by leaving directions alone that cannot be told.
#pragma once

#include "trammel/formulation/ode_problem.h"
#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/consistent_state.h"

namespace trammel {

using CoordinateProjectionOptions = ConsistentStateOptions;

class CoordinateProjection final : public TangentProblem, public OdeProblem {
 public:
  CoordinateProjection(EquationsOfMotion& motion, CoordinateProjectionOptions options);

  Index unknowns() const override { return layout_.total; }
  Index counted() const override { return layout_.p.size + layout_.v.size + layout_.r.size; }
  const std::vector<int>& variable_index() const override { return index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome resume(double t, VectorIn x, Carrier& carried) override;
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome put_back(double t, VectorOut x) override;
  Outcome accepted(double t, VectorOut x) override;
  const Vector* accelerations_at(double t, VectorIn x) override;
  bool interpolates_multipliers() const override { return false; }

 private:
  Outcome accelerate(double t, const VectorIn& x);
  Outcome outcome_of(const Failure& failure);
  void count(const ConsistentState::Counts& before);

  ConsistentState state_;
  Index constraints_;
  std::vector<int> index_;
};

}  // namespace trammel
