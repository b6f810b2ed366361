// A formulation of the equations of motion, as a simulation sees it: besides the problem for the integrator,
// the accelerations and how well the constraints are met.
#pragma once

#include <vector>

#include "trammel/formulation/problem.h"
#include "trammel/motion/equations.h"

namespace trammel {

// The largest residual of each level, in the units of the constraints.
struct Violation {
  double position = 0;      // c, g, n
  double velocity = 0;      // gᴵ, h
  double acceleration = 0;  // gᴵᴵ, hᴵ
  double invariant = 0;     // e

  void include(const Violation& other);
};

// What is asked about a state that is to be shown, inside a step or at its end. None of it is counted among
// the evaluations: the user asks, the method does not need it.
class ShownMotion {
 public:
  virtual ~ShownMotion() = default;

  // Puts an interpolated state back on the constraints.
  virtual Outcome project(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }
  // Gives an interpolated state its multipliers, where those of a step's end cannot be interpolated.
  virtual Outcome find_multipliers(double /*t*/, VectorOut /*x*/) { return Outcome::ok; }
  // What is left open (multipliers of redundant constraints) gets a definite value.
  virtual void present(VectorOut /*x*/) {}
  // How well the constraints are met.
  virtual bool measure(double t, VectorIn x, Violation& violation) = 0;
};

class MotionProblem : public virtual Problem, public ShownMotion {
 public:
  explicit MotionProblem(EquationsOfMotion& motion)
      : motion_(motion), layout_(motion.layout()), a_(Vector::Zero(layout_.v.size)) {}

  const EquationsOfMotion& motion() const { return motion_; }

  // Called when a run starts and after every accepted step (TangentMotion::follow).
  virtual void follow(double t, VectorIn x) { motion_.follow(t, x); }

  // From now on the invariants keep the values they have at (t, x): an impact may have changed the energy.
  virtual Outcome rebase_invariants(double /*t*/, VectorIn /*x*/) { return Outcome::ok; }

  // The accelerations v' that belong to x (valid after measure() or a residual).
  const Vector& accelerations() const { return a_; }

 protected:
  // Calls a function of the equations, which returns what is not finite, if anything; what it throws becomes
  // a failure.
  template <class Function>
  Outcome guarded(double t, const Function& function) {
    std::string trouble;
    try {
      trouble = function();
    } catch (const std::exception& error) {
      return function_failed(t, error.what());
    } catch (...) {
      return function_failed(t, nullptr);
    }
    return trouble.empty() ? Outcome::ok : not_finite(t, trouble);
  }

  // Notes which rows of (g, h) depend on those that are active.
  void note_redundant(const std::vector<char>& active);

  // Velocities between 0.5 and 1.5, none like another: to see how constraints turn with the positions.
  Vector sample_velocities() const;

  // Whether constraints depend on time itself, as those of drivers do: looked up at times from a millisecond
  // to an hour ahead. Not counted among the evaluations.
  bool constraints_depend_on_time(double t, VectorIn x);

  EquationsOfMotion& motion_;
  const Layout layout_;
  Vector a_;

 private:
  Outcome function_failed(double t, const char* what);
  Outcome not_finite(double t, const std::string& what);
};

}  // namespace trammel
