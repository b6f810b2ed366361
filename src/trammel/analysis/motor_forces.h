// The forces of motors along given coordinates that make a mechanism move in a given way.
//
// With ρ the forces along the velocities that the motion needs (inverse dynamics), B the directions of the motors and λ
// what loops carry,
//
//   B τ = ρ(λ) = M u' − f(λ) + Dᵀλ.
//
// Along the motions that loops allow, Rᵀ ∂ρ/∂λ = 0, this is Rᵀ B τ = Rᵀ ρ. Where there are more motors than
// motions, the smallest τ is taken; where there are less, what is missing is told.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/joint_motion.h"
#include "trammel/numerics/failure.h"

namespace trammel {

class MotorForces {
 public:
  // Coordinates of joints, "A.angle". The equations are those of the mechanism without its motors (joint_dynamics.h) and
  // must outlive this. Throws std::invalid_argument for a coordinate that does not exist.
  MotorForces(JointEquations& equations, const std::vector<std::string>& coordinates);

  // At time t: x becomes the state with its multipliers, and `forces` are those of the motors.
  Failure solve(double t, Vector& x, const VectorIn& accelerations, Vector& forces);
  // Of the last solution: what of ρ no motor and no loop can do, and along which velocity it is largest.
  double missing() const { return missing_; }
  double largest_force() const { return largest_; }
  const std::string& missing_along() const { return missing_along_; }
  // More motors than motions: other forces do the same.
  bool ambiguous() const { return ambiguous_; }

 private:
  void take_directions();

  JointEquations& equations_;
  JointMotion motion_;
  std::vector<Index> rows_;  // of Elements::measured
  Matrix directions_;        // B
  double missing_ = 0, largest_ = 0;
  std::string missing_along_;
  bool ambiguous_ = false;
};

}  // namespace trammel
