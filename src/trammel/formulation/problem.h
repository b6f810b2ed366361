// What an integrator sees of a formulation: the linearly implicit system
//
//     E(x,t) x' = φ(x,t)
//
// through its residual φ − E x' and through shifted solves with σE − J, σ real or complex, J = ∂(φ − E
// x')/∂x. How the solve is done (dense, in two stages, sparse) is the formulation's business. There may be
// more equations than unknowns where redundant constraints are kept; the solve is then meant in the sense of
// least squares.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "trammel/formulation/statistics.h"
#include "trammel/numerics/failure.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

enum class Outcome {
  ok,
  retry,  // not here: a smaller step or another point may do
  fail    // for good; Problem::failure() says why
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual Index unknowns() const = 0;
  virtual Index equations() const { return unknowns(); }
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

  virtual Outcome residual(double t, VectorIn x, VectorIn xdot, VectorOut out) = 0;
  virtual Outcome linearize(double t, VectorIn x) = 0;
  virtual Outcome factor(double shift) = 0;
  virtual Outcome factor(std::complex<double> shift) = 0;
  virtual void solve(VectorIn residual, VectorOut x) = 0;
  virtual void solve(const Eigen::Ref<const ComplexVector>& residual, Eigen::Ref<ComplexVector> x) = 0;

  // E times a vector, at (t, x): by default from two residuals. `out` has equations() entries.
  virtual Outcome multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out);

  // State-space forms: some unknowns follow from the others at every point, whatever the integrator does. It
  // hands every guess over before it asks for a residual or for rates, and goes on from what it gets back.
  // The changes that solve() returns include the unknowns that follow, to first order.
  virtual bool completes() const { return false; }
  virtual Outcome complete(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }

  // After the solve for the error of a step to x at t. Where drivers move a mechanism there may be no error,
  // but a step must stay short enough to tell which way it goes.
  virtual void amend_error_at(double /*t*/, VectorIn /*x*/, VectorOut /*error*/) {}

  // Problems that are ordinary differential equations, x' = E⁻¹ φ(x,t), for integrators that know only such.
  virtual bool is_ode() const { return false; }
  virtual Outcome rates(double /*t*/, VectorIn /*x*/, VectorOut /*xdot*/) {
    return give_up(Reason::invalid_options, "this formulation is not an ordinary differential equation");
  }

  // After a real solve for the error of a step: adds what the constraints took out of it. Where constraints
  // or drivers determine the motion there is no error left, but a step must stay short enough for Newton's
  // iteration and for interpolation to know which way the mechanism goes.
  virtual void amend_error(VectorIn /*residual*/, VectorOut /*error*/) {}

  // How far the last linearisation was from a singular position: 1 is far, 0 is there. Newton's iteration
  // cannot step across such a position, where a pivot changes its sign; an integrator may leap over it.
  virtual double regularity() const { return 1; }

  // Full Newton on the three stages of a step, each with the matrices of its own point, for steps across a
  // position where no single matrix serves: (weights ⊗ E − diag(J_i)) (δ_1, δ_2, δ_3) = residuals.
  virtual bool has_stage_newton() const { return false; }
  virtual Outcome linearize_stage(int /*stage*/, double /*t*/, VectorIn /*x*/, VectorIn /*xdot*/) {
    return Outcome::retry;
  }
  virtual Outcome factor_stages(const Eigen::Matrix3d& /*weights*/) { return Outcome::retry; }
  virtual void solve_stages(const std::array<Vector, 3>& /*residuals*/, std::array<Vector, 3>& /*changes*/) {}
  // Gives a guess the multipliers that belong to its positions and velocities.
  virtual Outcome guess_multipliers(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }

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
  // A step ended in x, which may be tidied (multipliers of minimal norm).
  virtual Outcome accepted(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }
  // Whether accepted() does no more to unknowns that count than to close what Newton's iteration has left
  // open: a history of steps goes on with the state as it was before.
  virtual bool only_closes() const { return false; }
  // Makes a state fit to be shown: what is left open (multipliers of redundant constraints) gets a definite
  // value.
  virtual void present(VectorOut /*x*/) {}
  // Puts an interpolated state back on the constraints.
  virtual Outcome project(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }

  const Failure& failure() const { return failure_; }
  Statistics& statistics() { return statistics_; }
  const Statistics& statistics() const { return statistics_; }
  // What happened on the way that a user should know: "constraints are redundant: ...".
  const std::vector<std::string>& notes() const { return notes_; }

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
  Vector still_, moving_;  // work space of multiply_mass
};

inline Outcome Problem::multiply_mass(double t, VectorIn x, VectorIn vector, VectorOut out) {
  still_.setZero(unknowns());
  Outcome outcome = residual(t, x, still_, out);
  if (outcome != Outcome::ok) return outcome;
  moving_.resize(equations());
  outcome = residual(t, x, vector, moving_);
  out -= moving_;
  return outcome;
}

}  // namespace trammel
