// What every integrator offers: start, one accepted step at a time, the solution anywhere inside the last
// step.
#pragma once

#include "trammel/formulation/problem.h"
#include "trammel/integrator/tolerances.h"

namespace trammel {

// What Newton's iteration on the stages of a step begins with: the last step extrapolated, or the old state.
enum class StartingValues { extrapolated, zero };

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Begins at (t, x). h0 = 0 lets the integrator choose the first step.
  virtual Outcome start(double t, VectorIn x, double t_end, double h0) = 0;

  // Advances by one accepted step, to `bound` at the latest.
  virtual Outcome step(double bound) = 0;

  // Goes back to the beginning of the last step; the next step starts there again.
  virtual void retreat() = 0;

  // The continuous extension, for t inside the last step.
  virtual void interpolate(double t, VectorOut x) const = 0;

  virtual double t() const = 0;
  virtual double previous_t() const = 0;
  virtual const Vector& x() const = 0;
  // The size of the last accepted step, and the one proposed next.
  virtual double last_step() const = 0;
  virtual double next_step() const = 0;

  const Failure& failure() const { return failure_; }

 protected:
  Outcome give_up(Reason reason, std::string message) {
    failure_ = {reason, std::move(message)};
    return Outcome::fail;
  }
  Outcome give_up(const Failure& failure) {
    failure_ = failure;
    return Outcome::fail;
  }

 private:
  Failure failure_;
};

}  // namespace trammel
