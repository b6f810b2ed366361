// Coordinate projection: the equations of motion as an ordinary differential equation with invariants,
//
//   p' = Z v,   v' = a,   r' = b,      [M Dᵀ; D 0] (a, λ) = (f, −γ),
//
// in all coordinates, whose state is put back on the position and velocity constraints at the end of every
// step: by the smallest change in the norm of the masses (E. Eich, Convergence results for a coordinate
// projection method, SIAM J. Numer. Anal. 30, 1993; A. Hindmarsh et al. on CVODES with projection). What
// accelerations need anyway, a factorisation of [M Dᵀ; D 0], serves the projection too.
//
// For explicit integrators. A step costs little more than the evaluations of the forces, so that this is the
// fastest form of motions that are not stiff. Redundant constraints are welcome; positions where the rank
// drops for an instant are passed by leaving directions alone that cannot be told (acceleration_system.h).
#pragma once

#include <memory>

#include "trammel/formulation/tangent_problem.h"
#include "trammel/motion/acceleration_system.h"

namespace trammel {

struct CoordinateProjectionOptions {
  double rank_tolerance = 1e-9;
  // A state is projected if a residual of its constraints is larger: in their units at position level,
  // relative to the largest velocity (or one) at velocity level.
  double tolerance = 1e-12;
};

class CoordinateProjection final : public TangentProblem {
 public:
  CoordinateProjection(EquationsOfMotion& motion, CoordinateProjectionOptions options);

  Index unknowns() const override { return layout_.total; }
  Index counted() const override { return layout_.p.size + layout_.v.size + layout_.r.size; }
  const std::vector<int>& variable_index() const override { return index_; }
  bool is_ode() const override { return true; }

  Outcome start(double t, VectorIn x) override;
  Outcome rates(double t, VectorIn x, VectorOut xdot) override;
  Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) override;
  Outcome project(double t, VectorOut x) override;
  // Stages need not be on the constraints, but an integrator may ask for it.
  Outcome complete(double t, VectorOut x) override { return put_back(t, x); }
  Outcome guess_multipliers(double t, VectorOut x) override { return accepted(t, x); }
  Outcome accepted(double t, VectorOut x) override;
  bool measure(double t, VectorIn x, Violation& violation) override;
  void present(VectorOut x) override;

  // Only for explicit integrators.
  Outcome linearize(double t, VectorIn x) override;
  Outcome factor(double shift) override;
  Outcome factor(std::complex<double> shift) override;
  void solve(VectorIn residual, VectorOut x) override;
  void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) override;

 private:
  Outcome take_matrices(double t, const VectorIn& x);
  Outcome factor_matrices(double t);
  Outcome solve_accelerations(double t, const VectorIn& x);
  Outcome correct_accelerations(double t);
  bool is_met(const VectorIn& x) const;
  Outcome put_back(double t, VectorOut x);
  Outcome project_positions(double t, Vector& x);
  Outcome project_velocities(double t, Vector& x);
  Outcome cannot_project(double t, const Vector& residual, const std::vector<std::string>& names);

  CoordinateProjectionOptions options_;
  std::unique_ptr<AccelerationSystem> system_;
  Index constraints_;
  std::vector<int> index_;
  bool redundant_ = false;
  bool coupled_ = false;  // forces depend on multipliers

  Vector multipliers_;
  double known_t_ = 0;
  Vector known_x_;      // where a_ and multipliers_ belong to
  Vector projected_p_;  // where the last projection ended: its factors serve there
  double projected_t_ = 0;
  Vector work_, state_, upper_, lower_, change_;
};

}  // namespace trammel
