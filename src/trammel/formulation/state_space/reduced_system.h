// Newton's corrections of a state-space form, in its independent positions y, velocities w and the states r
// of force elements:
//
//   y' = …,   ∂y'/∂y = K₁,   ∂y'/∂w = K₂                           (0 and I where velocities are rates)
//   M̂ w' = …, with M̂ ∂w'/∂y = M̂J₁,  M̂ ∂w'/∂w = M̂J₂,  M̂ ∂w'/∂r = M̂J₃
//   r' = b,   with derivatives R₁, R₂, R₃.
//
// The shifted system of size 2·ndof is never formed. With α = 1/σ and y eliminated there is left
//
//   Π = M̂ − α M̂J₂ − α² M̂J₁   (for K₁ = 0, K₂ = I)
//
// of size ndof (and the states, if there are any): J₁ and J₂ are not needed, only their products with M̂.
// (D. Negrut, E. J. Haug, H. C. German, An implicit Runge-Kutta method for integration of
// differential-algebraic equations of multibody dynamics, Multibody System Dynamics 9, 2003, section 4.)
#pragma once

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class ReducedSystem {
 public:
  Matrix mass;                                                  // M̂
  Matrix mass_by_position, mass_by_velocity, mass_by_state;     // M̂J₁, M̂J₂, M̂J₃
  Matrix rate_by_position, rate_by_velocity;                    // K₁, K₂
  Matrix state_by_position, state_by_velocity, state_by_state;  // R₁, R₂, R₃

  // After the matrices have been set.
  void finish();

  // False where the matrix is singular.
  bool factor(double shift) { return factor_shifted(shift, real_); }
  bool factor(std::complex<double> shift) { return factor_shifted(shift, complex_); }

  // (σI − J)(y, w, r) = b, all three in one vector, in place.
  void solve(Eigen::Ref<Vector> b) const { solve_shifted(real_, b); }
  void solve(Eigen::Ref<ComplexVector> b) const { solve_shifted(complex_, b); }

  Index positions() const { return rate_by_velocity.rows(); }
  Index velocities() const { return mass.rows(); }
  Index states() const { return state_by_state.rows(); }

 private:
  template <class Scalar>
  struct Shifted {
    using Numbers = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    Scalar shift{};
    Eigen::PartialPivLU<Numbers> kinematics, lu;
    Numbers position_by_velocity, matrix;
  };

  template <class Scalar>
  bool factor_shifted(Scalar shift, Shifted<Scalar>& out);
  template <class Scalar>
  void solve_shifted(const Shifted<Scalar>& at, Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> b) const;

  bool velocities_are_rates_ = false;
  Shifted<double> real_;
  Shifted<std::complex<double>> complex_;
};

}  // namespace trammel
