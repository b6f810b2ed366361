// A problem that is a linearly implicit system, differential or differential-algebraic,
//
//     E(x,t) x' = φ(x,t)
//
// through its residual φ − E x' and through shifted solves with σE − J, σ real or complex, J = ∂(φ − E
// x')/∂x. How the solve is done (dense, in two stages, sparse) is the formulation's business. There may be
// more equations than unknowns where redundant constraints are kept; the solve is then meant in the sense of
// least squares.
#pragma once

#include <complex>

#include "trammel/formulation/problem.h"

namespace trammel {

class StageNewton;

class ImplicitProblem : public virtual Problem {
 public:
  ImplicitProblem* implicit() override { return this; }

  virtual Index equations() const { return unknowns(); }

  virtual Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) = 0;
  virtual Outcome linearize(double t, VectorIn x) = 0;
  virtual Outcome factor(double shift) = 0;
  virtual Outcome factor(std::complex<double> shift) = 0;
  virtual void solve(VectorIn residual, VectorOut x) = 0;
  virtual void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) = 0;

  // E times a vector, at (t, x): by default from two residuals. `out` has equations() entries.
  virtual Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out);

  // x' at a stage that was found, as it follows from (t, x) alone. Where unknown forces take the place of
  // equations the increments of a stage tell another one, which only a method whose stages are as exact as
  // its steps may go on with. `rates` comes as the increments say; what is known better is replaced.
  virtual void improve_rates(double /*t*/, VectorIn /*x*/, VectorOut /*rates*/) {}

  // Whether the matrix is that of Newton's method, if only at the point of linearisation. With one that
  // leaves terms out the iteration may be slow in directions that do not show in its first changes.
  virtual bool has_exact_matrix() const { return true; }
  // Newton's iteration did not converge with the present factorisation.
  virtual void newton_failed() {}
  // It did, at this mean ratio of two changes in a row; 0: with one change.
  virtual void newton_converged(double /*rate*/) {}
  // Takes from a guess what the equations leave open (multipliers of redundant constraints), so that it does
  // not grow from one extrapolation to the next.
  virtual void tidy(VectorOut /*x*/) {}

  // How far the last linearisation was from a singular position: 1 is far, 0 is there. Newton's iteration
  // cannot step across such a position, where a pivot changes its sign.
  virtual double regularity() const { return 1; }
  // An integrator may leap over it: it goes on from an extrapolated state behind it, which is put on the
  // constraints here.
  virtual Outcome land(double /*t*/, VectorOut /*x*/) { return Outcome::retry; }
  // Or solve for all stages at once, where this is offered.
  virtual StageNewton* stage_newton() { return nullptr; }

 private:
  Vector still_, moving_;  // work space of multiply_mass
};

inline Outcome ImplicitProblem::multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) {
  still_.setZero(unknowns());
  Outcome outcome = residual(t, x, still_, out);
  if (outcome != Outcome::ok) return outcome;
  moving_.resize(equations());
  outcome = residual(t, x, vector, moving_);
  out -= moving_;
  return outcome;
}

}  // namespace trammel
