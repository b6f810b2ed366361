// The search behind find_equilibrium(). In the free directions N of the constraints, a step y solves
//
//   (−NᵀKN + σ NᵀMN) y = Nᵀf,   K = ∂(f − Dᵀλ)/∂q
//
// (K with the force states at rest). σ = 0 is Newton's step; σ > 0 is an implicit step of length 1/√σ of the
// mechanism in honey. σ is raised until the matrix is positive definite, so that the step leads downhill, and
// until the forces have done work along the step: a line search that needs no potential, only forces.
#pragma once

#include "trammel/analysis/constraint_kernel.h"
#include "trammel/analysis/displaced_motion.h"
#include "trammel/analysis/equilibrium.h"
#include "trammel/motion/sparse_kkt.h"

namespace trammel {

class EquilibriumSearch {
 public:
  EquilibriumSearch(EquationsOfMotion& equations, double t, const EquilibriumOptions& options);

  // From a position on the constraints. Fills in what the result has to say of the end.
  Failure run(Vector& x, EquilibriumResult& result);

 private:
  // Looks at x: kernel, multipliers, forces, stiffness.
  Failure look(Vector& x);
  Failure apply_forces(Vector& x, Vector& force);
  Failure find_multipliers(Vector& x);
  void reduce();
  bool settle_states(Vector& x);
  bool in_balance() const;
  bool is_round_off() const;

  Failure advance(Vector& x);
  bool goes_downhill() const { return options_.seek_stable && states_settle_; }
  bool factor_newton(double sigma);
  Failure try_step(Vector& x, const Vector& step, double& factor, bool& accepted);
  double merit() const { return unbalanced_.dot(acceleration_) + state_rate_.squaredNorm(); }
  Vector state_change(const Vector& step) const;
  bool project(Vector& x, double& correction);
  double step_limit(const Vector& step, const Vector& x) const;

  void classify(EquilibriumResult& result);
  Failure push_off(Vector& x);
  void spread_multipliers(Vector& x);
  Failure runs_away() const;
  Failure not_found() const;

  DisplacedMotion motion_;
  const double t_;
  const EquilibriumOptions& options_;
  const Layout layout_;
  std::vector<std::string> directions_;
  const Vector rest_;
  const bool rotations_known_;  // six velocities a body, the last three rotate

  // at x
  ConstraintKernel kernel_;
  Vector force_;       // f, without what the constraints do
  Vector unbalanced_;  // M a: what they cannot hold
  Vector acceleration_;
  double held_ = 0, most_held_ = 0;  // largest force that is in balance, now and ever
  Matrix inertia_, stiffness_;       // NᵀMN, −NᵀKN
  Vector reduced_force_;
  // force states that positions alone do not determine (integrators): b, and ∂b/∂r, made regular
  bool states_settle_ = true;
  Vector state_rate_;
  Eigen::PartialPivLU<Matrix> state_slope_;

  double scale_ = 0;       // of eigenvalues of the stiffness
  double sigma_ = 0;       // from the last step
  double last_step_ = -1;  // size of the last full Newton step, −1 if there was none
  Eigen::PartialPivLU<Matrix> newton_;
  SparseKkt projection_;
  unsigned pattern_ = 0;
  Vector unstable_direction_;
};

}  // namespace trammel
