// IDAS of SUNDIALS as an integrator: backward differentiation of variable order, 1 to 5, and step size, with
// fixed leading coefficient, for implicit equations F = E x' − φ = 0, differential or not.
//
// Each step solves F = 0 with x' from the formula by Newton's iteration, whose matrix σE − J is the problem's
// own. σ, the leading coefficient over the step size, may change by a factor of 5/3 before the matrix is
// renewed; the changes are scaled by 2/(1 + σ/σ_old) meanwhile.
//
// Unknowns of index 2 and more take no part in the error test. They do in Newton's iteration, where their
// weight has the factor h^(index−1), since that is how exactly an iteration can determine them.
//
// Invariants are projected inside the step (state_projection.h), after the iteration and before the error test, as part of
// what the iteration found: so the history is one of projected states, and nothing begins anew. Errors are projected
// by the norm of the vectors that IDAS tests them with.
//
// K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in
// Differential-Algebraic Equations, 1996; A. C. Hindmarsh et al., SUNDIALS, ACM TOMS 31, 2005.
#pragma once

#include <vector>

#include "trammel/integrator/ida_options.h"
#include "trammel/integrator/newton_convergence.h"
#include "trammel/integrator/state_projection.h"
#include "trammel/integrator/sundials_integrator.h"

namespace trammel {

class Ida final : public SundialsIntegrator {
 public:
  Ida(ImplicitProblem& problem, IdaOptions options);

  const Vector* local_error() const override;
  // The order of the last step.
  int order() const;

 private:
  Failure check() const override;
  bool takes_only_ode() const override { return false; }
  void* create() override;
  bool initialize() override;
  bool set_options() override;
  bool set_matrix() override;
  void watch_iteration() override;
  bool set_first_step(double h0) override;
  bool begin_again(double h0) override;
  End advance(double bound, double& t) override;
  sundials::WeightFunction weights() const override;
  double time_of_guess() const override;
  Counters counters() const override;

  int finish_inside(double t) override;

  bool set_error_test();
  int set_scale(const Vector& x, Index& counted);
  int project(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction);
  double norm_of_error(_generic_N_Vector* error, _generic_N_Vector* weights, _generic_N_Vector* counted);
  static double error_norm(_generic_N_Vector* error, _generic_N_Vector* weights, _generic_N_Vector* counted);

  IdaOptions options_;
  Vector rates_;
  sundials::VectorOwner rates_vector_;  // on rates_
  NewtonConvergence convergence_;
  double first_step_ = 0;          // 0: a step was taken
  std::vector<int> tested_index_;  // of the unknowns, when the error test was set

  StateProjection projection_;
  long failed_projections_ = 0;   // since the last start
  bool projects_errors_ = false;  // of the present step
  double projected_t_ = 0;
  Vector projected_, scale_, error_;
  mutable Vector own_error_;                   // of the last step
  sundials::VectorOwner error_vector_;         // on error_
  double error_before_ = 0, error_after_ = 0;  // projection, of the present step
};

}  // namespace trammel
