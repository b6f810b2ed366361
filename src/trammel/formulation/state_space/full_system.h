// Newton's corrections of a state-space form with many degrees of freedom (reduced_system.h is for few): one
// sparse system in all coordinates, where the rows of dependent velocities have unknowns of their own, y_p and
// y_v, that take up what is left there. With N_p, N_v the columns of the dependent ones and δv = σ v̂,
// κ = σ² κ̂:
//
//   q − v̂ + K q/σ − N_p ŷ_p                                                  = b₁/σ
//   G q                                                                      = 0
//   D v̂ + D' q/σ                                                             = 0
//   D v̂ + (gᴵᴵ_q q/σ + gᴵᴵ_v v̂)/σ − D N_v ŷ_v                                 = D b₂/σ²
//   M v̂ − (f_q q/σ + f_v v̂)/σ − M N_v ŷ_v + (Dᵀ − f_λ) κ̂ − f_r r/σ²           = M b₂/σ²
//   r − (b_q q + b_r r)/σ − b_v v̂ − σ b_λ κ̂                                   = b₃/σ
#pragma once

#include "trammel/formulation/shifted_factors.h"
#include "trammel/motion/tangent_motion.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

class FullSystem {
 public:
  // Displacements, velocities and states of force elements: a right-hand side (b₁, b₂, b₃) or a solution.
  template <class Scalar>
  struct Columns {
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> positions, velocities, states;
  };

  // The pattern at hand belongs to other coordinates, or to other slopes.
  void forget_pattern() { known_ = false; }

  void form(const TangentSlopes& slopes, const SparsePartition& positions, const SparsePartition& velocities);

  // False where the matrix is singular.
  bool factor(double shift) { return real_.factor(system_, shift); }
  bool factor(std::complex<double> shift) { return complex_.factor(system_, shift); }

  // In place.
  void solve(Columns<double>& columns) { solve_shifted(real_, columns); }
  void solve(Columns<std::complex<double>>& columns) { solve_shifted(complex_, columns); }

 private:
  void put_motion(const TangentSlopes& slopes, const SparsePartition& positions,
                  const SparsePartition& velocities);
  void put_constraints(const TangentSlopes& slopes, const SparsePartition& positions,
                       const SparsePartition& velocities);
  void put_states(const TangentSlopes& slopes, const SparsePartition& velocities);
  template <class Scalar>
  void solve_shifted(ShiftedFactors<Scalar>& at, Columns<Scalar>& columns);

  // where blocks of unknowns begin: q, v̂, κ̂, ŷ_p, ŷ_v, r; and of rows: kinematics, dynamics, hidden
  // constraints, positions, velocities, states
  struct Blocks {
    Index v = 0, kappa = 0, yp = 0, yv = 0, r = 0;
    Index dynamics = 0, hidden = 0, positions = 0, velocities = 0;
  };
  Blocks at_;
  ShiftedMatrix system_;
  bool known_ = false;
  SparseMatrix mass_, jacobian_;
  std::vector<Index> rows_;
  ShiftedFactors<double> real_;
  ShiftedFactors<std::complex<double>> complex_;
};

}  // namespace trammel
