// A problem that is of second order in time,
//
//     M(q) q'' = f(t, q, q', r),     r' = b(t, q, q', r),
//
// with constraints that the problem deals with itself, for the methods of structural dynamics: Newmark, HHT,
// generalised-α. A step is a displacement q from where it begins, with velocities and accelerations that follow from it; so a
// correction of the displacement by δ changes velocities by c δ and accelerations by m δ, and what is asked of the problem is to
// solve with m M + c C + K.
//
// x has positions, velocities and states r somewhere (second_order_layout()); the rest of it is the problem's own business.
#pragma once

#include "trammel/formulation/problem.h"
#include "trammel/motion/sizes.h"

namespace trammel {

struct SecondOrderLayout {
  Block positions, velocities, states;
};

// How a step depends on its displacement and on its states.
struct SecondOrderWeights {
  double velocity = 0;      // c: ∂v/∂q
  double acceleration = 0;  // m: ∂a/∂q
  double state_rate = 0;    // ∂r'/∂r
};

class SecondOrderProblem : public virtual Problem {
 public:
  SecondOrderProblem* second_order() override { return this; }

  virtual SecondOrderLayout second_order_layout() const = 0;

  // The positions of x become those of `from`, displaced by q.
  virtual void displace(VectorIn from, VectorIn q, VectorOut x) = 0;
  // p' at x.
  virtual void position_rates(double t, VectorIn x, VectorOut rates) = 0;
  // The accelerations and rates of states that belong to x, which is consistent or nearly so.
  virtual Outcome accelerate(double t, VectorIn x, VectorOut a, VectorOut state_rates) = 0;

  // Whether steps go on with the same accelerations, so that the rate of these says what a first step does. Where constraints are springs
  // they do not, and what is between the two would make that step so short that it follows the springs.
  virtual bool steps_as_accelerated() const { return true; }

  // Steps from x that are shorter are taken without an iteration: it would find accelerations from displacements that are lost in
  // the round-off of positions.
  virtual double shortest_step(VectorIn /*x*/, VectorIn /*a*/) const { return 0; }

  // How the steps of the next iterations depend on their displacements.
  virtual void set_weights(const SecondOrderWeights& weights) = 0;
  // Newton's iteration at a guess (x, a, r'): what is left of the equations. What x has besides positions, velocities and
  // states may be set.
  virtual Outcome residual(double t, VectorOut x, VectorIn a, VectorIn state_rates) = 0;
  // Matrices at that guess, factored.
  virtual Outcome factor(double t, VectorIn x, VectorIn a) = 0;
  // Whether all derivatives in the matrix of the last factor() are those of its guess.
  virtual bool matrices_are_fresh() const { return true; }
  // The correction: `q` of the displacement that velocities and accelerations follow, `aside` of one that they do not, and of
  // the states. The rest of x is corrected at once.
  virtual void solve(VectorOut x, VectorOut q, VectorOut aside, VectorOut states) = 0;
  // Whether an iteration whose changes are small is at its end only if constraints are met, and whether they are: at the guess
  // of the last residual().
  virtual bool watches_constraints() const { return false; }
  virtual bool constraints_are_met() const { return true; }
  // The size of what is left, relative to the forces: of the last residual().
  virtual double relative_residual() const = 0;
  // The guess will do: velocities and accelerations are put on their constraints, if the problem does so, with the last factors.
  virtual Outcome finish(double t, VectorOut x, VectorOut a) = 0;
  // The accelerations without what constraints make of the errors of a step, for an estimate of its error: after finish().
  virtual Outcome smooth(double /*t*/, VectorIn /*x*/, VectorIn a, VectorOut smooth) {
    smooth = a;
    return Outcome::ok;
  }
  // Forgets matrices that are kept from one iteration to the next.
  virtual void forget_matrices() = 0;
};

}  // namespace trammel
