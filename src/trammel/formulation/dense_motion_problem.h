// What all dense formulations of the equations of motion share: checked evaluation, accelerations from the
// mass matrix, hidden constraints as functions of the state alone, and the measure of how well the
// constraints are met.
#pragma once

#include "trammel/formulation/motion_problem.h"
#include "trammel/motion/equations.h"
#include "trammel/motion/mass_inverse.h"

namespace trammel {

class DenseMotionProblem : public MotionProblem {
 public:
  DenseMotionProblem(EquationsOfMotion& motion, bool enforce_invariants);

  Outcome start(double t, VectorIn x) override;
  Outcome resume(double t, VectorIn x, Carrier& carried) override;

  Outcome rebase_invariants(double t, VectorIn x) override;
  const Vector* accelerations_at(double t, VectorIn x) override;

 protected:
  // Evaluates `wanted` at (t, x) with the accelerations a_. Failures are worded in the user's names.
  Outcome evaluate(double t, VectorIn x, Parts wanted);
  Outcome differentiate(double t, VectorIn x, Parts wanted);
  // Evaluates the dynamics (and `also`) and sets a_ = M⁻¹ (f − ZᵀGᵀλ − ZᵀHᵀμ). Without a need for M itself, equations
  // that know a faster way are asked.
  enum class Mass { needed, not_needed };
  Outcome accelerate(double t, VectorIn x, Parts also, Mass mass = Mass::needed);
  // After differentiate(): gII_x_ and hI_x_, the derivatives of gᴵᴵ and hᴵ with a following x.
  void follow_accelerations();

  // After differentiate(c): fails if ∂c/∂s is singular.
  Outcome check_contacts(double t);
  // b ← M⁻¹ b with the mass matrix of the last accelerate().
  void solve_mass(Matrix& b) const { mass_.solve_in_place(b); }

  bool enforce_invariants() const { return enforce_invariants_; }
  // Velocity constraints by velocity: [GZ; HZ], after differentiate(gI | h).
  void velocity_jacobian(Matrix& C) const;

  MotionValues values_;
  MotionDerivatives derivatives_;
  Matrix gII_x_, hI_x_;

 private:
  bool enforce_invariants_;
  bool mass_known_ = false;     // a constant mass matrix is factored once
  bool mass_singular_ = false;  // regular only on the kernel of the constraints
  MassInverse mass_;
  Matrix C_, a_x_;
  Vector gamma_;
  Vector invariant_base_;  // subtracted from e
};

}  // namespace trammel
