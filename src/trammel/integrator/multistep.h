// Multistep methods of variable order and step size for ordinary differential equations with invariants, which are
// projected inside every step.
//
//   bdf    orders 1 to 5, Newton's iteration with the problem's own solves: for stiff problems
//   adams  orders 1 to 12, fixed-point iteration, no matrix: for problems that are not stiff
//
// The order of events in a step is: predict; correct; put the state on the invariants, unless it is near enough;
// project the estimated error, and scale it afterwards; test it. A projection that fails, or that moves the state
// too far, is a failure like one of the corrector: what it keeps is made anew, the step becomes smaller and, if that
// does not help, its order lower.
//
// What is carried from step to step are the states (bdf) or their rates (adams) at the last points, as they were
// accepted: all of them on the invariants, and rates are those there. See multistep_formula.h. A method that carries
// points goes back by dropping one.
//
// Biases and thresholds of the choice of order and step size are those of VODE (P. N. Brown, G. D. Byrne, A. C.
// Hindmarsh, SIAM J. Sci. Stat. Comput. 10, 1989). Projected errors: E. Eich, SIAM J. Numer. Anal. 30, 1993.
#pragma once

#include "trammel/formulation/implicit_problem.h"
#include "trammel/formulation/ode_problem.h"
#include "trammel/integrator/multistep_options.h"
#include "trammel/integrator/one_step_method.h"
#include "trammel/integrator/state_projection.h"

namespace trammel {

// A one-step method of its history: the step loop is that of all others.
class Multistep final : public OneStepMethod {
 public:
  Multistep(OdeProblem& problem, MultistepOptions options);

  void interpolate(double t, VectorOut x) const override;
  const Vector* local_error() const override { return &error_; }
  void limit_sizes(const Vector& most) override { options_.tolerances.most_each = most; }

  // Of the last step.
  int order() const { return last_order_; }

 private:
  Failure check() const override;
  void resize() override;
  Outcome begin(double h0) override;
  Outcome prepare() override;
  Outcome attempt() override;
  Outcome estimate() override { return Outcome::ok; }  // the attempt knows
  void propose() override;
  double factor_after_error() override;
  void advance() override;
  Outcome settle() override;
  void carry(Carrier& carried) override;
  void went_back() override;

  bool is_bdf() const { return options_.family == MultistepFamily::bdf; }
  int highest() const;
  double size(const Vector& values) const { return weighted_norm(values, scale_); }

  // The history, newest first.
  struct Point {
    double t = 0;
    Vector value;  // a state, or its rates
    void carry(Carrier& carried) { carried(t, value); }
  };
  void push(double t, const Vector& value);
  void drop_newest();
  void drop_neighbour();
  // t_ + h_ and the times of the history.
  std::span<const double> times_ahead();
  // out += Σ weights of the points
  void add(const PointWeights& weights, std::size_t first, int count, Vector& out) const;

  Outcome rates(double t, const Vector& x, Vector& out);
  Outcome try_rates(double t, const Vector& x, Vector& out);
  Outcome rates_of_iterate();
  Outcome put_back(Vector& x);
  bool becomes_careful();
  void set_scale(const Vector& x, Vector& scale) const;
  Outcome choose_first_step();
  void predict();
  Outcome correct();
  Outcome correct_by_newton();
  Outcome correct_by_fixed_point();
  Outcome prepare_matrix();
  Outcome solve(Vector& change);
  // Whether an iteration with a change of this size is at its end; `retry`: it never will be.
  enum class Progress { go_on, done, hopeless };
  Progress judge(int iteration, double change);
  Outcome project();
  Outcome unprojected(Outcome outcome);
  Outcome evaluate_end();
  double estimate_of(int order);
  double remembered_error() const;
  double growth(double error, int order, double bias) const;

  OdeProblem& problem_;
  ImplicitProblem* const implicit_;  // null: there are no solves
  MultistepOptions options_;
  StateProjection projection_;

  Index n_ = 0;  // unknowns that are integrated: the others are computed anew at the end of a step
  std::vector<Point> history_;
  int points_ = 0;  // in use
  std::vector<double> times_;
  int order_ = 1, last_order_ = 1, next_order_ = 1;
  int wait_ = 2;                  // steps until another order is considered
  int failures_ = 0;              // of the present step: errors too large, or projections
  double last_error_ = 0;         // of the last steps, relative to the tolerance
  double unprojected_error_ = 0;  // of the present one
  // Near a singular position the rates of states beside the invariants are of any size: after a surprise iterates are put on
  // the invariants before they are evaluated, in this step and so many more.
  int careful_ = 0;
  int trusting_ = 0;  // steps until that is tried again, where it was no help
  MultistepFormula formula_;

  Vector x_new_, predicted_, known_, scale_, end_scale_, error_, other_error_;
  Vector rate_, rate_new_;  // at x_ (bdf: at rate_t_), and at x_new_
  Vector on_invariants_;    // x_new_, put there
  double rate_t_ = 0;
  Vector change_, rhs_;
  double rate_of_convergence_ = 1, previous_change_ = 0;

  // Newton's matrix: where it was taken, and for which γ it is factored
  bool linearized_ = false, fresh_ = false, factored_ = false;
  double linearized_t_ = 0, factored_gamma_ = 0;
  Vector linearized_at_;
  int steps_with_matrix_ = 0;
};

}  // namespace trammel
