// Newton's corrections of p' = Z v, [M Dᵀ; D 0] (v', λ) = (f, −γ), r' = b: solves with σE − J for its exact J. The
// equation of the positions is trivial, δv = (σ + K) q − b₁, so that only displacements q are left, with multipliers
// and states. With λ = σ² λ̂,
//
//   [ M + (MK − F_v)/σ − (F_q + F_v K)/σ²    Dᵀ − F_λ   −F_r/σ²     ] [ q ]   [ (M b₂ + σM b₁ − F_v b₁)/σ²      ]
//   [ D + (DK + Γ_v)/σ + (Γ_q + Γ_v K)/σ²    −ε          0          ] [ λ̂ ] = [ (D b₂ + σD b₁ + Γ_v b₁)/σ²      ]
//   [ −B_v − (B_q + B_v K)/σ                 −σ B_λ      1 − B_r/σ  ] [ r ]   [ (b₃ − B_v b₁)/σ                 ]
//
// half the size of the full matrix, sparse (KLU) or, where it is full anyway, dense. ε keeps it regular where rows
// are redundant or the rank drops; it is a matrix of an iteration that corrects itself.
//
// The semi-explicit form of index 1, M v' + Dᵀλ = f, D v' = −γ with λ among the unknowns, has the same matrix: M b₂ and D b₂
// are residuals of its own there. For long shifts it is near [M Dᵀ; D 0], so that its factors serve projections too.
#pragma once

#include <Eigen/LU>
#include <span>
#include <utility>
#include <vector>

#include "trammel/formulation/shifted_matrix.h"
#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/patterned_product.h"
#include "trammel/numerics/sparse_lu.h"

namespace trammel {

class SecondOrderSystem {
 public:
  // Displacements, velocities and states: a right-hand side (b₁, b₂, b₃) or a solution.
  template <class Scalar>
  struct Columns {
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> positions, velocities, states;
  };

  // The slopes have other patterns from now on.
  void forget_patterns() {
    SecondOrderSystem empty;
    empty.order_ = std::move(order_);
    *this = std::move(empty);
  }
  // TangentMotion::elimination_order() of the slopes that are to be taken.
  void set_order(std::vector<int> velocities) { order_ = std::move(velocities); }
  void take(const TangentSlopes& slopes) { take(slopes, {}); }
  // With marks of the rows of D that count; none: all. Multipliers of the others are left alone.
  void take(const TangentSlopes& slopes, std::span<const char> counts);

  // False where the matrix is singular.
  bool factor(double shift) { return factor_shifted(shift, real_); }
  bool factor(std::complex<double> shift) { return factor_shifted(shift, complex_); }
  // In place.
  void solve(Columns<double>& columns) { solve_shifted(real_, columns); }
  void solve(Columns<std::complex<double>>& columns) { solve_shifted(complex_, columns); }
  // The same for the form of index 1: `columns.velocities` comes as the residual of the dynamics, `constraints` as
  // that of D v' = −γ, and becomes the change of the multipliers. With the real shift.
  void solve(Columns<double>& columns, Vector& constraints);
  // A displacement with D q = residual, nearly, small in the norm of the masses. With the real shift.
  void solve_constraints(const Vector& residual, Vector& q);

  bool is_dense() const { return dense_; }
  const SparseMatrix& mass() const { return mass_; }
  const SparseMatrix& jacobian() const { return jacobian_; }

 private:
  template <class Scalar>
  struct Shifted {
    Scalar shift{};
    Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> matrix;
    SparseLu<Scalar> lu;
    Eigen::PartialPivLU<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> dense;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> right, work;
  };

  void put_dynamics(const TangentSlopes& slopes);
  void put_constraints(const TangentSlopes& slopes);
  void put_states(const TangentSlopes& slopes);
  template <class Scalar>
  bool factor_shifted(Scalar shift, Shifted<Scalar>& at);
  template <class Scalar>
  void solve_shifted(Shifted<Scalar>& at, Columns<Scalar>& columns);
  // M a − F_v b
  template <class Scalar>
  void multiply_dynamics(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& a,
                         const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& b,
                         Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> out) const;
  template <class Scalar>
  void solve_right(Shifted<Scalar>& at);
  template <class Scalar>
  void finish(Shifted<Scalar>& at, Columns<Scalar>& columns);
  void leave_out(std::span<const char> counts);
  std::vector<int> order_of_all() const;

  std::vector<int> order_;
  Index velocities_ = 0, constraints_ = 0, states_ = 0;
  bool dense_ = false;
  ShiftedMatrix system_;
  // K and its products; the others are kept for right-hand sides
  SparseMatrix kinematics_, mass_, jacobian_, force_twist_, acceleration_twist_, state_twist_;
  PatternedProduct mass_kinematics_, force_kinematics_, jacobian_kinematics_, acceleration_kinematics_,
      state_kinematics_;
  bool alike_ = false;  // M and F_v have one pattern
  Vector regularization_;
  std::vector<char> counts_;  // of the rows of D; empty: all do
  Shifted<double> real_;
  Shifted<std::complex<double>> complex_;
};

}  // namespace trammel
