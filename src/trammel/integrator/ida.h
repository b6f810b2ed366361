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
// K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in
// Differential-Algebraic Equations, 1996; A. C. Hindmarsh et al., SUNDIALS, ACM TOMS 31, 2005.
#pragma once

#include <vector>

#include "trammel/integrator/ida_options.h"
#include "trammel/integrator/newton_convergence.h"
#include "trammel/integrator/sundials_integrator.h"

namespace trammel {

class Ida final : public SundialsIntegrator {
 public:
  Ida(ImplicitProblem& problem, IdaOptions options);

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

  bool set_error_test();

  IdaOptions options_;
  Vector rates_;
  sundials::VectorOwner rates_vector_;  // on rates_
  NewtonConvergence convergence_;
  double first_step_ = 0;          // 0: a step was taken
  std::vector<int> tested_index_;  // of the unknowns, when the error test was set
};

}  // namespace trammel
