// What every integrator offers: start, one accepted step at a time, the solution anywhere inside the last
// step.
#pragma once

#include "trammel/formulation/problem.h"
#include "trammel/integrator/newton_record.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Begins at (t, x). h0 = 0 lets the integrator choose the first step.
  virtual Outcome start(double t, VectorIn x, double t_end, double h0) = 0;

  // Advances by one accepted step, to `bound` at the latest.
  virtual Outcome step(double bound) = 0;

  // Goes back to the beginning of the last step; the next step starts there again.
  virtual void retreat() = 0;

  // The next step is tried with this size; codes of several steps know better.
  virtual void set_next_step(double /*h*/) {}

  // From the next step on no more than this counts of the sizes of unknowns (Tolerances::most_each). Methods that do not need it
  // take no notice.
  virtual void limit_sizes(const Vector& /*most*/) {}

  // A copy of all that is carried from one step to the next, problem included, to go on from another time or
  // in another integrator of the same kind. Matrices are not part of it: they are forgotten, so that our own
  // methods go on from here and from the copy alike, to the last bit. Codes of SUNDIALS keep their history
  // here and begin anew from the copy, right to the tolerance.
  virtual Outcome save(Snapshot& snapshot);
  // The same copy of an integrator that goes on as if nothing had been: its matrices are kept, so that only
  // what is restored from the copy is the same to the last bit as something else that is restored from it.
  virtual Outcome copy(Snapshot& snapshot);
  // Whether it goes on from a copy to the last bit as it does after save().
  virtual bool goes_on_exactly() const { return false; }
  // Goes on from a copy, in place of start(). The problem and the options must be as they were.
  virtual Outcome restore(const Snapshot& snapshot);

  // The continuous extension, for t inside the last step.
  virtual void interpolate(double t, VectorOut x) const = 0;
  // The same for what is put out, as exact as the steps even if that costs more.
  virtual void sample(double t, VectorOut x) const { interpolate(t, x); }

  virtual double t() const = 0;
  virtual double previous_t() const = 0;
  virtual const Vector& x() const = 0;
  // The size of the last accepted step, and the one proposed next.
  virtual double last_step() const = 0;
  virtual double next_step() const = 0;
  // What the last step was estimated to be off by, in the unknowns; null if that is not known, or if the continuous
  // extension is as exact as the step.
  virtual const Vector* error_estimate() const { return nullptr; }
  // The same of every method that estimates its errors, for what is told of a run.
  virtual const Vector* local_error() const { return error_estimate(); }

  // Explicit methods: h |λ| of the last step, as far as it shows how strongly the equations answer a disturbance,
  // relative to what the method is stable for. Around one its steps are bounded by stability and not by accuracy:
  // the equations are stiff. 0 where it cannot be told, and for methods that stiffness does not bound.
  virtual double stability_used() const { return 0; }

  // Whether to keep a record of every attempt of Newton's iteration; before start().
  void record_newton(bool wanted) { newton_log_.keep(wanted); }
  // Of all starts. Integrators without such an iteration, and ARKODE, have none.
  const std::vector<NewtonRecord>& newton_records() const { return newton_log_.records(); }

  const Failure& failure() const { return failure_; }

 protected:
  // As RADAU5 and SDIRK4 have it.
  static constexpr double round_off = 1e-16;

  Outcome give_up(Reason reason, std::string message) {
    failure_ = {reason, std::move(message)};
    return Outcome::fail;
  }
  Outcome give_up(const Failure& failure) {
    failure_ = failure;
    return Outcome::fail;
  }

  // Whether a run can begin like this.
  Outcome check_start(double t, double t_end, double h0);
  // The end of save() and restore(), after what the integrator itself carries: the problem's part.
  Outcome resume(Problem& problem, double t, VectorIn x, Carrier& carried);
  // The ways in which a run ends because of its steps. `trouble` is what stood in the way of the last ones:
  // nothing but the error, an iteration that did not converge (without a message), or what the problem said.
  Outcome too_many_steps(long max_steps, double t);
  Outcome no_step_helps(const Failure& trouble, const std::string& where,
                        const std::string& iteration = "Newton's iteration");

  NewtonLog newton_log_;

 private:
  Failure failure_;
};

}  // namespace trammel
