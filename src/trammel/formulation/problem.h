// What an integrator sees of a formulation, whatever kind of equation it makes of the motion. The kinds, of
// which a formulation may offer more than one, add what their integrators ask for:
//
//   OdeProblem          x' = f(x,t)             ode_problem.h
//   ImplicitProblem     E(x,t) x' = φ(x,t)      implicit_problem.h
//   SecondOrderProblem  M(q) q'' = f(t, q, q')  second_order_problem.h
//
// Derive from those that apply; they share this one base.
#pragma once

#include <string>
#include <vector>

#include "trammel/formulation/statistics.h"
#include "trammel/numerics/failure.h"
#include "trammel/numerics/linear_algebra.h"
#include "trammel/numerics/snapshot.h"

namespace trammel {

class ImplicitProblem;
class OdeProblem;
class SecondOrderProblem;

enum class Outcome {
  ok,
  retry,  // not here: a smaller step or another point may do
  fail    // for good; Problem::failure() says why
};

class Problem {
 public:
  virtual ~Problem() = default;

  // The kinds of equation that it is; null: it is none of that kind.
  virtual OdeProblem* ode() { return nullptr; }
  virtual ImplicitProblem* implicit() { return nullptr; }
  virtual SecondOrderProblem* second_order() { return nullptr; }

  virtual Index unknowns() const = 0;
  // How many unknowns an error norm is the mean of.
  virtual Index counted() const { return unknowns(); }

  // The index of each unknown in the sense of Hairer & Wanner (1, 2 or 3): its error is weighed with
  // h^(index−1). 0: its error does not count, because it is computed anew at the end of a step.
  virtual const std::vector<int>& variable_index() const = 0;
  // The same for the stopping rule of Newton's iteration, where it may differ: an unknown that is computed
  // anew at the end of a step matters to the others only through h times its error.
  virtual const std::vector<int>& newton_index() const { return variable_index(); }

  // Called once before the first step and after every discontinuity.
  virtual Outcome start(double t, VectorIn x) = 0;
  // A step ended in x, which may be tidied (multipliers of minimal norm).
  virtual Outcome accepted(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }
  // Whether accepted() does no more to unknowns that count than to close what Newton's iteration has left
  // open: a history of steps goes on with the state as it was before.
  virtual bool only_closes() const { return false; }

  // Between two steps, for saving and for restoring alike: all that is carried from one step to the next,
  // besides the state x at t itself, is named to `carried`. Afterwards the problem depends on that and on
  // (t, x) only: factorisations and whatever else was found on the way are forgotten, so that a run that goes
  // on from here is the same to the last bit as one that goes on from the copy. By default nothing is carried
  // and the problem begins anew. Where carried.is_copying(), it only names, and stays as it is.
  virtual Outcome resume(double t, VectorIn x, Carrier& carried) {
    return carried.is_copying() ? Outcome::ok : start(t, x);
  }

  // State-space forms: some unknowns follow from the others at every point, whatever the integrator does. It
  // hands every guess over before it asks for a residual or for rates, and goes on from what it gets back.
  // The changes that ImplicitProblem::solve() returns include the unknowns that follow, to first order.
  virtual bool completes() const { return false; }
  virtual Outcome complete(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }

  // Adds to the estimated error of a step to x at t what an estimate cannot see. Where constraints or drivers
  // determine the motion there is no error left, but a step must stay short enough for Newton's iteration and
  // for interpolation to know which way the mechanism goes. `residual` is what the estimate was solved from;
  // empty where nothing was solved.
  virtual void amend_error(double /*t*/, VectorIn /*x*/, VectorIn /*residual*/, VectorOut /*error*/) {}

  const Failure& failure() const { return failure_; }
  Statistics& statistics() { return statistics_; }
  const Statistics& statistics() const { return statistics_; }
  // What happened on the way that a user should know: "constraints are redundant: ...".
  const std::vector<std::string>& notes() const { return notes_; }
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

 protected:
  Outcome give_up(Reason reason, std::string message) {
    failure_ = {reason, std::move(message)};
    return Outcome::fail;
  }
  Outcome try_again(Reason reason, std::string message) {
    failure_ = {reason, std::move(message)};
    return Outcome::retry;
  }
  void note(std::string message) {
    for (const std::string& old : notes_)
      if (old == message) return;
    if (notes_.size() < 100) notes_.push_back(std::move(message));
  }

 private:
  Failure failure_;
  Statistics statistics_;
  std::vector<std::string> notes_;
};

}  // namespace trammel
