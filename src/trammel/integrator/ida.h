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

#include <memory>
#include <vector>

#include "trammel/integrator/newton_convergence.h"
#include "trammel/integrator/sundials_integrator.h"

namespace trammel {

struct IdaOptions {
  Tolerances tolerances;
  // The highest order to use.
  int max_order = 5;
  // Iterations allowed per attempt.
  int max_newton_iterations = 4;
  // Newton's iteration ends when its error is below this part of the tolerance; 0: 0.03. IDAS has 0.33 unless
  // told; the error estimates of high orders, which are differences of several steps, then see more of the
  // iteration than of the motion, and constrained motion takes up to twice the steps.
  double newton_stop = 0;
  long max_steps = 100000;
  // 0: the whole interval.
  double max_step = 0;
  // No error test: every step of the first one's size, or shorter where Newton's iteration does not converge.
  bool fixed_step = false;

  Failure check(Index n) const;
};

class Ida final : public SundialsIntegrator {
 public:
  Ida(ImplicitProblem& problem, IdaOptions options);
  ~Ida() override;

  // The order of the last step.
  int order() const;

 private:
  Failure check() const override;
  bool takes_only_ode() const override { return false; }
  bool begin(double h0) override;
  bool begin_again(double h0) override;
  End advance(double bound, double& t) override;
  Counters counters() const override;
  double attempted_t() const override;
  double taken_step() const override;
  double proposed_step() const override;
  void evaluate(double t, Vector& x) const override;
  bool is_multistep() const override { return true; }

  struct Free {
    void operator()(void* memory) const noexcept;
  };

  bool set_solvers();
  bool set_error_test();
  bool set_first_step(double h0);
  int complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction);

  IdaOptions options_;
  Vector rates_;
  sundials::VectorOwner rates_vector_;  // on rates_
  sundials::MatrixOwner matrix_;
  sundials::LinearSolverOwner linear_solver_;
  std::unique_ptr<sundials::NonlinearSolver> iteration_;
  std::unique_ptr<void, Free> memory_;
  NewtonConvergence convergence_;
  Vector completed_;
  double first_step_ = 0;          // 0: a step was taken
  std::vector<int> tested_index_;  // of the unknowns, when the error test was set
};

}  // namespace trammel
