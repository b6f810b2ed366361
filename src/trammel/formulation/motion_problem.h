// A formulation of the equations of motion, as a simulation sees it. How a state looks beside the steps
// (projected, with accelerations and multipliers that belong to it) is not its business:
// motion/consistent_state.h.
#pragma once

#include <vector>

#include "trammel/formulation/problem.h"
#include "trammel/motion/tangent_motion.h"

namespace trammel {

class MotionProblem : public virtual Problem {
 public:
  explicit MotionProblem(EquationsOfMotion& motion)
      : motion_(motion), layout_(motion.layout()), a_(Vector::Zero(layout_.v.size)) {}

  const EquationsOfMotion& motion() const { return motion_; }

  // Called when a run starts and after every accepted step (TangentMotion::follow).
  virtual void follow(double t, VectorIn x) { motion_.follow(t, x); }

  // Branches of the equations that the next steps take (TangentMotion::hold_switches).
  virtual void hold_switches(std::span<const HeldBranch> held, double negligible) {
    motion_.hold_switches(held, negligible);
  }

  // What is followed, for saving and restoring alike.
  virtual void carry_motion(Carrier& /*carried*/) {}

  // From now on the invariants keep the values they have at (t, x): an impact may have changed the energy.
  virtual Outcome rebase_invariants(double /*t*/, VectorIn /*x*/) { return Outcome::ok; }

  // The accelerations v' of the state that a step or the start ended in, as the formulation has them; null if
  // it has none. Not counted among the evaluations: the user asks, the method does not need it.
  virtual const Vector* accelerations_at(double /*t*/, VectorIn /*x*/) { return nullptr; }
  // Whether multipliers between steps can be interpolated; otherwise they have to be found there.
  virtual bool interpolates_multipliers() const { return true; }

 protected:
  // Calls a function of the equations, which returns what is not finite, if anything; what it throws becomes
  // a failure.
  template <class Function>
  Outcome guarded(double t, const Function& function) {
    std::string trouble;
    try {
      trouble = function();
    } catch (const NotDetermined& what) {
      return try_again(what.reason(), what.what());
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

  // Whether constraints make the mechanism move, as those of drivers do: they depend on time itself, looked up at times
  // from a millisecond to an hour ahead, or ask for velocities that are not zero. Not counted among the evaluations.
  bool constraints_are_driven(double t, VectorIn x);

  EquationsOfMotion& motion_;
  const Layout layout_;
  Vector a_;

 private:
  Outcome function_failed(double t, const char* what);
  Outcome not_finite(double t, const std::string& what);
};

}  // namespace trammel
