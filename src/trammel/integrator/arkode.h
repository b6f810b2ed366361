// ARKODE of SUNDIALS as an integrator: Runge-Kutta methods with an embedded error estimate, for every problem
// that is an ordinary differential equation.
//
//   dirk  diagonally implicit, Newton's iteration with the problem's own solves: for stiff problems
//   erk   explicit, no Jacobian: for problems that are not stiff
//
// D. R. Reynolds, D. J. Gardner, C. S. Woodward, R. Chinomona, ARKODE: A Flexible IVP Solver Infrastructure
// for One-step Methods, ACM Transactions on Mathematical Software 49, 2023.
#pragma once

#include "trammel/integrator/arkode_options.h"
#include "trammel/integrator/sundials_integrator.h"

namespace trammel {

class Arkode final : public SundialsIntegrator {
 public:
  Arkode(OdeProblem& problem, ArkodeOptions options);

  void interpolate(double t, VectorOut x) const override;

 private:
  Failure check() const override { return options_.check(problem_.unknowns()); }
  bool is_multistep() const override { return false; }
  void* create() override;
  bool initialize() override;
  bool set_options() override;
  bool set_matrix() override;
  void watch_iteration() override {}  // when a step ends is not known before it does
  bool begin_again(double h0) override;
  End advance(double bound, double& t) override;
  Counters counters() const override;
  int finish_step() override;
  double time_of_guess() const override { return t_; }
  int complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction) override;

  bool set_method();
  bool restart(double h0);
  int evolve(double bound, double& t);
  bool is_implicit() const { return options_.family == ArkodeOptions::Family::dirk; }

  ArkodeOptions options_;
  Counters before_;  // those of the code begin anew with restart()
  // dirk: rates of change at both ends of the last step, and at the last stage as its equation has them
  Vector rate_old_, rate_, stage_rate_;
};

}  // namespace trammel
