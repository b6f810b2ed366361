// Coordinate projection: the equations of motion as an ordinary differential equation with invariants,
//
//   p' = Z v,   v' = a,   r' = b,      [M Dᵀ; D 0] (a, λ) = (f, −γ),
//
// in all coordinates, whose state is put on the position and velocity constraints in every step (E. Eich,
// Convergence results for a coordinate projection method, SIAM J. Numer. Anal. 30, 1993; A. Hindmarsh et al. on
// CVODES with projection).
//
// Explicit one-step methods put back the end of a step, by the smallest change in the norm of the masses: a
// factorisation of [M Dᵀ; D 0], which accelerations need anyway, serves that too (motion/consistent_state.h).
// Multistep methods project inside the step, in the norm of their tolerances, and project the error as well
// (weighted_projection.h). Implicit methods get the exact Jacobian (second_order_system.h).
//
// Redundant constraints are welcome; positions where the rank drops for an instant are passed by leaving directions
// alone that cannot be told.
#pragma once

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"
#include "trammel/formulation/projection/coordinate_projection_options.h"
#include "trammel/formulation/projection/second_order_system.h"
#include "trammel/formulation/projection/weighted_projection.h"
#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/consistent_state.h"

namespace trammel {

class CoordinateProjection : public TangentProblem, public OdeProblem, public ImplicitProblem {
 public:
  CoordinateProjection(EquationsOfMotion& motion, CoordinateProjectionOptions options);

  Index unknowns() const override { return layout_.total; }
  Index counted() const override { return layout_.p.size + layout_.v.size + layout_.r.size; }
  const std::vector<int>& variable_index() const override { return index_; }

  Outcome start(double t, VectorIn x) override;
  Outcome resume(double t, VectorIn x, Carrier& carried) override;
  Outcome accepted(double t, VectorOut x) override;
  Outcome rebase_invariants(double t, VectorIn x) override;
  const Vector* accelerations_at(double t, VectorIn x) override;
  bool interpolates_multipliers() const override { return false; }

  // As an ordinary differential equation.
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome put_back(double t, VectorOut x) override;
  Outcome can_accept(double t, VectorIn x) override { return accelerate(t, x); }
  bool steps_project() const override { return true; }
  bool has_invariants() const override {
    return options_.projects && (constraints_ + layout_.normalizations > 0 || options_.keeps_invariants);
  }
  Outcome violation(double t, VectorIn x, VectorIn scale, double& size) override;
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut x) override;
  Outcome project_error(double t, VectorIn x, VectorIn scale, VectorOut error) override;
  void projection_failed() override { projection_.forget(); }

  // The same as x' − f(x, t) = 0 for p, v, r; for unknowns that follow from these 0 = 0, and they do not change.
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;
  Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) override;

 protected:
  void patterns_grown() override;
  Outcome outcome_of(const Failure& failure);
  // The residual as right sides of the equations for displacements, and their solution as a change of the unknowns.
  void take_residual(VectorIn residual);
  void give_solution(VectorOut x);
  // Whether the motion keeps what is to be kept.
  Outcome check_invariants(double t, VectorIn x);

  CoordinateProjectionOptions options_;
  ConsistentState state_;
  KeptInvariants invariants_;
  WeightedProjection projection_;
  Index constraints_;
  std::vector<int> index_;

  SecondOrderSystem system_;
  Vector linearized_at_, no_residual_;
  SecondOrderSystem::Columns<double> real_;

 private:
  Outcome accelerate(double t, const VectorIn& x);
  void count(const ConsistentState::Counts& before);
  void count_projection(long iterations, long matrices);
  Outcome put_back_by_own(double t, VectorOut x);

  Vector change_, part_;
  SecondOrderSystem::Columns<std::complex<double>> complex_;
};

}  // namespace trammel
