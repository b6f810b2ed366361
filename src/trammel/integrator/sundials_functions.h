// A problem as the codes of SUNDIALS call it: an ordinary differential equation x' = f(t,x) with error
// weights and with solves of (I − γ f_x) δ = b. Nothing is thrown, since the caller is C. Every function
// returns 0, a positive number where a smaller step may help, or a negative one where nothing will.
//
// The equation need not be there in this form. With E x' = φ and σ = 1/γ the solve is (σE − J) δ = σE b.
// Where some unknowns follow from the others, every guess is completed before it is used, and their entries
// of b are dropped: they are differences from a formula that was not applied to them.
#pragma once

#include "trammel/formulation/problem.h"
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
  int solve(VectorIn b, VectorOut delta);
  int complete(double t, VectorOut x);
  // The same for codes that take a positive answer as the end: 0 in its place, and unfinished().
  int complete_step(double t, VectorOut x);
  bool unfinished() const { return unfinished_; }
  // The next state that rates() gets is complete already.
  void expect_complete() { is_complete_ = true; }
  int accepted(double t, VectorOut x);
  // The inverse of the tolerances, scaled for a norm that is a mean over all unknowns.
  int weights(VectorIn x, VectorOut weights);

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
  int report(Outcome outcome);
  void remember(const Failure& trouble);

  Problem& problem_;
  const Tolerances& tolerances_;
  Vector state_, linearized_at_, b_, rhs_;
  double linearized_t_ = 0, shift_ = 0;
  bool linearized_ = false;
  Failure trouble_;
  bool hopeless_ = false, noticed_ = false, unfinished_ = false, is_complete_ = false;
};

}  // namespace trammel
