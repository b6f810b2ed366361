// What the codes of SUNDIALS have in common as integrators: how they are set up, one step at a time, an end
// exactly at the bound, counters, failures in words, and problems that choose other independent unknowns
// between steps. An adapter has what differs.
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

struct SundialsLimits {
  long max_steps = 100000;
  double max_step = 0;            // 0: the whole interval
  int max_newton_iterations = 3;  // of whatever iteration there is

  Failure check() const;
};

class SundialsIntegrator : public Integrator {
 public:
  Outcome start(double t, VectorIn x, double t_end, double h0) override;
  Outcome step(double bound) override;
  void retreat() override;
  Outcome save(Snapshot& snapshot) override;
  Outcome copy(Snapshot& snapshot) override;
  Outcome restore(const Snapshot& snapshot) override;
  void interpolate(double t, VectorOut x) const override;
  void limit_sizes(const Vector& most) override { tolerances_.most_each = most; }
  const Vector* local_error() const override;

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
  enum class Iteration { none, fixed_point, newton };

  SundialsIntegrator(Problem& problem, const sundials::Code& code, Iteration iteration,
                     const Tolerances& tolerances, const SundialsLimits& limits);

  // Whether the options fit the problem.
  virtual Failure check() const = 0;
  virtual bool takes_only_ode() const { return true; }
  virtual bool is_multistep() const { return true; }
  // Memory of the code for a run from (t_, state_), null if there is none; and what is to be told to it first,
  // and last. False if the code refuses.
  virtual void* create() = 0;
  virtual bool initialize() = 0;
  virtual bool set_options() { return true; }
  // Newton's iteration: how its matrix is taken.
  virtual bool set_matrix() = 0;
  // Whether its changes are logged, and when it has converged.
  virtual void watch_iteration() { watch(*iteration_); }
  // h0 = 0: the code chooses.
  virtual bool set_first_step(double h0) { return code_.set_first_step(memory(), h0) == 0; }
  // The same from (t_, x_) with the memory at hand.
  virtual bool begin_again(double h0) = 0;
  // One step, which ends at the bound at the latest; its end is written to t and state_.
  virtual End advance(double bound, double& t) = 0;
  // After Problem::accepted().
  virtual int finish_step() { return 0; }
  // state_ at t was read from the interpolant and is to be the end of a step.
  virtual int finish_inside(double t);
  // Weights of the error norm, in the form of C.
  virtual sundials::WeightFunction weights() const { return sundials::weights; }
  // The time that a guess of the iteration is at.
  virtual double time_of_guess() const = 0;
  // A guess of the iteration goes through a completed state. The history of a multistep method is a
  // polynomial through values of the past, so that unknowns which follow from others have as good a history,
  // and as good rates, as those that count.
  virtual int complete(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction);
  virtual Counters counters() const;

  void* memory() const { return memory_.get(); }
  double taken_step() const;
  double proposed_step() const;
  double present_t() const;
  // Keeps a log of this iteration.
  void watch(sundials::NonlinearSolver& iteration);
  // Below this a step would be lost in the round-off of t: a code that needs it has failed.
  double smallest_step() const;
  // Where the next step may end, and how short it may be.
  bool set_bounds(double bound);

  Problem& problem_;
  SundialsFunctions functions_;
  sundials::ContextOwner context_;
  Vector state_;
  sundials::VectorOwner state_vector_;  // on state_
  std::unique_ptr<sundials::NonlinearSolver> iteration_;

  double t_ = 0, t_old_ = 0;
  Vector x_, x_old_;
  double h_last_ = 0, h_next_ = 0;
  double span_ = 0;         // of the run
  std::vector<int> index_;  // of the unknowns, during the last step
  Vector completed_;        // work space of complete()

 private:
  struct Free {
    void (*free)(void** memory);
    void operator()(void* memory) const noexcept { free(&memory); }
  };

  void carry(Carrier& carried);
  Failure check_kind() const;
  Outcome begin_at_state(double h0);
  bool begin(double h0);
  bool set_iteration();
  void count();
  bool changed(VectorIn before) const;
  Outcome explain(End end);
  Outcome repeat(double bound);
  Outcome accept(double t);
  // The code's own interpolant, for t inside its last step.
  void evaluate(double t, Vector& x) const;

  const sundials::Code& code_;
  Iteration iterates_;
  Tolerances tolerances_;
  SundialsLimits limits_;
  sundials::MatrixOwner matrix_;
  sundials::LinearSolverOwner linear_solver_;
  std::string message_;  // the last one of the code, which prints nothing
  std::unique_ptr<void, Free> memory_;
  Counters counted_;
  bool restart_ = false;
  // whether part of the code's last step, which ended in (t_code_, x_code_), is to be read again
  bool repeat_ = false;
  double t_code_ = 0;
  Vector x_code_;
  mutable Vector begin_, end_, inside_;  // work space of interpolate()
  mutable Vector local_error_;
};

}  // namespace trammel
