// What the codes of SUNDIALS have in common as integrators: one step at a time, an end exactly at the bound,
// counters, failures in words, and problems that choose other independent unknowns between steps.
//
// A code integrates all unknowns, those that follow from others too, and its iteration ends with a completed
// state. So its history is one of the whole state, and another choice of independent unknowns changes only
// which of them count. It goes on at its order and step size.
//
// A multistep method that went back would have to begin again at order 1. So it does not: after retreat() its
// steps are read from its interpolant, which is as accurate as the method, until the end of the step it took
// is reached. (Where the equations change, an integrator is started anew in any case.)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/integrator/integrator.h"
#include "trammel/integrator/sundials_functions.h"
#include "trammel/integrator/sundials_objects.h"

namespace trammel {

class SundialsIntegrator : public Integrator {
 public:
  Outcome start(double t, VectorIn x, double t_end, double h0) override;
  Outcome step(double bound) override;
  void retreat() override;
  void interpolate(double t, VectorOut x) const override;

  double t() const override { return t_; }
  double previous_t() const override { return t_old_; }
  const Vector& x() const override { return x_; }
  double last_step() const override { return h_last_; }
  double next_step() const override { return h_next_; }

 protected:
  // How a call of the code ended.
  enum class End {
    step,
    error_test,  // failed too often
    iteration,   // did not converge too often
    rates,       // not to be had
    accuracy,    // the tolerance is below round-off
    other
  };
  // Since the last start or restart.
  struct Counters {
    long rejected_error = 0, rejected_convergence = 0, iterations = 0;
  };
  struct Names {
    std::string code, iteration;  // "CVODES", "Newton's iteration"
  };

  SundialsIntegrator(Problem& problem, Names names, const Tolerances& tolerances, long max_steps,
                     double max_step);

  virtual Failure check() const = 0;
  virtual bool takes_only_ode() const { return true; }
  // Begins at (t_, x_), with memory of its own; h0 = 0: the code chooses. False if the code refuses.
  virtual bool begin(double h0) = 0;
  // The same with the memory at hand.
  virtual bool begin_again(double h0) = 0;
  // One step, which ends at the bound at the latest; its end is written to t and state_.
  virtual End advance(double bound, double& t) = 0;
  virtual Counters counters() const = 0;
  virtual double taken_step() const = 0;
  virtual double proposed_step() const = 0;
  // After Problem::accepted().
  virtual int finish_step() { return 0; }
  // Where the step that the code is trying ends.
  virtual double attempted_t() const { return t_; }
  // Keeps a log of this iteration.
  void watch(sundials::NonlinearSolver& iteration);
  // The code's own interpolant, for t inside its last step, and whether it is as good as a step.
  virtual void evaluate(double t, Vector& x) const = 0;
  virtual bool is_multistep() const = 0;

  // Below this a step would be lost in the round-off of t: a code that needs it has failed.
  double smallest_step() const;

  Problem& problem_;
  SundialsFunctions functions_;
  sundials::ContextOwner context_;
  Vector state_;
  sundials::VectorOwner state_vector_;  // on state_
  std::string message_;                 // the last one of the code, which prints nothing

  double t_ = 0, t_old_ = 0;
  Vector x_, x_old_;
  double h_last_ = 0, h_next_ = 0;
  double span_ = 0;         // of the run
  std::vector<int> index_;  // of the unknowns, during the last step

 private:
  void count();
  bool changed(VectorIn before) const;
  Outcome explain(End end);
  Outcome repeat(double bound);
  Outcome accept(double t);

  Names names_;
  Tolerances tolerances_;
  long max_steps_ = 0;
  double max_step_ = 0;
  Counters counted_;
  bool restart_ = false;
  // whether part of the code's last step, which ended in (t_code_, x_code_), is to be read again
  bool repeat_ = false;
  double t_code_ = 0;
  Vector x_code_;
  mutable Vector begin_, end_, inside_;  // work space of interpolate()
};

}  // namespace trammel
