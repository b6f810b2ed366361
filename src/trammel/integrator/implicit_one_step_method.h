// What the implicit one-step methods share: when Newton's matrix is taken anew and factored, what a failure
// of the iteration means for the step, and the step size that keeps a factorisation in use.
//
// A problem with invariants (ode_problem.h) has the end of a step put on them after its stages are solved and before its error is
// tested, which is projected too. Stages, of which nothing is kept, are left beside them.
//
// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., 1996, section IV.8.
#pragma once

#include "trammel/formulation/implicit_problem.h"
#include "trammel/integrator/newton_convergence.h"
#include "trammel/integrator/one_step_method.h"
#include "trammel/integrator/state_projection.h"

namespace trammel {

class ImplicitOneStepMethod : public OneStepMethod {
 public:
  const Vector* error_estimate() const final { return &error_; }

 protected:
  enum class Newton { converged, slow, diverged, retry, fail };

  ImplicitOneStepMethod(ImplicitProblem& problem, const StepControl& control, const NewtonControl& newton,
                        const ProjectionControl& projection);

  // Takes the Jacobian for a step from (t_, x_).
  virtual Outcome linearize() = 0;
  // Factors for the step size h_.
  virtual Outcome factor() = 0;
  virtual Newton solve_stages() = 0;
  // Where the stages lead: the end of the step, before a projection.
  virtual Outcome find_end(Vector& end) = 0;
  // Whether a Jacobian that was taken for this step serves a smaller one.
  virtual bool keeps_fresh_jacobian() const { return true; }
  // Tolerances as the user gave them, and the power of round-off that one which can be met goes with.
  virtual const Tolerances& tolerances() const = 0;
  virtual double power_of_round_off() const { return 1; }

  void resize() override;
  Outcome prepare() final;
  Outcome attempt() final;
  void propose() final;
  double factor_after_error() final { return first_ ? 0.1 : h_new_ / h_; }
  void rejected() final;
  bool can_try_again() final;
  void advance() override;
  Outcome settle() final;
  bool keeps_step(double ratio) const final;
  void went_back() final;
  void carry(Carrier& carried) override;

  // `stop`: that of the method, unless the options have one; not below round-off of the tolerance inside.
  void set_newton_stop(double stop, double rtol);
  // Whether there are invariants, on which steps end.
  bool has_invariants() const { return problem_.ode() != nullptr && problem_.ode()->has_invariants(); }
  // Gives values of index 0, which are none of the integrator's, those of another vector.
  void leave_what_follows(const Vector& as, Vector& values) const;
  // Whether the end of the present step is put on invariants.
  bool projects() const { return projection_.is_due(); }
  // Sets err_ by the error in error_, which is projected first where there are invariants.
  Outcome measure_error(const Vector& scale);
  // Limits of Newton's iteration on a step from x_, whose changes are measured by this scale.
  NewtonConvergence::Limits newton_limits(const VectorIn& scale) const;

  ImplicitProblem& problem_;
  Index n_ = 0, m_ = 0;  // unknowns and equations; −1: not known before the first linearisation
  NewtonConvergence convergence_;
  double newton_stop_ = 0;
  double theta_ = 0;    // the slowest rate of convergence in this step
  int iterations_ = 0;  // of the last iteration in it
  // How far the last linearisation was from a singular position.
  double regularity_ = 1;
  bool need_jacobian_ = true, need_factor_ = true;
  bool jacobian_fresh_ = false;  // the Jacobian was taken for this step
  Vector error_;
  Vector end_;  // of the attempt

 private:
  Outcome finish();
  template <class Ask>
  Outcome patiently(const Ask& ask);
  Outcome unprojected(Outcome outcome);
  Failure did_not_converge();

  ProjectionControl projection_control_;
  StateProjection projection_;
  Vector end_scale_;
  double whole_error_ = 0;  // before it is projected
  StepControl control_;
  NewtonControl newton_;
  double h_factored_ = 0;
  // Where the first attempt at a step that did not converge came to a stop; −1: there was none.
  double stagnated_at_ = -1;
};

}  // namespace trammel
