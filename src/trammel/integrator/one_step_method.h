// The step loop of all one-step methods: attempt, error test, rejection by cause, limits of the step size, an
// end exactly at the bound, counters, failures in words. It is the one place where a step is accepted. A
// method gives the attempt, the estimate of its error, the step size that follows from it and the continuous
// extension.
#pragma once

#include <algorithm>

#include "trammel/integrator/integrator.h"
#include "trammel/integrator/step_control.h"

namespace trammel {

class OneStepMethod : public Integrator {
 public:
  Outcome start(double t, VectorIn x, double t_end, double h0) final;
  Outcome step(double bound) final;
  void retreat() final;
  void set_next_step(double h) final {
    h_ = control_.max_step > 0 ? std::min(control_.max_step, h) : h;
    goes_on_ = false;
  }
  Outcome save(Snapshot& snapshot) final;
  Outcome copy(Snapshot& snapshot) final;
  bool goes_on_exactly() const final { return true; }
  Outcome restore(const Snapshot& snapshot) final;

  double t() const final { return t_; }
  double previous_t() const final { return t_old_; }
  const Vector& x() const final { return x_; }
  double last_step() const final { return h_last_; }
  double next_step() const final { return h_; }

 protected:
  // `iteration`: what does not converge if a step fails, in words.
  OneStepMethod(Problem& problem, const StepControl& control, std::string iteration);

  // Whether the options fit the problem.
  virtual Failure check() const = 0;
  // Work space for a run, with nothing known of an earlier one.
  virtual void resize() = 0;
  // After Problem::start(). h_ may be chosen better where h0 = 0.
  virtual Outcome begin(double /*h0*/) { return Outcome::ok; }

  // What an attempt of size h_ needs, such as matrices; not counted as an attempt if it cannot be had. What
  // stood in the way is Problem::failure().
  virtual Outcome prepare() { return Outcome::ok; }
  // The step of size h_ from (t_, x_). Unless ok, obstacle_ says what stood in the way; with `retry` shrink_
  // says how much smaller a step may do.
  virtual Outcome attempt() = 0;
  // Sets err_, relative to the tolerance. `retry`: it cannot be told, and is taken as too large.
  virtual Outcome estimate() = 0;
  // Sets h_new_ by err_, which may be above the tolerance or below.
  virtual void propose() = 0;
  // Its factor for the step size if the error was too large.
  virtual double factor_after_error() = 0;
  // The next attempt at this step will be another one.
  virtual void rejected() {}
  // Without an error test: whether the same step is worth another attempt.
  virtual bool can_try_again() { return false; }
  // In place of a smaller step: a state behind what stands in the way, at t.
  virtual bool leap(double /*bound*/, double& /*t*/, Vector& /*x*/) { return false; }
  // The attempt is accepted: keeps what its continuous extension needs and writes its end to x_. t_ is still
  // where it begins.
  virtual void advance() = 0;
  // After Problem::accepted() has seen x_ at t_.
  virtual Outcome settle() { return Outcome::ok; }
  // Whether to keep the step size, if the one proposed is this multiple of it.
  virtual bool keeps_step(double /*ratio*/) const { return false; }
  // What the method carries from one step to the next; see Integrator::save(). Matrices are forgotten.
  virtual void carry(Carrier& carried);
  // Back at (t_, x_), the beginning of the last step.
  virtual void went_back() = 0;

  // Makes atol + rtol |x| the scale of an error's mean over the unknowns that count: not below round-off,
  // divided by h^(index−1), infinite for unknowns of index 0.
  void refine_scale(double h, const std::vector<int>& index, VectorOut scale) const;

  // Whether the continuous extension of the last step tells anything about one of size h_: not if that was cut
  // short and the next is many times as long.
  bool extends() const { return h_ <= 64 * h_last_; }

  double t_ = 0, t_old_ = 0, t_end_ = 0;
  double h_ = 0, h_last_ = 0, h_new_ = 0;
  Vector x_, x_old_;
  double err_ = 0;
  Failure obstacle_;
  long Statistics::*cause_ = &Statistics::rejected_convergence;  // what an attempt that is given up counts as
  double shrink_ = 0.5;
  bool first_ = true;      // no step was taken since the start
  bool goes_on_ = false;   // the present step begins where and as the last one ended, which nobody took back
  bool rejected_ = false;  // an attempt at the present step was
  // Set by attempt() with `retry` where an evaluation could not be had: that says little about the size of a step, which
  // is made smaller gently at first and may grow again at once.
  bool evaluation_failed_ = false;
  int failed_evaluations_ = 0;  // attempts at the present step that ended so
  // Asks again for what could not be had, where that happened in several attempts at the present step, the shorter ones too: perhaps
  // each fails by chance now and then, and of a step that has many of them none would ever be whole, however short.
  template <class Ask>
  Outcome insist(const Ask& ask) const {
    constexpr int patience = 3, most = 5;
    Outcome outcome = ask();
    for (int again = 1; again < most && outcome == Outcome::retry && failed_evaluations_ >= patience; ++again)
      outcome = ask();
    return outcome;
  }

 private:
  enum class Attempt { taken, leapt, again, smaller, failed };

  Attempt try_step(double bound);
  Attempt give_way(double bound);
  Attempt make_smaller(double factor);
  Attempt fail(Outcome /*given_up*/) { return Attempt::failed; }
  Outcome accept(double bound, bool clipped, double h_wanted);
  void remember(const Failure& trouble);
  Outcome step_underflow();
  Outcome fixed_step_fails();

  Problem& problem_;
  StepControl control_;
  std::string iteration_;
  int unprepared_ = 0;  // attempts in a row that could not be prepared
  bool too_long_ =
      false;         // the present step was, as far as its error or its iteration tell: the next is no longer
  Failure trouble_;  // what stood in the way of the last attempts at a step
};

}  // namespace trammel
