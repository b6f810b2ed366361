// A problem as the codes of SUNDIALS call it: an ordinary differential equation x' = f(t,x) with error
// weights and with solves of (I − γ f_x) δ = b. Nothing is thrown, since the caller is C. Every function
// returns 0, a positive number where a smaller step may help, or a negative one where nothing will.
//
// The equation need not be there in this form. With E x' = φ and σ = 1/γ the solve is (σE − J) δ = σE b.
// Where some unknowns follow from the others, every guess is completed before it is used, and their entries
// of b are dropped: they are differences from a formula that was not applied to them.
//
// Codes for implicit equations take E x' = φ as it is: F = E x' − φ = 0 with solves of (σE − J) δ = b. F has
// as many entries as there are unknowns. Where there are fewer equations the last are zero.
#pragma once

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"
#include "trammel/integrator/state_projection.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

class SundialsFunctions {
 public:
  // Both are kept by reference.
  SundialsFunctions(Problem& problem, const Tolerances& tolerances);

  // Forgets everything about an earlier run; after Problem::start().
  void start();

  int rates(double t, VectorIn x, VectorOut xdot);
  // Prepares solves with I − γ f_x. The Jacobian may be kept if `keep`; whether it is a new one is said in
  // `renewed`.
  int linearize(double t, VectorIn x, double gamma, bool keep, bool& renewed);
  // Solves with what was prepared last, here or by linearize_implicit().
  int solve(VectorIn b, VectorOut delta);
  int complete(double t, VectorOut x);
  // The same for the end of a step: a problem that does not complete its states may put them back.
  int finish(double t, VectorOut x);
  // The same for codes that take a positive answer as the end: 0 in its place, and unfinished().
  int complete_step(double t, VectorOut x);
  bool unfinished() const { return unfinished_; }
  // The next state that rates() gets is complete already.
  void expect_complete() { is_complete_ = true; }
  int accepted(double t, VectorOut x);
  // The end of a step onto the invariants, and its error.
  int project(StateProjection& projection, double t, const Vector& scale, Index n, Vector& x);
  int project_error(StateProjection& projection, double t, const Vector& x, const Vector& scale,
                    Vector& error);
  // The inverse of the tolerances, scaled for a norm that is a mean over all unknowns.
  int weights(VectorIn x, VectorOut weights);

  // F, for implicit equations, and solves with σE − J. A problem whose J depends on x' may take the x' of the
  // residual before it, which is at the same point.
  int residual(double t, VectorIn x, VectorIn xdot, VectorOut out);
  int linearize_implicit(double t, VectorIn x, double shift);
  // Rates that fit x, to begin with. `span` is the length of the run.
  int initial_rates(double t, VectorIn x, double span, VectorOut xdot);
  // Weights for one norm that serves Newton's iteration, and the error test as far as counts_in_error_test():
  // unknowns of index k > 1 take part in Newton's iteration alone, with h^(k−1) times their weight.
  int implicit_weights(VectorIn x, VectorOut weights);
  bool counts_in_error_test(Index i) const;
  // The size of the step to come, for these weights.
  void expect_step(double h) { h_ = h; }

  // Other unknowns have become independent: solves need a new Jacobian.
  void forget_jacobian() { linearized_ = false; }
  bool needs_jacobian() const { return !linearized_; }

  // The nonlinear iteration begins, or ended in vain.
  void begin_iteration() { noticed_ = false; }
  void iteration_failed();

  // What stood in the way last, for the message if the run ends.
  const Failure& trouble() const { return trouble_; }
  // Whether that ends the run.
  bool hopeless() const { return hopeless_; }
  void forget_trouble();

 private:
  template <class Function>
  int guard(Function&& function);
  int report(Outcome outcome) { return report(outcome, problem_.failure()); }
  int report(Outcome outcome, const Failure& failure);
  void remember(const Failure& trouble);
  void set_weights(VectorIn x, VectorOut weights) const;
  int rates_of_shift(double t, VectorIn x, double shift, Vector& xdot);

  Problem& problem_;
  OdeProblem* const ode_;            // null: it is none
  ImplicitProblem* const implicit_;  // the same
  const Tolerances& tolerances_;
  Vector state_, linearized_at_, b_, rhs_;
  Vector now_, later_, rough_;  // work space of initial_rates()
  std::vector<bool> algebraic_;
  double linearized_t_ = 0, shift_ = 0, h_ = 0;
  bool linearized_ = false, solves_implicit_ = false;
  Failure trouble_;
  bool hopeless_ = false, noticed_ = false, unfinished_ = false, is_complete_ = false;
};

}  // namespace trammel
