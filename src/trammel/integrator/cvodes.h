// CVODES of SUNDIALS as an integrator: multistep methods of variable order and step size, in Nordsieck form,
// for every problem that is an ordinary differential equation.
//
//   bdf    orders 1 to 5, Newton's iteration with the problem's own solves: for stiff problems
//   adams  orders 1 to 12, fixed-point iteration, no Jacobian: for problems that are not stiff
//
// A. C. Hindmarsh et al., SUNDIALS: Suite of Nonlinear and Differential/Algebraic Equation Solvers, ACM
// Transactions on Mathematical Software 31, 2005.
#pragma once

#include "trammel/integrator/cvodes_options.h"
#include "trammel/integrator/sundials_integrator.h"

namespace trammel {

class Cvodes final : public SundialsIntegrator {
 public:
  Cvodes(OdeProblem& problem, CvodesOptions options);

  // The order of the last step.
  int order() const;

 private:
  Failure check() const override { return options_.check(problem_.unknowns()); }
  void* create() override;
  bool initialize() override;
  bool set_options() override;
  bool set_matrix() override;
  bool begin_again(double h0) override;
  End advance(double bound, double& t) override;
  int finish_step() override;
  double time_of_guess() const override { return system().t; }

  // What the nonlinear system of the present step is made of: its time, and the predicted values, which after
  // a step are the first column of the history.
  struct System {
    double t = 0;
    _generic_N_Vector* predicted = nullptr;
  };
  System system() const;
  End complete_step(double t);

  CvodesOptions options_;
};

}  // namespace trammel
